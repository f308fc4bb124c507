/** Requests drawn from the contract: whatever comes, no answer is a failure of the bridge's own, and each is documented. */
import { reset } from 'cloudflare:test';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../mappings/bundled.ts';
import { ROUTES } from '../../src/http/contract/contract.ts';
import type { Caller } from '../../src/http/contract/route.ts';
import { bridge } from './bridge.ts';
import { statusFile, statusRows } from './csv-files.ts';
import { type DrawnRequest, type Known, requestsFor } from './drawn-requests.ts';
import { anOperator } from './operators.ts';
import { aPartner, ORIGIN } from './partners.ts';
import { upstreamAnswers } from './upstream-double.ts';

beforeAll(() => void upstreamAnswers(200));
afterAll(async () => {
  vi.restoreAllMocks();
  await reset();
});

const SEED = 20_261;
/** For each route, as its own caller and as another. */
const OWN_DRAWS = 5;
const OTHER_DRAWS = 1;

type Ask = (request: DrawnRequest) => Promise<Response>;

/** A world of its own for each part of the API: one part may revoke the keys or close the partner that another needs. */
async function aWorld(): Promise<{ known: Known; callers: Record<Caller, Ask> }> {
  const partner = await aPartner();
  const { batchId } = await partner.receipt(statusFile(...statusRows(3, 1)));
  await partner.reaches(batchId, 'settled');
  const [viewer, operator, admin] = [
    await anOperator({ role: 'viewer' }),
    await anOperator(),
    await anOperator({ role: 'admin', environments: ['test', 'production'] }),
  ];
  const spare = await aPartner({ partner: partner.name });
  const mapping = 'carrier-status-csv';
  const known: Known = {
    ...{
      id: [batchId, 'b_0123456789abcdefghjkmnpqrs'],
      batch: [batchId],
      record: ['1', '2'],
      request: ['1'],
      message: ['1'],
    },
    ...{
      loadNumber: ['L-0'],
      ref: ['ORDER-1'],
      mapping: [mapping],
      name: [mapping, partner.name, 'plain', 'ops-main'],
    },
    ...{
      partner: [partner.name, spare.name],
      partnerId: ['P1'],
      clientId: ['C1'],
      channel: ['plain'],
      scac: ['DEMO'],
      keyId: [spare.keyId],
    },
    ...{ target: ['main'], url: ['https://hooks.example/x'], environment: ['test', 'production'], fileName: ['a.csv'] },
    ...{ why: ['because'], note: ['because'], reason: ['because'], text: ['L-0'], scope: ['channel', 'scac:DEMO'] },
    ...{
      from: ['2026-03-02'],
      to: ['2026-03-03'],
      until: ['2036-03-03T00:00:00Z'],
      expiresAt: ['2036-03-03T00:00:00Z'],
    },
    ...{
      subject: ['batches'],
      code: ['batch_unknown'],
      event: ['e_1'],
      poll: ['1'],
      form: ['xlsx'],
      vehicleNumber: ['V1'],
    },
    ...{ locationNumber: ['1'], file: [statusFile(...statusRows(2, 0)), BUNDLED_DOCUMENTS.get(mapping) ?? ''] },
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

const parts = Map.groupBy(Object.keys(ROUTES), (name) =>
  name
    .split(/[ /?]/)
    .slice(2, name.includes('/v1/ops/') ? 5 : 4)
    .join('/'),
);

it.each([...parts])('%s: nothing fails, and nothing is undocumented', async (_, names) => {
  const { known, callers } = await aWorld();
  const found: string[] = [];
  for (const name of names) {
    const route = ROUTES[name];
    if (route === undefined) continue;
    const drawn = fc.sample(requestsFor(name, route, known), { seed: SEED, numRuns: OWN_DRAWS + 3 * OTHER_DRAWS });
    const asking: [Caller, DrawnRequest][] = drawn.map((request, at) => [
      at < OWN_DRAWS ? route.who : ((['anybody', 'partner', 'viewer'] as const)[at - OWN_DRAWS] ?? 'anybody'),
      request,
    ]);
    for (const [who, request] of asking) {
      const told = `${who}: ${request.init.method} ${request.path.slice(0, 200)} ${String(request.init.body ?? '').slice(0, 200)} (${request.spoiled ?? 'as the contract says'})`;
      try {
        const answer = await callers[who](request);
        const text = await answer.text();
        if (answer.status >= 500 && !route.refuses?.includes(answer.status))
          found.push(`${told} → ${answer.status} ${text}`);
      } catch (thrown) {
        found.push(`${told}: ${thrown}`);
      }
    }
  }
  expect(found).toEqual([]);
});
