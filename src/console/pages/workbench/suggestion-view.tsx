/** What is suggested for a sample: what was found out, why, how sure it is, and what has to be decided by a person. */
import type { FC } from 'hono/jsx';
import type { Confidence, Question, SuggestedAnswer } from './answers.ts';

const LOOKS: Record<Confidence, { look: string; shape: string; text: string }> = {
  sure: { look: 'good', shape: '✓', text: 'sure' },
  likely: { look: 'wait', shape: '◔', text: 'likely' },
  unsure: { look: 'bad', shape: '?', text: 'unsure' },
};

const Sure: FC<{ of: Confidence }> = ({ of }) => {
  const { look, shape, text } = LOOKS[of];
  return (
    <span class={`state ${look}`} data-shape={shape}>
      {text}
    </span>
  );
};

/** Words of a code list with a field each. Ours: with more of them, the list is written as a whole. */
const CODES_SHOWN_MAX = 40;

export const SuggestionView: FC<{ suggestion: SuggestedAnswer }> = ({ suggestion }) => {
  const { format, target, fields, columns, questions, codeLists } = suggestion;
  const open = questions.filter(({ answer }) => answer === null);
  const unused = columns.filter(({ usedFor }) => usedFor.length === 0);
  return (
    <div class="bench-suggestion">
      {questions.length === 0 && codeLists.length === 0 ? null : (
        <section>
          <h3>{open.length === 0 ? 'What was asked' : `${open.length} to decide`}</h3>
          {questions.map((question) => (
            <QuestionField question={question} columns={columns.map(({ name }) => name)} />
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
          {fields.map(({ field, columns: from, confidence, reason, evidence }) => (
            <li>
              <strong>{field.replace(/^fields\./, '')}</strong>{' '}
              {from.length === 0 ? null : <code>{from.join(', ')}</code>} <Sure of={confidence} />{' '}
              <span class="quiet">{reason}</span>
              {evidence === null ? null : <span class="quiet">{` Row ${evidence.row}: “${evidence.value}”.`}</span>}
            </li>
          ))}
        </ul>
        {unused.length === 0 ? null : <p class="quiet">{`Not used: ${unused.map(({ name }) => name).join(', ')}.`}</p>}
      </details>
    </div>
  );
};

const QuestionField: FC<{ question: Question; columns: readonly string[] }> = ({
  question: { id, asks, why, evidence, choices, free, answer },
  columns,
}) => {
  const isOwn = answer !== null && !choices.some(({ choice }) => choice === answer);
  const name = `answer:${id}`;
  return (
    <fieldset class="choices">
      <legend>{asks}</legend>
      <p class="hint">
        {why}
        {evidence.slice(0, 3).map(({ row, column, value }) => ` Row ${row}, ${column}: “${value}”.`)}
      </p>
      {choices.map(({ choice, says, isLikely }) => (
        <label>
          <input type="radio" name={name} value={choice} checked={answer === choice} />
          <span>
            {says}
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
      {free === 'column' ? (
        <datalist id="bench-columns">
          {columns.map((column) => (
            <option value={column} />
          ))}
        </datalist>
      ) : null}
    </fieldset>
  );
};

const CodeListFields: FC<{ list: SuggestedAnswer['codeLists'][number] }> = ({
  list: { list, column, field, words },
}) => (
  <fieldset class="choices">
    <legend>{`What the words of ${column} mean (${field.replace(/^fields\./, '')}, code list ${list})`}</legend>
    <div class="bench-words">
      {words.slice(0, CODES_SHOWN_MAX).map(({ word, rows, code, confidence, answerId }) => (
        <label>
          <span>
            {word} <span class="quiet">{`${rows}×`}</span> <Sure of={code === null ? 'unsure' : confidence} />
          </span>
          <input type="text" name={`free:${answerId}`} value={code ?? ''} autocomplete="off" spellcheck={false} />
        </label>
      ))}
    </div>
  </fieldset>
);
