/** What failed alike in a batch: how many rows, whose turn it is, and what to do. */

import type { FC } from 'hono/jsx';
import { alikeAnswer } from '../../../batch/core/issue.ts';
import { hasEnvelopes } from '../../../formats/reader.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import { actionFor, nextActor } from '../../../http/ops/views/issue.ts';
import { whatWasSaid } from '../../../http/views/issues.ts';
import { BATCH_PAGE_ISSUES } from '../../limits.ts';
import type { Page } from '../../page.ts';
import { countOf, inText, State, Unbroken } from '../../parts/basics.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Table } from '../../parts/table.tsx';
import { nextActorText } from '../issues/issues.tsx';
import { rowLook, type ShownBatch } from './batch-messages.ts';

type IssuesAnswer = Answered<'GET /v1/batches/{id}/issues'>;
type IssueLine = IssuesAnswer['issues'][number];

/** Which rows an issue is about, for the filter. */
const filterOf = (issue: IssueLine) => {
  const { state, code, reason, path, value, status } = issue;
  return state === 'invalid'
    ? { state, code, column: path, value }
    : { state, code: reason, status, text: alikeText(issue) };
};

/** Fewer characters are in answers of other issues, too; more are no filter that a person reads. Ours. */
const ALIKE_CHARACTERS_MIN = 6;
const ALIKE_CHARACTERS_MAX = 100;

/** What all answers of an issue say: others may have its reason and status. @returns null: nothing that can be looked for. */
export function alikeText({ answer, examples }: Pick<IssueLine, 'answer' | 'examples'>): string | null {
  if (answer === null) return null;
  const pieces = alikeAnswer(whatWasSaid(answer), examples[0]?.subject ?? '').split('…');
  const [longest = ''] = pieces.map((piece) => piece.trim()).sort((one, other) => other.length - one.length);
  const text = longest.slice(0, ALIKE_CHARACTERS_MAX).trim();
  return text.length >= ALIKE_CHARACTERS_MIN && answer.includes(text) ? text : null;
}

export const Issues: FC<{ page: Page; batch: ShownBatch; answer: IssuesAnswer }> = ({
  page,
  batch,
  answer: { issues },
}) => {
  if (issues.length === 0) return null;
  const path = `/batches/${batch.batchId}`;
  const shown = page.query('issues') === 'all' ? issues : issues.slice(0, BATCH_PAGE_ISSUES);
  const isPart = shown.length < issues.length;
  const ofAll = page.isOps && !batch.dryRun;
  const mayAdd = page.mayActAs('operator') && shown.some(isWordMissing);
  const rowsOf = (issue: IssueLine): string => `${page.at(path, filterOf(issue))}#rows`;
  return (
    <section aria-label="Issues">
      <h2>{isPart ? `${shown.length} of ${countOf(issues.length, 'issue')}` : countOf(issues.length, 'issue')}</h2>
      <Table
        caption="What failed alike, most rows first"
        columns={[
          { label: 'What', kind: 'main' },
          { label: 'Rows', kind: 'word' },
          { label: 'What to do' },
          ...(mayAdd ? [{ label: '', kind: 'word' as const }] : []),
        ]}
        rows={shown.map((issue) => ({
          href: rowsOf(issue),
          cells: [
            <State look={rowLook(issue.state)}>
              <span class="wraps">
                {ofAll ? (
                  <a href={page.at(`/issues/${issue.id}`)}>
                    <Spoken text={issue.title} />
                  </a>
                ) : (
                  <Spoken text={issue.title} />
                )}
              </span>
            </State>,
            <>
              <a href={rowsOf(issue)}>{countOf(issue.rows, 'row')}</a>
              {issue.firstRecord === null ? null : (
                <>
                  , from{' '}
                  <a href={`${page.at(path, { row: issue.firstRecord })}#row-${issue.firstRecord}`}>
                    row {inText(issue.firstRecord)}
                  </a>
                </>
              )}
            </>,
            page.isOps ? <WhoActs issue={issue} batch={batch} /> : issue.fix,
            ...(mayAdd ? [isWordMissing(issue) ? <AddWord page={page} path={path} issue={issue} /> : null] : []),
          ],
        }))}
      />
      {isPart ? (
        <p>
          <a href={page.at(path, { issues: 'all' })}>Show all {inText(issues.length)} issues</a>
        </p>
      ) : null}
    </section>
  );
};

const isWordMissing = ({ list, value }: IssueLine): boolean => list !== null && value !== null;

/** What is known then leads on to sending the rows of all batches. */
const AddWord: FC<{ page: Page; path: string; issue: IssueLine }> = ({ page, path, issue: { id, list, value } }) => (
  <a class="button" href={page.at('/do/edit-code-list', { name: list, word: value, issue: id, from: page.at(path) })}>
    Add to code list…
  </a>
);

const OF_EDI =
  'The partner corrects these on its page of this batch; or in the system that makes the file, which sends only them again, with a new control number.';
const OF_ROWS =
  'The partner corrects these rows on its page of this batch, or downloads them and sends only them again.';

/** Operators read whose turn it is; what the sender reads stands in the row. */
const WhoActs: FC<{ issue: IssueLine; batch: ShownBatch }> = ({ issue, batch }) => (
  <>
    <strong>{nextActorText({ nextActor: nextActor(issue), list: issue.list })}.</strong>{' '}
    <Unbroken text={actionFor(issue, issue.requests, hasEnvelopes(batch.format) ? OF_EDI : OF_ROWS)} />
  </>
);
