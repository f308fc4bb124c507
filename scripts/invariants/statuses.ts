/** What must hold of an order feed: all that became of orders is in the partner's log once, in order, and orders show it. Pure. */
import { breaks, counted, type LoggedStatus, type Status, type StoredGap, type Violation } from './evidence.ts';
import { overtaken } from './sendings.ts';

const [I12, I21, I27, I28] = [breaks('I12'), breaks('I21'), breaks('I27'), breaks('I28')];

const nameOf = ({ orderRef, orderId, code, atMs }: Status): string =>
  `${orderRef} ${code} at ${new Date(atMs).toISOString()} (${orderId})`;

/**
 * Every status exactly once, and no other: whatever was lost, killed or asked for again.
 * @param isUnknown orders of which the feed was never told.
 */
export function statusesOnce(
  log: readonly Status[],
  happened: readonly Status[],
  isUnknown: (orderRef: string) => boolean = () => false,
): Violation[] {
  const names = happened.map(nameOf);
  const { times, strangers } = counted(names, log.map(nameOf));
  const upstream = counted([], names);
  return [
    ...[...new Map(happened.map((status) => [nameOf(status), status]))].flatMap(([name, { orderRef }]) => {
      const [logged, here] = [times(name), upstream.times(name)];
      if (here > 1) return [I27(`the status ${name} happened ${here} times upstream: two of one instant are no two`)];
      if (logged === 0 && !isUnknown(orderRef)) return [I21(`the status ${name} is not in the log`)];
      return logged > 1 ? [I27(`the status ${name} stands ${logged} times in the log`)] : [];
    }),
    ...strangers.map((name) => I27(`the log has the status ${name}, which never was`)),
  ];
}

/** Numbers of a log that was read with its cursors: none is missing, none comes twice. */
export const numbersWhole = (log: readonly { seq: number }[]): Violation[] =>
  log.flatMap(({ seq }, index) => {
    const before = log[index - 1]?.seq ?? 0;
    return seq === before + 1 ? [] : [I27(`entry ${seq} of the log comes after ${before}`)];
  });

/** What polls brought of one order stands as it happened. */
export const asTheyHappened = (log: readonly LoggedStatus[]): Violation[] =>
  [...Map.groupBy(log, ({ orderRef }) => orderRef).values()].flatMap((own) =>
    overtaken(own, ({ atMs }) => atMs).map(({ orderRef, code }) =>
      I27(`${code} of ${orderRef} comes after what happened later`),
    ),
  );

/** An order as it is shown. */
interface StatusesShown {
  orderRef: string;
  statuses: readonly Pick<LoggedStatus, 'seq' | 'code' | 'atMs'>[];
}

/** Each order shows the statuses that the log has of it. @param lastSeq what it has heard since is left out. */
export function statusesShown(
  shown: readonly StatusesShown[],
  log: readonly LoggedStatus[],
  lastSeq = Number.POSITIVE_INFINITY,
): Violation[] {
  const logged = Map.groupBy(log, ({ orderRef }) => orderRef);
  const textOf = (statuses: StatusesShown['statuses']): string =>
    statuses.map(({ seq, code, atMs }) => `${seq} ${code} ${atMs}`).join(', ');
  return shown.flatMap(({ orderRef, statuses }) => {
    const own = statuses.filter(({ seq }) => seq <= lastSeq).sort((one, other) => one.seq - other.seq);
    const [is, wanted] = [textOf(own), textOf(logged.get(orderRef) ?? [])];
    return is === wanted ? [] : [I28(`${orderRef} shows the statuses ${is}; the log has ${wanted}`)];
  });
}

/** @param by what must have closed them. */
export const gapsClosed = (gaps: readonly StoredGap[], by?: string): Violation[] =>
  gaps
    .filter(({ closedBy }) => (by === undefined ? closedBy === null : closedBy !== by))
    .map(({ pollNo, why }) => I12(`the gap of poll ${pollNo} (${why}) is still open`));
