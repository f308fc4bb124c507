/** A document as its author wrote it, with numbered lines, each with an address of its own (`#line-12`). */
import type { FC } from 'hono/jsx';
import { countOf } from './basics.tsx';

/** Lines and characters shown. Ours: a page stays below 100 kB; the whole is a download. */
const LINES_SHOWN_MAX = 600;
const CHARACTERS_SHOWN_MAX = 30_000;

/** As many are seen at once in the box. */
const LINES_WITHOUT_SCROLLING = 25;

export const SourceText: FC<{ text: string; label: string }> = ({ text, label }) => {
  const all = text.replace(/\n$/, '').split('\n');
  const shown = linesWithin(all);
  return (
    <>
      {shown.length > LINES_WITHOUT_SCROLLING ? (
        <p class="quiet">{countOf(shown.length, 'line')}: scroll in the box to read them all.</p>
      ) : null}
      <section class="source-box" tabindex={0} aria-label={label}>
        <pre class="source">
          {shown.map((line, index) => (
            <span class="source-line" id={`line-${index + 1}`}>
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
      </section>
      {shown.length < all.length ? (
        <p class="quiet">The file has {countOf(all.length - shown.length, 'more line')}.</p>
      ) : null}
    </>
  );
};

function linesWithin(all: readonly string[]): string[] {
  const shown: string[] = [];
  let characters = 0;
  for (const line of all.slice(0, LINES_SHOWN_MAX)) {
    characters += line.length;
    if (characters > CHARACTERS_SHOWN_MAX) break;
    shown.push(line);
  }
  return shown;
}
