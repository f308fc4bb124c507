/** `/problems` and `/problems/{code}`: what a code means, who acts, what to do. Open to anybody. */
import type { FC } from 'hono/jsx';
import type { ProblemMeaning, ProblemType } from '../../http/contract/problem-types.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { bareDocument } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';

export function problemTypeDocument(type: ProblemType): string {
  return bareDocument(`${type.title} (${type.code})`, <One type={type} />);
}

const One: FC<{ type: ProblemType }> = ({ type: { title, code, meanings, example } }) => (
  <>
    <Crumbs
      to={[
        ['API', '/docs'],
        ['Problems', '/problems'],
      ]}
    />
    <h1>{title}</h1>
    <p class="quiet">
      <code>{code}</code>
      {hasExamples(meanings) ? (
        <>
          {' · '}
          <i>Words in italics</i> are examples: in their place stands what was found.
        </>
      ) : null}
    </p>
    {meanings.map((meaning) => (
      <Meaning meaning={meaning} />
    ))}
    {example === null ? null : (
      <section>
        <h2>An answer with it</h2>
        <pre>
          <code>{JSON.stringify(example, null, 2)}</code>
        </pre>
      </section>
    )}
    <p class="quiet">The code never changes its meaning; the words may.</p>
  </>
);

const Meaning: FC<{ meaning: ProblemMeaning }> = ({ meaning: { area, statuses, says, fixes, acts } }) => (
  <section class="card">
    <h2>
      {area}
      {statuses.length === 0 ? null : <span class="quiet"> · status {statuses.join(', ')}</span>}
    </h2>
    <h3>What it means</h3>
    <Several texts={says} />
    <Named name="What to do" texts={fixes.filter(isSentence)} />
    <Named name="What belongs there" texts={fixes.filter((fix) => !isSentence(fix))} />
    <h3>Who acts</h3>
    <p>{acts}</p>
  </section>
);

/** Of a mapping, some say only what is wanted in a place of it. */
const isSentence = (text: string): boolean => /^[A-Z“"‹].*[.!)›]$/s.test(text);

const Named: FC<{ name: string; texts: readonly string[] }> = ({ name, texts }) =>
  texts.length === 0 ? null : (
    <>
      <h3>{name}</h3>
      <Several texts={texts} />
    </>
  );

const EXAMPLE = /‹([^›]*)›/;

const hasExamples = (meanings: readonly ProblemMeaning[]): boolean =>
  meanings.some(({ says, fixes }) => [...says, ...fixes].some((text) => EXAMPLE.test(text)));

const Text: FC<{ text: string }> = ({ text }) => (
  <>{text.split(EXAMPLE).map((part, at) => (at % 2 === 0 ? part : <i>{part}</i>))}</>
);

/** Several wordings: one of them is said, by what was found. */
const Several: FC<{ texts: readonly string[] }> = ({ texts }) =>
  texts.length > 1 ? (
    <ul>
      {texts.map((text) => (
        <li>
          <Text text={text} />
        </li>
      ))}
    </ul>
  ) : (
    <p>
      <Text text={texts.join('')} />
    </p>
  );

export function problemTypesDocument(all: readonly ProblemType[]): string {
  const areas = Map.groupBy(
    all.flatMap((type) => type.meanings.map(({ area }) => ({ area, type }))),
    ({ area }) => area,
  );
  return bareDocument(
    'Problems',
    <>
      <Crumbs to={[['API', '/docs']]} />
      <h1>Problems</h1>
      <p>
        Each refusal, each problem of a row and each problem of a mapping has a code. The code leads to what it means,
        who acts and what to do.
      </p>
      {[...areas].map(([area, types]) => (
        <details class="entry">
          <summary>
            {area} <span class="quiet">{types.length}</span>
          </summary>
          <Table
            caption={area}
            columns={[{ label: 'Code', kind: 'main' }, { label: 'Meaning' }]}
            rows={types.map(({ type: { code, title, type } }) => ({
              href: type,
              cells: [
                <a href={type}>
                  <code>{code}</code>
                </a>,
                title,
              ],
            }))}
          />
        </details>
      ))}
    </>,
  );
}
