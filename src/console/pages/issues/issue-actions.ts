/** What can be done about an issue: send all of it again, acknowledge it, mute it, open it again. */
import { jsx } from 'hono/jsx';
import { type Action, action, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { countOf, inText } from '../../parts/basics.tsx';
import { ReplayedFrom } from '../holds/dead-letter-parts.tsx';
import { resubmitAction } from './resubmit.tsx';

const pathOf = ({ id = '' }: Values) => ({ id });
const backTo = (page: Page, { id = '' }: Values): string => page.at(`/issues/${encodeURIComponent(id)}`);

/** Fields that the address fills in. */
const ID = { name: 'id', label: 'Issue', kind: 'hidden' } as const;

const acknowledge = action({
  name: 'acknowledge-issue',
  route: 'POST /v1/ops/issues/{id}/acknowledge',
  role: 'operator',
  title: () => 'Acknowledge the issue',
  explain:
    'It leaves the open ones: somebody looks after it. It opens again by itself if it resolves and then comes back.',
  fields: [ID, WHY],
  button: 'Acknowledge',
  call: (values) => ({ path: pathOf(values), body: { why: values.why } }),
  done: (_, values, page) => ({ goTo: backTo(page, values) }),
});

const mute = action({
  name: 'mute-issue',
  route: 'POST /v1/ops/issues/{id}/mute',
  role: 'operator',
  title: () => 'Mute the issue',
  explain: 'It needs nobody before that day (UTC), however many rows it gets. Then it is open again.',
  fields: [
    ID,
    { name: 'until', label: 'Until', kind: 'date', isRequired: true, hint: 'Within the next 90 days.' },
    WHY,
  ],
  button: 'Mute',
  call: (values) => ({
    path: pathOf(values),
    body: { until: `${values.until ?? ''}T00:00:00Z`, why: values.why },
  }),
  done: (_, values, page) => ({ goTo: backTo(page, values) }),
});

const reopen = action({
  name: 'reopen-issue',
  route: 'POST /v1/ops/issues/{id}/reopen',
  role: 'operator',
  title: () => 'Open the issue again',
  explain: 'It needs somebody again; what was said about it stays in its history.',
  fields: [ID, WHY],
  button: 'Open again',
  call: (values) => ({ path: pathOf(values), body: { why: values.why } }),
  done: (_, values, page) => ({ goTo: backTo(page, values) }),
});

const replay = action({
  name: 'replay-issue',
  route: 'POST /v1/ops/replays',
  role: 'operator',
  title: ({ partner = '' }) => `Send all of ${partner || 'this issue'} again`,
  explain:
    'All rows of this issue that ended, in every batch, not only those on a page. What was delivered is never sent again.',
  fields: [
    ID,
    { name: 'partner', label: 'Partner', kind: 'hidden' },
    {
      name: 'includeUnknown',
      label: 'Also what may have arrived',
      kind: 'check',
      hint: 'It may then arrive twice.',
    },
    WHY,
  ],
  button: 'Send again',
  isDangerous: true,
  call: ({ id, partner, includeUnknown, why, confirm }) => ({
    body: {
      ...{ issue: id, partner, why, includeUnknown: includeUnknown === 'true' },
      ...(confirm === undefined ? {} : { confirm }),
    },
  }),
  plan: ({ requests, batches, seconds, notes, confirm, mayHaveArrived }, _, page) => ({
    lines: [
      requests === 0
        ? 'Nothing of it can be sent again.'
        : `${countOf(requests, 'request')} of ${countOf(batches.length, 'batch', 'batches')} would be sent again, in about ${inText(seconds)} s.`,
      ...notes,
    ],
    button: `Send ${countOf(requests, 'request')} again`,
    isEmpty: requests === 0,
    confirm: { confirm },
    look: mayHaveArrived > 0 ? 'bad' : 'wait',
    detail: jsx(ReplayedFrom, { page, batches }),
  }),
  done: ({ actionId }, _, page) => ({ goTo: page.at(`/actions/${actionId}`) }),
});

export const ISSUE_ACTIONS: readonly Action[] = [acknowledge, mute, reopen, replay, resubmitAction];
