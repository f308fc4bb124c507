/** `states.md`: the states of requests, rows and batches, what each means and who acts next; and the reasons beside them. */
import type { BatchState } from '../../src/batch/core/ticket.ts';
import { DECISIONS, type Decision } from '../../src/delivery/decisions.ts';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../src/delivery/messages.ts';
import type { RecordState } from '../../src/delivery/outcome.ts';
import { isFinal, REQUEST_STATES } from '../../src/delivery/states.ts';
import { code, page, prose, section, table } from './markdown.ts';

/** Who acts next, and what happens then. */
const NEXT: Record<RecordState, readonly [who: string, what: string]> = {
  queued: ['the bridge', 'sends it when its turn on its load or order comes'],
  sending: ['the bridge', 'waits for the answer; after a restart it becomes `unknown`'],
  waiting: ['the bridge', 'tries again at the time shown; past its deadline it becomes `dead`'],
  unknown: ['the bridge', 'sends it again, or looks the order up if it creates one, until its deadline'],
  held: ['the operator', 'decides; later operations of the same order wait meanwhile'],
  delivered: ['nobody', 'final'],
  rejected: ['the partner', 'corrects the row and sends it again, or retries the batch if the cause was elsewhere'],
  coalesced: ['nobody', 'follows the request named in `_into`'],
  duplicate: ['nobody', 'final; `_into` names the row that was delivered'],
  cancelled: ['nobody', 'final; a retry of the batch sends it after all'],
  dead: ['the operator, then the partner', 'the cause is removed, then the batch is retried'],
  invalid: ['the partner', 'corrects the row and sends it again'],
  skipped: ['nobody', 'final'],
  valid: ['nobody', 'final: a dry run sends nothing'],
};

const BATCHES: Record<BatchState, readonly [meaning: string, next: string]> = {
  reading: ['The file is being read, and its rows are mapped and sent.', 'the bridge'],
  delivering: ['Every row is read; some are not final yet.', 'the bridge, or the operator if a row is `held`'],
  settled: ['Every row is final.', 'the partner, if rows were refused'],
  unreadable: ['The file as a whole could not be read. Nothing of it was sent.', 'the partner'],
};

/** What follows each decision about a held request. */
const DECIDED: Record<Decision, readonly [about: string, follows: string]> = {
  send_again: ['events, updates, cancels', 'The same bytes are sent once more and may arrive twice.'],
  create_again: ['creates of orders', 'It is sent exactly once more. A second order may come into being.'],
  adopt_id: ['creates of orders', 'It counts as delivered, as the order with the id you give.'],
  mark_delivered: ['all', 'It counts as delivered, on your word. Nothing is sent.'],
  close: ['all', 'It becomes `dead` with the reason `closed`; you say whether it arrived.'],
};

export function statesPage(): string {
  const own = Object.keys(ROW_MESSAGES).filter((state) => !(REQUEST_STATES as readonly string[]).includes(state));
  const line = (state: RecordState): string[] => {
    const { label, meaning } = ROW_MESSAGES[state];
    const [who, what] = NEXT[state];
    return [code(state), label, prose(meaning), who, what];
  };
  const heads = ['State', 'Shown as', 'Meaning', 'Who acts next', 'What happens'];
  const final = REQUEST_STATES.filter(isFinal).map(code).join(', ');
  return page(
    'States and reasons',
    'A row becomes one or more requests, and shows their state in `_state`. A request has a state and sometimes a reason.',
    [
      section(
        'Requests',
        table(heads, REQUEST_STATES.map(line)),
        `Final states: ${final}. They never change: a retry or a replay makes a new generation of the request.`,
      ),
      section(
        'Rows',
        'A row has the states of its requests, and three of its own:',
        table(heads, (own as RecordState[]).map(line)),
      ),
      section(
        'Batches and messages',
        'In lists a batch is `open` until it is `settled` or `unreadable`. A message has the same states by itself.',
        table(
          ['State', 'Meaning', 'Who acts next'],
          Object.entries(BATCHES).map(([state, words]) => [code(state), ...words]),
        ),
      ),
      section(
        'Reasons',
        'Beside a state, in `_code` of the report.',
        table(
          ['Reason', 'Meaning'],
          Object.entries(REASON_MESSAGES).map(([reason, words]) => [code(reason), prose(words)]),
        ),
      ),
      section(
        'Decisions about what is held',
        table(
          ['Decision', 'About', 'What follows'],
          DECISIONS.map((decision) => [code(decision), ...DECIDED[decision]]),
        ),
      ),
    ],
  );
}
