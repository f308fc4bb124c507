/** What an operator is told once the rows of an issue were sent again. */
import { expect, it } from 'vitest';
import type { Page } from '../../../src/console/page.ts';
import { resubmitAction } from '../../../src/console/pages/issues/resubmit.tsx';
import { ok } from '../../../src/kernel/result.ts';

const ISSUE = 'aaaabbbbccccdddd';
const TAKEN = { from: 'b_1', partner: 'acme', batchId: 'b_2', rows: 30, replayed: false, problem: null, links: null };
const REFUSED = {
  ...{ from: 'b_3', partner: 'zenith', batchId: null, rows: 10, replayed: false, links: null },
  problem: { title: 'Too much under way', detail: 'Ten files are being read.', fix: 'Send it again in a minute.' },
};

async function told(...batches: object[]) {
  const page = {
    environment: 'test',
    at: (path: string, { batches = '' }: Record<string, string> = {}) => `/console${path}${batches && `?${batches}`}`,
    api: { call: async () => ok({ issue: ISSUE, batches }) },
  };
  const done = await resubmitAction.act(page as unknown as Page, { id: ISSUE, why: 'known now' }, 'key');
  return done.ok ? done.value : done;
}

it('all that were taken are shown at once', async () => {
  expect(await told(TAKEN)).toEqual({ goTo: `/console/issues/${ISSUE}/sent?b_2` });
});

it('rows that were not taken are said with whose they are, why, and what to do; the others are a click away', async () => {
  expect(await told(TAKEN, REFUSED)).toEqual({
    title: '10 rows not sent',
    lines: [
      '10 rows of zenith: Too much under way. Ten files are being read. Send it again in a minute.',
      'The others are on their way, as 1 batch.',
    ],
    next: { label: 'See what was sent', href: `/console/issues/${ISSUE}/sent?b_2` },
    back: `/console/issues/${ISSUE}`,
  });
  expect(await told(REFUSED)).toMatchObject({ title: '10 rows not sent', back: `/console/issues/${ISSUE}` });
  expect(await told(REFUSED)).not.toHaveProperty('next');
});
