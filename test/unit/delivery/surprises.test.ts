/** What is odd about an event beside those its load knows, example by example. */
import { describe, expect, it } from 'vitest';
import {
  type AnomalyLimits,
  anomaliesOf,
  anomalyCode,
  distanceKm,
  journeyEvent,
  refusalOf,
} from '../../../src/delivery/events/anomalies.ts';
import { EVENT_CLASSES, hasHappened, phaseOf } from '../../../src/delivery/events/event-classes.ts';
import { anomalyMessage } from '../../../src/delivery/messages.ts';
import { ANOMALY_KINDS, type AnomalyKind } from '../../../src/mapping/document/delivery-spec.ts';
import { aBody } from '../batch/samples.ts';
import { anEvent, knowing, milestone, oddAbout, oddInTurn, position, RECEIVED_MS } from './journeys.ts';

const kindsOf = (text: string, known: readonly string[]): string[] =>
  oddAbout(anEvent(text), known.map(anEvent)).map(({ kind }) => kind);

describe('an event is too old', () => {
  it.each<[string, number, AnomalyKind[]]>([
    ['330 days before its receipt', 330, []],
    ['more than 330 days before its receipt', 330.01, ['tooOld']],
  ])('%s', (_, days, kinds) => {
    const atMs = RECEIVED_MS - days * 24 * 3_600_000;
    expect(oddAbout({ ...milestone('X3@1 08:00'), atMs }, []).map(({ kind }) => kind)).toEqual(kinds);
  });
});

const NO_LIMITS: AnomalyLimits = { aheadMs: Infinity, ageMs: Infinity, kmPerHour: Infinity, kmMin: 0 };

describe('an event is odd', () => {
  it.each<[why: string, event: string, known: string[], kinds: AnomalyKind[]]>([
    ['departed before the arrival', 'AF@1 08:00', ['X3@1 09:00'], ['outOfOrder', 'cameLate']],
    ['arrived after the departure', 'X3@1 09:00', ['AF@1 08:00'], ['outOfOrder']],
    ['loaded before the arrival', 'CP@1 08:00', ['X3@1 09:00'], ['outOfOrder', 'cameLate']],
    ['unloaded before the arrival', 'D1@2 08:00', ['X1@2 09:00'], ['outOfOrder', 'cameLate']],
    ['arrived at the dock after the departure', 'X8@1 09:00', ['AF@1 08:00'], ['outOfOrder']],
    ['left a terminal before the arrival', 'P1@2 08:00', ['X4@2 08:01'], ['outOfOrder', 'cameLate']],
    [
      'without stop numbers: same kind of stop, same place',
      'AF 08:00 Joliet, IL',
      ['X3 09:00 JOLIET, IL'],
      ['outOfOrder', 'cameLate'],
    ],
    ['delivered before anything was picked up', 'D1@2 08:00', ['X3@1 09:00'], ['outOfOrder']],
    ['picked up after the delivery', 'AF@1 09:00', ['D1@2 08:00'], ['outOfOrder']],
    ['delivered before anything was picked up, no stop numbers', 'X1 08:00', ['X3 09:00'], ['outOfOrder']],
    ['delivered before the pick-up at the same stop', 'D1@1 08:00', ['X3@1 09:00'], ['outOfOrder', 'cameLate']],
    ['delivered before the pick-up, which alone has a stop number', 'D1 08:00', ['X3@1 09:00'], ['outOfOrder']],
    ['arrived, told after the departure was sent', 'X3@1 08:00', ['AF@1 09:00'], ['cameLate']],
    ['damaged, told after the unloading was sent', 'A9@2 09:00', ['X1@2 08:00', 'D1@2 10:00'], ['cameLate']],
    ['a stop beyond the next one', 'X1@5 12:00', ['X3@1 08:00', 'X3@2 10:00'], ['stops']],
    ['a stop beyond the next one, numbered by tens', 'X1@50 12:00', ['X3@10 08:00', 'X3@20 10:00'], ['stops']],
    [
      'arrived again after a departure that no arrival came before',
      'X3@1 12:00',
      ['AF@1 08:00', 'X3@1 09:00'],
      ['outOfOrder'],
    ],
    ['too fast from the position before', '47.6,-122.3 09:00', ['41.5,-88.1 08:00'], ['speed']],
    ['too fast to the position behind it', '41.5,-88.1 08:00', ['47.6,-122.3 09:00'], ['speed']],
    ['two places at once', '47.6,-122.3 08:00', ['41.5,-88.1 08:00'], ['speed']],
    ['in the future', 'X3@1 2026-03-03T00:16', [], ['inFuture']],
    ['a position in the future', '41.5,-88.1 2026-03-03T00:16', [], ['inFuture']],
    ['a mistyped year', 'X3@1 2025-03-02T08:00', [], ['tooOld']],
    ['a code of unknown meaning with a mistyped year', 'ZZ@1 2025-03-02T08:00', [], ['tooOld']],
  ])('%s: %s beside %j', (_why, event, known, kinds) => {
    expect(kindsOf(event, known)).toEqual(kinds);
  });
});

describe('an event is not odd', () => {
  it.each<[why: string, event: string, known: string[]]>([
    ['the first of its load', 'CD@7 08:00', []],
    ['departed after the arrival', 'AF@1 09:00', ['X3@1 08:00']],
    ['departed in the minute of the arrival', 'AF@1 08:00', ['X3@1 08:00']],
    ['departed, and the arrival was never told', 'AF@1 09:00', []],
    ['arrived at another stop after a departure', 'X4@2 09:00', ['AF@1 08:00']],
    ['came back to the stop it had left', 'X3@1 12:00', ['X3@1 08:00', 'AF@1 09:00']],
    ['came back to the stop it had left in the minute of its arrival', 'X3@1 12:00', ['X3@1 08:00', 'AF@1 08:00']],
    ['left it for the second time', 'AF@1 13:00', ['X3@1 08:00', 'AF@1 09:00', 'X3@1 12:00']],
    ['without stop numbers: another place', 'AF 08:00 Toledo, OH', ['X3 09:00 Joliet, IL']],
    ['without stop number and place: the stop cannot be told', 'AF 08:00', ['X3 09:00']],
    ['a later pick-up, a delivery in between', 'X3@3 12:00', ['X3@1 08:00', 'D1@2 10:00']],
    ['a later pick-up, without stop numbers', 'X3 12:00', ['X3 08:00', 'X1 10:00']],
    ['a pick-up at a stop behind the delivery, the first one never told', 'X3@3 12:00', ['D1@2 10:00']],
    ['an earlier pick-up told after the delivery', 'X3@1 08:00', ['D1@2 10:00']],
    ['an estimate from before the arrival', 'X2@2 15:00', ['X1@2 16:00']],
    ['arrived before the time that was estimated', 'X1@2 14:00', ['X2@2 15:00']],
    ['an appointment for tomorrow', 'AB@2 2026-03-04T08:00', []],
    ['an estimate for tomorrow', 'AG@2 2026-03-04T08:00', []],
    ['a delay that names tomorrow', 'SD@2 2026-03-04T08:00', []],
    ['a code of unknown meaning beside any order', 'ZZ@1 07:00', ['X3@1 08:00', 'AF@1 09:00']],
    ['a code of unknown meaning for tomorrow', 'ZZ@1 2026-03-04T08:00', []],
    ['the next stop', 'X1@3 12:00', ['X3@1 08:00', 'X3@2 10:00']],
    ['a second stop, whatever its number: how stops are numbered is not known', 'X1@9 12:00', ['X3@1 08:00']],
    ['a stop before those known, told late', 'X3@1 07:00', ['X3@3 08:00', 'X3@4 10:00']],
    ['within the clocks’ difference ahead', 'X3@1 2026-03-03T00:15', []],
    ['ten months back', 'X3@1 2025-05-02T08:00', []],
    ['as fast as a truck', '41.5,-87.0 09:00', ['41.5,-88.1 08:00']],
    ['a receiver that strays', '41.53,-88.1 08:00', ['41.5,-88.1 08:00']],
    ['another vehicle', '47.6,-122.3 09:00 VIN2', ['41.5,-88.1 08:00 VIN1']],
    ['a position beside a milestone', '41.5,-88.1 07:00', ['X3@1 08:00', 'AF@1 09:00']],
  ])('%s: %s beside %j', (_why, event, known) => {
    expect(kindsOf(event, known)).toEqual([]);
  });

  it('a quarter of an hour ahead to the very millisecond, and behind that it is', () => {
    const event = milestone('X3@1 2026-03-03T00:15');
    expect(oddAbout(event, [], { acceptedAtMs: RECEIVED_MS })).toEqual([]);
    expect(oddAbout(event, [], { acceptedAtMs: RECEIVED_MS - 1 }).map(({ kind }) => kind)).toEqual(['inFuture']);
  });

  it('as fast as it may be, counted by the hour, and beyond that it is', () => {
    const [from, to] = [position('41.5,-88.1 08:00'), position('47.6,-122.3 09:00')];
    const kmPerHour = distanceKm(from.position!, to.position!);
    const odd = (most: number) =>
      anomaliesOf(
        to,
        knowing([from]),
        { acceptedAtMs: RECEIVED_MS, isRetry: false },
        {},
        { ...NO_LIMITS, kmPerHour: most },
      );
    expect(odd(kmPerHour)).toEqual([]);
    expect(odd(kmPerHour - 0.001)).toMatchObject([{ kind: 'speed', kmPerHour: 2769 }]);
  });

  it('for coming late, where it comes late because it was retried', () => {
    const known = [milestone('X3@1 08:00'), milestone('AF@1 10:00')];
    expect(oddAbout(milestone('CP@1 09:00'), known).map(({ kind }) => kind)).toEqual(['cameLate']);
    expect(oddAbout(milestone('CP@1 09:00'), known, { isRetry: true })).toEqual([]);
  });

  it.each(ANOMALY_KINDS)('where %s is not looked at', (kind) => {
    const cases = {
      outOfOrder: ['X3@1 09:00', 'AF@1 08:00'],
      cameLate: ['X3@1 08:00', 'AF@1 09:00'],
      stops: ['X1@9 12:00', 'X3@1 08:00', 'X3@2 10:00'],
      speed: ['47.6,-122.3 09:00', '41.5,-88.1 08:00'],
      inFuture: ['X3@1 2026-03-09T08:00'],
      tooOld: ['X3@1 2020-03-09T08:00'],
    };
    const [event, ...known] = cases[kind].map(anEvent);
    expect(oddAbout(event!, known).map((odd) => odd.kind)).toEqual([kind]);
    expect(oddAbout(event!, known, { policy: { [kind]: 'off' } })).toEqual([]);
  });
});

describe('a journey', () => {
  it('that is sound surprises nobody', () => {
    const events = ['X3@1 08:00', 'X8@1 08:20', 'L1@1 08:30', 'CP@1 09:10', 'AF@1 09:20', 'X6@2 11:00', 'X2@2 13:00'];
    const rest = ['X1@2 12:50', 'X5@2 13:05', 'D1@2 14:00', 'CD@2 14:10'];
    expect(oddInTurn([...events, ...rest].map(anEvent)).flat()).toEqual([]);
  });
  it('of a stop that was left in the minute of the arrival surprises nobody, in either order', () => {
    expect(oddInTurn(['X3@1 09:00', 'AF@1 09:00'].map(anEvent)).flat()).toEqual([]);
    expect(oddInTurn(['AF@1 09:00', 'X3@1 09:00'].map(anEvent)).flat()).toEqual([]);
  });
  it('of several pick-ups and deliveries that is sound surprises nobody', () => {
    const events = ['X3@1 06:00', 'AF@1 07:00', 'X1@2 08:00', 'D1@2 09:00', 'X3@3 10:00', 'AF@3 11:00', 'X1@4 12:00'];
    expect(oddInTurn(events.map(anEvent)).flat()).toEqual([]);
  });
});

describe('what is odd', () => {
  it('has a code, both values, and what to do, in words', () => {
    const words = oddAbout(milestone('X3@1 09:00'), [milestone('AF@1 08:00')]).map(anomalyMessage);
    expect(words).toEqual([
      {
        code: 'sequence_suspicious',
        kind: 'outOfOrder',
        value: 'X3 of stop 1 at 2026-03-02 09:00 UTC',
        other: 'AF of stop 1 at 2026-03-02 08:00 UTC',
        message:
          'X3 of stop 1 at 2026-03-02 09:00 UTC and AF of stop 1 at 2026-03-02 08:00 UTC cannot both be: something happened at the stop before the arrival there.',
        fix: 'Check the status, the stop number, the time and its zone of both events; correct the one that is wrong and send it again.',
      },
    ]);
  });

  it.each([
    ['D1@2 08:00', ['X3@1 09:00'], 'sequence_suspicious', /picked up/],
    ['X3@1 08:00', ['AF@1 09:00'], 'sequence_suspicious', /a later event of the same stop, was sent/],
    ['X1@5 12:00', ['X3@1 08:00', 'X3@2 10:00'], 'sequence_suspicious', /stops 1, 2/],
    [
      '47.6,-122.3 09:00',
      ['41.5,-88.1 08:00'],
      'sequence_suspicious',
      /position 47.6, -122.3 at .* 2769 km apart, .* at 2769 km\/h/,
    ],
    ['47.6,-122.3 10:00', ['41.5,-88.1 08:00'], 'sequence_suspicious', /2769 km apart, .* at 138[45] km\/h/],
    ['47.6,-122.3 08:00', ['41.5,-88.1 08:00'], 'sequence_suspicious', /2769 km apart, yet are of the same time/],
    ['X3@1 2026-03-03T09:00', [], 'time_in_future', /ahead of .*2026-03-03 00:00 UTC/],
    ['X3@1 2024-03-03T09:00', [], 'time_too_old', /long before/],
  ])('is told of %s beside %j', (event, known, code, words) => {
    const [odd] = oddAbout(anEvent(event), known.map(anEvent)).map(anomalyMessage);
    expect(odd).toMatchObject({ code, message: expect.stringMatching(words), fix: expect.stringMatching(/\S{3}/) });
    expect(odd?.value).not.toBe('');
    expect(odd?.other).not.toBe('');
  });

  it('is a reason not to send where the mapping says so of its kind, and nothing else is', () => {
    const odd = oddAbout(milestone('AF@1 08:00'), [milestone('X3@1 09:00')]);
    expect(odd.map(({ kind }) => kind)).toEqual(['outOfOrder', 'cameLate']);
    expect(refusalOf(odd, {}, false)).toBeNull();
    expect(refusalOf(odd, { inFuture: 'reject', stops: 'reject' }, false)).toBeNull();
    expect(refusalOf(odd, { cameLate: 'reject' }, false)).toBe('sequence_suspicious');
    expect(refusalOf(odd, { outOfOrder: 'reject' }, false)).toBe('sequence_suspicious');
    const early = oddAbout(milestone('X3@1 2026-03-04T09:00'), []);
    expect(refusalOf(early, { inFuture: 'reject' }, false)).toBe('time_in_future');
    expect(refusalOf(oddAbout(milestone('X3@1 2020-03-04T09:00'), []), { tooOld: 'reject' }, false)).toBe(
      'time_too_old',
    );
  });

  it('is never a reason for what is sent on request', () => {
    const odd = oddAbout(milestone('X3@1 2026-03-04T09:00'), []);
    expect(refusalOf(odd, { inFuture: 'reject' }, true)).toBeNull();
    expect(odd.map(anomalyCode)).toEqual(['time_in_future']);
  });
});

describe('what a request says of a journey', () => {
  it('is read from its body alone', () => {
    expect(journeyEvent('milestone', JSON.stringify(aBody()))).toMatchObject({
      what: 'X3',
      atMs: Date.UTC(2026, 2, 2, 14, 15),
      stop: null,
      happened: true,
      phase: 'arrival',
      role: 'pickup',
      stopKey: null,
    });
    const plain = { load_id: 'L1', milestone_type: 'ARRIVED', event_time: '2026-03-02T08:00:00Z' };
    expect(journeyEvent('loadMilestoneEvent', JSON.stringify(plain))).toMatchObject({
      what: 'ARRIVED',
      happened: false,
    });
    expect(position('41.5,-88.1 08:00 VIN1')).toMatchObject({ what: 'position', resource: 'VIN1', stopKey: null });
  });
  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"eventCode":"X3"}',
    '{"eventCode":"X3","time":{"dateTime":"soon"}}',
    '{"traces":[]}',
    '{"traces":[{}]}',
  ])('is nothing where the body is %j', (body) => {
    for (const kind of ['milestone', 'trace', 'loadMilestoneEvent', 'order.create'] as const) {
      expect(journeyEvent(kind, body)).toBeNull();
    }
  });
});

describe('the table of codes', () => {
  it('keeps what is easily confused apart', () => {
    expect(EVENT_CLASSES.get('X3')).toEqual({ class: 'arrive', role: 'pickup' });
    expect(EVENT_CLASSES.get('X1')).toEqual({ class: 'arrive', role: 'delivery' });
    expect(EVENT_CLASSES.get('X4')).toEqual({ class: 'arrive', role: 'terminal' });
    expect(EVENT_CLASSES.get('AI')).toEqual({ class: 'exception', role: null });
    expect(EVENT_CLASSES.has('LY')).toBe(false);
  });
  it('says of each code what it means and what its stop is for, and knows no other', () => {
    const told = Map.groupBy(EVENT_CLASSES, ([, { class: eventClass, role }]) => `${eventClass} ${role ?? 'anywhere'}`);
    expect(Object.fromEntries([...told].map(([what, codes]) => [what, codes.map(([code]) => code).join(' ')]))).toEqual(
      {
        'arrive pickup': 'X3',
        'arrive-dock pickup': 'X8',
        'loading pickup': 'L1',
        'loaded pickup': 'CP',
        'depart pickup': 'AF',
        'in-transit anywhere': 'X6',
        'arrive terminal': 'X4',
        'depart terminal': 'P1',
        'arrive delivery': 'X1',
        'arrive-dock delivery': 'X5',
        'delivered delivery': 'D1',
        'depart delivery': 'CD',
        'eta anywhere': 'X2 AG E1 B6 C1',
        'delay anywhere': 'SD',
        'exception anywhere': 'AP A7 A9 A3 AI AH',
        'cancel anywhere': 'CA',
        'info anywhere': 'XB',
        'handover anywhere': 'J1 R1 BA',
        'gate anywhere': 'I1 OA',
        'appointment anywhere': 'AA AB AC ED LD EP LP X9 XA',
      },
    );
  });
  it('knows which codes say that something was so', () => {
    const planned = [...EVENT_CLASSES].filter(([, each]) => !hasHappened(each)).map(([code]) => code);
    expect(planned).toEqual(['X2', 'AG', 'E1', 'B6', 'C1', 'SD', 'AA', 'AB', 'AC', 'ED', 'LD', 'EP', 'LP', 'X9', 'XA']);
    const after = [...EVENT_CLASSES].filter(([, each]) => phaseOf(each) === 'after').map(([code]) => code);
    expect(after).toEqual(['L1', 'CP', 'AF', 'P1', 'D1', 'CD']);
  });
});

it.each([
  [{ latitude: 41.5, longitude: -88.1 }, { latitude: 41.5, longitude: -88.1 }, 0],
  [{ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }, 20_015],
  [{ latitude: 90, longitude: 12 }, { latitude: -90, longitude: 77 }, 20_015],
  [{ latitude: 0, longitude: 179.5 }, { latitude: 0, longitude: -179.5 }, 111],
  [{ latitude: 51.4778, longitude: -0.0014 }, { latitude: 48.8566, longitude: 2.3522 }, 336],
])('the way from %j to %j is %i km', (one, other, km) => {
  expect(Math.round(distanceKm(one, other))).toBe(km);
});

it('measures from the moment it came in', () => {
  const late = { acceptedAtMs: RECEIVED_MS + 86_400_000 };
  expect(oddAbout(milestone('X3@1 2026-03-03T08:00'), [], late)).toEqual([]);
});
