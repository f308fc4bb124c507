/** What partners read of vehicles, service history and locations: rights, forms, ages, and what stands in the way. */
import {
  createExecutionContext,
  evictDurableObject,
  reset,
  runInDurableObject,
  waitOnExecutionContext,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FleetItem } from '../../../src/fleet/answer.ts';
import { CACHED_MS, STALE_SHOWN_MS, VEHICLES_FRESH_MS } from '../../../src/fleet/limits.ts';
import type { FleetQuestion } from '../../../src/fleet/question.ts';
import { type FleetCache, fleetCache } from '../../../src/fleet/read.ts';
import worker from '../../../src/index.ts';
import { upstreamOf } from '../../../src/upstream/settings.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { dispatch, gate, health, loadsOf } from '../gates.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { type Answering, type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

const OURS = { vehicleNumber: '00700001', VIN: 'V1', customerNumber: '100200', lease: { endDate: '2027-01-01' } };
const UNNAMED = { vehicleNumber: '00700002', VIN: '=V2' };
const THEIRS = { vehicleNumber: '00700003', VIN: 'V3', customerNumber: '100300' };
const RECORD = { recordNumber: 'S-1', vehicleNumber: '00700001', serviceDate: '2025-03-02' };
const PLACE = { locationNumber: '01001', services: ['washing', 'rental'], address: { postalCode: '07114' } };

const answers = (value: unknown, status = 200, headers: Record<string, string> = {}): Answering =>
  (() => Response.json(value, { status, headers })) as Answering;
const vehicles = (...items: FleetItem[]) => answers({ vehicles: items });

/** By the last part of the path. */
function theUpstream(...vehiclesShown: FleetItem[]): UpstreamDouble {
  const byPath: Answering = ({ url }) => {
    const { pathname } = new URL(url);
    const found = vehiclesShown.find(({ vehicleNumber }) => pathname.endsWith(`/vehicles/${vehicleNumber}`));
    if (found !== undefined) return Response.json(found);
    if (pathname.endsWith('/vehicles')) return Response.json({ vehicles: vehiclesShown });
    if (pathname.endsWith('/serviceHistory')) return Response.json({ serviceHistory: [RECORD] });
    if (pathname.endsWith('/locations')) return Response.json({ locations: [PLACE] });
    if (pathname.endsWith(`/locations/${PLACE.locationNumber}`)) return Response.json(PLACE);
    return Response.json({ error: { code: 'unknown' } }, { status: 404 });
  };
  const double = upstreamAnswers(byPath);
  double.answerProbes(answers({ locations: [PLACE] }));
  return double;
}

const asksOf = ({ left, probes }: UpstreamDouble): string[] =>
  [...left, ...probes].map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname.split('/v1')[1] + search);

function cacheOf(name: string): FleetCache {
  const channel = upstreamOf(env).channels.get(name);
  if (channel === undefined) throw new Error(`no channel ${name}`);
  return fleetCache(env.LOOK_UPS, channel);
}

/** As an earlier reader left it. @param agedMs on the clock of the channel. */
const keptSince = (question: FleetQuestion, agedMs: number, items: FleetItem[], channel = 'plain') =>
  cacheOf(channel).put(question, { items, fetchedAtMs: Date.now() - agedMs / TEST_TIME_SCALE });

/** A request whose work behind the answer has ended, too. */
async function wholly(partner: Partner, path: string): Promise<Response> {
  const context = createExecutionContext();
  const headers = { Authorization: `Bearer ${partner.key}` };
  const answer = await worker.fetch(new Request(ORIGIN + path, { headers }) as never, env, context);
  await waitOnExecutionContext(context);
  return answer as unknown as Response;
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('what is read', () => {
  it.each([
    ['/v1/vehicles', { vehicles: [OURS, UNNAMED] }, '/vehicles'],
    ['/v1/vehicles?licensePlate=GA%20041', { vehicles: [OURS, UNNAMED] }, '/vehicles?licensePlate=GA+041'],
    ['/v1/vehicles/', { vehicles: [OURS, UNNAMED] }, '/vehicles'],
    ['/v1/vehicles/00700001', OURS, '/vehicles/00700001'],
    ['/v1/service-history', { serviceHistory: [RECORD] }, '/serviceHistory'],
    [
      '/v1/service-history?to=2025-12-31&from=2025-01-01&vehicleNumber=00700001',
      { serviceHistory: [RECORD] },
      '/serviceHistory?vehicleNumber=00700001&fromDate=2025-01-01&toDate=2025-12-31',
    ],
    ['/v1/locations?postalCode=07114', { locations: [PLACE] }, '/locations?postalCode=07114'],
    ['/v1/locations/01001', PLACE, '/locations/01001'],
  ])('is what the upstream says, asked once with the key of the channel: %s', async (path, said, asked) => {
    const upstream = theUpstream(OURS, UNNAMED);
    const partner = await aPartner();
    for (let round = 0; round < 2; round += 1) {
      const answer = await partner.fetch(path);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/json',
        age: '0',
        vary: 'Authorization, Accept',
        'cache-status': round === 0 ? 'transload; fwd=miss' : expect.stringMatching(/^transload; hit; ttl=\d+$/),
      });
      expect(await answer.json()).toEqual(said);
    }
    expect(asksOf(upstream)).toEqual([asked]);
    const [sent] = [...upstream.left, ...upstream.probes];
    expect(sent?.headers).toMatchObject({ 'Ocp-Apim-Subscription-Key': 'canary-key-plain' });
    expect(Object.keys(sent?.headers ?? {})).not.toContain('carrierSCAC');
    expect(upstream.tokenRequests).toEqual([]);
  });

  it.each([
    ['/v1/vehicles', 'text/csv'],
    ['/v1/vehicles.csv', '*/*'],
    ['/v1/vehicles.csv', 'application/json'],
  ])('is CSV where that is asked for: %s, Accept: %s', async (path, accept) => {
    theUpstream(OURS, UNNAMED);
    const answer = await (await aPartner()).fetch(path, { headers: { Accept: accept } });
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="vehicles.csv"');
    expect(answer.headers.get('Cache-Control')).toMatch(/^private, max-age=\d+, stale-while-revalidate=\d+$/);
    expect(await answer.text()).toBe(
      '"vehicleNumber","VIN","customerNumber","lease.endDate"\r\n"00700001","V1","100200","2027-01-01"\r\n"00700002","\'=V2","",""\r\n',
    );
  });

  it.each([
    ['/v1/vehicles/00700001.csv', 'vehicle', /"00700001"/],
    ['/v1/service-history.csv', 'service-history', /"S-1"/],
    ['/v1/locations.csv', 'locations', /"washing \| rental","07114"/],
    ['/v1/locations/01001.csv', 'location', /"washing \| rental","07114"/],
  ])('is a file of that name: %s', async (path, name, text) => {
    theUpstream(OURS);
    const answer = await (await aPartner()).fetch(path);
    expect(answer.headers.get('Content-Disposition')).toBe(`attachment; filename="${name}.csv"`);
    expect(await answer.text()).toMatch(text);
  });

  it('says how many columns did not fit', async () => {
    theUpstream(Object.fromEntries(Array.from({ length: 203 }, (_, index) => [`m${index}`, index])));
    const answer = await (await aPartner()).fetch('/v1/vehicles.csv');
    expect(answer.headers.get('X-Columns-Left-Out')).toBe('3');
    await answer.bytes();
  });

  it('of an empty list is an empty list, and a file with a header alone', async () => {
    theUpstream();
    const partner = await aPartner();
    expect(await partner.getJson('/v1/vehicles')).toEqual({ vehicles: [] });
    expect(await (await partner.fetch('/v1/vehicles.csv')).text()).toBe('"vehicleNumber"\r\n');
  });

  it('is shared by the partners of a channel, and by no two channels', async () => {
    const upstream = theUpstream(OURS);
    const [one, other] = [await aPartner(), await aPartner()];
    const [elsewhere, live] = [await aPartner({ channel: 'bearer' }), await aPartner({ environment: 'production' })];
    for (const partner of [one, other, elsewhere, live]) await partner.getJson('/v1/vehicles/00700001');
    expect(upstream.left.map(({ headers }) => headers['Ocp-Apim-Subscription-Key'])).toEqual([
      'canary-key-plain',
      'canary-key-bearer',
      'canary-key-live',
    ]);
  });
});

describe('a channel', () => {
  const PATHS = ['/v1/vehicles', '/v1/vehicles/1', '/v1/service-history', '/v1/locations.csv', '/v1/locations/1'];
  it.each(['looked-up', 'unseen'])('that shows nothing of the fleet refuses, and asks nobody: %s', async (channel) => {
    const upstream = theUpstream(OURS);
    const partner = await aPartner({ channel });
    for (const path of PATHS) {
      expect(await problemOf(await partner.fetch(path))).toMatchObject({ status: 403, code: 'fleet_not_shown' });
    }
    expect(asksOf(upstream)).toEqual([]);
  });

  it.each(['gone', 'live'])('that is not configured in this environment is told: %s', async (channel) => {
    const partner = await aPartner({ channel });
    expect(await problemOf(await partner.fetch('/v1/vehicles'))).toMatchObject({
      status: 503,
      code: 'channel_missing',
    });
  });

  describe('of one customer', () => {
    it('asks for that customer’s vehicles, and shows no other’s though they come', async () => {
      const upstream = theUpstream(OURS, UNNAMED, THEIRS);
      const partner = await aPartner({ channel: 'leased' });
      expect(await partner.getJson('/v1/vehicles?vin=V')).toEqual({ vehicles: [OURS, UNNAMED] });
      expect(await partner.getJson('/v1/vehicles?customerNumber=100200')).toEqual({ vehicles: [OURS, UNNAMED] });
      expect(asksOf(upstream)).toEqual(['/vehicles?vin=V&customerNumber=100200', '/vehicles?customerNumber=100200']);
      expect(await (await partner.fetch('/v1/vehicles.csv')).text()).not.toContain('V3');
    });

    it('may not name another one', async () => {
      const upstream = theUpstream(OURS);
      const answer = await (await aPartner({ channel: 'leased' })).fetch('/v1/vehicles?customerNumber=100300');
      expect(await problemOf(answer)).toMatchObject({ status: 403, code: 'customer_not_allowed' });
      expect(asksOf(upstream)).toEqual([]);
    });

    it('tells of another customer’s vehicle and its history what is told of one that is not there', async () => {
      theUpstream(OURS, THEIRS);
      const partner = await aPartner({ channel: 'leased' });
      const told = [];
      for (const number of ['00700003', '1']) {
        for (const path of [`/v1/vehicles/${number}`, `/v1/service-history?vehicleNumber=${number}`]) {
          const { requestId: _, ...problem } = await problemOf(await partner.fetch(path));
          told.push(problem);
        }
      }
      expect(told[0]).toMatchObject({ status: 404, code: 'vehicle_unknown' });
      for (const problem of told) expect(problem).toEqual(told[0]);
    });

    it('reads the history of its own vehicles, of which the first look is kept', async () => {
      const upstream = theUpstream(OURS);
      const partner = await aPartner({ channel: 'leased' });
      for (const from of ['2025-01-01', '2025-02-01']) {
        const path = `/v1/service-history?vehicleNumber=00700001&from=${from}`;
        expect(await partner.getJson(path)).toEqual({ serviceHistory: [RECORD] });
      }
      expect(asksOf(upstream).map((path) => path.split('?')[0])).toEqual([
        '/vehicles/00700001',
        '/serviceHistory',
        '/serviceHistory',
      ]);
    });

    it('names the vehicle whose history it reads', async () => {
      const answer = await (await aPartner({ channel: 'leased' })).fetch('/v1/service-history?from=2025-01-01');
      expect(await problemOf(answer)).toMatchObject({ status: 422, code: 'vehicle_wanted' });
    });
  });
});

describe('an address that asks for nothing that can be', () => {
  it.each([
    ['/v1/vehicles?vinn=1', 400, 'parameter_unknown'],
    ['/v1/vehicles?vin=', 400, 'parameter_invalid'],
    ['/v1/vehicles/1?vin=1', 400, 'parameter_unknown'],
    ['/v1/service-history?from=2025-02-30', 400, 'parameter_invalid'],
    ['/v1/locations?planet=earth', 400, 'parameter_unknown'],
    ['/v1/vehicles/%2e%2e%2e', 404, 'vehicle_unknown'],
    [`/v1/locations/${'9'.repeat(101)}`, 404, 'location_unknown'],
    ['/v1/locations/%20', 404, 'location_unknown'],
    ['/v1/vehicles/..%2F..%2Ftoken', 404, 'vehicle_unknown'],
    ['/v1/locations/a%2F..%2F..%2Ftoken', 404, 'location_unknown'],
    ['/v1/vehicles/%252e%252e', 404, 'vehicle_unknown'],
  ])('is refused, and nobody is asked: %s', async (path, status, code) => {
    const upstream = theUpstream(OURS);
    expect(await problemOf(await (await aPartner()).fetch(path))).toMatchObject({ status, code });
    expect(asksOf(upstream)).toEqual([]);
  });

  it.each([
    ['/v1/vehicles/9', 'vehicle_unknown', '/vehicles/9'],
    ['/v1/vehicles/A%2FB%3Fc', 'vehicle_unknown', '/vehicles/A%2FB%3Fc'],
    ['/v1/locations/9', 'location_unknown', '/locations/9'],
  ])('is asked for and not there: %s', async (path, code, asked) => {
    const upstream = theUpstream(OURS);
    const answer = await (await aPartner()).fetch(path);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(await problemOf(answer)).toMatchObject({ status: 404, code });
    expect(asksOf(upstream)).toEqual([asked]);
  });
});

describe('a stale answer', () => {
  const ASKED: FleetQuestion = { of: 'vehicle', vehicleNumber: '00700001' };
  const PATH = '/v1/vehicles/00700001';
  const NEWER = { ...OURS, VIN: 'V1-NEW' };

  it('is shown at once with its age, and the next reader has the new one', async () => {
    const upstream = theUpstream(NEWER);
    await keptSince(ASKED, VEHICLES_FRESH_MS + 1, [OURS]);
    const partner = await aPartner();
    const stale = await wholly(partner, '/v1/vehicles/00700001');
    expect(await stale.json()).toEqual(OURS);
    expect(Number(stale.headers.get('Age'))).toBe(VEHICLES_FRESH_MS / TEST_TIME_SCALE / 1_000);
    expect(stale.headers.get('Cache-Control')).toBe('private, max-age=3, stale-while-revalidate=12');
    expect(stale.headers.get('Cache-Status')).toMatch(/^transload; hit; ttl=-\d+$/);
    expect(await (await wholly(partner, '/v1/vehicles/00700001')).json()).toEqual(NEWER);
    expect(upstream.left).toHaveLength(1);
  });

  it('is shown though its renewal behind fails in every way, and then says so', async () => {
    const partner = await aPartner();
    const failures: [Answering, string][] = [
      [500, 'upstream_down'],
      [new Error('connection reset'), 'upstream_down'],
      [answers('no vehicle'), 'upstream_unreadable'],
      [401, 'upstream_refused'],
    ];
    for (const [failure, code] of failures) {
      upstreamAnswers(failure);
      await keptSince(ASKED, VEHICLES_FRESH_MS + 1, [OURS]);
      const [first, second] = [await wholly(partner, PATH), await wholly(partner, PATH)];
      expect([await first.json(), await second.json()]).toEqual([OURS, OURS]);
      expect(first.headers.get('Cache-Status')).toMatch(/^transload; hit; ttl=-\d+$/);
      expect(second.headers.get('Cache-Status')).toMatch(new RegExp(`^transload; hit; ttl=-\\d+; detail=${code}$`));
    }
  });

  it('of more than an hour is shown where the upstream fails, and says so', async () => {
    upstreamAnswers(503);
    await keptSince(ASKED, VEHICLES_FRESH_MS + STALE_SHOWN_MS + 1, [OURS]);
    const answer = await (await aPartner()).fetch('/v1/vehicles/00700001.csv');
    expect(answer.headers.get('Cache-Status')).toBe('transload; fwd=stale; fwd-status=503; detail=upstream_down');
    expect(Number(answer.headers.get('Age'))).toBeGreaterThanOrEqual(15);
    expect(await answer.text()).toContain('"00700001"');
  });

  it('of a day is none', async () => {
    upstreamAnswers(503);
    await keptSince(ASKED, CACHED_MS + 1, [OURS]);
    const answer = await (await aPartner()).fetch('/v1/vehicles/00700001');
    expect(await problemOf(answer)).toMatchObject({ status: 503, code: 'upstream_down' });
  });

  it('is no way around the customer of the channel', async () => {
    theUpstream(OURS);
    await keptSince({ of: 'vehicle', vehicleNumber: '00700003' }, 0, [THEIRS], 'leased');
    const answer = await (await aPartner({ channel: 'leased' })).fetch('/v1/vehicles/00700003');
    expect((await problemOf(answer)).code).toBe('vehicle_unknown');
  });
});

describe('where the upstream gives no answer', () => {
  it.each([
    ['is down', 500, 503, 'upstream_down', 'answered 500'],
    ['resets', new Error('connection reset'), 503, 'upstream_down', 'connection reset'],
    ['refuses the key', 401, 502, 'upstream_refused', 'answered 401'],
    ['refuses the question', answers({ error: 'which plate?' }, 400), 502, 'upstream_refused', 'which plate?'],
    ['speaks otherwise', answers([OURS]), 502, 'upstream_unreadable', 'answered 200'],
  ] as const)('that it %s is told with what it said, and not kept', async (_, failure, status, code, said) => {
    const upstream = upstreamAnswers(failure);
    const partner = await aPartner();
    const answer = await partner.fetch('/v1/vehicles');
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    const problem = await problemOf(answer);
    expect(problem).toMatchObject({ status, code, api: 'fleet', fix: expect.stringMatching(/\S/) });
    expect(problem.detail).toContain('fleet API');
    expect(problem.detail).toContain(said);
    expect(JSON.stringify(problem)).not.toContain('canary');
    upstream.answer(vehicles(OURS));
    expect(await partner.getJson('/v1/vehicles')).toEqual({ vehicles: [OURS] });
  });

  it('when to come again is told as it was told', async () => {
    upstreamAnswers(answers({}, 503, { 'Retry-After': '17' }));
    const answer = await (await aPartner()).fetch('/v1/vehicles');
    expect(answer.headers.get('Retry-After')).toBe('17');
    expect(await problemOf(answer)).toMatchObject({ upstreamStatus: 503 });
  });

  it('while the gate of its channel has stopped sending, nobody is asked, and when that is over is told', async () => {
    const upstream = upstreamAnswers(401);
    upstream.answerProbes(401);
    await dispatch(loadsOf(6), [1], 'narrow');
    await vi.waitFor(async () => expect((await health('narrow')).auth).not.toBeNull(), PATIENCE);
    await runInDurableObject(gate('narrow'), (_, { storage }) => {
      const inAMinute = Date.now() + 60_000;
      storage.sql.exec(`UPDATE breaker SET kept = json_set(kept, '$.untilMs', ?, '$.state', 'open')`, inAMinute);
    });
    await evictDurableObject(gate('narrow'));
    const asked = asksOf(upstream).length;
    const answer = await (await aPartner({ channel: 'narrow' })).fetch('/v1/vehicles');
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    const problem = await problemOf(answer);
    expect(problem).toMatchObject({ status: 503, code: 'upstream_down', upstreamStatus: null });
    expect(problem.detail).toContain('sending is stopped');
    expect(asksOf(upstream)).toHaveLength(asked);
  });

  it('the health of its channel names the API alone that fails, and forgets it with the first answer', async () => {
    const upstream = theUpstream(OURS);
    const partner = await aPartner();
    const operator = await anOperator();
    const failing = async () => {
      const { channels } = await (await operator.fetch('/v1/ops/health')).json<{
        channels: { name: string; state: string; failingReads: unknown[] }[];
      }>();
      return channels.find(({ name }) => name === 'plain');
    };
    await partner.getJson('/v1/vehicles');
    expect((await health('plain')).failingReads).toEqual([]);
    upstream.answer(500);
    for (const number of [1, 2, 3]) await (await partner.fetch(`/v1/vehicles/${number}`)).bytes();
    await partner.getJson('/v1/locations');
    expect(await failing()).toMatchObject({
      state: 'ok',
      failingReads: [{ api: 'fleet', status: 500, since: expect.any(String), last: expect.any(String) }],
    });
    upstream.answer(answers(OURS));
    await partner.getJson('/v1/vehicles/4');
    expect(await failing()).toMatchObject({ failingReads: [] });
  });

  it('an API that works again is told once more by those who never saw it fail', async () => {
    theUpstream(OURS);
    const partner = await aPartner();
    await partner.getJson('/v1/vehicles/00700001');
    await gate('plain').noteRead('plain', 'fleet', { status: 500, detail: 'seen elsewhere' });
    await vi.waitFor(async () => {
      await partner.getJson(`/v1/vehicles?vin=${crypto.randomUUID()}`);
      expect((await health('plain')).failingReads).toEqual([]);
    }, PATIENCE);
  });
});

describe('many questions at once', () => {
  it('leave at the rate of their channel, and all are answered', async () => {
    const upstream = upstreamAnswers(answers(OURS));
    const partner = await aPartner({ channel: 'narrow' });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const found = await Promise.all(numbers.map((number) => partner.fetch(`/v1/vehicles/${number}`)));
    expect(found.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    await Promise.all(found.map((answer) => answer.bytes()));
    const [first, ...later] = upstream.left.map(({ atMs }) => atMs).sort((left, right) => left - right);
    expect(upstream.left).toHaveLength(numbers.length);
    // Five at once, then sixty a second.
    expect((later.at(-1) ?? 0) - (first ?? 0)).toBeGreaterThan(((numbers.length - 5) / 60) * 1_000 * 0.9);
  });

  it('of one thing that is kept are one question', async () => {
    const upstream = theUpstream(OURS);
    const partner = await aPartner();
    await partner.getJson('/v1/vehicles/00700001');
    const paths = Array.from({ length: 20 }, (_, index) => `/v1/vehicles/00700001${index % 2 === 0 ? '' : '.csv'}`);
    const found = await Promise.all(paths.map((path) => partner.fetch(path)));
    await Promise.all(found.map((answer) => answer.bytes()));
    expect(upstream.left).toHaveLength(1);
  });
});
