/** Sending again what was not delivered, and withdrawing what was not sent: of a whole batch, for partners and operators. */
import { ROW_MESSAGES } from '../../../delivery/messages.ts';
import { RETRIABLE_STATES } from '../../../delivery/retry.ts';
import type { RequestState } from '../../../delivery/states.ts';
import type { Planned, RouteName } from '../../../http/contract/contract.ts';
import { type Action, action, type Field, type PlanMessages, type Values, WHY } from '../../actions.ts';
import { countOf, inText } from '../../parts/basics.tsx';

type RetryAnswer = Pick<Planned<'POST /v1/batches/{id}/retry'>, 'retried' | 'states' | 'notes'>;
type CancelAnswer = Pick<Planned<'POST /v1/batches/{id}/cancel'>, 'withdrawn' | 'stays' | 'restOfFile' | 'notes'>;

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

function retryMessages({ retried, states, notes }: RetryAnswer): PlanMessages {
  return {
    lines: [
      `${countOf(retried, 'request')} would be sent again${retried === 0 ? '' : `: ${counted(states)}`}. What was delivered is not sent again.`,
      ...notes,
    ],
    button: `Send ${inText(retried)} again`,
    isEmpty: retried === 0,
  };
}

function cancelMessages({ withdrawn, stays, restOfFile, notes }: CancelAnswer): PlanMessages {
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

const of = ({ batch = '' }: Values) => ({ id: batch });
const pageOf = ({ batch = '' }: Values): string => `/batches/${encodeURIComponent(batch)}`;

type Own<Name extends RouteName> = Pick<Action, 'name' | 'role' | 'fields'> & { route: Name };

const retry = (own: Own<'POST /v1/batches/{id}/retry' | 'POST /v1/ops/batches/{id}/retry'>): Action =>
  action({
    ...own,
    title: () => 'Send again what was not delivered',
    explain: 'Requests that were refused, given up or withdrawn are sent once more, with the same content.',
    button: 'Send again',
    call: (values) => ({
      path: of(values),
      query: { state: values.state || RETRIABLE_STATES.join(','), includeUnknown: values.includeUnknown === 'true' },
      ...bodyOf(values),
    }),
    plan: retryMessages,
    done: (_, values, page) => ({ goTo: page.at(pageOf(values)) }),
  });

const cancel = (own: Own<'POST /v1/batches/{id}/cancel' | 'POST /v1/ops/batches/{id}/cancel'>): Action =>
  action({
    ...own,
    title: () => 'Withdraw what was not sent',
    explain: 'What was not sent yet is not sent. What was delivered, or is on its way, stays.',
    button: 'Withdraw',
    isDangerous: true,
    plansAtOnce: true,
    call: (values) => ({ path: of(values), ...bodyOf(values) }),
    plan: cancelMessages,
    done: (_, values, page) => ({ goTo: page.at(pageOf(values)) }),
  });

export const BATCH_ACTIONS: readonly Action[] = [
  retry({
    name: 'retry-batch',
    role: 'operator',
    route: 'POST /v1/ops/batches/{id}/retry',
    fields: [STATE, INCLUDE_UNKNOWN, WHY],
  }),
  retry({
    name: 'retry-own-batch',
    role: 'partner',
    route: 'POST /v1/batches/{id}/retry',
    fields: [STATE, INCLUDE_UNKNOWN],
  }),
  cancel({ name: 'cancel-batch', role: 'operator', route: 'POST /v1/ops/batches/{id}/cancel', fields: [WHY] }),
  cancel({ name: 'cancel-own-batch', role: 'partner', route: 'POST /v1/batches/{id}/cancel', fields: [] }),
];
