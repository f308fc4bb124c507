/** What must hold of all that leaves: nothing without its intent, with the very bytes, and in the order of its lane. Pure. */
import { type Arrival, breaks, keyOf, type Sending, sha256, type Violation } from './evidence.ts';

const [I5, I10] = [breaks('I5'), breaks('I10')];

/** So much of a name is shown: bodies are long. */
const SHOWN_CHARACTERS = 300;

/**
 * Every request that the upstream saw has an attempt that was committed before it.
 * @param nameOf what a request has in common with its intent, such as its bytes. @param begunAtMs by that name, in ascending order.
 */
export function noOrphans<Entry extends Pick<Arrival, 'seq' | 'receivedAtMs'>>(
  seen: readonly Entry[],
  nameOf: (entry: Entry) => string,
  begunAtMs: ReadonlyMap<string, readonly number[]>,
): Violation[] {
  return [...Map.groupBy(seen, nameOf)].flatMap(([name, entries]) => {
    const begun = begunAtMs.get(name) ?? [];
    const shown = name.slice(0, SHOWN_CHARACTERS);
    if (begun.length < entries.length) return [I5(`${entries.length} requests, ${begun.length} intents: ${shown}`)];
    return entries
      .filter(({ receivedAtMs }, at) => (begun[at] ?? Infinity) > receivedAtMs)
      .map(({ seq }) => I5(`journal ${seq} was received before its intent was stored: ${shown}`));
  });
}

/** The same of what loads and orders send as it was mapped: its bytes are its name. */
export const noOrphanBodies = (seen: readonly Arrival[], sendings: readonly Sending[]): Violation[] =>
  noOrphans(
    seen,
    ({ body }) => body,
    new Map(sendings.map(({ body, attempts }) => [body, attempts.map(({ startedAtMs }) => startedAtMs)])),
  );

/** Every attempt carried the same bytes. */
export const sameBytes = (name: string, body: string, attempts: readonly { requestSha256: string }[]): Violation[] => {
  const expected = sha256(body);
  const others = attempts.filter(({ requestSha256 }) => requestSha256 !== expected);
  return others.map(() => I5(`${name} was attempted with other bytes`));
};

/** The same bytes each time, and the intent of a set names every point that travels in it. */
export function intentsNameWhatTheyCarry(sendings: readonly Sending[]): Violation[] {
  return sendings.flatMap(({ body, carries, attempts }) => {
    const [lead] = carries;
    if (lead === undefined) return [I5(`a set carries nothing: ${body.slice(0, SHOWN_CHARACTERS)}`)];
    const seqs = carries.map(({ seq }) => seq).sort((one, other) => one - other);
    const wrong = attempts
      .map((attempt) => [...(attempt.carries ?? [lead.seq])].sort((one, other) => one - other))
      .filter((named) => named.join() !== seqs.join());
    return [
      ...sameBytes(keyOf(lead), body, attempts),
      ...wrong.map((named) =>
        I5(`an intent of ${keyOf(lead)} names ${named.length} requests, ${seqs.length} travel in it`),
      ),
    ];
  });
}

/** First applications of a lane follow the order of its requests, but of those that say they came late. @param load its sendings. */
export function orderKept(load: readonly Sending[], seen: readonly Arrival[]): Violation[] {
  const firstApplied = new Map<string, number>();
  for (const { body, seq, applied } of seen) if (applied && !firstApplied.has(body)) firstApplied.set(body, seq);
  return [...Map.groupBy(load, ({ lane }) => lane).values()].flatMap((lane) => {
    const applied = lane.flatMap(({ body, carries: [first] }) => {
      const at = firstApplied.get(body);
      return at === undefined || first === undefined || first.late ? [] : [{ at, name: keyOf(first) }];
    });
    return overtaken(applied, ({ at }) => at).map(({ name }) =>
      I10(`${name} was applied before an earlier one of its lane`),
    );
  });
}

/** Those whose place lies before that of one that stands before them. @param isStrict no two may have one place. */
export function overtaken<T>(inOrder: readonly T[], placeOf: (one: T) => number, isStrict = false): T[] {
  let newest = Number.NEGATIVE_INFINITY;
  return inOrder.filter((one) => {
    const place = placeOf(one);
    const isOlder = Number.isNaN(place) || place < newest || (isStrict && place === newest);
    if (place > newest) newest = place;
    return isOlder;
  });
}
