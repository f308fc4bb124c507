/** What differs between two documents: the place, before and after. */
import type { FC } from 'hono/jsx';
import { countOf } from './basics.tsx';
import { Table } from './table.tsx';

/** @property from left out: it was added. to left out: it was removed. */
export interface ShownDifference {
  path: string;
  from?: unknown;
  to?: unknown;
}

/** Characters of one value. Ours: enough to recognise it; the whole is in the document. */
const VALUE_CHARACTERS_MAX = 300;

/** A value as JSON, texts without quotes. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}

const Value: FC<{ value: unknown; none: string }> = ({ value, none }) =>
  value === undefined ? <span class="quiet">{none}</span> : <span class="value">{valueText(value)}</span>;

/** A code of a list is named as people name it; every other place as it is written in the document. */
const Where: FC<{ path: string }> = ({ path }) => {
  const [, list, code] = /^codeLists\.([^.]+)\.codes\.(.+)$/.exec(path) ?? [];
  return list === undefined ? (
    <code>{path}</code>
  ) : (
    <span title={path}>
      Code list {list}, code {code}
    </span>
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
      rows={differences.map(({ path, from, to }) => ({
        cells: [<Where path={path} />, <Value value={from} none="not there" />, <Value value={to} none="removed" />],
      }))}
      empty={empty}
    />
    {omitted > 0 ? <p class="quiet">{countOf(omitted, 'more difference')} are not shown.</p> : null}
  </>
);
