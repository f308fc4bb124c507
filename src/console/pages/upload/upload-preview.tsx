/** What would be sent of a file, before it is: counts, what is wrong in the words of its sender, and its first rows. */

import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import { capital } from '../../../kernel/text.ts';
import { spokenPath, spokenTexts } from '../../../mapping/values/fault.ts';
import { StackedBar } from '../../parts/bar.tsx';
import { bytesText, countOf, inText, Note, State } from '../../parts/basics.tsx';
import { rowWhere } from '../../parts/row-link.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Table } from '../../parts/table.tsx';

export type PreviewAnswer = Pick<
  Answered<'POST /v1/mappings/{name}/preview'>,
  'counts' | 'fileProblems' | 'causes' | 'records'
>;

/** Ours: enough to recognise a file, and to see what is wrong with it. */
const ROWS_SHOWN = 8;
const PROBLEMS_SHOWN = 12;
const CELL_CHARACTERS = 60;

export const PreviewShown: FC<{ preview: PreviewAnswer; wholeBytes: number | null }> = ({ preview, wholeBytes }) => {
  const { counts, fileProblems, causes, records } = preview;
  const { mapped, skipped, invalid } = counts;
  return (
    <section aria-label="What would be sent">
      <h2>{titleOf(preview, wholeBytes)}</h2>
      {counts.records === 0 ? null : (
        <StackedBar segments={{ good: mapped, bad: invalid, wait: 0, held: 0, done: skipped }} />
      )}
      {skipped === 0 ? null : <p class="quiet">{countOf(skipped, 'row')} left out, as agreed for this kind of file.</p>}
      {wholeBytes === null ? null : (
        <p class="quiet">
          This is the first part of {bytesText(wholeBytes)}. The rest is checked row by row once it is sent.
        </p>
      )}
      {fileProblems.map((problem) => (
        <Note look="bad">
          <p>
            <strong>{problem.message}</strong>
          </p>
          <p>{problem.fix}</p>
        </Note>
      ))}
      <Problems causes={causes} invalid={invalid} />
      {invalid > 0 && mapped > 0 ? (
        <p>You can correct these rows now in the file, or send it and correct them on the next page.</p>
      ) : null}
      <FirstRows records={records} />
    </section>
  );
};

/** Pure. */
export function titleOf({ counts, fileProblems }: PreviewAnswer, wholeBytes: number | null): string {
  const { records, mapped, invalid, skipped } = counts;
  if (records === 0) return 'Nothing of it can be sent';
  const of = wholeBytes === null ? countOf(records, 'row') : `The first ${countOf(records, 'row')}`;
  if (invalid === 0 && mapped === 0)
    return `${of}: ${skipped === 1 ? 'it is' : 'all are'} left out, nothing is to be sent`;
  if (invalid === 0) return fileProblems.length === 0 ? `${of}: all is well` : `${of}: ${inText(mapped)} can be sent`;
  return `${of}: ${inText(mapped)} can be sent, ${inText(invalid)} need${invalid === 1 ? 's' : ''} a change`;
}

const Problems: FC<{ causes: PreviewAnswer['causes']; invalid: number }> = ({ causes, invalid }) => {
  const all = [...causes].sort((one, other) => other.records - one.records);
  if (all.length === 0) return null;
  return (
    <>
      <Table
        caption="What needs a change, most rows first"
        columns={[
          { label: 'Where', kind: 'main' },
          { label: 'What is wrong' },
          { label: 'What to do in the file' },
          { label: 'Rows', kind: 'number' },
        ]}
        rows={all.slice(0, PROBLEMS_SHOWN).map(({ problem, position, records }) => ({
          cells: [
            <>
              <Spoken text={capital(spokenPath(problem)) || 'The row'} />{' '}
              <span class="quiet">{rowWhere(position)}</span>
            </>,
            <>
              <Spoken text={spokenTexts(problem).message} />{' '}
              {problem.value === '' ? null : <span class="value">{cut(problem.value)}</span>}
            </>,
            <Spoken text={spokenTexts(problem).fix} />,
            inText(records),
          ],
        }))}
      />
      {all.reduce((sum, { records }) => sum + records, 0) > invalid ? (
        <p class="quiet">A row with several problems counts at each of them.</p>
      ) : null}
      {all.length > PROBLEMS_SHOWN ? (
        <p class="quiet">and {countOf(all.length - PROBLEMS_SHOWN, 'more problem')}.</p>
      ) : null}
    </>
  );
};

const cut = (text: string): string =>
  text.length <= CELL_CHARACTERS ? text : `${text.slice(0, CELL_CHARACTERS - 1)}…`;

const FirstRows: FC<{ records: PreviewAnswer['records'] }> = ({ records }) => {
  const shown = records.slice(0, ROWS_SHOWN);
  const names = shown.find(({ columns }) => columns !== null)?.columns?.map(([name]) => name) ?? [];
  if (names.length === 0) return null;
  return (
    <details>
      <summary>The first {countOf(shown.length, 'row')} as they are read</summary>
      <section class="scroll" tabindex={0} aria-label="The first rows">
        <table class="cells">
          <thead>
            <tr>
              <th scope="col">Line</th>
              {names.map((name) => (
                <th scope="col">{name}</th>
              ))}
              <th scope="col">What becomes of it</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ position, columns, errors, skipped, requests }) => (
              <tr>
                <td>{inText(position.line)}</td>
                {names.map((_, at) => (
                  <td>{cut(columns?.[at]?.[1] ?? '')}</td>
                ))}
                <td>
                  {errors.length > 0 ? (
                    <State look="bad">needs a change</State>
                  ) : skipped ? (
                    <State look="done">left out</State>
                  ) : (
                    <State look="good">{requests.length === 0 ? 'goes with another row' : 'is sent'}</State>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
};
