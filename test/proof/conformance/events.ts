import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, PATHS, TIME } from './client.ts';

const POINT = {
  time: TIME,
  stopsequenceNumber: 2,
  resourceId: '1X9TR10A0KX300100',
  resourceType: 'Truck',
  odometer: 120_500,
  temperature: { unitOfMeasure: 'F', value: 34.5, dateTime: TIME.dateTime },
  coordinate: { latitude: 32.78, longitude: -96.8 },
  references: [{ name: 'PRO', value: '77' }],
};

/** seed 2.2–2.4, 4.3, 6.1, 7: milestones, traces and the OAuth-protected example. */
export function eventClauses(client: () => Client): void {
  const trace = (traces: unknown) =>
    client().call('POST', PATHS.traces, { body: { loadNumber: 'L-1', eventCity: 'Dallas', eventState: 'TX', traces } });

  describe('carrier events (2.2–2.4, 4.3)', () => {
    beforeAll(() => client().control('POST', 'reset'));

    it('4.3 milestone: is answered 200 with a confirmation that carries an id', async () => {
      const { status, json } = await client().milestone();
      expect(status).toBe(200);
      expect(json.id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('2.2: takes every field of a milestone', async () => {
      const full = {
        reasonCode: 'NS',
        eventCity: 'Dallas',
        eventState: 'TX',
        stopsequenceNumber: 1,
        references: [{ name: 'BOL', value: '1' }],
      };
      expect((await client().milestone({}, full)).status).toBe(200);
    });

    it.each([
      ['2.2: no eventCode', { eventCode: undefined }, 'eventCode'],
      ['2.2: no loadNumber', { loadNumber: undefined }, 'loadNumber'],
      ['2.2: a stop number spelled in camel case', { stopSequenceNumber: 1 }, 'stopSequenceNumber'],
      ['2.2: a stop number as text', { stopsequenceNumber: '1' }, 'stopsequenceNumber'],
      ['2.2: a reference without name', { references: [{ value: '1' }] }, 'references[0].name'],
      ['2.3: a time as text', { time: TIME.dateTime }, 'time'],
      [
        '2.3: three fractional digits',
        { time: { ...TIME, dateTime: '2026-03-01T06:15:00.000-06:00' } },
        'time.dateTime',
      ],
      ['2.3: Z instead of an offset', { time: { ...TIME, dateTime: '2026-03-01T06:15:00.0000000Z' } }, 'time.dateTime'],
      ['2.3: an offset that is none', { time: { ...TIME, timeZoneOffset: '-06:00' } }, 'time.timeZoneOffset'],
      [
        '2.3: a day that does not exist',
        { time: { ...TIME, dateTime: '2026-02-30T06:15:00.0000000-06:00' } },
        'time.dateTime',
      ],
      ['2.3: an offset beside another', { time: { ...TIME, timeZoneOffset: 'UTC-5' } }, 'time.timeZoneOffset'],
      ['2.3: a zone code that is no abbreviation', { time: { ...TIME, timeZoneCode: 'UTC-6' } }, 'time.timeZoneCode'],
      ['2.3: no zone code', { time: { dateTime: TIME.dateTime, timeZoneOffset: 'UTC-6' } }, 'time.timeZoneCode'],
    ])('%s is refused, with its place', async (_, change, path) => {
      expect(await client().milestone({}, change)).toMatchObject({
        status: 400,
        json: { error: { code: 'body_invalid', fields: [{ path }] } },
      });
    });

    it('7.1: what is not JSON is refused in the 400 class', async () => {
      expect(await client().milestone({ body: '{"eventCode":' })).toMatchObject({
        status: 400,
        json: { error: { code: 'body_not_json' } },
      });
      expect((await client().milestone({ body: '' })).status).toBe(400);
    });

    it('4.3: a body of another media type is refused', async () => {
      const headers = { 'Content-Type': 'text/plain' };
      expect((await client().milestone({ headers })).status).toBe(415);
    });

    it('2.4: takes one point or many, with every field of a point', async () => {
      expect((await trace([POINT])).status).toBe(200);
      expect((await trace([POINT, { time: TIME, coordinate: POINT.coordinate }])).json.points).toBe(2);
    });

    it.each([
      ['no points', [], 'traces'],
      [
        'a latitude beyond the pole',
        [{ ...POINT, coordinate: { latitude: 91, longitude: 0 } }],
        'traces[0].coordinate.latitude',
      ],
      ['a second point without time', [POINT, { coordinate: POINT.coordinate }], 'traces[1].time'],
      ['a resourceId that is no VIN', [{ ...POINT, resourceId: 'T2201' }], 'traces[0].resourceId'],
      [
        'a temperature scale that is no letter',
        [{ ...POINT, temperature: { ...POINT.temperature, unitOfMeasure: 'FAHRENHEIT' } }],
        'traces[0].temperature.unitOfMeasure',
      ],
      ['an odometer with a fraction', [{ ...POINT, odometer: 1.5 }], 'traces[0].odometer'],
    ])('2.4: a trace request with %s is refused', async (_, traces, path) => {
      expect(await trace(traces)).toMatchObject({ status: 400, json: { error: { fields: [{ path }] } } });
    });

    it('4.3 load-milestone-events: confirms with a message', async () => {
      const token = (await client().basicToken()).json.access_token;
      expect(await client().loadEvent(token)).toMatchObject({
        status: 200,
        json: { message: expect.any(String), load_id: 'L-1' },
      });
    });

    it("4.3 load-milestone-events: refuses a body that is not the example's", async () => {
      const token = (await client().basicToken()).json.access_token;
      expect((await client().loadEvent(token, { body: { load_id: 'L-1' } })).status).toBe(400);
    });

    it('6.1: a milestone request records one event, a trace request as many points as it carries', async () => {
      await client().control('POST', 'reset');
      await client().milestone({}, { loadNumber: 'L-61' });
      await trace([POINT, POINT, POINT]);
      const { entries } = await client().control('GET', 'journal?limit=10&path=/test/rcsc/events/*');
      const bodies = entries.map(({ body }: { body: string }) => JSON.parse(body));
      expect(bodies).toMatchObject([{ loadNumber: 'L-61', eventCode: expect.any(String) }, { traces: [{}, {}, {}] }]);
      expect((await client().milestone({}, { events: [{}, {}] })).status).toBe(400);
    });

    it('6.3: an answer offers no place to register a callback, and nothing else does', async () => {
      for (const path of ['/webhooks', '/rcsc/events/v1/subscriptions', '/rcsc/order-status/v1/callbacks']) {
        expect((await client().call('POST', path, { body: { url: 'https://partner.example' } })).status).toBe(404);
      }
    });

    it('8: trace points closer together than fifteen minutes are taken: the cadence is expected, not enforced', async () => {
      const answers = [await trace([POINT]), await trace([POINT])];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });

    it('1.5: a carrier onboarded later is taken from then on', async () => {
      expect((await client().milestone({ scac: 'NEWC' })).status).toBe(403);
      await client().control('PUT', 'settings', { onboardedScacs: ['NEWC'] });
      expect((await client().milestone({ scac: 'NEWC' })).status).toBe(200);
    });
  });
}
