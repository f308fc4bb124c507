/**
 * What must hold of creates whose answers fail, checked from outside: the receiving system's journal and orders, the rows the
 * partner reads, the orders' stored intents. Pure: lists in, sentences out.
 */
import type { BatchRow } from '../../src/batch/report/summary.ts';
import type { SeenRequest, Sending } from '../kill/sendings.ts';
import type { CreateCase } from './create-cases.ts';

export interface CaseEvidence {
  plan: CreateCase;
  /** Every reference of the case. */
  orderRefs: readonly string[];
  rows: readonly BatchRow[];
}

export interface CreateEvidence {
  cases: readonly CaseEvidence[];
  /** Creates in the journal, without those that made the older orders. */
  creates: readonly SeenRequest[];
  /** How often the receiving system was asked for orders under a reference. */
  asked: number;
  /** Of each order upstream. */
  upstreamRefs: readonly string[];
  sendings: readonly Sending[];
}

/** @returns one sentence per violation; none means that everything held. */
export function createViolations({ cases, creates, asked, upstreamRefs, sendings }: CreateEvidence): string[] {
  const byRef = Map.groupBy(creates, refOf);
  const lookUps = sendings.flatMap((sending) => sending.lookUps);
  return [
    ...cases.flatMap(({ plan, orderRefs, rows }) => [
      ...orderRefs.flatMap((orderRef) => asPlanned(plan, orderRef, byRef.get(orderRef) ?? [], upstreamRefs)),
      ...asOftenAsPlanned(plan, orderRefs, byRef),
      ...rowsAsPlanned(plan, orderRefs, rows),
    ]),
    ...[...byRef].flatMap(([orderRef, sent]) => againOnlyWhenRefused(orderRef, sent)),
    ...(asked > lookUps.length ? [`${asked} look-ups arrived, ${lookUps.length} intents of them are stored`] : []),
  ];
}

const refOf = ({ body }: SeenRequest): string => (JSON.parse(body) as { orderRef: string }).orderRef;

function asPlanned(
  { posts, upstream }: CreateCase,
  orderRef: string,
  creates: readonly SeenRequest[],
  upstreamRefs: readonly string[],
): string[] {
  const there = upstreamRefs.filter((ref) => ref === orderRef).length;
  const isAsOften = posts > 1 ? creates.length > 0 : creates.length === posts;
  return [
    ...(isAsOften ? [] : [`${orderRef}: ${creates.length} creates arrived, not ${posts}`]),
    ...(there === upstream ? [] : [`${orderRef}: ${there} orders stand upstream, not ${upstream}`]),
  ];
}

/** The orders of a case share its faults: one may meet two of them, and another none. */
function asOftenAsPlanned(
  { name, posts }: CreateCase,
  orderRefs: readonly string[],
  byRef: ReadonlyMap<string, readonly SeenRequest[]>,
): string[] {
  const arrived = orderRefs.reduce((sum, orderRef) => sum + (byRef.get(orderRef)?.length ?? 0), 0);
  const planned = posts * orderRefs.length;
  return posts === 1 || arrived === planned ? [] : [`${name}: ${arrived} creates arrived, not ${planned}`];
}

/** Every row is told; all rows of an order end alike. */
function rowsAsPlanned(
  { name, row: wanted }: CreateCase,
  orderRefs: readonly string[],
  rows: readonly BatchRow[],
): string[] {
  const told = new Set(rows.flatMap(({ requests }) => requests.map(({ subject }) => subject)));
  const untold = orderRefs.filter((orderRef) => !told.has(`order:${orderRef}`));
  return [
    ...untold.map((orderRef) => `${orderRef}: no row tells of it`),
    ...rows.flatMap(({ record, state, requests }) => {
      const is = requests.map(({ reason, evidence }) => [state, reason, evidence].join(' ')).join(', ');
      const isWanted =
        requests.length === 1 &&
        reasonsOf(wanted).some((reason) => is === [wanted.state, reason, wanted.evidence].join(' '));
      return isWanted ? [] : [`${name}, record ${record} is ${is || state}, not ${Object.values(wanted).join(' ')}`];
    }),
  ];
}

/** An older order beside the new one: which is seen first is the receiving system's doing. */
const reasonsOf = ({ reason }: CreateCase['row']): (string | null)[] => reason?.split(' or ') ?? [null];

/** I7: a second create only where the first was proved not to be applied. */
function againOnlyWhenRefused(orderRef: string, sent: readonly SeenRequest[]): string[] {
  const unproved = sent.slice(0, -1).filter(({ status, applied }) => applied || status !== 429);
  return unproved.map(({ seq, status }) => `${orderRef} was sent again behind journal ${seq}, answered ${status}`);
}

/** A line per case, of what was seen. */
export function caseFigures({ cases, creates, upstreamRefs }: CreateEvidence): string[] {
  return cases.map(({ plan, orderRefs, rows }) => {
    const refs = new Set(orderRefs);
    const posts = creates.filter((entry) => refs.has(refOf(entry))).length;
    const orders = upstreamRefs.filter((ref) => refs.has(ref)).length;
    const ends = new Map<string, number>();
    for (const { state, group, requests } of rows) {
      if (group !== null) continue;
      const end = [state, requests[0]?.reason ?? requests[0]?.evidence].filter(Boolean).join(' ');
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    const ended = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
    const older = plan.older === 0 ? '' : ` (${refs.size} of them older)`;
    return `${plan.what}: ${refs.size} orders, ${posts} POSTs, ${orders} upstream${older}, ${ended}`;
  });
}
