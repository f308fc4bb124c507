/** What is suggested for a sample: what was found out, why, how sure it is, and what has to be decided by a person. */
import type { FC } from 'hono/jsx';
import type {
  Confidence,
  FieldSuggestion,
  Question,
  SuggestedCodeList,
  Suggestion,
} from '../../../mapping/suggest/suggestion.ts';
import { pathName } from '../../../mapping/values/path-names.ts';
import { plainName } from '../../../mapping/values/plain-name.ts';
import { countOf, type Look, State } from '../../parts/basics.tsx';

const LOOKS: Record<Confidence, Look> = { sure: 'good', likely: 'wait', unsure: 'held' };

const Sure: FC<{ of: Confidence }> = ({ of }) => <State look={LOOKS[of]}>{of}</State>;

/** Words of a code list with a field each. Ours: with more of them, the list is written as a whole. */
const CODES_SHOWN_MAX = 40;

export const SuggestionView: FC<{ suggestion: Suggestion }> = ({ suggestion }) => {
  const { format, target, fields, columns, questions, codeLists } = suggestion;
  const open = questions.filter(({ answer }) => answer === null).length;
  const words = codeLists.flatMap((list) => list.words.slice(0, CODES_SHOWN_MAX)).filter(({ code }) => code === null);
  const checks = fields.flatMap(checkOf);
  const unchecked = checks.filter(({ answer }) => answer === null).length;
  const left = [
    ...(open === 0 ? [] : [`${open} to decide`]),
    ...(unchecked === 0 ? [] : [`${unchecked} to check`]),
    ...(words.length === 0 ? [] : [`${countOf(words.length, 'word')} to fill in`]),
  ];
  const unused = columns.filter(({ usedFor }) => usedFor.length === 0);
  return (
    <div class="bench-suggestion">
      <datalist id="bench-columns">
        {columns.map(({ name }) => (
          <option value={name} />
        ))}
      </datalist>
      {questions.length + checks.length + codeLists.length === 0 ? null : (
        <section>
          <h3 tabindex={-1} data-asked={left.length === 0 ? undefined : true}>
            {left.length === 0 ? 'What was asked' : left.join(', ')}
          </h3>
          {[...questions, ...checks].map((question) => (
            <QuestionField question={question} />
          ))}
          {codeLists.map((list) => (
            <CodeListFields list={list} />
          ))}
          <button type="submit" name="do" value="suggest">
            Suggest again with these answers
          </button>
        </section>
      )}
      <details class="more" open>
        <summary>What was found out</summary>
        <ul class="bench-found">
          {format.map(({ what, value, confidence, reason }) => (
            <li>
              <strong>{what}</strong> <code>{value}</code> <Sure of={confidence} /> <span class="quiet">{reason}</span>
            </li>
          ))}
          <li>
            <strong>becomes</strong> <code>{target.kind ?? 'not known'}</code> <Sure of={target.confidence} />{' '}
            <span class="quiet">{target.reason}</span>
          </li>
          {fields.map((found) => (
            <li>
              <strong>{nameOf(found.field)}</strong> <code class="at">{pathOf(found.field)}</code>{' '}
              {found.columns.length === 0 ? null : (
                <>
                  from <code>{found.columns.join(', ')}</code>
                </>
              )}{' '}
              <Sure of={found.confidence} /> <span class="quiet">{found.reason}</span>
              {found.evidence === null ? null : (
                <span class="quiet">{` Row ${found.evidence.row}: “${found.evidence.value}”.`}</span>
              )}
              {found.other?.choices.length === 0 ? <OtherColumn found={found} /> : null}
            </li>
          ))}
        </ul>
        {unused.length === 0 ? null : <p class="quiet">{`Not used: ${unused.map(({ name }) => name).join(', ')}.`}</p>}
      </details>
    </div>
  );
};

/** As the document writes it, without what all have. */
const pathOf = (field: string): string => field.replace(/^(?:fields|order)\./, '');
/** Elements of EDI are called as they are written: their names are too many for a script. */
const calledColumn = (column: string): string => pathName(column) ?? column;
const nameOf = (field: string): string => plainName(pathOf(field)).replace(/^the /, '');

const isAnswered = ({ reason }: FieldSuggestion): boolean => reason.startsWith('As you answered.');

/** Asked like what is open, though the mapping is whole without an answer. */
function checkOf(found: FieldSuggestion): Question[] {
  const { other, columns, reason } = found;
  if (other === undefined || other.choices.length === 0) return [];
  return [
    {
      id: other.answerId,
      asks: `Is ${columns.map((column) => `“${calledColumn(column)}”`).join(' and ')} the ${nameOf(found.field)}?`,
      why: isAnswered(found) ? '' : `It is only a guess. ${reason}`,
      columns,
      evidence: [],
      choices: other.choices,
      free: 'column',
      answer: isAnswered(found) ? (columns[0] ?? null) : null,
    },
  ];
}

/** Where it is not sure, or was answered before. */
const OtherColumn: FC<{ found: FieldSuggestion }> = ({ found }) =>
  found.confidence === 'sure' && !isAnswered(found) ? null : (
    <label class="bench-other">
      <span>{`Another column for the ${nameOf(found.field)}`}</span>
      <input
        type="text"
        name={`free:${found.other?.answerId}`}
        value={isAnswered(found) ? found.columns[0] : ''}
        list="bench-columns"
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );

const QuestionField: FC<{ question: Question }> = ({
  question: { id, asks, why, columns, evidence, choices, free, answer },
}) => {
  const isOwn = answer !== null && !choices.some(({ choice }) => choice === answer);
  const name = `answer:${id}`;
  return (
    <fieldset class="choices">
      <legend>{asks}</legend>
      <p class="hint">
        {why}
        {evidence.slice(0, 3).map(({ row, column, value }) => ` Row ${row}, ${calledColumn(column)}: “${value}”.`)}
        {choices.some(({ choice }) => columns.includes(choice)) ? null : <PathsOf columns={columns} />}
      </p>
      {choices.map(({ choice, says, isLikely }) => (
        <label>
          <input type="radio" name={name} value={choice} checked={answer === choice} />
          <span>
            {says}
            <PathsOf columns={free === 'column' ? [choice] : []} />
            {isLikely ? <span class="quiet"> – more speaks for it</span> : null}
          </span>
        </label>
      ))}
      {free === null ? null : (
        <label>
          <span>{free === 'zone' ? 'Another zone' : free === 'column' ? 'A column' : 'Something else'}</span>
          <input
            type="text"
            name={`free:${id}`}
            value={isOwn ? answer : ''}
            list={free === 'column' ? 'bench-columns' : undefined}
            placeholder={free === 'zone' ? 'Europe/Berlin' : ''}
            autocomplete="off"
          />
        </label>
      )}
    </fieldset>
  );
};

/** Where in the file: small, for whoever looks there. */
const PathsOf: FC<{ columns: readonly string[] }> = ({ columns }) => (
  <>{columns.flatMap((column) => (pathName(column) === null ? [] : [' ', <code class="at">{column}</code>]))}</>
);

const CodeListFields: FC<{ list: SuggestedCodeList }> = ({ list: { list, column, field, words, codes } }) => (
  <fieldset class="choices">
    <legend>{`Which ${nameOf(field)} does each word of “${calledColumn(column)}” stand for?`}</legend>
    <p class="hint">
      They become the code list {list}.
      <PathsOf columns={[column]} />
    </p>
    <div class="bench-words">
      {words.slice(0, CODES_SHOWN_MAX).map(({ word, rows, beside, code, confidence, answerId }) => (
        <label>
          <span>
            {word} <span class="quiet">{`${rows}×${beside === null ? '' : ` “${beside}”`}`}</span>{' '}
            <Sure of={code === null ? 'unsure' : confidence} />
          </span>
          <input
            type="text"
            name={`free:${answerId}`}
            value={code ?? ''}
            list={`codes-${list}`}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
      ))}
    </div>
    <datalist id={`codes-${list}`}>
      {codes.map(({ code, means }) => (
        <option value={code}>{`${code}: ${means}`}</option>
      ))}
    </datalist>
  </fieldset>
);
