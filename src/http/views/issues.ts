/** What failed alike → the API's shape: what happened in a sentence, and what can be done about it. Pure. */
import { type BatchIssue, type IssueCause, listNamedIn } from '../../batch/core/issue.ts';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../delivery/messages.ts';
import { headOf } from '../../kernel/text.ts';
import { withSpokenColumns } from '../../mapping/values/element-names.ts';
import { shownProblem, spokenPath, spokenTexts } from '../../mapping/values/fault.ts';
import type { Answered } from '../contract/contract.ts';
import { type Reader, rowLinks, withParameters } from '../edge/reader.ts';

interface IssueMessages {
  /** Short enough for a line of a table. */
  title: string;
  cause: string;
  fix: string;
}

const SAID_CHARACTERS_MAX = 120;
/** Members in which receiving systems say what is wrong. */
const SAYING = ['message', 'detail', 'error', 'title', 'description'];

/** A problem says itself what to change. Of an answer the reason says it, and what was answered stands beside it. */
export function issueMessages(cause: IssueCause): IssueMessages {
  const { state, code, reason, status, value } = cause;
  if (state === 'invalid') {
    const message = ALIKE[code] ?? (cause.message || 'Something in these rows is wrong; each says what.');
    const alike = message.replace(OF_ONE_VALUE, '.');
    const shown = { code, path: cause.path ?? '', fix: cause.fix ?? '', message: alike };
    const title = code === 'code_unknown' ? `Unknown word “${value}” in ${spokenPath(shown)}` : shownProblem(shown);
    const said = spokenTexts({ ...shown, message });
    return { title, cause: withSpokenColumns(message, shown.path), fix: said.fix || 'Look at the rows.' };
  }
  const { label, meaning } = ROW_MESSAGES[state];
  const said = whatWasSaid(cause.answer) || (reason ?? 'no reason given');
  const [why = meaning] = meaning.split('. ');
  return {
    title: `${label}${status === null ? '' : ` (${status})`}: ${said}`,
    cause: reason === null ? `${why}.` : REASON_MESSAGES[reason],
    fix: meaning,
  };
}

/** Where each row's own message names another row: what is true of all of them. */
const ALIKE: Readonly<Record<string, string>> = {
  group_invalid: 'Nothing was sent for these rows, because another row of their group is wrong.',
  group_disagrees: 'The rows of one group do not say the same here.',
  group_uncertain: 'Nothing was sent for these rows, because a wrong row may belong to their group.',
};

/** What a message says of the one value it was found in. */
const OF_ONE_VALUE = /: at (?:character|byte) \d.*$/s;

/** The sentence in an answer, where it is JSON with one; else how it begins. @returns '' where it says nothing. */
export function whatWasSaid(answer: string | null): string {
  const text = answer?.trim() ?? '';
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) {
      const found = SAYING.map((name) => (read as Record<string, unknown>)[name]).find(
        (each) => typeof each === 'string',
      );
      if (typeof found === 'string') return headOf(found, SAID_CHARACTERS_MAX);
      if (Object.keys(read).length === 0) return '';
    }
  } catch {
    // not JSON, or its beginning alone
  }
  return headOf(text, SAID_CHARACTERS_MAX);
}

/** One issue of a batch. Where the same is seen in other batches is for operators. */
export function issueLine(reader: Reader, batchId: string, { key: _, examples, ...issue }: BatchIssue) {
  const { environment } = reader;
  const first = examples[0];
  const ofAll = reader.isOps ? { issue: withParameters(`/v1/ops/issues/${issue.id}`, { environment }) } : {};
  return {
    ...issue,
    ...issueMessages(issue),
    /** The code list that lacks the word; null: it is something else. */
    list: listNamedIn(issue),
    firstRecord: first?.record ?? null,
    examples: examples.map((example) => ({ ...example, links: rowLinks(reader, batchId, example.record) })),
    links: ofAll,
  };
}

export type IssueLine = Answered<'GET /v1/batches/{id}/issues'>['issues'][number];
