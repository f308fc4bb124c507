/** `/v1/loads/{loadNumber}` and the page of a load: what was sent for it, in which order, and whose it is. */

import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { LoadView } from '../../../src/http/views/load.ts';
import { loadName } from '../../../src/kernel/names.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { asking, loadUnknown } from '../delivery-rules.ts';
import { aLoad } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { addAttempts, change } from '../rows.ts';
import { pointBody, points } from '../traces.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const statusAt = (load: string, code: string, time: string, more = {}) =>
  statusRow(load, { Status: code, 'Event Time': time, ...more });

async function settled(partner: Partner, rows: string[], query: Record<string, string> = {}): Promise<string> {
  const { batchId } = await partner.receipt(statusFile(...rows), query);
  await partner.reaches(batchId, 'settled');
  return batchId;
}
const viewOf = (partner: Partner, loadNumber: string, query = ''): Promise<LoadView> =>
  partner.getJson(`/v1/loads/${loadNumber}${query}`);
const codesOf = ({ events }: LoadView): (string | null)[] => events.map(({ what }) => what);

describe('a load', () => {
  it('shows its events by their own time, each with what became of it and where it came from', async () => {
    upstreamAnswers(({ body }) => {
      const code = body.includes('"X3"') ? 422 : 200;
      return Response.json({ code }, { status: code });
    });
    const partner = await aPartner();
    const batchId = await settled(partner, [
      statusAt('L1', 'AF', '09:00'),
      statusAt('L1', 'X3', '08:00'),
      statusAt('L1', 'X1', '12:00', { Stop: '2' }),
      statusAt('L2', 'X1', '12:00'),
    ]);
    const view = await viewOf(partner, 'L1');
    expect(view).toMatchObject({
      loadNumber: 'L1',
      scac: 'DEMO',
      environment: 'test',
      order: 'event',
      next: null,
      notes: [],
    });
    expect(codesOf(view)).toEqual(['X3', 'AF', 'X1']);
    const [arrival] = view.events;
    expect(arrival).toMatchObject({
      kind: 'milestone',
      time: expect.stringMatching(/^2026-03-02T08:00:00/),
      stop: 1,
      place: 'Joliet, IL',
      state: 'rejected',
      status: 422,
      answer: '{"code":422}',
      attempts: 1,
      tries: [{ attempt: 1, status: 422, effect: 'refused', answer: '{"code":422}' }],
      late: false,
      possibleDuplicate: false,
      warnings: [{ code: 'sequence_suspicious', kind: 'cameLate' }],
      from: { batchId, record: 2, request: 1, generation: 1 },
      into: null,
      waitsForLoadUntil: null,
      body: { loadNumber: 'L1', eventCode: 'X3' },
    });
    expect(view.counts).toMatchObject({
      events: 3,
      milestones: 3,
      positions: 0,
      states: { delivered: 2, rejected: 1 },
      warned: 1,
      late: 0,
      waitingForLoad: 0,
    });
    const { rows } = await partner.getJson<{ rows: { record: number }[] }>(arrival?.from.links.row ?? '');
    expect(rows.map(({ record }) => record)).toEqual([2]);
    expect((await partner.fetch(arrival?.from.links.console ?? '')).status).toBe(200);
  });

  it('shows them in the order in which they were sent', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    await settled(partner, [
      statusAt('L1', 'AF', '09:00'),
      statusAt('L1', 'X3', '08:00'),
      statusAt('L1', 'X1', '07:00'),
    ]);
    expect(codesOf(await viewOf(partner, 'L1', '?order=sent'))).toEqual(['AF', 'X3', 'X1']);
    expect(codesOf(await viewOf(partner, 'L1', '?order=event'))).toEqual(['X1', 'X3', 'AF']);
  });

  it.each(['event', 'sent'])('is paged through without a gap or a repeat, in the order %s', async (order) => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const rows = Array.from({ length: 12 }, (_, at) =>
      statusAt('L1', 'X6', `08:${10 + ((at * 5) % 12)}`, { Stop: String(at) }),
    );
    await settled(partner, rows);
    const whole = await viewOf(partner, 'L1', `?order=${order}`);
    const seen: LoadView['events'][number][] = [];
    let next: string | null = `/v1/loads/L1?order=${order}&limit=5`;
    for (let pages = 1; next !== null; pages += 1) {
      const page: LoadView = await partner.getJson(next);
      expect(page.counts === null).toBe(pages > 1);
      seen.push(...page.events);
      next = page.next;
      expect(pages).toBeLessThan(5);
    }
    expect(seen).toEqual(whole.events);
    expect(seen).toHaveLength(12);
  });

  it('shows a duplicate beside the first, and what came late', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const first = await settled(partner, [statusAt('L1', 'X3', '08:00')]);
    const again = await settled(partner, [statusAt('L1', 'X3', '08:00'), statusAt('L1', 'AF', '09:00')]);
    const view = await viewOf(partner, 'L1');
    expect(view.events.map(({ state, from }) => [state, from.batchId])).toEqual([
      ['delivered', first],
      ['duplicate', again],
      ['delivered', again],
    ]);
    expect(view.events[1]?.into).toMatchObject({ batchId: first, record: 1, request: 1, state: 'delivered' });
  });

  it('shows positions with the request they travelled in', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const load = aLoad({ partner: partner.name });
    await load.stub().enqueue(load.identity, points(load, [2, 1, 3], { live: true }));
    await load.reaches('coalesced', 'delivered', 'coalesced');
    const view = await viewOf(partner, load.identity.loadNumber);
    expect(
      view.events.map(({ what, position, state, into }) => [what, position?.latitude, state, into?.record]),
    ).toEqual([
      ['position', 41, 'delivered', undefined],
      ['position', 41, 'coalesced', 1],
      ['position', 41, 'coalesced', 1],
    ]);
    expect(view.events.every(({ status, sentAt }) => status === 200 && sentAt !== null)).toBe(true);
    expect(view.counts).toMatchObject({ milestones: 0, positions: 3, states: { delivered: 3 } });
    expect(view.events.every(({ body }) => JSON.stringify(body) !== pointBody('', 1))).toBe(true);
  });

  it('says that its events wait because the receiving system does not know it yet', async () => {
    const upstream = upstreamAnswers(loadUnknown);
    const partner = await aPartner();
    const load = aLoad({ partner: partner.name });
    await load.dispatch([1, 2], asking({ loadWaitMs: 24 * 3_600_000 }));
    await load.freezeIn('waiting');
    const view = await viewOf(partner, load.identity.loadNumber);
    expect(view.counts?.waitingForLoad).toBe(1);
    expect(view.notes).toEqual([expect.stringMatching(/does not know this load yet: one event waits/)]);
    expect(view.events).toMatchObject([
      {
        state: 'waiting',
        reason: 'load_unknown',
        waitsForLoadUntil: expect.stringMatching(/Z$/),
        nextAt: expect.stringMatching(/^2100/),
      },
      { state: 'queued', reason: null, waitsForLoadUntil: null, sentAt: null },
    ]);
    const html = await (await partner.fetch(view.links.console)).text();
    expect(html).toContain('does not know this load yet');
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'delivered');
    expect((await viewOf(partner, load.identity.loadNumber)).notes).toEqual([]);
  });

  it('shows of very many attempts the newest, each with the head of its answer', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const load = aLoad({ partner: partner.name });
    await load.dispatch([1]);
    await load.reaches('delivered');
    const answered = { effect: 'not_applied', status: 429, body: 'a'.repeat(60_000) } as const;
    const attempts = Array.from({ length: 30 }, (_, index) => ({
      ...answered,
      startedAtMs: 1_772_460_000_002 + index,
    }));
    await change(load.stub(), (tables) => addAttempts(tables, 1, attempts));
    const [event] = (await viewOf(partner, load.identity.loadNumber)).events;
    expect(event?.attempts).toBe(31);
    expect(event?.tries.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, index) => index + 12));
    expect(event?.tries.every(({ answer }) => answer.length === 512)).toBe(true);
    const html = await (await partner.fetch(`/console/loads/${load.identity.loadNumber}`)).text();
    expect(html).toContain('The last 20 attempts');
  });

  it('shows an event without a readable time when it came in', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const load = aLoad({ partner: partner.name });
    await load.dispatch([1]);
    await load.reaches('delivered');
    expect((await viewOf(partner, load.identity.loadNumber)).events).toMatchObject([
      { what: null, time: null, state: 'delivered' },
    ]);
  });
});

describe('a load number', () => {
  it('that stands under several SCACs is asked back, and one of them can be named', async () => {
    upstreamAnswers(200);
    const partner = await aPartner({ scacs: ['DEMO', 'ACME', 'NONE'] });
    await settled(partner, [statusAt('L1', 'X3', '08:00')], { scac: 'DEMO' });
    expect(await viewOf(partner, 'L1')).toMatchObject({ scac: 'DEMO' });
    await settled(partner, [statusAt('L1', 'X1', '09:00')], { scac: 'ACME' });
    const answer = await partner.fetch('/v1/loads/L1');
    expect(answer.status).toBe(409);
    expect(await problemOf(answer)).toMatchObject({ code: 'load_ambiguous', scacs: ['ACME', 'DEMO'] });
    expect(codesOf(await viewOf(partner, 'L1', '?scac=ACME'))).toEqual(['X1']);
    expect(await problemOf(await partner.fetch('/v1/loads/L1?scac=NONE'))).toMatchObject({
      code: 'load_unknown_here',
      status: 404,
    });
    const page = await partner.fetch('/console/loads/L1');
    expect(page.status).toBe(409);
    expect(await page.text()).toMatch(/href="\/console\/loads\/L1\?scac=ACME".*href="\/console\/loads\/L1\?scac=DEMO"/);
  });

  it('is looked for only under the SCACs of the key, and under few', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    await settled(partner, [statusAt('L1', 'X3', '08:00')]);
    expect(await problemOf(await partner.fetch('/v1/loads/L1?scac=ACME'))).toMatchObject({
      code: 'scac_not_allowed',
      status: 403,
    });
    const scacs = Array.from({ length: 26 }, (_, at) => `S${String.fromCharCode(65 + at)}`);
    const many = await aPartner({ partner: partner.name, scacs: ['DEMO', ...scacs] });
    expect(await problemOf(await many.fetch('/v1/loads/L1'))).toMatchObject({ code: 'scac_required', status: 400 });
    expect(codesOf(await viewOf(many, 'L1', '?scac=DEMO'))).toEqual(['X3']);
  });

  it.each(['A/B 1', 'L#1?x=%', 'Ä-ß', '"];--', 'x.csv'])('may hold anything: %j', async (loadNumber) => {
    upstreamAnswers(200);
    const partner = await aPartner();
    await settled(partner, [statusAt(`"${loadNumber.replaceAll('"', '""')}"`, 'X3', '08:00')]);
    const headers = { Accept: 'application/json' };
    const answer = await partner.fetch(`/v1/loads/${encodeURIComponent(loadNumber)}`, { headers });
    expect(answer.status).toBe(200);
    const view = await answer.json<LoadView>();
    expect(view.loadNumber).toBe(loadNumber);
    for (const link of [view.links.csv, view.links.console]) expect((await partner.fetch(link)).status, link).toBe(200);
  });

  it.each([
    ['?order=backwards', 'parameter_invalid'],
    ['?cursor=sent~1~1', 'parameter_invalid'],
    ['?cursor=x', 'parameter_invalid'],
    ['?sacc=DEMO', 'parameter_unknown'],
  ])('is refused with %s', async (query, code) => {
    const partner = await aPartner();
    const answer = await partner.fetch(`/v1/loads/L1${query}`);
    expect(answer.status).toBe(400);
    expect((await problemOf(answer)).code).toBe(code);
    if (code !== 'parameter_unknown') expect((await partner.fetch(`/console/loads/L1${query}`)).status).toBe(400);
  });

  it('that nobody sent anything for is not there, and one that somebody did is', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    await settled(partner, [statusAt('L1', 'X3', '08:00')]);
    const stub = env.LOAD.getByName(loadName({ environment: 'test', partner: partner.name }, 'DEMO', 'L1'));
    expect(await stub.exists()).toBe(true);
    const other = env.LOAD.getByName(loadName({ environment: 'test', partner: partner.name }, 'DEMO', 'L9'));
    expect(await other.exists()).toBe(false);
    expect(await other.page({ order: 'event', after: null, limit: 1 })).toBeNull();
  });
});

describe('a load as CSV', () => {
  it('has a line for each event, and no cell that a spreadsheet would run', async () => {
    upstreamAnswers(() => new Response('=1+1', { status: 422 }));
    const partner = await aPartner();
    const rows = Array.from({ length: 230 }, (_, at) =>
      statusAt('L1', 'X6', `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`, {
        City: '=cmd|calc',
      }),
    );
    const batchId = await settled(partner, rows);
    for (const [path, headers] of [
      ['/v1/loads/L1.csv', {}],
      ['/v1/loads/L1.csv', { Accept: 'text/plain' }],
      ['/v1/loads/L1', { Accept: 'text/csv' }],
      ['/console/loads/L1/events.csv?scac=DEMO', {}],
    ] as const) {
      const answer = await partner.fetch(path, { headers });
      expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const isMarked = `${bytes.slice(0, 3)}` === '239,187,191';
      expect(isMarked, 'a spreadsheet opens what a page gives').toBe(path.startsWith('/console'));
      const lines = parse(new TextDecoder().decode(bytes), { columns: true }) as Record<string, string>[];
      expect(lines).toHaveLength(230);
      expect(lines[0]).toMatchObject({
        code: 'X6',
        stop: '1',
        place: "'=cmd|calc, IL",
        state: 'rejected',
        status: '422',
        answer: "'=1+1",
        batch: batchId,
        record: '1',
      });
      expect(lines.map(({ record }) => Number(record))).toEqual(lines.map((_, index) => index + 1));
    }
  });
});

describe('a warning', () => {
  it('stands in the rows, the report and the pages with what to do', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const batchId = await settled(partner, [statusAt('L1', 'AF', '08:00'), statusAt('L1', 'X3', '09:00')]);
    const [, row] = await partner.rows(batchId);
    expect(row).toMatchObject({
      state: 'delivered',
      requests: [{ warnings: [{ code: 'sequence_suspicious', kind: 'outOfOrder' }] }],
    });
    const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    const lines = parse(report, { columns: true }) as Record<string, string>[];
    expect(lines.map(({ _state, _warning }) => [_state, _warning])).toEqual([
      ['delivered', ''],
      ['delivered', 'sequence_suspicious'],
    ]);
    expect(lines[1]?._warning_words).toMatch(/X3 of stop 1 .* and AF of stop 1 .* cannot both be.* Check the status/);
    for (const page of [`/console/batches/${batchId}?row=2`, '/console/loads/L1']) {
      const html = await (await partner.fetch(page)).text();
      expect(html, page).toMatch(/cannot both be.*Check the status.*sequence_suspicious/);
    }
  });

  it('is the reason where the mapping refuses such events, in the report and among the corrections', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const operator = await anOperator();
    const text = BUNDLED_DOCUMENTS.get('carrier-status-csv') ?? '';
    const document = `${text}\ndelivery: { surprises: { outOfOrder: reject } }\n`;
    await operator.done('PUT', '/v1/ops/mappings/carrier-status-csv', document);
    const batchId = await settled(partner, [
      statusAt('L1', 'AF', '08:00'),
      statusAt('L1', 'X3', '09:00'),
      statusAt('L1', 'X1', '12:00', { Stop: '2' }),
    ]);
    expect(left).toHaveLength(2);
    expect((await viewOf(partner, 'L1')).events).toMatchObject([
      { what: 'AF', state: 'delivered', warnings: [] },
      {
        what: 'X3',
        state: 'dead',
        reason: 'sequence_suspicious',
        outcome: 'not_applied',
        sentAt: null,
        attempts: 0,
        warnings: [{ kind: 'outOfOrder', value: expect.stringMatching(/^X3/), other: expect.stringMatching(/^AF/) }],
      },
      { what: 'X1', state: 'delivered', warnings: [] },
    ]);
    const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    const lines = parse(report, { columns: true }) as Record<string, string>[];
    expect(lines[1]).toMatchObject({
      _state: 'dead',
      _code: 'sequence_suspicious',
      _warning: 'sequence_suspicious',
      _fix: expect.stringMatching(/^Check the status/),
      _effect: 'not applied',
    });
    const corrections = await (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text();
    expect(corrections.match(/L1/g)).toHaveLength(1);
    const corrected = corrections.replace('09:00', '07:30');
    const again = await partner.receipt(corrected);
    await partner.reaches(again.batchId, 'settled');
    expect(
      (await partner.rows(again.batchId)).map(({ state, requests }) => [state, requests[0]?.warnings[0]?.kind]),
    ).toEqual([['delivered', 'cameLate']]);
  });
});
