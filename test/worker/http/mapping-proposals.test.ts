/** A partner proposes a mapping; an operator publishes or declines it; each learns what became of it. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { asPerson } from '../console-person.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const NAME = 'acme-status';
const MAPPING = (BUNDLED_DOCUMENTS.get('carrier-status-csv') ?? '').replace(
  'mapping: carrier-status-csv',
  `mapping: ${NAME}`,
);

const send = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
async function proposed(partner: Partner, more: object = {}): Promise<string> {
  const answer = await partner.fetch(
    '/v1/mapping-proposals',
    send({ name: NAME, mapping: MAPPING, note: 'our export', ...more }),
  );
  expect(answer.status).toBe(201);
  return (await answer.json<{ id: string }>()).id;
}
const publishPage = (id: string): string => `/console/do/publish-proposal?id=${id}&name=${NAME}`;
const decide = (operator: Operator, id: string, what: string) =>
  operator.fetch(`/v1/ops/mapping-proposals/${id}/${what}`, send({ why: 'looks right' }));

describe('a proposed mapping', () => {
  it('is published as it is, for its partner alone, once and audited', async () => {
    const [partner, other, operator] = [await aPartner(), await aPartner({ partner: 'other' }), await anOperator()];
    const id = await proposed(partner);
    expect(await (await operator.fetch('/v1/ops/mapping-proposals?state=open')).json()).toMatchObject({
      proposals: [{ id, name: NAME, partner: partner.name, state: 'open' }],
    });
    const plan = await decide(operator, id, 'publish?dryRun=true');
    expect(await plan.json()).toMatchObject({ dryRun: true, changed: true, beforeSha256: null });
    expect((await partner.fetch(`/v1/mappings/${NAME}`)).status).toBe(404);
    expect((await decide(operator, id, 'publish')).status).toBe(200);
    expect((await partner.fetch(`/v1/mappings/${NAME}`)).status).toBe(200);
    expect((await other.fetch(`/v1/mappings/${NAME}`)).status).toBe(404);
    expect((await problemOf(await decide(operator, id, 'publish'))).code).toBe('proposal_decided');
    expect(await partner.getJson(`/v1/mapping-proposals/${id}`)).toMatchObject({
      state: 'published',
      reason: 'looks right',
    });
    expect(await (await operator.fetch('/v1/ops/audit?action=mapping.publish_proposal')).json()).toMatchObject({
      entries: [{ about: `mapping/${NAME}`, why: 'looks right' }],
    });
  });

  it('that waits stands first, however many were decided since; a list that is cut says so', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const id = await proposed(partner);
    const list = () =>
      operator.getJson<{ proposals: { id: string }[]; isCut: boolean }>('/v1/ops/mapping-proposals?environment=test');
    expect(await list()).toMatchObject({ proposals: [{ id }], isCut: false });
    const { results } = await env.DIRECTORY.prepare('SELECT * FROM mapping_proposal').all();
    const row = { ...results[0], state: 'declined', proposed_at: new Date(Date.now() + 60_000).toISOString() };
    const names = Object.keys(row);
    const insert = env.DIRECTORY.prepare(`INSERT INTO mapping_proposal (${names}) VALUES (${names.map(() => '?')})`);
    const decided = Array.from({ length: 100 }, (_, at) =>
      insert.bind(...Object.values({ ...row, proposal_id: `${id.slice(0, -3)}${at + 100}` })),
    );
    await env.DIRECTORY.batch(decided);
    const cut = await list();
    expect([cut.proposals[0]?.id, cut.proposals.length, cut.isCut]).toEqual([id, 100, true]);
    const page = await operator.fetch('/console/proposals?environment=test');
    expect(await page.text()).toContain('Proposals – 1 to decide');
  });

  it('takes no place of a mapping that is another’s', async () => {
    const [partner, other, operator] = [await aPartner(), await aPartner({ partner: 'other' }), await anOperator()];
    expect((await decide(operator, await proposed(other), 'publish')).status).toBe(200);
    const before = await (await other.fetch(`/v1/mappings/${NAME}`)).text();
    const id = await proposed(partner, { mapping: MAPPING.replace('default: NS', 'default: AJ') });
    for (const what of ['publish?dryRun=true', 'publish'])
      expect((await problemOf(await decide(operator, id, what))).code).toBe('owners_differ');
    expect(await (await other.fetch(`/v1/mappings/${NAME}`)).text()).toBe(before);
    expect(await partner.getJson(`/v1/mapping-proposals/${id}`)).toMatchObject({ state: 'open' });
  });

  it('overwrites nothing that somebody published after its plan was shown', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    expect((await decide(operator, await proposed(partner), 'publish')).status).toBe(200);
    const described = (text: string): string => MAPPING.replace(/^description: .*$/m, `description: ${text}`);
    const id = await proposed(partner, { mapping: described('As proposed.') });
    const plan = await (await decide(operator, id, 'publish?dryRun=true')).json<{ beforeSha256: string }>();
    const person = asPerson(operator);
    const form = await person.form(publishPage(id));
    const body = described('Meanwhile.');
    expect((await operator.fetch(`/v1/ops/mappings/${NAME}`, { method: 'PUT', body })).status).toBe(200);
    const text = async () => (await partner.fetch(`/v1/mappings/${NAME}`)).text();
    const between = await text();
    const stale = { ...send({ why: 'looks right' }), headers: { 'If-Match': `"${plan.beforeSha256}"` } };
    const late = await operator.fetch(`/v1/ops/mapping-proposals/${id}/publish`, stale);
    expect(await problemOf(late)).toMatchObject({ status: 412, code: 'version_changed' });
    const refused = await person.submit(form, { why: 'looks right', step: 'do' }, 400);
    expect(refused.html).toContain('Changed since');
    expect([await text(), between]).toEqual([between, expect.stringContaining('Meanwhile.')]);
    const seen = await person.submit(await refused.next(), { step: 'plan' });
    expect((await person.submit(await seen.next(), { step: 'do' })).location).toBe(`/console/mappings/${NAME}`);
    expect(await text()).toContain('As proposed.');
  });

  it('that is withdrawn just as it is published is in use, is said to be, and stands in the audit', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const id = await proposed(partner);
    await env.DIRECTORY.prepare(
      `CREATE TRIGGER meanwhile AFTER INSERT ON publication BEGIN UPDATE mapping_proposal SET state = 'withdrawn'; END`,
    ).run();
    const answer = await decide(operator, id, 'publish');
    expect([answer.status, await answer.json()]).toMatchObject([200, { name: NAME, dryRun: false }]);
    expect((await partner.fetch(`/v1/mappings/${NAME}`)).status).toBe(200);
    expect(await (await operator.fetch('/v1/ops/audit?action=mapping.publish_proposal')).json()).toMatchObject({
      entries: [{ about: `mapping/${NAME}` }],
    });
    expect(warned.mock.calls.join()).toContain('proposal_not_decided');
  });

  it('is declined with a reason that the partner reads, and nothing is published', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const id = await proposed(partner);
    expect((await decide(operator, id, 'decline')).status).toBe(200);
    const { proposals } = await partner.getJson<{ proposals: object[] }>('/v1/mapping-proposals');
    expect(proposals).toMatchObject([{ id, state: 'declined', reason: 'looks right' }]);
    expect(
      (await problemOf(await partner.fetch(`/v1/mapping-proposals/${id}/withdraw`, { method: 'POST' }))).code,
    ).toBe('proposal_decided');
  });

  it('that has problems is not published, and stays open', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const id = await proposed(partner, { mapping: MAPPING.replace('target: milestone', 'target: milestoone') });
    expect((await problemOf(await decide(operator, id, 'publish'))).code).toBe('mapping_invalid');
    expect(await partner.getJson(`/v1/mapping-proposals/${id}`)).toMatchObject({ state: 'open' });
    expect((await partner.fetch(`/v1/mapping-proposals/${id}/withdraw`, { method: 'POST' })).status).toBe(200);
  });

  it('is nobody else’s, and twenty may wait', async () => {
    const [partner, other] = [await aPartner(), await aPartner({ partner: 'other' })];
    const id = await proposed(partner);
    expect((await problemOf(await other.fetch(`/v1/mapping-proposals/${id}`))).code).toBe('proposal_unknown');
    expect((await problemOf(await other.fetch(`/v1/mapping-proposals/${id}/withdraw`, { method: 'POST' }))).code).toBe(
      'proposal_unknown',
    );
    for (let count = 1; count < 20; count += 1) await proposed(partner);
    const answer = await partner.fetch('/v1/mapping-proposals', send({ name: NAME, mapping: MAPPING, note: 'x' }));
    expect(await problemOf(answer)).toMatchObject({ code: 'too_many_proposals', status: 409 });
  });

  it('says what it is for', async () => {
    const answer = await (await aPartner()).fetch(
      '/v1/mapping-proposals',
      send({ name: NAME, mapping: MAPPING, note: ' ' }),
    );
    expect(answer.status).toBe(400);
  });
});
