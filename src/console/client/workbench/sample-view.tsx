/** The sample as it is: segments with a path for each element, or numbered lines, with the columns that were found. */
import type { FC } from 'hono/jsx';
import { segmentsOf } from '../../pages/workbench/segments.ts';

/** Lines shown, and characters of each. Ours: about as many as somebody scrolls through. */
const LINES_MAX = 400;
const LINE_CHARACTERS_MAX = 400;

interface SampleShown {
  name: string;
  bytes: Uint8Array;
  /** As the mapping or the suggestion says; null: UTF-8, or Windows-1252 where that cannot be. */
  encoding: string | null;
  columns: readonly string[];
}

export const SampleView: FC<SampleShown> = ({ name, bytes, encoding, columns }) => {
  const isBinary = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const text = isBinary ? '' : decoded(bytes, encoding);
  const segments = isBinary ? null : segmentsOf(text);
  return (
    <div>
      <p class="quiet">
        <strong>{name}</strong> {`${bytes.byteLength.toLocaleString('en-US')} bytes`}
      </p>
      {columns.length === 0 || segments !== null ? null : (
        <details class="more" open>
          <summary>Columns: a click writes the name at your cursor in the mapping, or copies it</summary>
          <p class="bench-columns">
            {columns.map((column) => (
              <button type="button" class="small" data-insert={column}>
                {column}
              </button>
            ))}
          </p>
        </details>
      )}
      {isBinary ? <p class="quiet">A workbook: its cells are shown with each row.</p> : null}
      {segments !== null ? (
        <>
          <p class="quiet">
            A click on an element writes its path at your cursor in the mapping, or copies it; arrow keys move along a
            segment.
          </p>
          <ol class="bench-segments" data-source>
            {segments.map(({ tag, elements }) => (
              <li>
                <strong>{tag}</strong>
                {elements.map(({ path, text: value }, index) => (
                  <button
                    type="button"
                    title={path}
                    aria-label={`${path}: ${value === '' ? 'empty' : value}`}
                    data-insert={path}
                    tabindex={index === 0 ? 0 : -1}
                  >
                    {value === '' ? '·' : value}
                  </button>
                ))}
              </li>
            ))}
          </ol>
        </>
      ) : isBinary ? null : (
        <ol class="bench-lines" data-source tabindex={0} aria-label={`Lines of ${name}`}>
          {text
            .split(/\r?\n/)
            .slice(0, LINES_MAX)
            .map((line) => (
              <li>{line.slice(0, LINE_CHARACTERS_MAX)}</li>
            ))}
        </ol>
      )}
    </div>
  );
};

function decoded(bytes: Uint8Array, encoding: string | null): string {
  if (encoding !== null && encoding !== 'utf-8') return new TextDecoder(encoding).decode(bytes);
  try {
    // A mapping of EDIFACT says UTF-8, and the file itself another set: what is no UTF-8 is shown as that.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Along the elements of a segment, and from segment to segment. */
export function moveAlong(event: KeyboardEvent): void {
  const now = (event.target as Element).closest<HTMLElement>('.bench-segments button');
  if (now === null) return;
  const line = now.parentElement;
  const next =
    event.key === 'ArrowRight'
      ? now.nextElementSibling
      : event.key === 'ArrowLeft'
        ? now.previousElementSibling
        : event.key === 'ArrowDown'
          ? line?.nextElementSibling?.querySelector('button')
          : event.key === 'ArrowUp'
            ? line?.previousElementSibling?.querySelector('button')
            : null;
  if (!(next instanceof HTMLButtonElement)) return;
  event.preventDefault();
  next.focus();
}
