/** Bars and graphs: SVG with widths as attributes, since the policy of the pages allows no style of its own. */
import type { FC } from 'hono/jsx';
import { ROW_MESSAGES } from '../../delivery/messages.ts';
import type { RecordState } from '../../delivery/outcome.ts';
import { inText, type Look } from './basics.tsx';

/** How many rows look how: never more than the rows there are. */
type Segments = Record<Look, number>;

export const NO_ROWS: Segments = { good: 0, bad: 0, wait: 0, held: 0, done: 0 };

const LOOKS: Record<RecordState, Look> = {
  delivered: 'good',
  valid: 'good',
  duplicate: 'done',
  skipped: 'done',
  cancelled: 'done',
  invalid: 'bad',
  rejected: 'bad',
  dead: 'bad',
  held: 'held',
  queued: 'wait',
  sending: 'wait',
  waiting: 'wait',
  unknown: 'wait',
  coalesced: 'wait',
};

export const lookOfRow = (state: RecordState): Look => LOOKS[state];

/** @param resolved of them, those that were corrected since: they count as done. Pure. */
export function segmentsOf(
  rowStates: Partial<Record<string, number>>,
  resolved: Partial<Record<string, number>> = {},
): Segments {
  const sums = { ...NO_ROWS };
  for (const [state, count = 0] of Object.entries(rowStates)) {
    const look = (LOOKS as Partial<Record<string, Look>>)[state] ?? 'wait';
    const mended = resolved[state] ?? 0;
    sums[look] += count - mended;
    sums.done += mended;
  }
  return sums;
}

/** Of a batch in a list, which has no resolved rows by state, but how many of those not delivered are left. Pure. */
export function segmentsListed(rowStates: Partial<Record<string, number>>, refused: number): Segments {
  const { bad, done, ...others } = segmentsOf(rowStates);
  return { ...others, bad: Math.min(bad, refused), done: done + Math.max(0, bad - refused) };
}

/** In the order of a bar. */
const SHOWN: readonly (readonly [Look, string])[] = [
  ['good', 'delivered'],
  ['bad', 'not delivered'],
  ['held', 'waiting for a decision'],
  ['wait', 'waiting'],
  ['done', 'corrected or left out'],
];

/** Of rows that look so. */
export const statesLooking = (look: Look): string[] =>
  Object.entries(LOOKS).flatMap(([state, each]) => (each === look ? [state] : []));

const totalOf = (segments: Segments): number => SHOWN.reduce((sum, [look]) => sum + segments[look], 0);

/** Nothing of a dry run is delivered. */
const DRY: Partial<Record<Look, string>> = { good: 'valid', bad: 'wrong', done: 'left out' };

/** What rows that look so are called. */
export const shownAs = (isDryRun: boolean): typeof SHOWN =>
  isDryRun ? SHOWN.map(([look, words]) => [look, DRY[look] ?? words] as const) : SHOWN;

/** `218 delivered, 8 not delivered` */
export const segmentsText = (segments: Segments, isDryRun = false): string =>
  totalOf(segments) === 0
    ? 'no rows'
    : shownAs(isDryRun)
        .flatMap(([look, words]) => (segments[look] > 0 ? [`${inText(segments[look])} ${words}`] : []))
        .join(', ');

export const StackedBar: FC<{ segments: Segments; isSmall?: boolean; live?: boolean; isDryRun?: boolean }> = ({
  segments,
  isSmall = false,
  live = false,
  isDryRun = false,
}) => {
  const total = totalOf(segments);
  const text = segmentsText(segments, isDryRun);
  let at = 0;
  return (
    <svg
      class={isSmall ? 'stack small-stack' : 'stack'}
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
      data-bar={live ? '' : undefined}
    >
      <title>{text}</title>
      {SHOWN.map(([look]) => {
        const width = widthOf(segments[look], total);
        const x = at;
        at += width;
        return <rect class={look} data-look={look} x={x} y={0} width={width} height={10} />;
      })}
    </svg>
  );
};

/** At least a sliver, so that one row in a million can be seen. */
const widthOf = (count: number, total: number): number =>
  count === 0 ? 0 : Math.max(4, Math.round((count / total) * 1000));

/** The words of a state of rows, for tiles and filters. */
export const rowMessages = (state: RecordState) => ROW_MESSAGES[state];
