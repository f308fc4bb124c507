/** What an operator does with an order feed: poll, repair, skip, read again, set. */
import { type Action, action, type Field, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { countOf, inText } from '../../parts/basics.tsx';
import { ifSeen, seenField } from '../seen.ts';

const pathOf = ({ partner = '' }: Values) => ({ name: partner });

const PARTNER: Field = { name: 'partner', label: 'Partner', kind: 'text', isRequired: true, isSubject: true };

const backToFeed = ({ partner = '' }: Values, page: Page): string => page.at(`/feeds/${encodeURIComponent(partner)}`);

const pollNow = action({
  name: 'feed-poll',
  route: 'POST /v1/ops/feeds/{name}/poll',
  role: 'operator',
  title: ({ partner }) => `Poll for ${partner ?? 'a partner'} now`,
  explain:
    'The receiving system is asked at once what became of the orders, instead of at the next poll’s time. A poll that is under way is not made twice.',
  fields: [PARTNER, WHY],
  button: 'Poll now',
  call: (values) => ({ path: pathOf(values), body: { why: values.why } }),
  done: (_, values, page) => ({ goTo: backToFeed(values, page) }),
});

/** References, separated by commas or lines. */
const refsIn = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((ref) => ref.trim())
    .filter((ref) => ref !== '');

const repair = action({
  name: 'feed-repair',
  route: 'POST /v1/ops/feeds/{name}/repair',
  role: 'operator',
  title: ({ partner }) => `Look up orders of ${partner ?? 'a partner'} one by one`,
  explain:
    'Every open order is looked up in the receiving system, a few each minute, and new statuses are recorded. Name orders to look up those only.',
  fields: [
    PARTNER,
    {
      name: 'orderRefs',
      label: 'Orders',
      kind: 'long',
      hint: 'References, separated by commas or lines. If empty, all open orders are looked up.',
    },
    WHY,
  ],
  button: 'Look them up',
  call: (values) => {
    const orderRefs = refsIn(values.orderRefs ?? '');
    return {
      path: pathOf(values),
      body: { why: values.why, ...(orderRefs.length === 0 ? {} : { orderRefs }) },
    };
  },
  done: ({ orders }, values, page) => ({
    title: `${countOf(orders, 'order')} to look up`,
    lines: ['They are looked up one after the other. The page of the feed says how many are left.'],
    back: backToFeed(values, page),
  }),
});

const skip = action({
  name: 'feed-skip',
  route: 'POST /v1/ops/feeds/{name}/skip',
  role: 'operator',
  title: ({ orderRef }) => `Stop looking up order ${orderRef ?? ''}`.trim(),
  explain:
    'The other orders are looked up all the same. A status of this one that was lost stays unknown until a later poll has it. A lost answer that waits only for this order counts as made up for.',
  fields: [
    PARTNER,
    { name: 'orderRef', label: 'Order reference', kind: 'text', isRequired: true, isSubject: true },
    WHY,
  ],
  button: 'Stop looking it up',
  isDangerous: true,
  call: (values) => ({
    path: pathOf(values),
    body: { orderRef: values.orderRef, why: values.why },
  }),
  done: (_, values, page) => ({ goTo: backToFeed(values, page) }),
});

const reread = action({
  name: 'feed-reread',
  route: 'POST /v1/ops/feeds/{name}/polls/{poll}/reread',
  role: 'operator',
  title: ({ poll }) => `Read the answer to ${poll ? `poll ${poll}` : 'a poll'} again`,
  explain:
    'The stored answer is read as answers are read now. Nothing is sent. What it says otherwise than before corrects what is recorded.',
  fields: [PARTNER, { name: 'poll', label: 'Poll', kind: 'number', isRequired: true, isSubject: true }, WHY],
  button: 'Read it again',
  call: (values) => ({
    path: { ...pathOf(values), poll: values.poll ?? '' },
    body: { why: values.why },
  }),
  done: ({ entries, news, unfit }, values, page) => ({
    title: `Poll ${values.poll} was read again`,
    lines: [
      `${countOf(entries, 'status', 'statuses')}, ${inText(news)} of them new.`,
      unfit === 0 ? 'All were understood.' : `${inText(unfit)} ${unfit === 1 ? 'was' : 'were'} still not understood.`,
    ],
    back: backToFeed(values, page),
  }),
});

const setFeed = action({
  name: 'set-feed',
  route: 'PUT /v1/ops/partners/{name}/feed',
  role: 'operator',
  title: ({ partner }) => (partner ? `Set the order feed of ${partner}` : 'Set an order feed'),
  explain:
    'The feed asks the receiving system regularly what became of the orders under these two ids, and records the statuses for the partner. Each pair of ids belongs to one partner.',
  fields: setFields,
  button: 'Save the feed',
  call: ({ partner = '', partnerId, clientId, channel, scac = '', pollMinutes, repairsPerMinute, why, ...values }) => ({
    path: { name: partner },
    body: {
      ...{ partnerId, clientId, channel, note: why },
      scac: scac === '' ? null : scac.toUpperCase(),
      ...(pollMinutes === '' ? {} : { pollMinutes: Number(pollMinutes) }),
      ...(repairsPerMinute === '' ? {} : { repairsPerMinute: Number(repairsPerMinute) }),
    },
    ...ifSeen(values),
  }),
  done: (_, values, page) => ({ goTo: backToFeed(values, page) }),
});

/** With what is set now filled in. */
async function setFields(values: Values, page: Page): Promise<readonly Field[]> {
  const partner = values.partner ?? '';
  const [now, health] = await Promise.all([
    partner === '' ? null : page.api.call('GET /v1/ops/partners/{name}/feed', { path: { name: partner } }),
    page.api.call('GET /v1/ops/health'),
  ]);
  const set = now?.ok === true ? now.value : null;
  const names = health.ok ? health.value.channels.map(({ name }) => name) : [];
  const value = (known: string | number | null | undefined) => (known == null ? {} : { value: String(known) });
  return [
    PARTNER,
    seenField(set?.edition),
    { name: 'partnerId', label: 'Partner id', kind: 'text', isRequired: true, ...value(set?.partnerId) },
    { name: 'clientId', label: 'Client id', kind: 'text', isRequired: true, ...value(set?.clientId) },
    {
      name: 'channel',
      label: 'Channel',
      isRequired: true,
      ...(names.length === 0
        ? { kind: 'text' as const }
        : { kind: 'choice' as const, of: Object.fromEntries(names.map((name) => [name, name])) }),
      ...value(set?.channel),
    },
    {
      name: 'scac',
      label: 'SCAC',
      kind: 'text',
      hint: 'If empty, the first SCAC of the channel is used.',
      ...value(set?.scac),
    },
    { name: 'pollMinutes', label: 'Minutes between polls', kind: 'number', ...value(set?.pollMinutes) },
    {
      name: 'repairsPerMinute',
      label: 'Single orders looked up, each minute',
      kind: 'number',
      hint: 'After an answer was lost, the orders it may concern are looked up at this pace.',
      ...value(set?.repairsPerMinute),
    },
    WHY,
  ];
}

export const FEED_ACTIONS: readonly Action[] = [pollNow, repair, skip, reread, setFeed];
