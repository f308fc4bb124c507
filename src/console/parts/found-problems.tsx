/** What the API found wrong with a document: each place with its line, and each example that does not hold. */
import type { FC } from 'hono/jsx';
import type { FailedExample, FoundProblem } from '../../ops/publishing/refusal.ts';
import type { ApiProblem } from '../api.ts';
import { countOf } from './basics.tsx';
import { ShownValue, Where } from './differences.tsx';
import { Table } from './table.tsx';

/** Nothing where the refusal names no places. */
export const FoundProblems: FC<{ problem: ApiProblem }> = ({ problem: { problems, examples } }) => (
  <>
    {isFilled<FoundProblem>(problems) ? <Locations problems={problems} /> : null}
    {isFilled<FailedExample>(examples) ? <Examples examples={examples} /> : null}
  </>
);

const isFilled = <Item,>(list: unknown): list is Item[] => Array.isArray(list) && list.length > 0;

/** `codes["QQ"]` is a word of a code list. */
const wordIn = (path: string): string => {
  const [, word] = /^codes\["(.*)"\]$/s.exec(path) ?? /^codes\.(.+)$/s.exec(path) ?? [];
  return word === undefined ? '' : `Word “${word}”`;
};

const Locations: FC<{ problems: readonly FoundProblem[] }> = ({ problems }) => (
  <section>
    <h2>{countOf(problems.length, 'problem')} to correct</h2>
    <Table
      caption="Problems of the document"
      columns={[
        { label: 'Line', kind: 'number' },
        { label: 'Where', kind: 'main' },
        { label: 'What is wrong' },
        { label: 'Wanted' },
      ]}
      rows={problems.map(({ line, column, path, mapping, message, wanted }) => ({
        cells: [
          line === undefined ? '' : `${line}${column === undefined ? '' : `:${column}`}`,
          <>
            {mapping === undefined ? null : `${mapping}: `}
            {wordIn(path)} <code>{path === '' ? 'the whole document' : path}</code>
          </>,
          message,
          wanted,
        ],
      }))}
    />
  </section>
);

const Examples: FC<{ examples: readonly FailedExample[] }> = ({ examples }) => (
  <section>
    <h2>{countOf(examples.length, 'difference')} from the examples</h2>
    <Table
      caption="What the examples say, and what comes out"
      columns={[
        { label: 'Mapping', kind: 'word' },
        { label: 'Where', kind: 'main' },
        { label: 'The example says' },
        { label: 'What comes out' },
      ]}
      rows={examples.map(({ mapping, path, wanted, received }) => ({
        cells: [
          mapping,
          <Where path={path} />,
          <ShownValue value={wanted} none="nothing" />,
          <ShownValue value={received} none="nothing" />,
        ],
      }))}
    />
  </section>
);
