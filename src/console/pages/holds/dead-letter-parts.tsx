/** What did not arrive, as pages show it: what it is about, why, and where one of them is seen in full. */
import type { FC } from 'hono/jsx';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../../delivery/messages.ts';
import type { RecordState } from '../../../delivery/outcome.ts';
import type { Answered, Planned } from '../../../http/contract/contract.ts';
import type { Result } from '../../../kernel/result.ts';
import { ok } from '../../../kernel/result.ts';
import { capital } from '../../../kernel/text.ts';
import { isOrderKind } from '../../../mapping/document/targets.ts';
import { REQUEST_KINDS } from '../../../mapping/request.ts';
import { shownProblem } from '../../../mapping/values/fault.ts';
import type { ApiProblem } from '../../api.ts';
import { KIND_MESSAGES } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { lookOfRow } from '../../parts/bar.tsx';
import { inText, State } from '../../parts/basics.tsx';
import { cursorIn, type Filter } from '../../parts/filters.tsx';
import { rowHref, rowName, rowOf, rowWhere } from '../../parts/row-link.tsx';
import { Table } from '../../parts/table.tsx';

/** As `GET /v1/ops/letters` lists them. */
type DeadLettersAnswer = Answered<'GET /v1/ops/letters'>;
export type ListedDeadLetter = DeadLettersAnswer['letters'][number];

/** Pages of the API read for one page of the console: the API ends one after so many batches, even with nothing found. */
const PAGES_READ_MAX = 5;

/** Said where nothing was found, and not everything was looked at. */
export const LOOK_FURTHER = 'None in the batches that were looked at so far. Show more to look further.';

/** At least one entry, where there is one within reach. @property cursor null: there are no more. */
export async function someDeadLetters(
  page: Page,
  parameters: Readonly<Record<string, string | number>>,
  cursor: string,
): Promise<Result<{ letters: readonly ListedDeadLetter[]; cursor: string | null }, ApiProblem>> {
  let next: string | null = cursor;
  let letters: readonly ListedDeadLetter[] = [];
  for (let read = 0; read < PAGES_READ_MAX && next !== null && letters.length === 0; read += 1) {
    const found: Result<DeadLettersAnswer, ApiProblem> = await page.api.call('GET /v1/ops/letters', {
      query: {
        ...parameters,
        cursor: next,
      },
    });
    if (!found.ok) return found;
    letters = found.value.letters;
    next = cursorIn(found.value.next);
  }
  return ok({ letters, cursor: next });
}

type Location = Pick<ListedDeadLetter, 'partner' | 'batchId' | 'record' | 'request'>;

export const deadLetterHref = (page: Page, { partner, batchId, record, request }: Location): string =>
  page.at(`/holds/${batchId}/${record}/${request}`, { partner });

/** In the address and in the body of a request: batch, record, request. */
const locationText = ({ batchId, record, request }: Omit<Location, 'partner'>): string =>
  `${batchId}/${record}/${request}`;

/** `load:LD1` → `load LD1` */
export const subjectText = (subject: string | null): string =>
  subject === null ? 'no request' : subject.replace(':', ' ');

/** What it is, with its name as a link. */
export const DeadLetterName: FC<{
  page: Page;
  letter: Location & Pick<ListedDeadLetter, 'kind' | 'subject' | 'fileName'>;
}> = ({ page, letter }) => {
  const { kind, subject } = letter;
  const href = deadLetterHref(page, letter);
  if (kind === null || subject === null) return <a href={href}>{capital(rowOf(letter))}</a>;
  return (
    <>
      {KIND_MESSAGES[kind]} <a href={href}>{subject.slice(subject.indexOf(':') + 1)}</a>
    </>
  );
};

/** `Milestone of load LD1`, `New order SO-1` */
export const deadLetterTitle = ({
  kind,
  subject,
  record,
}: Pick<ListedDeadLetter, 'kind' | 'subject' | 'record'>): string => {
  if (kind === null || subject === null) return `Row ${record}`;
  return isOrderKind(kind)
    ? `${KIND_MESSAGES[kind]}: ${subject.slice(subject.indexOf(':') + 1)}`
    : `${KIND_MESSAGES[kind]} of ${subjectText(subject)}`;
};

/** Why, in a sentence: the reason, or what is wrong with the row, or what the receiving system answered. */
export function reasonText({
  reason,
  problems,
  status,
}: Pick<ListedDeadLetter, 'reason' | 'problems' | 'status'>): string {
  if (reason !== null) return REASON_MESSAGES[reason] ?? reason;
  const [first] = problems;
  if (first !== undefined) return shownProblem(first);
  return status === null ? '' : `The receiving system answered ${status}.`;
}

/** Advice as the API gives it, without the names of the API: the buttons beside it say them. Pure. */
export const adviceText = (recommended: string): string =>
  recommended.replaceAll(
    / \((?:send_again|create_again|mark_delivered|adopt_id|close|includeUnknown)(?:, outcome unknown)?\)/g,
    '',
  );

export const DeadLetterBadge: FC<{ state: RecordState }> = ({ state }) => (
  <State look={lookOfRow(state)} title={ROW_MESSAGES[state].meaning}>
    {ROW_MESSAGES[state].label}
  </State>
);

/** One choice for each word: kinds that are called the same are looked for together. */
const KINDS: Readonly<Record<string, string>> = {
  '': 'Anything',
  ...Object.fromEntries(
    [...Map.groupBy(REQUEST_KINDS, (kind) => KIND_MESSAGES[kind])].map(([word, kinds]) => [kinds.join(','), word]),
  ),
};

/** Of both lists. */
export const DEAD_LETTER_FILTERS: readonly Filter[] = [
  { name: 'partner', label: 'Partner' },
  { name: 'subject', label: 'Load or order' },
  {
    name: 'kind',
    label: 'What',
    kind: 'choice',
    of: KINDS,
  },
  { name: 'reason', label: 'Reason code' },
  { name: 'status', label: 'Answer status' },
  { name: 'batch', label: 'Batch id' },
];

type PlannedReplay = Planned<'POST /v1/ops/replays'>;

/** Which files a replay is about, and which rows of them, or sets: the first ones by name. */
export const ReplayedFrom: FC<{ page: Page; batches: PlannedReplay['batches'] }> = ({ page, batches }) => {
  const sent = batches.filter(({ requests }) => requests > 0);
  return sent.length === 0 ? null : (
    <Table
      caption="What would be sent again"
      columns={[{ label: 'File', kind: 'main' }, { label: 'Requests', kind: 'number' }, { label: 'Which' }]}
      rows={sent.map(({ batchId, fileName, requests, examples }) => ({
        cells: [
          <a href={page.at(`/batches/${batchId}`)}>{fileName ?? 'Messages'}</a>,
          inText(requests),
          <>
            {examples.map((each) => (
              <p>
                {capital(subjectText(each.subject))}:{' '}
                <a href={rowHref(page, { batchId, record: each.record })}>{rowName(each.record)}</a>
                <span class="quiet">
                  , {rowWhere({ line: each.line, ...(each.place === null ? {} : { place: each.place }) })}
                </span>
              </p>
            ))}
            {requests > examples.length ? <p class="quiet">and {inText(requests - examples.length)} more</p> : null}
          </>,
        ],
      }))}
    />
  );
};

/** A box to choose the entry for an action over several; `form` sends them as `requests`. */
export const Choice: FC<{ letter: Location & Pick<ListedDeadLetter, 'subject'> }> = ({ letter }) => (
  <input
    type="checkbox"
    name="requests"
    value={locationText(letter)}
    aria-label={`Choose ${subjectText(letter.subject)}, row ${letter.record}`}
  />
);
