/** What must hold of each request once all is over: its state is true to what the upstream did. Pure. */
import type { RequestState } from '../../src/delivery/states.ts';
import { breaks, type Violation } from './evidence.ts';

/** One request in the end. */
export interface RequestEnd {
  key: string;
  kind: string;
  /** Its own, or that of the request it travels in; so are the next ones. */
  state: RequestState;
  outcome: 'not_applied' | 'unknown' | null;
  isMarked: boolean;
  attempts: readonly { effect: string | null }[];
  /** Of a request that travels in another one these are that one's. */
  areItsOwn: boolean;
  /** How often the upstream did it. */
  done: number;
}

const [I4, I7, I8, I9] = [breaks('I4'), breaks('I7'), breaks('I8'), breaks('I9')];

export const requestViolations = (ends: readonly RequestEnd[]): Violation[] =>
  ends.flatMap((end) => [...isEnded(end), ...isMarked(end), ...wasDone(end), ...wasNotDone(end)]);

const isEnded = ({ key, attempts }: RequestEnd): Violation[] =>
  attempts.some(({ effect }) => effect === null) ? [I4(`${key} has an attempt without an end`)] : [];

/** At least once, and never silently: of what was sent again after it may have landed, everybody is told so. A create is never done twice. */
function isMarked({ key, kind, isMarked, attempts, done }: RequestEnd): Violation[] {
  const isOrder = kind.startsWith('order.');
  if (done > 1 && (kind === 'order.create' || !isMarked)) return [I7(`${key} was done ${done} times, unmarked`)];
  const mayHaveLanded = !isOrder && attempts.slice(0, -1).some(({ effect }) => effect === 'unknown');
  return mayHaveLanded && !isMarked ? [I7(`${key} was sent again, may be there twice, and is not marked`)] : [];
}

function wasDone({ key, kind, state, attempts, done }: RequestEnd): Violation[] {
  if (state !== 'delivered') return [];
  const isProved = kind.startsWith('order.') || attempts.some(({ effect }) => effect === 'applied');
  return [
    ...(done > 0 ? [] : [I8(`${key} is delivered and was never done`)]),
    ...(isProved ? [] : [I8(`${key} is delivered without a 2xx`)]),
  ];
}

function wasNotDone({ key, state, outcome, attempts, areItsOwn, done }: RequestEnd): Violation[] {
  const saysNo = state === 'rejected' || state === 'cancelled' || (state === 'dead' && outcome === 'not_applied');
  if (!saysNo) return [];
  const isUnclear = areItsOwn && attempts.some(({ effect }) => effect === 'unknown');
  return [
    ...(done === 0 ? [] : [I9(`${key} is ${state} and was done`)]),
    ...(isUnclear ? [I9(`${key} is ${state} after an unclear answer`)] : []),
  ];
}

/** I3: every request that a load or an order knows is one of a batch. */
export const noStrangers = (keys: Iterable<string>, known: ReadonlySet<string>): Violation[] =>
  [...keys].filter((key) => !known.has(key)).map((key) => breaks('I3')(`${key} belongs to no batch`));
