/** The page of a load: what a person reads in each case, and that nothing of a file becomes markup. */
import { describe, expect, it } from 'vitest';
import { grouped, loadPages } from '../../../src/console/pages/orders/loads.tsx';
import { projection, STOP_APART_MS_MAX, stopsAmong, thinned } from '../../../src/console/parts/route-map.tsx';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import { type LoadEventView, type LoadView, rowLocation } from '../../../src/http/views/load.ts';
import { BATCH_ID } from '../batch/samples.ts';
import { aLoadEvent, aLoadView, OWN } from '../http/loads.ts';
import { drawn, refusal, textOf } from './drawn.ts';

const draw = (load: LoadView, query = ''): Promise<string> =>
  drawn(loadPages, { path: `/loads/L1${query}`, answers: { '/v1/loads/L1': load } });
const pageOf = (...events: Partial<LoadEventView>[]): Promise<string> =>
  draw(aLoadView({ events: events.map(aLoadEvent) }));

const position = (minute: number, latitude = 41, longitude = -88): Partial<LoadEventView> => ({
  kind: 'trace',
  what: 'position',
  time: `2026-03-02T08:${String(minute).padStart(2, '0')}:00.0000000-06:00`,
  stop: null,
  place: null,
  position: { latitude, longitude },
});

describe('the page of a load', () => {
  it('tells of each event what it is, when it was in its own zone, what became of it and where it came from', async () => {
    const html = await pageOf({});
    const text = textOf(html);
    for (const fact of [
      'Arrived, pickup X3',
      'stop 1 · Joliet, IL',
      '2026-03-02 14:15 UTC 08:15 -06:00',
      ROW_MESSAGES.delivered.label,
      'status 200',
      '1 attempt',
      'row 7 of batch b_01kjp…000aa',
      '1,234 ms',
      '{"id":"c-1"}',
    ]) {
      expect(text, fact).toContain(fact);
    }
    expect(html).toContain('datetime="2026-03-02T14:16:00.000Z"');
    expect(html).toContain(`href="/console/batches/${BATCH_ID}?state=all&amp;after=6&amp;row=7"`);
    expect(html).toContain('<title>Load L1 – Transload</title>');
    expect(html).not.toMatch(/\son\w+=|javascript:|style="/);
    expect(text).not.toMatch(/\[object|undefined|null|NaN/);
  });

  it('tells why an event is not there yet, and until when it waits for its load', async () => {
    const html = await pageOf({
      state: 'waiting',
      reason: 'load_unknown',
      nextAt: '2026-03-02T15:00:00.000Z',
      waitsForLoadUntil: '2026-03-03T14:15:30.000Z',
    });
    expect(textOf(html)).toContain(REASON_MESSAGES.load_unknown);
    expect(html).toContain('datetime="2026-03-02T15:00:00.000Z"');
    expect(textOf(html)).toContain('Waits until its load is known, 2026-03-03 14:15:30 UTC at the latest.');
  });

  it('marks what is late, may be doubled, was sent again, or is odd', async () => {
    const warning = {
      code: 'sequence_suspicious',
      kind: 'stops',
      value: 'v',
      other: 'o',
      message: 'Strange stop.',
      fix: 'Check it.',
    } as const;
    const from = { ...rowLocation(OWN, BATCH_ID, 7, 1), generation: 2 };
    const text = textOf(await pageOf({ late: true, possibleDuplicate: true, from, warnings: [warning] }));
    for (const fact of [
      '· late',
      'may have arrived twice',
      'sent 2 times',
      'Strange stop. Check it. (sequence_suspicious)',
    ])
      expect(text, fact).toContain(fact);
  });

  it('shows what a refused event was answered without a click, and nothing of the kind for a delivered one', async () => {
    const answer = '{"message":"The load is closed."}';
    const refused = await pageOf({ state: 'rejected', status: 422, answer, tries: [] });
    expect(textOf(refused)).toContain('The receiving system answered 422: “The load is closed.”');
    expect(textOf(refused)).toContain('send it corrected. If it is right, ask the operator.');
    expect(textOf(await pageOf({ state: 'rejected', status: 422, answer: '{"id":1}', tries: [] }))).toContain(
      'answered 422, without a reason in words.',
    );
    expect(textOf(await pageOf({ answer }))).not.toContain('answered');
  });

  it('says first how many events are odd, late or doubled', async () => {
    const { counts } = aLoadView();
    const load = aLoadView({ counts: counts && { ...counts, warned: 2, late: 1, possibleDuplicates: 1 } });
    const text = textOf(await draw(load));
    expect(text).toContain('2 events contradict others of this load: see below.');
    expect(text).toContain('1 event was sent late.');
    expect(text).toContain('1 event may have arrived twice: it was sent again after no clear answer.');
    expect(textOf(await draw(aLoadView()))).not.toContain('contradict');
  });

  it('names the request that an event travels in, or repeats', async () => {
    const into = { ...rowLocation(OWN, BATCH_ID, 3, 1), state: 'delivered' as const };
    const text = textOf(await pageOf({ state: 'coalesced', into }));
    expect(text).toContain('sent together with row 3 of batch b_01kjp…000aa');
    expect(text, 'its end is that of the other').toContain(ROW_MESSAGES.delivered.label);
    expect(textOf(await pageOf({ state: 'duplicate', into }))).toContain('the same as row 3 of batch b_01kjp…000aa');
  });

  it('offers the other order, the whole as CSV, and the next events', async () => {
    const html = await draw(aLoadView({ next: '/v1/loads/L1?scac=ABCD&order=event&limit=60&cursor=event~1~2' }));
    expect(html).toContain('href="/console/loads/L1?scac=ABCD&amp;order=sent"');
    expect(html).toContain('href="/console/loads/L1/events.csv?scac=ABCD&amp;order=event"');
    expect(html).toContain('href="/console/loads/L1?scac=ABCD&amp;order=event&amp;cursor=event%7E1%7E2"');
    const later = await draw(aLoadView({ order: 'sent', counts: null }), '?order=sent&cursor=sent~1~2');
    expect(later).toContain('href="/console/loads/L1?scac=ABCD&amp;order=event"');
    expect(textOf(later)).toContain('Show the first');
    expect(textOf(later)).not.toContain('Milestones');
  });

  it('shows what a file or an answer says as text', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const html = await drawn(loadPages, {
      path: `/loads/${encodeURIComponent(evil)}`,
      who: 'viewer',
      answers: {
        [`/v1/ops/loads/${evil}`]: aLoadView({
          loadNumber: evil,
          scac: evil,
          events: [aLoadEvent({ what: evil, place: evil, state: 'rejected', body: { [evil]: evil } })],
        }),
      },
    });
    expect(html).not.toContain('<img');
    expect(html.match(/&lt;img/g)?.length).toBeGreaterThan(5);
    expect(html).toContain(`/console/loads/${encodeURIComponent(evil)}`);
  });

  it('that is asked back offers each SCAC, for operators with its partner', async () => {
    const many = refusal(409, 'load_ambiguous', { scacs: ['ABCD', 'WXYZ'] });
    const html = await drawn(loadPages, { path: '/loads/L%2F1', answers: { '/v1/loads/L/1': many } });
    for (const scac of ['ABCD', 'WXYZ']) expect(html).toContain(`href="/console/loads/L%2F1?scac=${scac}"`);
    const among = [{ partner: 'acme', scac: 'ABCD' }];
    const ops = { '/v1/ops/loads/L1': refusal(409, 'load_ambiguous', { scacs: ['ABCD'], among }) };
    const asked = await drawn(loadPages, { path: '/loads/L1', who: 'viewer', answers: ops });
    expect(asked).toContain('href="/console/loads/L1?environment=test&amp;scac=ABCD&amp;partner=acme"');
  });
});

describe('positions of a load', () => {
  it('are one line where they follow each other and went the same way', () => {
    const events = [position(1), position(2), {}, position(3), position(4), { ...position(5), late: true }].map(
      aLoadEvent,
    );
    expect(grouped(events).map(({ length }) => length)).toEqual([2, 1, 2, 1]);
  });

  it('are drawn with the stops, and told as a table', async () => {
    const { counts } = aLoadView();
    const events = [position(0), aLoadEvent(), position(30, 41.5, -88.5)].map(aLoadEvent);
    const html = await draw(aLoadView({ events, counts: counts && { ...counts, positions: 2 } }));
    expect(html).toContain('aria-label="The way of load L1: 2 positions, 1 stop"');
    expect(html).toContain('<title>Stop 1: Arrived, pickup, Joliet, IL</title>');
    expect(textOf(html)).toContain('2026-03-02 14:30 UTC 41.5 -88.5');
    expect(await draw(aLoadView())).not.toContain('<svg class="map"');
  });

  it('tell where a stop is by the time of its first event, if one is near', () => {
    const points = [0, 60_000].map((atMs, index) => ({ atMs, latitude: 40 + index, longitude: -90 }));
    const at = (atMs: number, stop = 1) => ({ stop, atMs, text: 'there' });
    expect(stopsAmong(points, [at(30_000)])).toMatchObject([{ label: '1', latitude: 40.5, longitude: -90 }]);
    expect(stopsAmong(points, [at(60_000 + STOP_APART_MS_MAX), at(60_001 + STOP_APART_MS_MAX, 2)])).toHaveLength(1);
    expect(stopsAmong(points, [at(60_000), at(0)])).toMatchObject([{ latitude: 40 }]);
    expect(stopsAmong([], [at(0)])).toEqual([]);
  });

  it('are thinned evenly, with the first and the last', () => {
    expect(thinned([0, 1, 2, 3, 4, 5, 6], 3)).toEqual([0, 3, 6]);
    expect(thinned([1, 2], 3)).toEqual([1, 2]);
  });

  it.each([
    ['one place', [[41, -88]]],
    [
      'both sides of the date line',
      [
        [60, 179],
        [60, -179],
      ],
    ],
    [
      'a pole',
      [
        [89.9, 0],
        [89.9, 90],
      ],
    ],
    [
      'the whole earth',
      [
        [-90, -180],
        [90, 0],
      ],
    ],
  ])('lie inside the drawing: %s', (_, places) => {
    const points = places.map(([latitude = 0, longitude = 0]) => ({ atMs: 0, latitude, longitude }));
    for (const { x, y } of points.map(projection(points))) {
      expect(x).toBeGreaterThanOrEqual(20);
      expect(x).toBeLessThanOrEqual(580);
      expect(y).toBeGreaterThanOrEqual(20);
      expect(y).toBeLessThanOrEqual(320);
    }
  });

  it('have north above south and east right of west', () => {
    const points = [
      { atMs: 0, latitude: 40, longitude: -90 },
      { atMs: 0, latitude: 41, longitude: -89 },
    ];
    const [southWest, northEast] = points.map(projection(points));
    expect(northEast?.y).toBeLessThan(southWest?.y ?? 0);
    expect(northEast?.x).toBeGreaterThan(southWest?.x ?? 0);
  });
});
