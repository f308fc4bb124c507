/** Decisions about held requests: one, or many at once. */
import type { Decision } from '../../../delivery/decisions.ts';
import { type Action, action, type Field, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { countOf, inText } from '../../parts/basics.tsx';
import { afterChange } from '../mappings/versions.tsx';

interface DecisionText {
  /** On the button of a row, and of a plan about one. */
  button: string;
  /** What follows. */
  meaning: string;
  many(count: number): string;
}

export const DECISION_TEXTS: Record<Decision, DecisionText> = {
  send_again: {
    button: 'Send again',
    meaning: 'It is sent again with the same content. If an earlier try arrived, it arrives twice.',
    many: (count) => `Send ${countOf(count, 'request')} again`,
  },
  create_again: {
    button: 'Create again',
    meaning: 'The order is created again. If it was created before, there are two of it then.',
    many: (count) => `Create ${countOf(count, 'order')} again`,
  },
  adopt_id: {
    button: 'Enter its id',
    meaning: 'The order counts as created under this id, and its changes go there.',
    many: (count) => `Enter ${countOf(count, 'id')}`,
  },
  mark_delivered: {
    button: 'Mark delivered',
    meaning: 'It counts as delivered, as you state. Nothing is sent.',
    many: (count) => `Mark ${countOf(count, 'request')} delivered`,
  },
  close: {
    button: 'Give up (not delivered)',
    meaning: 'It is given up. Nothing is sent, and the partner reads that it was not delivered.',
    many: (count) => `Give up ${countOf(count, 'request')}`,
  },
};

const OUTCOME: Field = {
  name: 'outcome',
  label: 'What became of it',
  kind: 'choice',
  isRequired: true,
  of: { '': 'Choose', not_applied: 'It certainly did not arrive', unknown: 'Nobody knows' },
};

const ORDER_ID: Field = {
  name: 'orderId',
  label: 'Id of the order',
  kind: 'text',
  isRequired: true,
  hint: 'As the receiving system has it, a UUID. Look the order up by its reference.',
};

const decisionField = (open: readonly Decision[]): Field => ({
  name: 'decision',
  label: 'Decision',
  kind: 'choice',
  isRequired: true,
  of: Object.fromEntries(open.map((decision) => [decision, DECISION_TEXTS[decision].button])),
});

const hidden = (name: string, value = ''): Field => ({ name, label: name, kind: 'hidden', value });

const pathOf = ({ batch = '', record = '', request = '' }: Values) => ({ batch, record, request });

/** The version that the person sees now: a decision on an older sight is refused. */
async function oneFields(values: Values, page: Page): Promise<readonly Field[]> {
  const { decision = '', partner = '' } = values;
  const found = await page.api.call('GET /v1/ops/letters/{batch}/{record}/{request}', {
    path: pathOf(values),
    query: { partner },
  });
  const open = found.ok ? found.value.decisions : [];
  const seen = found.ok ? (found.value.version ?? '') : '';
  return [
    hidden('seen', seen),
    decision === '' ? decisionField(open) : hidden('decision', decision),
    ...(decision === 'adopt_id' || (decision === '' && open.includes('adopt_id'))
      ? [{ ...ORDER_ID, isRequired: decision === 'adopt_id' }]
      : []),
    ...(decision === 'close' || decision === '' ? [{ ...OUTCOME, isRequired: decision === 'close' }] : []),
    WHY,
  ];
}

const textOf = (values: Values): DecisionText | undefined =>
  (DECISION_TEXTS as Partial<Record<string, DecisionText>>)[values.decision ?? ''];

const decideOne = action({
  name: 'decide-request',
  route: 'POST /v1/ops/letters/{batch}/{record}/{request}/decisions',
  role: 'operator',
  title: (values) => `${textOf(values)?.button ?? 'Decide'}: ${values.about ?? 'a held request'}`,
  explain:
    'What is held stays as it is until somebody decides. Your decision is carried out when you press the button below.',
  fields: oneFields,
  button: 'Decide',
  call: (values) => {
    const { decision, orderId = '', outcome = '', why, seen = '', partner } = values;
    const more = {
      ...(decision === 'adopt_id' ? { orderId: orderId.trim() } : {}),
      ...(decision === 'close' && outcome !== '' ? { outcome } : {}),
    };
    return {
      path: pathOf(values),
      query: { partner },
      body: { decision, why, ...more },
      ...(seen === '' ? {} : { ifMatch: seen }),
    };
  },
  plan: ({ decision, requests }) => ({
    lines: [
      DECISION_TEXTS[decision].meaning,
      ...(requests > 1 ? [`${inText(requests)} requests travel together and are decided with it.`] : []),
    ],
    button: DECISION_TEXTS[decision].button,
  }),
  plansAtOnce: true,
  done: (_, values, page) => ({ goTo: afterChange(page, values, '/holds') }),
});

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** What a list's filters say, for the body of an action over all that match. */
export function filterBody({ reason, status, kind, partner, subject }: Values) {
  const [reasons, statuses, kinds] = [listOf(reason), listOf(status).map(Number), listOf(kind)];
  return {
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(statuses.length === 0 ? {} : { statuses }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...((partner ?? '').trim() === '' ? {} : { partner: partner?.trim() }),
    ...((subject ?? '').trim() === '' ? {} : { subject: subject?.trim() }),
  };
}

/** Chosen one by one; a form without any would otherwise mean all. */
export const chosenFields = ({ some, requests = '' }: Values): Field[] =>
  some === 'true' && requests === ''
    ? [
        {
          name: 'requests',
          label: 'Chosen requests',
          kind: 'text',
          isRequired: true,
          hint: 'None was chosen. Go back and tick them.',
        },
      ]
    : [];

export const chosenIn = ({ requests }: Values): string[] => listOf(requests);

const MANY: readonly Decision[] = ['send_again', 'create_again', 'mark_delivered', 'close'];

const decideMany = action({
  name: 'decide-requests',
  route: 'POST /v1/ops/letters/decisions',
  role: 'operator',
  title: (values) => `${textOf(values)?.button ?? 'Decide'}: several held requests`,
  explain: 'The set is fixed when the plan is shown. What has moved since then is left alone.',
  fields: (values) => {
    const { decision = '' } = values;
    return [
      ...chosenFields(values),
      decision === '' ? decisionField(MANY) : hidden('decision', decision),
      ...(decision === 'close' || decision === '' ? [{ ...OUTCOME, isRequired: decision === 'close' }] : []),
      WHY,
    ];
  },
  button: 'Decide',
  call: (values) => {
    const { decision, outcome = '', why, confirm = '', batch = '' } = values;
    const requests = chosenIn(values);
    const which = requests.length > 0 ? { requests } : { ...filterBody(values), ...(batch === '' ? {} : { batch }) };
    return {
      body: {
        ...{ decision, why, ...which },
        ...(decision === 'close' && outcome !== '' ? { outcome } : {}),
        ...(confirm === '' ? {} : { confirm }),
      },
    };
  },
  plan: ({ requests, decision, notes, partners, seconds, confirm }) => ({
    lines: [
      `${countOf(requests, 'held request')}${partners.length === 0 ? '' : ` of ${partners.join(', ')}`}.`,
      ...notes,
      ...(requests > 0 ? [`Takes about ${countOf(seconds, 'second')}. You can stop it.`] : []),
    ],
    button: DECISION_TEXTS[decision].many(requests),
    isEmpty: requests === 0,
    confirm: { confirm },
  }),
  plansAtOnce: true,
  done: ({ actionId }, _, page) => ({ goTo: page.at(`/actions/${actionId}`) }),
});

export const HOLD_ACTIONS: readonly Action[] = [decideOne, decideMany];
