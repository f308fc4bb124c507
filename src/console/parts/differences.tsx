/** What differs between two documents: the place, before and after. */
import type { FC } from 'hono/jsx';
import { countOf } from './basics.tsx';
import { Table } from './table.tsx';
import { leafDifferences, pathTitle } from './value-leaves.ts';

/** @property from left out: it was added. to left out: it was removed. */
export interface ShownDifference {
  path: string;
  from?: unknown;
  to?: unknown;
}

/** Characters of one value. Ours: enough to recognise it; the whole is in the document. */
const VALUE_CHARACTERS_MAX = 160;
/** Places shown of what is added or removed whole. Ours: the first say what it is. */
const PARTS_SHOWN = 12;

const shortened = (text: string): string =>
  text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;

export const ShownValue: FC<{ value: string | undefined; none: string }> = ({ value, none }) =>
  value === undefined ? (
    <span class="quiet unbroken">{none}</span>
  ) : value === '' ? (
    <span class="quiet">empty</span>
  ) : (
    <span class="value">{shortened(value)}</span>
  );

/** Words first, where there are some; then the path as it is written. */
export const Where: FC<{ path: string }> = ({ path }) => {
  const [, list, code] = /^codeLists\.([^.]+)\.codes\.(.+)$/.exec(path) ?? [];
  const words = list === undefined ? pathTitle(path) : `Code list ${list}, code ${code}`;
  return words === null ? (
    <code>{path}</code>
  ) : (
    <>
      {words} <code class="at">{path}</code>
    </>
  );
};

/** @param omitted how many more there are. */
export const Differences: FC<{ differences: readonly ShownDifference[]; omitted?: number; empty?: string }> = ({
  differences,
  omitted = 0,
  empty = 'Nothing differs.',
}) => (
  <>
    <Table
      caption="What differs"
      columns={[{ label: 'Where', kind: 'main' }, { label: 'Before' }, { label: 'After' }]}
      rows={differences.flatMap(rowsOf)}
      empty={empty}
    />
    {omitted > 0 ? <p class="quiet">Not shown: {countOf(omitted, 'more difference')}.</p> : null}
  </>
);

/** How many lines say what differs: what is added whole has one for each of its parts. */
export const countDiffering = (differences: readonly ShownDifference[]): number =>
  differences.reduce((sum, { path, from, to }) => sum + leafDifferences(path, from, to).length, 0);

function rowsOf({ path, from, to }: ShownDifference) {
  const parts = leafDifferences(path, from, to);
  const rows = parts.slice(0, PARTS_SHOWN).map((part) => ({
    cells: [
      <Where path={part.path} />,
      <ShownValue value={part.from} none="not there" />,
      <ShownValue value={part.to} none="removed" />,
    ],
  }));
  const left = parts.length - rows.length;
  return left === 0 ? rows : [...rows, { cells: [<Where path={path} />, '', `and ${countOf(left, 'more place')}`] }];
}
