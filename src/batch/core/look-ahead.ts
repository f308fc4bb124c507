/**
 * What a batch has read and not dispatched, by load and order: each is visited with all its requests that are known
 * here, and never twice at a time. Pure; nothing is stored. A restarted object begins at the checkpoint: a repeated visit
 * is harmless.
 */
import type { DispatchedRequest, LoadIdentity, OrderIdentity } from '../../tracking/request.ts';
import { LOOK_AHEAD_CHARACTERS, LOOK_AHEAD_REQUESTS, PARCEL_CHARACTERS_MAX, PARCEL_REQUESTS_MAX } from '../limits.ts';
import { type BatchCheckpoint, isAfter } from './progress.ts';

/** Requests for one subject. */
export type SubjectPart = { requests: DispatchedRequest[] } & (
  | { subject: 'load'; identity: LoadIdentity }
  | { subject: 'order'; identity: OrderIdentity }
);

/** One request in record order, until everything up to it has ended. */
interface InLine extends BatchCheckpoint {
  /** `begun`: its subject may have it. `ended`: its subject has it, and what became of it is stored here. */
  state: 'waiting' | 'begun' | 'ended';
}

interface Waiting {
  part: SubjectPart;
  inLine: InLine[];
  /** Its visit failed: not before this time. */
  notBeforeMs: number;
}

/** @property name of the subject. isLast: nothing of the file that is known here comes after it for this subject. */
export interface NextVisit {
  name: string;
  part: SubjectPart;
  inLine: readonly InLine[];
  characters: number;
  isLast: boolean;
  /** How often the look-ahead had been emptied when it began. */
  emptied: number;
}

export class LookAhead {
  /** From the first request that has not ended. */
  #line: InLine[] = [];
  /** By name, in the order of their first requests. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #visited = new Set<string>();
  readonly #inherited: BatchCheckpoint;
  #requests = 0;
  #characters = 0;
  #emptied = 0;

  /** @param inherited subjects may have requests up to here: from an earlier life of the object. */
  constructor(inherited: BatchCheckpoint) {
    this.#inherited = inherited;
  }

  get isFull(): boolean {
    return this.#requests >= LOOK_AHEAD_REQUESTS || this.#characters >= LOOK_AHEAD_CHARACTERS;
  }

  /** Nothing waits for a visit, and none is under way. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#visited.size === 0;
  }

  /** @param part the subject of the request, with no requests. */
  add(name: string, part: SubjectPart, request: DispatchedRequest): void {
    const place = { record: request.record, request: request.request };
    const inLine: InLine = { ...place, state: 'waiting' };
    this.#line.push(inLine);
    const characters = request.body.length;
    let waiting = this.#waiting.get(name);
    if (waiting === undefined) {
      waiting = { part, inLine: [], notBeforeMs: 0 };
      this.#waiting.set(name, waiting);
    }
    waiting.part.requests.push(request);
    waiting.inLine.push(inLine);
    this.#requests += 1;
    this.#characters += characters;
  }

  /** Begins the next visit; null: nobody may be visited now. */
  next(nowMs: number): NextVisit | null {
    const found = this.#next(nowMs);
    return found && this.#begin(...found);
  }

  hasNext = (nowMs: number): boolean => this.#next(nowMs) !== null;

  #next(nowMs: number): [string, Waiting] | null {
    for (const [name, waiting] of this.#waiting)
      if (!this.#visited.has(name) && nowMs >= waiting.notBeforeMs) return [name, waiting];
    return null;
  }

  /** When a visit that failed may be repeated; null: none has. */
  repeatMs(): number | null {
    let soonestMs: number | null = null;
    for (const { notBeforeMs } of this.#waiting.values())
      if (notBeforeMs > 0) soonestMs = Math.min(notBeforeMs, soonestMs ?? notBeforeMs);
    return soonestMs;
  }

  #begin(name: string, waiting: Waiting): NextVisit {
    const { part, inLine } = waiting;
    const count = parcelSize(part.requests);
    const isLast = count === part.requests.length;
    const requests = part.requests.splice(0, count);
    const begun = inLine.splice(0, count);
    if (isLast) this.#waiting.delete(name);
    for (const each of begun) each.state = 'begun';
    const characters = requests.reduce((sum, { body }) => sum + body.length, 0);
    this.#requests -= count;
    this.#characters -= characters;
    this.#visited.add(name);
    return { name, part: { ...part, requests }, inLine: begun, characters, isLast, emptied: this.#emptied };
  }

  /** What became of them is stored. @param passed the checkpoint, if it moved with that. */
  ended(visits: readonly NextVisit[], passed?: BatchCheckpoint): void {
    for (const { name, inLine } of visits) {
      this.#visited.delete(name);
      for (const each of inLine) each.state = 'ended';
    }
    if (passed === undefined) return;
    const after = this.#line.findIndex((each) => isAfter(each, passed));
    this.#line.splice(0, after < 0 ? this.#line.length : after);
  }

  /** It is repeated, before anything else for its subject. */
  failed({ name, part, inLine, characters, emptied }: NextVisit, notBeforeMs: number): void {
    this.#visited.delete(name);
    if (emptied !== this.#emptied) return;
    const later = this.#waiting.get(name);
    this.#waiting.set(name, {
      part: { ...part, requests: [...part.requests, ...(later?.part.requests ?? [])] },
      inLine: [...inLine, ...(later?.inLine ?? [])],
      notBeforeMs,
    });
    this.#requests += part.requests.length;
    this.#characters += characters;
  }

  /** The last request up to which everything has ended once these visits have; undefined: none more than before. */
  endedUpTo(visits: readonly NextVisit[]): BatchCheckpoint | undefined {
    const ending = new Set(visits.flatMap(({ inLine }) => inLine));
    const open = this.#line.findIndex((each) => each.state !== 'ended' && !ending.has(each));
    const last = this.#line[(open < 0 ? this.#line.length : open) - 1];
    return last && { record: last.record, request: last.request };
  }

  /** Which requests after the checkpoint may be with their subject, and the last of them. */
  doubtful(): { last: BatchCheckpoint; mayHave(place: BatchCheckpoint): boolean } {
    const begun = this.#line.filter(({ state }) => state !== 'waiting');
    const known = new Set(begun.map(keyOf));
    const inherited = this.#inherited;
    const last = begun.at(-1);
    return {
      last: last !== undefined && isAfter(last, inherited) ? last : inherited,
      mayHave: (place) => !isAfter(place, inherited) || known.has(keyOf(place)),
    };
  }

  /** Nothing of it is dispatched any more; visits under way go on. */
  empty(): void {
    this.#emptied += 1;
    this.#waiting.clear();
    this.#line = [];
    this.#requests = 0;
    this.#characters = 0;
  }
}

const keyOf = ({ record, request }: BatchCheckpoint): string => `${record}/${request}`;

/** How many of them go in one call: at least one. */
function parcelSize(requests: readonly DispatchedRequest[]): number {
  let characters = 0;
  const end = requests.findIndex(({ body }, index) => {
    characters += body.length;
    return index > 0 && (index >= PARCEL_REQUESTS_MAX || characters > PARCEL_CHARACTERS_MAX);
  });
  return end < 0 ? requests.length : end;
}
