/** Pages say no more than they know, and lead to what they name. */
import { describe, expect, it } from 'vitest';
import { changedRows } from '../../../src/console/pages/batch/fix-rows.tsx';
import { alertWebhookPages } from '../../../src/console/pages/connections/alert-webhook.tsx';
import { deadLetterPages } from '../../../src/console/pages/holds/dead-letters.tsx';
import { holdPages } from '../../../src/console/pages/holds/holds.tsx';
import { issuePages } from '../../../src/console/pages/issues/issues.tsx';
import { partnerPages } from '../../../src/console/pages/people/partners.tsx';
import { peoplePages } from '../../../src/console/pages/people/people.tsx';
import { uploadLinkPages } from '../../../src/console/pages/people/upload-links.tsx';
import { drawn, textOf } from './drawn.ts';

const LETTERS = '/v1/ops/letters';
const none = (next: string | null) => ({ [LETTERS]: { letters: [], next } });
const MORE = 'https://bridge.example/v1/ops/letters?cursor=c2';
const letter = (state: string) => ({
  ...{ batchId: 'b_1', record: 1, request: 1, partner: 'acme', kind: 'milestone', subject: 'load:LD1', state },
  ...{ reason: null, status: 422, answer: null, problems: [], decidedAt: null, recommended: '', position: { line: 2 } },
});
const page = async (pages: typeof holdPages, path: string, answers: Record<string, unknown>) =>
  drawn(pages, { path, who: 'operator', answers });

describe('a list of what did not arrive', () => {
  it.each([
    ['holds', holdPages, '/holds', 'Nothing is held.'],
    ['all of it', deadLetterPages, '/letters', 'Everything that was sent was delivered'],
  ])('that found nothing yet does not say that there is nothing: %s', async (_, pages, path, says) => {
    expect(textOf(await page(pages, path, none(null)))).toContain(says);
    const more = textOf(await page(pages, path, none(MORE)));
    expect(more).toContain('None in the batches that were looked at so far.');
    expect(more).not.toContain(says);
    expect(more).not.toContain('Nothing held');
  });

  it('says of a filter that nothing is like it', async () => {
    const text = textOf(await page(deadLetterPages, '/letters?state=cancelled', none(null)));
    expect(text).toContain('Nothing like that. Change the filter, or clear it.');
  });

  it('offers to send all of it again only where its filter asks for what is sent again, and leads back', async () => {
    const listed = { [LETTERS]: { letters: [letter('held')], next: null } };
    expect(await page(deadLetterPages, '/letters?state=held', listed)).not.toContain('Send all that match again');
    const both = await page(deadLetterPages, '/letters?state=held,dead&partner=acme', listed);
    expect(both).toContain('Send all that match again');
    expect(both).toContain(`from=${encodeURIComponent('/console/letters?state=held,dead&partner=acme')}`);
  });
});

it.each([
  [99, false],
  [100, true],
])('of %i deliveries of alerts it is said whether these are all: %s', async (count, isCut) => {
  const at = '2026-03-02T08:00:00.000Z';
  const webhook = {
    ...{ state: 'enabled', url: 'https://oncall.example/', enabled: true, waiting: 0, edition: 1, note: '' },
    ...{ changedAt: at, changedBy: 'Analyst', rotatedAt: null, failingSince: null, disabledReason: null },
    disabledAt: null,
  };
  const delivery = (_: unknown, index: number) => ({
    ...{ eventId: `e_${index}`, type: 'alert.test', state: 'delivered', toldAt: at, attempts: 1, nextAt: null },
    ...{ lastAt: at, lastStatus: 200, lastDetail: '', sentAgainBy: null, sentAgainAt: null, code: null, about: null },
  });
  const deliveries = Array.from({ length: count }, delivery);
  const html = await page(alertWebhookPages, '/webhooks/alerts', { '/v1/ops/alert-webhook': { webhook, deliveries } });
  expect(html).toContain(`e_${count - 1}`);
  expect(textOf(html).includes('The newest 100.')).toBe(isCut);
});

describe('a partner', () => {
  const at = '2026-03-02T08:00:00.000Z';
  const partner = (channel: string | null) => ({
    ...{ name: 'acme', displayName: 'Acme', enabled: true, createdAt: at, channel, origins: [] },
    keys: { live: 0, nextEnd: null, lastUsedAt: null },
  });
  const key = {
    ...{ keyId: 'k', state: 'revoked', createdAt: at, expiresAt: null, revokedAt: at, lastUsedAt: null },
    ...{ replacedBy: null, channel: 'plain', scacs: ['ABCD'], mappings: null },
  };
  const [ACME, KEYS, LINKS] = ['', '/keys', '/upload-links'].map((more) => `/v1/ops/partners/acme${more}`) as [
    ...[string, string, string],
  ];
  const led = (html: string) =>
    [...html.slice(html.indexOf('Pages about this partner')).matchAll(/<li><a href="\/console\/([\w/]+)/g)].map(
      ([, to]) => to,
    );

  it.each([
    ['with a channel', 'plain', [], true],
    ['with a key alone', null, [key], true],
    ['of another environment', null, [], false],
  ])('%s is led to by the pages that know it', async (_, channel, keys, isHere) => {
    const answers = { [ACME]: partner(channel), [KEYS]: { keys } };
    const html = await page(partnerPages, '/partners/acme', answers);
    const here = ['holds', 'orders', 'feeds/acme', 'webhooks', 'partners/acme/links', 'partners/acme/envelopes'];
    expect(led(html)).toEqual(['batches', ...(isHere ? here : []), 'audit']);
    expect(html.includes('It is not in this environment.')).toBe(!isHere);
  });

  it('without a channel is offered no upload link', async () => {
    const linksOf = (channel: string | null) =>
      page(uploadLinkPages, '/partners/acme/links', { [ACME]: partner(channel), [LINKS]: { links: [] } });
    expect(await linksOf('plain')).toContain('/console/do/make-upload-link');
    const none = await linksOf(null);
    expect(none).not.toContain('/console/do/');
    expect(none).toContain('the partner has no channel in this environment');
  });
});

describe('an administrator of test', () => {
  const at = '2026-03-02T08:00:00.000Z';
  const REACHES = [['test'], ['test', 'production'], ['production']];
  const drawnFor = (pages: typeof holdPages, path: string, answers: Record<string, unknown>) =>
    drawn(pages, { path, who: 'admin', environments: ['test'], answers });

  it('is offered to change those people alone who reach no further', async () => {
    const people = REACHES.map((environments, index) => ({
      ...{ personId: `u_${index}`, name: `Person ${index}`, role: 'viewer', environments, invitedBy: 'Analyst' },
      ...{ invitedAt: at, lastSignedInAt: null, hasPassword: true, passkeys: 0, sessions: 0, linkEndsAt: null },
    }));
    const html = await drawnFor(peoplePages, '/people', { '/v1/ops/people': { people } });
    for (const action of ['change-person', 'new-link', 'remove-person'])
      expect([...html.matchAll(new RegExp(`/do/${action}\\?id=(\\w+)`, 'g'))].map(([, id]) => id)).toEqual(['u_0']);
    for (const text of ['>of production, too<', '>of production<']) expect(html).toContain(text);
  });

  it('is offered to renew and to end those keys alone that reach no further', async () => {
    const keys = REACHES.map((environments, index) => ({
      ...{ keyId: `k_${index}`, state: 'live', createdAt: at, expiresAt: null, revokedAt: null, lastUsedAt: null },
      ...{ replacedBy: null, name: `Script ${index}`, role: 'viewer', environments },
    }));
    const html = await drawnFor(partnerPages, '/operator-keys', { '/v1/ops/operator-keys': { keys } });
    for (const action of ['rotate-operator-key', 'revoke-operator-key'])
      expect([...html.matchAll(new RegExp(`/do/${action}\\?keyId=(\\w+)`, 'g'))].map(([, id]) => id)).toEqual(['k_0']);
    expect(html).toContain('>of production, too<');
  });
});

it('an issue leads to the held rows of its own cause, and not to all that is held', async () => {
  const issue = {
    ...{ id: 'i_1', state: 'open', rowState: 'held', code: null, path: null, value: null, reason: 'no_answer' },
    ...{
      status: 503,
      answer: null,
      title: 'No clear answer',
      cause: 'It said so.',
      fix: 'Ask.',
      nextActor: 'operator',
    },
    ...{ action: 'decide', list: null, rows: 4, requests: 4, held: 4, batches: 1, partners: ['acme'], mappings: [] },
    ...{ firstSeen: '2026-03-02T08:00:00Z', lastSeen: '2026-03-02T08:00:00Z', resolvedAt: null, reopened: 0 },
    ...{ decided: null, links: { self: '', rows: '', rowsCsv: '', console: '' }, ofBatches: [], changes: [] },
  };
  const answers = { '/v1/ops/issues/i_1': issue, '/v1/ops/issues/i_1/rows': { rows: [], next: null } };
  const html = await drawn(issuePages, { path: '/issues/i_1', who: 'operator', answers });
  const [, href = ''] = /href="(\/console\/holds[^"]*)">\s*Decide 4 held rows/.exec(html) ?? [];
  expect(href.replaceAll('&amp;', '&')).toBe(
    '/console/holds?environment=test&partner=acme&reason=no_answer&status=503',
  );
});

describe('rows of the fix page', () => {
  const row = (cells: readonly [string, string][]) =>
    ({ record: 2, cells: cells.map(([column, text]) => ({ column, text })), errors: [] }) as never;
  const rows = [
    row([
      ['Status', 'QQ'],
      ['Address', '12 Main St\nSuite 4'],
    ]),
  ];

  it('stay as they are where a browser shows a cell without its line break', () => {
    const form = { 'cell.2.0': 'AF', 'cell.2.1': '12 Main StSuite 4' };
    expect(changedRows(rows, form)).toEqual([{ record: 2, cells: { Status: 'AF' } }]);
    expect(changedRows(rows, { 'cell.2.1': '12 Main St, Suite 4' })).toEqual([
      { record: 2, cells: { Address: '12 Main St, Suite 4' } },
    ]);
  });
});

describe('the way back from an action', () => {
  const back = encodeURIComponent('?environment=production');
  it('stays in the environment: people', async () => {
    const html = await drawn(peoplePages, {
      ...{ path: '/people?environment=production', who: 'admin' },
      answers: { '/v1/ops/people': { people: [] } },
    });
    expect(html).toContain(`from=${encodeURIComponent('/console/people')}${back}`);
  });
});
