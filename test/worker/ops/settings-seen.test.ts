/** Settings are set over the edition that was seen, where a request names one in If-Match. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { targetsAnswer } from '../hooks.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
  targetsAnswer({});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const URL_OF = 'https://one.example/hook';
const RULES = { controlNumbers: 'once', broken: 'set', counts: 'strict', width: 'tolerant' };

/** Each with what is set there. @property hasPlan it says what would change. */
const SETTINGS: [what: string, { below: string; wanted: object; hasPlan: boolean }][] = [
  ['envelope rules', { below: 'partners/NAME/envelopes', wanted: { rules: RULES }, hasPlan: true }],
  [
    'an answer mapping',
    { below: 'answer-mappings/order-status', wanted: { mapping: DEFAULT_ANSWER_MAPPING }, hasPlan: true },
  ],
  [
    'an order feed',
    {
      below: 'partners/NAME/feed',
      wanted: { partnerId: 'p-1', clientId: 'c-1', channel: 'plain' },
      hasPlan: false,
    },
  ],
  [
    'a webhook',
    { below: 'partners/NAME/webhooks/main', wanted: { url: URL_OF, events: ['batch.settled'] }, hasPlan: false },
  ],
  ['the webhook of alerts', { below: 'alert-webhook', wanted: { url: URL_OF }, hasPlan: false }],
];

interface Edition {
  edition?: number;
  webhook?: { edition: number } | null;
}

const editionAt = async (operator: Operator, path: string): Promise<number | undefined> => {
  const { webhook, edition } = await operator.getJson<Edition>(path);
  return webhook?.edition ?? edition;
};

async function settingAt(below: string, wanted: object) {
  const [partner, operator] = [await aPartner(), await anOperator({ role: 'admin' })];
  const path = `/v1/ops/${below.replace('NAME', partner.name)}`;
  const put = (note: string, seen?: string, more = '') =>
    operator.fetch(path + more, {
      method: 'PUT',
      body: JSON.stringify({ ...wanted, note }),
      headers: seen === undefined ? {} : { 'If-Match': `"${seen}"` },
    });
  return { operator, path, put };
}

describe('a setting', () => {
  it.each(SETTINGS)('as %s is set over the edition that was seen, and over no other', async (_, each) => {
    const { operator, path, put } = await settingAt(each.below, each.wanted);
    expect((await put('the first', '0')).status).toBe(200);
    const late = await put('as if it were new', '0');
    expect(late.status).toBe(412);
    expect(await problemOf(late)).toMatchObject({
      code: 'changed_meanwhile',
      edition: 1,
      detail: expect.stringMatching(/edition is "1".*Nothing was changed/),
    });
    expect(await editionAt(operator, path)).toBe(1);
    expect((await put('over what was seen', '1')).status).toBe(200);
    expect((await put('over what was before', '1')).status).toBe(412);
    expect((await put('over whatever it is')).status).toBe(200);
    expect(await editionAt(operator, path)).toBe(3);
  });

  it.each(SETTINGS)('as %s is set by one of two who have seen the same', async (_, each) => {
    const { operator, path, put } = await settingAt(each.below, each.wanted);
    const both = await Promise.all([put('one', '0'), put('the other', '0')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(await editionAt(operator, path)).toBe(1);
  });

  it.each(SETTINGS.filter(([, { hasPlan }]) => hasPlan))('as %s has no plan over another edition', async (_, each) => {
    const { put } = await settingAt(each.below, each.wanted);
    expect((await put('a look', '0', '?dryRun=true')).status).toBe(200);
    expect((await put('the first', '0')).status).toBe(200);
    expect((await problemOf(await put('a look', '0', '?dryRun=true'))).code).toBe('changed_meanwhile');
    expect((await put('a look', '1', '?dryRun=true')).status).toBe(200);
  });

  it('that was deleted is not there: an edition of before is refused, and "0" sets it anew', async () => {
    const wanted = { url: URL_OF, events: ['batch.settled'] };
    const { operator, path, put } = await settingAt('partners/NAME/webhooks/main', wanted);
    expect((await put('the first', '0')).status).toBe(200);
    await operator.fetch(`${path}?note=over`, { method: 'DELETE' });
    const late = await put('a change', '1');
    expect(late.status).toBe(412);
    expect(await problemOf(late)).toMatchObject({ code: 'changed_meanwhile', edition: 0 });
    expect((await put('once more', '0')).status).toBe(200);
    expect(await editionAt(operator, path)).toBe(3);
  });
});
