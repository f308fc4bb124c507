/**
 * Charts: SVG with sizes as attributes, since the policy of the pages allows no style of its own. Beside the picture stands the
 * same as text: a sentence for those who hear the page, and the numbers as a table on request.
 */
import type { Child, FC } from 'hono/jsx';

/** @property good, bad amounts of a column, one on the other. href where the column leads; left out: nowhere. */
export interface ChartColumn {
  label: string;
  good: number;
  bad: number;
}

const WIDTH = 1_000;
const HEIGHT = 96;
/** A column of one among thousands can still be seen. */
const HEIGHT_MIN = 2;

/** Columns over time, of equal width. @param summary what the picture says, in a sentence. from, to: times at its ends. */
export const ColumnChart: FC<{
  columns: readonly ChartColumn[];
  summary: string;
  from: Child;
  to: Child;
}> = ({ columns, summary, from, to }) => {
  const most = Math.max(1, ...columns.map(({ good, bad }) => good + bad));
  const width = WIDTH / Math.max(1, columns.length);
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(HEIGHT_MIN, Math.round((count / most) * (HEIGHT - 4) * 10) / 10);
  const rounded = (x: number): number => Math.round(x * 10) / 10;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        <title>{summary}</title>
        <line x1={0} y1={HEIGHT - 0.5} x2={WIDTH} y2={HEIGHT - 0.5} />
        {columns.map(({ label, good, bad }, index) => {
          if (good + bad === 0) return null;
          const [goodHeight, badHeight] = [heightOf(good), heightOf(bad)];
          const [x, wide] = [rounded(index * width), rounded(Math.max(1, width * 0.86))];
          return (
            <g>
              <title>{label}</title>
              {good === 0 ? null : (
                <rect class="good" x={x} y={rounded(HEIGHT - goodHeight)} width={wide} height={goodHeight} />
              )}
              {bad === 0 ? null : (
                <rect class="bad" x={x} y={rounded(HEIGHT - goodHeight - badHeight)} width={wide} height={badHeight} />
              )}
            </g>
          );
        })}
      </svg>
      <figcaption>
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
};

/** `0.4 s`, `2 min`, `3 h`; of less than a tenth of a second, ms. Pure. @param ms null: nothing ended. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/** `99.2 %`; never 100 where something is missing, and never 0 where something is. Pure. @param share null: of nothing. */
export function shareText(share: number | null): string {
  if (share === null) return '–';
  if (share === 0 || share === 1) return `${share * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, share * 100)).toFixed(1)} %`;
}
