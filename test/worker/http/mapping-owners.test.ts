/** Whom a mapping is for: what a partner sees and uses of mappings of its own, of others and of all; and who says so. */
import { applyD1Migrations, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { MappingSummary } from '../../../src/ops/publishing/publication.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const SHIPPED = 'carrier-status-csv';
const PRIVATE = 'canary-private-map';
const OPS = `/v1/ops/mappings/${PRIVATE}`;
const CANARY = 'Canary words of a private mapping.';
const documentOf = (name: string, description = CANARY): string =>
  (BUNDLED_DOCUMENTS.get(SHIPPED) ?? '')
    .replace(`mapping: ${SHIPPED}`, `mapping: ${name}`)
    .replace(/^description: .*$/m, `description: ${description}`);
const file = () => statusFile(statusRow('LD1'));

/** A mapping of one partner, and another partner beside it; no key names any mapping. */
async function aPrivateMapping() {
  const [operator, owner, other] = [await anOperator(), await aPartner(), await aPartner()];
  await operator.done('PUT', `${OPS}?partners=${owner.name}`, documentOf(PRIVATE));
  return { operator, owner, other };
}

const namesOf = async (partner: Partner): Promise<string[]> =>
  (await partner.getJson<{ mappings: { name: string }[] }>('/v1/mappings')).mappings.map(({ name }) => name);

/** Every request that names a mapping. */
const uses = (partner: Partner, name: string): [what: string, answer: Promise<Response>][] => [
  ['its document', partner.fetch(`/v1/mappings/${name}`)],
  ['its YAML', partner.fetch(`/v1/mappings/${name}`, { headers: { Accept: 'application/yaml' } })],
  ['a sample', partner.fetch(`/v1/mappings/${name}/sample`)],
  ['a preview', partner.fetch(`/v1/mappings/${name}/preview`, { method: 'POST', body: file() })],
  ['an upload', partner.upload(file(), { mapping: name })],
  ['a dry run', partner.upload(file(), { mapping: name, dryRun: 'true' })],
  ['a message', partner.fetch(`/v1/messages?mapping=${name}`, { method: 'POST', body: file() })],
];

describe('a published mapping', () => {
  it('belongs to its partners: they see it in the list, read it and use it', async () => {
    const { owner } = await aPrivateMapping();
    expect(await namesOf(owner)).toContain(PRIVATE);
    for (const [what, asked] of uses(owner, PRIVATE)) expect((await asked).ok, what).toBe(true);
  });

  it('belongs to nobody else: a key that names no mappings gets the same 404 as for a name that does not exist', async () => {
    const { other } = await aPrivateMapping();
    const UNKNOWN = 'canary-unknown-map';
    const foreign = uses(other, PRIVATE);
    const unknown = uses(other, UNKNOWN);
    for (const [index, [what, asked]] of foreign.entries()) {
      const [one, two] = [await problemOf(await asked), await problemOf((await unknown[index]?.[1]) as Response)];
      expect([one.status, one.code], what).toEqual([404, 'unknown_mapping']);
      const { requestId: _, ...same } = one;
      expect(JSON.parse(JSON.stringify(same).replaceAll(PRIVATE, UNKNOWN)), what).toEqual({
        ...two,
        requestId: undefined,
      });
      expect(JSON.stringify(same).split(PRIVATE), `${what} names it only as it was asked for`).toHaveLength(2);
    }
  });

  it('leaves no word of itself in anything that another partner can ask for', async () => {
    const { other } = await aPrivateMapping();
    const asked = [
      other.fetch('/v1/mappings'),
      other.fetch('/v1/mappings/canary-privat-map'),
      other.fetch(`/v1/mappings/${SHIPPED}`),
      other.upload(file(), { mapping: 'canary' }),
      other.upload(file(), { mapping: '' }),
      other.fetch('/v1/batches', { method: 'PUT', body: file() }),
      other.upload(statusFile('no,such,row'), { mapping: SHIPPED }),
    ];
    for (const answer of await Promise.all(asked)) {
      const text = await answer.text();
      expect(text).not.toContain(PRIVATE);
      expect(text).not.toContain(CANARY);
    }
  });

  it('is not given away by a key that names it: the key narrows what its partner may use', async () => {
    const { owner, other } = await aPrivateMapping();
    const named = await aPartner({ partner: other.name, mappings: [PRIVATE, SHIPPED] });
    expect(await namesOf(named)).toEqual([SHIPPED]);
    expect(await problemOf(await named.fetch(`/v1/mappings/${PRIVATE}`))).toMatchObject({
      code: 'unknown_mapping',
      fix: `Use one of ${SHIPPED}.`,
    });
    const narrow = await aPartner({ partner: owner.name, mappings: [SHIPPED] });
    expect(await problemOf(await narrow.fetch(`/v1/mappings/${PRIVATE}`))).toMatchObject({
      code: 'mapping_not_allowed',
    });
  });

  it('is for all partners where that was said', async () => {
    const [operator, partner] = [await anOperator(), await aPartner()];
    await operator.done('PUT', `${OPS}?shared=true`, documentOf(PRIVATE));
    expect(await operator.getJson(OPS)).toMatchObject({ owners: 'everybody' });
    expect(await namesOf(partner)).toContain(PRIVATE);
  });

  it('keeps its owners through new versions, a rollback and an edited code list', async () => {
    const { operator, owner, other } = await aPrivateMapping();
    const { sha256 } = await operator.getJson<{ sha256: string }>(OPS);
    await operator.done('PUT', OPS, documentOf(PRIVATE, 'Another.'));
    await operator.done('POST', `${OPS}/rollback`, { to: sha256 });
    await operator.done('PATCH', '/v1/ops/code-lists/us-time-zones', { set: { NT: 'America/St_Johns' } });
    expect(await operator.getJson(OPS)).toMatchObject({ owners: [owner.name], publication: { action: 'code_list' } });
    expect([await namesOf(owner), await namesOf(other)].map((names) => names.includes(PRIVATE))).toEqual([true, false]);
  });

  it('belongs to its owners in its environment alone', async () => {
    const { owner } = await aPrivateMapping();
    const live = await aPartner({ partner: owner.name, environment: 'production' });
    expect(await namesOf(live)).not.toContain(PRIVATE);
  });

  it('lets what was uploaded under it go on when it is taken away', async () => {
    const { operator, owner, other } = await aPrivateMapping();
    const { batchId } = await owner.receipt(file(), { mapping: PRIVATE });
    await setOwners(operator, { partners: [other.name] });
    expect(await owner.reaches(batchId, 'settled')).toMatchObject({ mapping: PRIVATE });
    expect((await owner.upload(statusFile(statusRow('LD2')), { mapping: PRIVATE })).status).toBe(404);
    expect((await other.upload(statusFile(statusRow('LD2')), { mapping: PRIVATE })).status).toBe(202);
  });
});

const setOwners = (operator: Operator, body: object) =>
  operator.done('PUT', `${OPS}/owners`, { note: 'moved', ...body });

describe('publishing a new name', () => {
  it('is refused where nothing says whom it is for; a check is not', async () => {
    const operator = await anOperator();
    const answer = await operator.fetch(OPS, { method: 'PUT', body: documentOf(PRIVATE) });
    expect(await problemOf(answer)).toMatchObject({ status: 422, code: 'owners_missing' });
    expect((await operator.fetch(OPS)).status).toBe(404);
    expect(await operator.done('PUT', `${OPS}?dryRun=true`, documentOf(PRIVATE))).toMatchObject({ changed: true });
    expect((await operator.fetch(OPS)).status).toBe(404);
  });

  it.each([
    ['a partner that does not exist', '?partners=acmee', 422, 'partner_unknown'],
    ['no partner at all', '?partners=', 422, 'partner_unknown'],
    ['both at once', '?partners=a&shared=true', 400, 'parameter_invalid'],
    ['an unclear word', '?shared=yes', 400, 'parameter_invalid'],
  ])('is refused for %s', async (_, query, status, code) => {
    const operator = await anOperator();
    const answer = await operator.fetch(OPS + query, { method: 'PUT', body: documentOf(PRIVATE) });
    expect(await problemOf(answer)).toMatchObject({ status, code });
    expect((await operator.fetch(OPS)).status).toBe(404);
  });

  it('twice at once with different owners gives it to one of them', async () => {
    const [operator, one, two] = [await anOperator(), await aPartner(), await aPartner()];
    const put = ({ name }: Partner) =>
      operator.fetch(`${OPS}?partners=${name}`, { method: 'PUT', body: documentOf(PRIVATE) });
    const statuses = (await Promise.all([put(one), put(two)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    const seen = [await namesOf(one), await namesOf(two)].map((names) => names.includes(PRIVATE));
    expect(seen.sort()).toEqual([false, true]);
  });
});

describe('publishing over a name', () => {
  it('that is shipped keeps it everybody’s, and cannot make it private', async () => {
    const [operator, partner] = [await anOperator(), await aPartner()];
    const shipped = `/v1/ops/mappings/${SHIPPED}`;
    await operator.done('PUT', shipped, documentOf(SHIPPED, 'Once more.'));
    expect(await operator.getJson(shipped)).toMatchObject({ owners: 'everybody', origin: 'published' });
    expect(await partner.getJson(`/v1/mappings/${SHIPPED}`)).toMatchObject({ description: 'Once more.' });
    const body = documentOf(SHIPPED, 'Mine.');
    const answer = await operator.fetch(`${shipped}?partners=${partner.name}`, { method: 'PUT', body });
    expect(await problemOf(answer)).toMatchObject({ status: 409, code: 'mapping_shipped' });
    const owners = JSON.stringify({ partners: [partner.name], note: 'mine' });
    const set = await operator.fetch(`${shipped}/owners`, { method: 'PUT', body: owners });
    expect(await problemOf(set)).toMatchObject({ status: 409, code: 'mapping_shipped' });
  });

  it('with other owners than it has is refused: an update hands no mapping over', async () => {
    const { operator, owner, other } = await aPrivateMapping();
    const put = (query: string) =>
      operator.fetch(OPS + query, { method: 'PUT', body: documentOf(PRIVATE, 'Another.') });
    expect((await put(`?partners=${owner.name}`)).status).toBe(200);
    for (const query of [`?partners=${other.name}`, '?shared=true']) {
      expect(await problemOf(await put(query)), query).toMatchObject({ status: 409, code: 'owners_differ' });
    }
    expect(await operator.getJson(OPS)).toMatchObject({ owners: [owner.name] });
  });
});

describe('owners', () => {
  it('are listed, and changed with a note that the history keeps', async () => {
    const { operator, owner, other } = await aPrivateMapping();
    const { mappings } = await operator.getJson<{ mappings: { name: string; owners: unknown }[] }>('/v1/ops/mappings');
    expect(mappings.find(({ name }) => name === PRIVATE)?.owners).toEqual([owner.name]);
    expect(mappings.find(({ name }) => name === SHIPPED)?.owners).toBe('everybody');
    const both = [owner.name, other.name].sort();
    expect(await setOwners(operator, { partners: [other.name, owner.name] })).toMatchObject({
      owners: both,
      changed: true,
    });
    expect(await setOwners(operator, { partners: both })).toMatchObject({ changed: false });
    expect(await setOwners(operator, { shared: true })).toMatchObject({ owners: 'everybody' });
    const by = { keyId: operator.keyId, name: 'Analyst' };
    expect(await operator.getJson(`${OPS}/owners`)).toEqual({
      name: PRIVATE,
      environment: 'test',
      owners: 'everybody',
      changes: [
        { edition: 3, owners: 'everybody', by, at: expect.any(String), note: 'moved' },
        { edition: 2, owners: both, by, at: expect.any(String), note: 'moved' },
        { edition: 1, owners: [owner.name], by, at: expect.any(String), note: '' },
      ],
    });
    expect(await namesOf(await aPartner())).toContain(PRIVATE);
  });

  it.each([
    ['without a note', { shared: true, note: '' }, 400, 'body_invalid'],
    ['of nobody', { partners: [] }, 400, 'body_invalid'],
    ['of nobody and everybody', { partners: ['acme'], shared: true }, 400, 'body_invalid'],
    ['of an unknown partner', { partners: ['acmee'] }, 422, 'partner_unknown'],
  ])('%s are refused', async (_, body, status, code) => {
    const { operator, owner } = await aPrivateMapping();
    const init = { method: 'PUT', body: JSON.stringify({ note: 'moved', ...body }) };
    expect(await problemOf(await operator.fetch(`${OPS}/owners`, init))).toMatchObject({ status, code });
    expect(await operator.getJson(`${OPS}/owners`)).toMatchObject({ owners: [owner.name] });
  });

  it('of a name that does not exist are refused', async () => {
    const operator = await anOperator();
    const init = { method: 'PUT', body: JSON.stringify({ shared: true, note: 'moved' }) };
    for (const answer of [await operator.fetch(`${OPS}/owners`, init), await operator.fetch(`${OPS}/owners`)]) {
      expect(await problemOf(answer)).toMatchObject({ status: 404, code: 'unknown_mapping' });
    }
  });

  it('of a name that is shipped later keep the published one theirs; the others get the shipped one', async () => {
    const [operator, owner, other] = [await anOperator(), await aPartner(), await aPartner()];
    await operator.done('PUT', `/v1/ops/mappings/${SHIPPED}`, documentOf(SHIPPED));
    await env.DIRECTORY.prepare("INSERT INTO mapping_owner VALUES ('test', ?, 1, ?, 'k', 'Analyst', 'then', '')")
      .bind(SHIPPED, JSON.stringify([owner.name]))
      .run();
    const described = async (partner: Partner) =>
      (await partner.getJson<{ description: string }>(`/v1/mappings/${SHIPPED}`)).description;
    expect(await described(owner)).toBe(CANARY);
    expect(await described(other)).not.toBe(CANARY);
    const { batchId } = await other.receipt(file());
    const { sha256 } = await owner.getJson<{ sha256: string }>(`/v1/mappings/${SHIPPED}`);
    expect((await other.summary(batchId)).mappingSha256).not.toBe(sha256);
  });
});

describe('what was published before mappings had owners', () => {
  const summary: MappingSummary = { description: CANARY, format: 'csv', kinds: [], namesScac: false, codeLists: [] };
  /** As the program before wrote it. */
  const publication = (name: string, edition: number, beforeSha256: string | null) => [
    env.DIRECTORY.prepare(
      "INSERT INTO publication VALUES ('test', ?, 0, 'mapping', ?, ?, 'text', 0, ?, 'publish', ?, NULL, 'k', 'Analyst', 'then', '')",
    ).bind(edition, name, 'a'.repeat(64), JSON.stringify(summary), beforeSha256),
    env.DIRECTORY.prepare(
      "INSERT INTO publication_current VALUES ('test', 'mapping', ?1, ?2, 0) ON CONFLICT DO UPDATE SET edition = ?2",
    ).bind(name, edition),
  ];

  it('goes to the partners whose keys name it; what no key names stays usable by all, marked as unassigned; what is shipped stays shared', async () => {
    const before = env.MIGRATIONS.filter(({ name }) => name < '0009');
    expect(before.length).toBeLessThan(env.MIGRATIONS.length);
    await applyD1Migrations(env.DIRECTORY, before);
    const key = (keyId: string, partner: string, mappings: string[] | null, more = {}) => {
      const { environment = 'test', revokedAt = null } = more as { environment?: string; revokedAt?: string | null };
      return [
        env.DIRECTORY.prepare("INSERT OR IGNORE INTO partner VALUES (?1, ?1, 'then')").bind(partner),
        env.DIRECTORY.prepare("INSERT INTO partner_key VALUES (?, ?, ?, '', 'plain', '[]', ?, 'then', NULL, ?)").bind(
          keyId,
          partner,
          environment,
          mappings && JSON.stringify(mappings),
          revokedAt,
        ),
      ];
    };
    await env.DIRECTORY.batch([
      ...publication('named', 1, null),
      ...publication('named', 2, 'a'.repeat(64)),
      ...publication('loose', 3, null),
      ...publication(SHIPPED, 4, 'b'.repeat(64)),
      ...key('k1', 'acme', ['named', SHIPPED]),
      ...key('k2', 'acme', ['named']),
      ...key('k3', 'birch', ['named']),
      ...key('k4', 'cedar', null),
      ...key('k5', 'dune', ['named', 'loose'], { revokedAt: 'then' }),
      ...key('k6', 'elm', ['named', 'loose'], { environment: 'production' }),
    ]);
    await applyD1Migrations(env.DIRECTORY, env.MIGRATIONS);
    const operator = await anOperator();
    const { mappings } = await operator.getJson<{ mappings: { name: string; owners: unknown }[] }>('/v1/ops/mappings');
    const owners = Object.fromEntries(mappings.map((mapping) => [mapping.name, mapping.owners]));
    expect(owners).toMatchObject({ named: ['acme', 'birch'], loose: 'unassigned', [SHIPPED]: 'everybody' });
    const { changes } = await operator.getJson<{ changes: object[] }>('/v1/ops/mappings/named/owners');
    expect(changes).toMatchObject([{ by: { name: 'upgrade' }, note: 'Assigned to the partners whose keys name it.' }]);
    expect(await namesOf(await aPartner({ partner: 'cedar' }))).toContain('loose');
    expect(await namesOf(await aPartner({ partner: 'cedar' }))).not.toContain('named');
    const body = { partners: ['cedar'], note: 'it is theirs' };
    expect(await operator.done('PUT', '/v1/ops/mappings/loose/owners', body)).toMatchObject({ owners: ['cedar'] });
    expect(await namesOf(await aPartner({ partner: 'acme' }))).not.toContain('loose');
  });
});
