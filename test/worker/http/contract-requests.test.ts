/** Requests drawn from the contract: whatever comes, no answer is a failure of the bridge's own, and each is documented. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import type { Caller } from '../../../src/http/contract/route.ts';
import { bridge } from '../bridge.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { type DrawnRequest, type Known, requestsFor } from '../drawn-requests.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, ORIGIN, problemOf } from '../partners.ts';
import { aPerson } from '../sessions.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeAll(() => void upstreamAnswers(200));
afterAll(async () => {
  vi.restoreAllMocks();
  await reset();
});

const MAPPING = 'carrier-status-csv';
const DOCUMENT = BUNDLED_DOCUMENTS.get(MAPPING) ?? '';
const SEED = 20_261;
/** For each route, as its own caller and as another. */
const OWN_DRAWS = 5;
const OTHER_DRAWS = 1;

type Ask = (request: DrawnRequest) => Promise<Response>;

/** A world of its own for each part of the API: one part may revoke the keys or close the partner that another needs. */
async function aWorld(): Promise<{ known: Known; callers: Record<Caller, Ask> }> {
  const partner = await aPartner();
  const spare = await aPartner({ partner: partner.name });
  // keys of tests say 'now' instead of a time, which no key that was made says
  await env.DIRECTORY.prepare('UPDATE partner_key SET created_at = ?').bind(new Date().toISOString()).run();
  const [viewer, operator, admin] = [
    await anOperator({ role: 'viewer' }),
    await anOperator(),
    await anOperator({ role: 'admin' }),
  ];
  const wrong = statusRow('L-WRONG', { Status: 'Q9' });
  const { batchId } = await partner.receipt(statusFile(statusRow('L-1'), wrong));
  await partner.reaches(batchId, 'settled');
  const sent = await partner.fetch(`/v1/messages?mapping=${MAPPING}`, { method: 'POST', body: statusFile(wrong) });
  const message = (await sent.json<{ batchId: string }>()).batchId;
  const proposed = await partner.fetch('/v1/mapping-proposals', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: MAPPING, mapping: DOCUMENT, note: 'for us' }),
  });
  const { id: proposal = 'none' } = await proposed.json<{ id?: string }>();
  const person = await aPerson({ name: 'A viewer', role: 'viewer', environments: ['test'] });
  const issue = await vi.waitFor(async () => {
    const { issues } = await viewer.getJson<{ issues: { id: string }[] }>(`/v1/ops/issues?partner=${partner.name}`);
    return issues[0]?.id ?? Promise.reject(new Error('no issue yet'));
  }, PATIENCE);
  const day = '2036-03-03T00:00:00Z';
  const known: Known = {
    ...{ 'batches/id': [batchId], 'messages/id': [message], 'issues/id': [issue], 'people/id': [person] },
    ...{ 'mapping-proposals/id': [proposal], 'mappings/name': [MAPPING], 'code-lists/name': ['carrier-status-words'] },
    ...{
      'partners/name': [partner.name],
      'feeds/name': [partner.name],
      'orders/name': [partner.name],
      'channels/name': ['plain'],
    },
    ...{
      'operator-keys/keyId': [viewer.keyId],
      keyId: [spare.keyId],
      batch: [batchId],
      record: ['2'],
      request: ['1'],
      message: ['1'],
    },
    ...{
      loadNumber: ['L-1'],
      ref: ['ORDER-1'],
      mapping: [MAPPING],
      name: ['someone'],
      partner: [partner.name],
      scac: ['DEMO'],
    },
    ...{ partnerId: ['P1'], clientId: ['C1'], channel: ['plain'], scope: ['channel', 'scac:DEMO'], target: ['main'] },
    ...{ url: ['https://hooks.example/x'], environment: ['test'], fileName: ['a.csv'], event: ['e_1'], poll: ['1'] },
    ...{
      why: ['because'],
      note: ['because'],
      reason: ['because'],
      text: ['L-WRONG'],
      subject: ['batches'],
      code: ['batch_unknown'],
    },
    ...{
      from: ['2026-03-02'],
      to: ['2026-03-03'],
      until: [day],
      expires: [day],
      control: ['1'],
      orderRef: ['ORDER-1'],
    },
    ...{ vehicleNumber: ['V1'], locationNumber: ['1'], city: ['Austin'], licensePlate: ['AB1'], issue: [issue] },
    ...{ file: [statusFile(statusRow('L-2')), DOCUMENT] },
  };
  const ask: Record<string, Ask> = {
    partner: ({ path, init }) => partner.fetch(path, init),
    viewer: ({ path, init }) => viewer.fetch(path, init),
    operator: ({ path, init }) => operator.fetch(path, init),
    admin: ({ path, init }) => admin.fetch(path, init),
    anybody: ({ path, init }) => bridge(ORIGIN + path, init),
  };
  return { known, callers: { ...ask, visitor: ask.partner } as Record<Caller, Ask> };
}

/** So many at least do what they ask for: the others are only refused. */
const DONE_MIN = 300;
let done = 0;

const parts = Map.groupBy(Object.keys(ROUTES), (name) =>
  name
    .split(/[ /?]/)
    .slice(2, name.includes('/v1/ops/') ? 5 : 4)
    .join('/'),
);

it.each([...parts])('%s: nothing fails, and nothing is undocumented', async (_, names) => {
  const { known, callers } = await aWorld();
  const found: string[] = [];
  for (const [at, name] of names.entries()) {
    const route = ROUTES[name];
    if (route === undefined) continue;
    const drawn = fc.sample(requestsFor(name, route, known), { seed: SEED + at, numRuns: OWN_DRAWS + 3 * OTHER_DRAWS });
    const asking: [Caller, DrawnRequest][] = drawn.map((request, draw) => [
      draw < OWN_DRAWS ? route.who : ((['anybody', 'partner', 'viewer'] as const)[draw - OWN_DRAWS] ?? 'anybody'),
      request,
    ]);
    for (const [who, request] of asking) {
      const told = `${who}: ${request.init.method} ${request.path.slice(0, 200)} ${String(request.init.body ?? '').slice(0, 200)} (${request.spoiled ?? 'as the contract says'})`;
      try {
        const answer = await callers[who](request);
        const text = await answer.text();
        if (answer.ok) done += 1;
        if (answer.status >= 500 && !route.refuses?.includes(answer.status))
          found.push(`${told} → ${answer.status} ${text}`);
      } catch (thrown) {
        found.push(`${told}: ${thrown}`);
      }
    }
  }
  expect(found).toEqual([]);
});

it('and many of them do what they ask for', () => expect(done).toBeGreaterThan(DONE_MIN));

it('a file without bytes fits no mapping, as the contract says', async () => {
  const partner = await aPartner();
  const answer = await partner.fetch('/v1/mappings/match', { method: 'POST', body: '' });
  expect(await problemOf(answer)).toMatchObject({ status: 422, code: 'empty' });
});
