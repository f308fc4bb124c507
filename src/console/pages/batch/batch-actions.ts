/** Sending again what was not delivered, and withdrawing what was not sent: of a whole batch, for partners and operators. */
import type { CancelPlan } from '../../../batch/actions/cancel.ts';
import type { RetryPlan } from '../../../batch/actions/retry.ts';
import { ROW_MESSAGES } from '../../../delivery/messages.ts';
import { RETRIABLE_STATES } from '../../../delivery/retry.ts';
import type { RequestState } from '../../../delivery/states.ts';
import { type Action, type Field, type PlanMessages, type Values, WHY } from '../../actions.ts';
import { countOf, inText } from '../../parts/basics.tsx';

/** As the API answers. */
type RetryAnswer = Pick<RetryPlan, 'states' | 'mayHaveArrived' | 'leftOut'> & { retried: number; notes: string[] };
type CancelAnswer = Pick<CancelPlan, 'withdrawn' | 'stays' | 'restOfFile'> & { notes: string[] };

const STATE: Field = {
  name: 'state',
  label: 'What is sent again',
  kind: 'choice',
  of: {
    [RETRIABLE_STATES.join(',')]: 'All that was not delivered',
    rejected: 'Only what was refused',
    dead: 'Only what was given up',
    cancelled: 'Only what was withdrawn',
  },
  value: RETRIABLE_STATES.join(','),
};

const INCLUDE_UNKNOWN: Field = {
  name: 'includeUnknown',
  label: 'Also what may have arrived',
  kind: 'check',
  hint: 'It is marked as a possible duplicate, and may then be there twice.',
};

const counted = (states: Partial<Record<string, number>>): string =>
  Object.entries(states)
    .map(([state, count = 0]) => `${inText(count)} ${ROW_MESSAGES[state as RequestState].label.toLowerCase()}`)
    .join(', ');

export function retryMessages({ retried, states, notes }: RetryAnswer): PlanMessages {
  return {
    lines: [
      `${countOf(retried, 'request')} would be sent again: ${counted(states)}. What was delivered is not sent again.`,
      ...notes,
    ],
    button: `Send ${inText(retried)} again`,
    isEmpty: retried === 0,
  };
}

export function cancelMessages({ withdrawn, stays, restOfFile, notes }: CancelAnswer): PlanMessages {
  const rest = Object.keys(stays).length === 0 ? '' : ` The others stay as they are: ${counted(stays)}.`;
  return {
    lines: [
      `${countOf(withdrawn.requests, 'request')} of ${countOf(withdrawn.rows, 'row')} would be withdrawn.${rest}`,
      ...notes,
    ],
    button: `Withdraw ${inText(withdrawn.requests)}${restOfFile ? ' and the rest of the file' : ''}`,
    isEmpty: withdrawn.requests === 0 && !restOfFile,
    look: 'bad',
  };
}

const bodyOf = ({ why }: Values) => (why === undefined ? {} : { body: { why } });

const of = ({ batch = '' }: Values): string => encodeURIComponent(batch);

const retry = (own: Pick<Action, 'name' | 'role' | 'fields'> & { base: string }): Action => ({
  ...own,
  route: `POST ${own.base}/batches/{id}/retry`,
  title: () => 'Send again what was not delivered',
  explain: 'Requests that were refused, given up or withdrawn are sent once more, with the same content.',
  button: 'Send again',
  call: (values) => ({
    method: 'POST',
    path: `${own.base}/batches/${of(values)}/retry`,
    parameters: { state: values.state || RETRIABLE_STATES.join(','), includeUnknown: values.includeUnknown === 'true' },
    ...bodyOf(values),
  }),
  plan: retryMessages,
  done: (_, values, page) => ({ goTo: page.at(`/batches/${of(values)}`) }),
});

const cancel = (own: Pick<Action, 'name' | 'role' | 'fields'> & { base: string }): Action => ({
  ...own,
  route: `POST ${own.base}/batches/{id}/cancel`,
  title: () => 'Withdraw what was not sent',
  explain: 'What was not sent yet is not sent. What was delivered, or is on its way, stays.',
  button: 'Withdraw',
  isDangerous: true,
  plansAtOnce: true,
  call: (values) => ({ method: 'POST', path: `${own.base}/batches/${of(values)}/cancel`, ...bodyOf(values) }),
  plan: cancelMessages,
  done: (_, values, page) => ({ goTo: page.at(`/batches/${of(values)}`) }),
});

export const BATCH_ACTIONS: readonly Action[] = [
  retry({ name: 'retry-batch', role: 'operator', base: '/v1/ops', fields: [STATE, INCLUDE_UNKNOWN, WHY] }),
  retry({ name: 'retry-own-batch', role: 'partner', base: '/v1', fields: [STATE, INCLUDE_UNKNOWN] }),
  cancel({ name: 'cancel-batch', role: 'operator', base: '/v1/ops', fields: [WHY] }),
  cancel({ name: 'cancel-own-batch', role: 'partner', base: '/v1', fields: [] }),
];
