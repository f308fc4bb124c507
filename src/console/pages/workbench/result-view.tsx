/**
 * What a mapping makes of a sample, record by record, and what is wrong: the same in the page and in its script, which
 * makes lines and values lead to where they come from.
 */
import type { FC } from 'hono/jsx';
import type { Problem } from '../../../kernel/problem.ts';
import type { DocumentProblem } from '../../../mapping/document/problems.ts';
import { countOf, type Look, Note, State } from '../../parts/basics.tsx';
import { ShownValue } from '../../parts/differences.tsx';
import { pathTitle } from '../../parts/value-leaves.ts';
import type { FailedExample, TriedAnswer, TriedRecord } from './answers.ts';
import { bodyLeaves, type Origin } from './leaves.ts';

/** Records shown with their values. Ours: a page stays readable; all are counted. */
const RECORDS_SHOWN_MAX = 50;

interface Live {
  /** A script answers clicks. */
  isLive: boolean;
}

interface Shown extends Live {
  /** Address of the form that adds a word to a code list; null: not for this person. */
  words: string | null;
}

/** In one line: what a person wants to know before anything else. */
export function summaryOf({ problems, preview, examples }: TriedAnswer): {
  look: 'good' | 'bad' | 'wait';
  text: string;
} {
  const blocking = problems.filter(({ path }) => !path.startsWith('examples'));
  if (blocking.length > 0) return { look: 'bad', text: `${countOf(blocking.length, 'problem')} in the mapping` };
  const parts: string[] = [];
  let look: 'good' | 'bad' | 'wait' = 'good';
  if (preview !== null) {
    const { requests, invalid, skipped } = preview.counts;
    parts.push(countOf(requests, 'request'));
    if (invalid > 0) parts.push(`${countOf(invalid, 'row')} with problems`);
    if (skipped > 0) parts.push(`${skipped} skipped`);
    if (preview.fileProblems.length > 0) parts.push('the sample cannot be read whole');
    if (invalid > 0 || preview.fileProblems.length > 0) look = 'bad';
    if (preview.stopped) parts.push('stopped: it took too long');
  }
  if (problems.length > 0) {
    parts.push('no example yet');
    look = look === 'bad' ? 'bad' : 'wait';
  } else if (examples !== null) {
    parts.push(examples.failed.length === 0 ? `${countOf(examples.count, 'example')} right` : 'an example fails');
    if (examples.failed.length > 0) look = 'bad';
  }
  return { look, text: parts.join(' · ') };
}

/** What keeps a draft from being published, or speaks against it: said beside the button. */
interface Publishable {
  isPossible: boolean;
  /** '' where nothing speaks against it. */
  reason: string;
}

export function publishable({ problems, codeLists, examples, preview }: TriedAnswer): Publishable {
  const isWritten = problems.some(({ path }) => !path.startsWith('examples'));
  const inLists = codeLists.reduce((sum, list) => sum + list.problems.length, 0);
  if (isWritten || inLists > 0) return { isPossible: false, reason: 'Solve the problems of the mapping first.' };
  if (problems.length > 0) return { isPossible: false, reason: 'Save an example first: it needs one that holds.' };
  if (examples !== null && examples.failed.length > 0)
    return { isPossible: false, reason: 'Correct the example that fails first.' };
  if (preview === null) return { isPossible: true, reason: '' };
  const { invalid } = preview.counts;
  if (preview.fileProblems.length > 0) return { isPossible: true, reason: 'The sample cannot be read whole.' };
  return {
    isPossible: true,
    reason: invalid === 0 ? '' : `${countOf(invalid, 'row')} of the sample would not be sent.`,
  };
}

export const Results: FC<{ tried: TriedAnswer } & Shown> = ({ tried, isLive, words }) => {
  const { problems, preview, examples, origins, codeLists } = tried;
  const listProblems = codeLists.flatMap(({ list, problems: own }) =>
    own.map((each) => ({ ...each, path: `code list ${list ?? ''} ${each.path}`.trim() })),
  );
  const isOwn = codeLists.length > 0; // a list that is still being written here is changed here
  const publishedWords = isOwn ? null : words;
  return (
    <div>
      <DocumentProblems problems={[...problems, ...listProblems]} isLive={isLive} />
      {examples === null || examples.failed.length === 0 ? null : <FailedExamples failed={examples.failed} />}
      {preview === null ? (
        problems.length > 0 ? null : (
          <p class="quiet">What each row becomes is shown here. Choose a sample first.</p>
        )
      ) : (
        <div>
          {preview.fileProblems.map((each) => (
            <FileFault fault={each} />
          ))}
          <AuthorFixes fixes={preview.authorFixes} />
          {preview.records.slice(0, RECORDS_SHOWN_MAX).map((record) => (
            <RecordResult record={record} origins={origins} isLive={isLive} words={publishedWords} />
          ))}
          {preview.counts.records > RECORDS_SHOWN_MAX ? (
            <p class="quiet">
              {`The first ${RECORDS_SHOWN_MAX} of ${preview.counts.records.toLocaleString('en-US')} rows. All are mapped and counted.`}
            </p>
          ) : null}
        </div>
      )}
    </div>
  );
};

const DocumentProblems: FC<{ problems: readonly DocumentProblem[] } & Live> = ({ problems, isLive }) =>
  problems.length === 0 ? null : (
    <ul class="bench-problems" aria-label="Problems of the mapping">
      {problems.map(({ line, path, message, wanted }) => (
        <li>
          {line === undefined ? null : isLive ? (
            <button type="button" class="small" data-line={line}>
              {`Line ${line}`}
            </button>
          ) : (
            <strong>{`Line ${line}`}</strong>
          )}{' '}
          {path === '' ? null : path.startsWith('examples') ? `${exampleTitle(path, null)}:` : <code>{path}</code>}{' '}
          {message} <span class="quiet">{`Wanted: ${wanted}`}</span>
        </li>
      ))}
    </ul>
  );

const FailedExamples: FC<{ failed: readonly FailedExample[] }> = ({ failed }) => (
  <ul class="bench-problems" aria-label="Examples that fail">
    {failed.slice(0, 20).map(({ path, about, wanted, received }) => (
      <li>
        {exampleTitle(path, about)} should be <ShownValue value={wanted} none="nothing" />, is{' '}
        <ShownValue value={received} none="nothing" />
      </li>
    ))}
  </ul>
);

/** Which example it is, as its author calls it, and what of it. */
const exampleTitle = (path: string, about: string | null): string =>
  (pathTitle(path) ?? path).replace(/^example( \d+)/, (_, number) =>
    about === null ? `Example${number}` : `Example${number}, “${about}”`,
  );

const FileFault: FC<{ fault: Problem }> = ({ fault: { message, fix } }) => (
  <Note look="bad">
    <strong>The sample.</strong> {message} {fix}
  </Note>
);

const AuthorFixes: FC<{ fixes: readonly { code: string; fix: string }[] }> = ({ fixes }) =>
  fixes.length === 0 ? null : (
    <details class="more">
      <summary>What the mapping could say instead</summary>
      <ul>
        {fixes.map(({ code, fix }) => (
          <li>
            <code>{code}</code> {fix}
          </li>
        ))}
      </ul>
    </details>
  );

function stateOf({ errors, requests, skipped, group, record }: TriedRecord): {
  look: Look;
  text: string;
} {
  if (errors.length > 0) return { look: 'bad', text: countOf(errors.length, 'problem') };
  if (skipped) return { look: 'done', text: 'skipped' };
  if (group !== undefined && group !== record) return { look: 'done', text: `in the request of row ${group}` };
  if (requests.length === 0) return { look: 'done', text: 'no request' };
  return { look: 'good', text: countOf(requests.length, 'request') };
}

const RecordResult: FC<{ record: TriedRecord; origins: readonly Origin[] } & Shown> = ({
  record,
  origins,
  isLive,
  words,
}) => {
  const { look, text } = stateOf(record);
  const { position, columns, requests, errors } = record;
  return (
    <section class="bench-record" data-record={record.record} data-from={position.byteFrom} data-to={position.byteTo}>
      <div class="bench-record-head">
        <h3>{`Row ${record.record}`}</h3>
        <span class="quiet">{position.place ?? `line ${position.line}`}</span>
        <State look={look}>{text}</State>
        <button
          class="small"
          type="submit"
          name="do"
          value={`example:${record.record}`}
          aria-label={`Save as example: row ${record.record}`}
        >
          Save as example
        </button>
      </div>
      {columns === null ? null : (
        <details class="more">
          <summary>What was read</summary>
          <dl class="bench-cells">
            {columns.map(([name, cell]) => (
              <div data-cell={name.trim()}>
                <dt>{name}</dt>
                <dd>{cell === '' ? '–' : cell}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {requests.map((request) => (
        <div class="bench-request">
          <p class="quiet">
            <strong>{request.kind}</strong> <code>{request.subject}</code>
          </p>
          <table>
            <caption class="only-read">{`${request.kind} of row ${record.record}`}</caption>
            <tbody>
              {bodyLeaves(request, origins).map(({ path, value, origin }) => (
                <tr>
                  <th scope="row">{path}</th>
                  <td>
                    <Value value={value} origin={origin} isLive={isLive} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
      {errors.length === 0 ? null : (
        <ul class="bench-problems" aria-label={`Problems of row ${record.record}`}>
          {errors.map((error) => (
            <li>
              {error.path === '' ? null : <code>{error.path}</code>} {error.message}{' '}
              <span class="quiet">{error.fix}</span> <AddWord error={error} words={words} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const AddWord: FC<{ error: Problem; words: string | null }> = ({ error: { code, message, value }, words }) => {
  const list = code === 'code_unknown' ? /.*code lists? "([^"]+)"/s.exec(message)?.[1] : undefined;
  if (list === undefined || words === null) return null;
  const href = `${words}&${new URLSearchParams({ name: list, word: value })}`;
  return <a href={href}>{`Add “${value}” to ${list}`}</a>;
};

/** Where a value comes from is said in words, too. */
const Value: FC<{ value: string; origin: Origin | null } & Live> = ({ value, origin, isLive }) => {
  const from = origin === null ? '' : originText(origin);
  if (isLive && origin !== null) {
    return (
      <button
        type="button"
        class="bench-value"
        data-line={origin.line}
        data-columns={JSON.stringify(origin.columns)}
        title={from}
      >
        {value}
      </button>
    );
  }
  return (
    <span>
      {value} {from === '' ? null : <span class="quiet">{from}</span>}
    </span>
  );
};

function originText({ line, columns, at }: Origin): string {
  const where = line === undefined ? `${at}, inherited` : `line ${line}`;
  return columns.length === 0 ? where : `${where}, from ${columns.join(', ')}`;
}
