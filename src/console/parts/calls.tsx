/** What a request went through, call by call, and what an operation changes, field by field. Text only. */
import type { FC } from 'hono/jsx';
import { type ShownDifference, valueMessage } from '../../delivery/orders/merge-messages.ts';
import { answerMessage } from '../messages.ts';
import { inText, Time } from './basics.tsx';

interface ShownCall {
  attempt: number;
  /** What it was for; left out: a sending. */
  purpose?: string;
  startedAt: string | null;
  /** null: an answer is awaited. */
  effect: string | null;
  status: number | null;
  answer: string;
  latencyMs: number | null;
}

/** Characters shown of an answer: the whole one is in the API. */
const ANSWER_CHARACTERS_SHOWN = 2_000;

export const Calls: FC<{ calls: readonly ShownCall[] }> = ({ calls }) => (
  <ol class="calls">
    {calls.map(({ attempt, purpose = 'sent', startedAt, effect, status, answer, latencyMs }) => (
      <li value={String(attempt)}>
        {purpose} {startedAt === null ? '' : <Time at={startedAt} isExact />}
        {status === null ? '' : ` · status ${status}`}
        {latencyMs === null ? '' : ` · ${inText(latencyMs)} ms`}
        {effect === null ? ' · an answer is awaited' : ''}
        {answer === '' ? null : <pre>{headOf(answer, ANSWER_CHARACTERS_SHOWN)}</pre>}
      </li>
    ))}
  </ol>
);

const headOf = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`.toWellFormed();

/** What the receiving system said where it did not take something; data is among the calls. */
export const Refused: FC<{ status: number | null; answer: string }> = ({ status, answer }) => {
  if (answer === '') return null;
  const said = answerMessage(answer);
  const by = status === null ? 'The receiving system answered' : `The receiving system answered ${status}`;
  return <p>{said === '' ? `${by}, without a reason in words.` : `${by}: “${said}”`}</p>;
};

/** null: not known what it changes. */
export const Changes: FC<{ changes: readonly ShownDifference[] | null }> = ({ changes }) =>
  changes === null || changes.length === 0 ? null : (
    <ul class="changes">
      {changes.map((each) => (
        <ChangeLine change={each} />
      ))}
    </ul>
  );

const ChangeLine: FC<{ change: ShownDifference }> = ({ change }) => {
  const [was, is] = ['before' in change, 'after' in change];
  if (!was && !is) return <li>{change.path}</li>;
  const [look, sign, meaning] = was
    ? is
      ? ['changed-field', '~', 'changed']
      : ['removed', '−', 'removed']
    : ['added', '+', 'added'];
  return (
    <li class={look}>
      <span class="mark" aria-hidden="true">
        {sign}
      </span>
      <span class="only-read">{meaning}: </span>
      <code>{change.path}</code>
      {was ? <span class="value">{valueMessage(change.before)}</span> : null}
      {was && is ? '→' : null}
      {is ? <span class="value">{valueMessage(change.after)}</span> : null}
    </li>
  );
};
