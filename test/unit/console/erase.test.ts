/** What an administrator reads before a partner is erased. */
import { expect, it } from 'vitest';
import type { Page } from '../../../src/console/page.ts';
import { ERASE_ACTIONS } from '../../../src/console/pages/erase-actions.ts';
import { ok } from '../../../src/kernel/result.ts';

const PLAN = {
  ...{ batches: 3, openBatches: 0, notCreated: 0, keys: 1, uploadLinks: 0, webhooks: 0, hasFeed: false },
  ...{ begunAt: null, confirm: 'token', stays: [] },
};

async function linesOf(more: Partial<typeof PLAN>): Promise<readonly string[]> {
  const action = ERASE_ACTIONS.find(({ name }) => name === 'erase-partner');
  const page = { environment: 'test', api: { plan: async () => ok({ ...PLAN, ...more }) } };
  const plan = await action?.plan?.(page as unknown as Page, { partner: 'acme' }, { partner: 'acme', why: 'w' });
  return plan?.ok === true ? plan.value.lines : [];
}

it('the plan to erase a partner says of which of its files nothing was sent', async () => {
  expect((await linesOf({})).join()).not.toContain('Nothing was sent');
  expect(await linesOf({ notCreated: 1 })).toContain('Nothing was sent of 1 file that could not be taken up.');
});
