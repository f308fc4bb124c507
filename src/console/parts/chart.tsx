/**
 * Charts: SVG with sizes as attributes, since the policy of the pages allows no style of its own. Beside the picture stands the
 * same as text: a sentence for those who hear the page, and the numbers as a table on request.
 */
import type { Child, FC } from 'hono/jsx';
import { inText } from './basics.tsx';

/** @property good, bad amounts of a column, one on the other. */
interface ChartColumn {
  label: string;
  good: number;
  bad: number;
}

const WIDTH = 1_000;
const HEIGHT = 96;
/** A column of one among thousands can still be seen. */
const HEIGHT_MIN = 2;

/** What a chart's scale ends at: 1, 2 or 5 with noughts, so that half of it is read at a glance. Pure. */
export function scaleEnd(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= most) ?? 10 * power;
}

/** How a part of the columns looks: the second is striped, so that colour alone never tells. */
type Part = 'good' | 'bad';

const PARTS: readonly Part[] = ['good', 'bad'];

const Stripes: FC = () => (
  <defs>
    <pattern id="stripes" width="8" height="4" patternUnits="userSpaceOnUse">
      <rect class="bad" width="8" height="2.5" />
    </pattern>
  </defs>
);

const fillOf = (part: Part): { class?: string; fill?: string } =>
  part === 'good' ? { class: 'good' } : { fill: 'url(#stripes)' };

/** What the parts of the columns are, and how wide one is. */
const Legend: FC<{ names: Record<Part, string>; each: string }> = ({ names, each }) => (
  <ul class="legend">
    {PARTS.map((part) => (
      <li>
        <svg class="swatch" viewBox="0 0 14 12" aria-hidden="true">
          <rect width="14" height="12" {...fillOf(part)} />
        </svg>{' '}
        {names[part]}
      </li>
    ))}
    <li class="quiet">{each}</li>
  </ul>
);

/**
 * Columns over time, of equal width, with legend and scale. @param each what a column is. summary what the picture says, in a sentence. times: those
 * below it, from its left to its right. numbers: the same as a table, for whoever wants it exactly.
 */
export const ColumnChart: FC<{
  columns: readonly ChartColumn[];
  names: Record<Part, string>;
  each: string;
  summary: string;
  times: readonly string[];
  numbers: Child;
}> = ({ columns, names, each, summary, times, numbers }) => {
  const most = Math.max(1, ...columns.map(({ good, bad }) => good + bad));
  const end = scaleEnd(most);
  const width = WIDTH / Math.max(1, columns.length);
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(HEIGHT_MIN, Math.round((count / end) * HEIGHT * 10) / 10);
  const rounded = (x: number): number => Math.round(x * 10) / 10;
  return (
    <figure class="chart">
      <Legend names={names} each={each} />
      <div class="plot">
        <div class="scale" aria-hidden="true">
          <span>{inText(end)}</span>
          {end % 2 === 0 ? <span>{inText(end / 2)}</span> : null}
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          <title>{summary}</title>
          <Stripes />
          {[0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => (
            <line x1={0} y1={y} x2={WIDTH} y2={y} />
          ))}
          {columns.map(({ label, good, bad }, index) => {
            if (good + bad === 0) return null;
            const [goodHeight, badHeight] = [heightOf(good), heightOf(bad)];
            const [x, wide] = [rounded(index * width), rounded(Math.max(1, width * 0.86))];
            return (
              <g>
                <title>{label}</title>
                {good === 0 ? null : (
                  <rect x={x} y={rounded(HEIGHT - goodHeight)} width={wide} height={goodHeight} {...fillOf('good')} />
                )}
                {bad === 0 ? null : (
                  <rect
                    x={x}
                    y={rounded(HEIGHT - goodHeight - badHeight)}
                    width={wide}
                    height={badHeight}
                    {...fillOf('bad')}
                  />
                )}
              </g>
            );
          })}
        </svg>
        <figcaption>
          {times.map((time) => (
            <span>{time}</span>
          ))}
        </figcaption>
      </div>
      <details class="more">
        <summary>Show the numbers</summary>
        {numbers}
      </details>
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
