/** Events that contradict what their load knows: warned of, or refused where the mapping says so; judged once, and for good. */

import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Anomaly } from '../../../src/delivery/events/anomalies.ts';
import { JOURNAL } from '../../../src/kernel/journal-table.ts';
import type { Cell, Rows } from '../../../src/kernel/row-journal.ts';
import type { AnomalyPolicy } from '../../../src/mapping/document/delivery-spec.ts';
import type { DispatchedRequest } from '../../../src/tracking/request.ts';
import { SUBJECT_TABLES } from '../../../src/tracking/store/migrations.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { asking, loadUnknown, requestsOf } from '../delivery-rules.ts';
import { aLoad, type LoadUnderTest } from '../loads.ts';
import { tablesOf } from '../rows.ts';
import { pointBody, pointsIn } from '../traces.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

/** Some hours ago, whatever the date is, so that nothing here is in the future or too old. */
const dayStart = Math.floor((Date.now() - 86_400_000) / 86_400_000) * 86_400_000;
const at = (time: string, days = 0): string => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return `${new Date(dayStart + days * 86_400_000 + (hour * 60 + minute) * 60_000).toISOString().slice(0, -1)}0000+00:00`;
};
const timeOf = (dateTime: string) => ({ dateTime, timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' });

/** `AF@1 08:00` as a body. */
function body(load: LoadUnderTest, text: string, days = 0): string {
  const [, eventCode, stop, time = ''] = /^(\w+)@(\d+) ([\d:]+)$/.exec(text) ?? [];
  const { loadNumber } = load.identity;
  return JSON.stringify({ loadNumber, eventCode, time: timeOf(at(time, days)), stopsequenceNumber: Number(stop) });
}

const events = (
  load: LoadUnderTest,
  texts: readonly string[],
  more: Partial<DispatchedRequest> = {},
): DispatchedRequest[] =>
  texts.map((text, index) => {
    const batchId = more.batchId ?? 'b_1';
    return load.request(index + 1, { key: `${batchId}/${index + 1}/1`, body: body(load, text), ...more });
  });
const dispatch = (load: LoadUnderTest, texts: readonly string[], more?: Partial<DispatchedRequest>) =>
  load.stub().enqueue(load.identity, events(load, texts, more));

const policy = (surprises: AnomalyPolicy) => asking({ surprises });
const kindsOf = async (load: LoadUnderTest): Promise<string[][]> =>
  (await requestsOf(load)).map(({ surprises }) =>
    surprises === null ? [] : (JSON.parse(surprises) as Anomaly[]).map(({ kind }) => kind),
  );
const codesSent = (left: readonly { body: string }[]): string[] =>
  left.map(({ body: text }) => (JSON.parse(text) as { eventCode: string }).eventCode);

describe('an odd event', () => {
  it('is sent as it is, with what is odd beside it', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await dispatch(load, ['AF@1 08:00', 'X3@1 09:00', 'X1@2 12:00']);
    await load.reaches('delivered', 'delivered', 'delivered');
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder'], []]);
    expect(codesSent(left)).toEqual(['AF', 'X3', 'X1']);
    const [, second] = await requestsOf(load);
    expect(JSON.parse(second?.surprises ?? '')).toMatchObject([
      { rule: 'before_arrival', event: { what: 'X3', stop: 1 }, other: { what: 'AF', stop: 1 } },
    ]);
  });

  it('is not sent where its mapping refuses such, is no knowledge, and the next ones go', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await dispatch(load, ['X3@1 09:00', 'AF@1 08:00', 'CP@1 10:00', 'AF@1 11:00'], policy({ outOfOrder: 'reject' }));
    await load.reaches('delivered', 'dead', 'delivered', 'delivered');
    expect(codesSent(left)).toEqual(['X3', 'CP', 'AF']);
    expect((await requestsOf(load))[1]).toMatchObject({
      reason: 'sequence_suspicious',
      outcome: 'not_applied',
      attempts: 0,
      first_tried_at_ms: null,
    });
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder', 'cameLate'], [], []]);
  });

  it.each([
    ['X3@1 09:00', 9, 'time_in_future', { inFuture: 'reject' }],
    ['X3@1 09:00', -400, 'time_too_old', { tooOld: 'reject' }],
  ] as const)('is refused for its time alone: %s, %i days on', async (text, days, reason, surprises) => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const request = load.request(1, { body: body(load, text, days), ...policy(surprises) });
    await load.stub().enqueue(load.identity, [request]);
    await load.reaches('dead');
    expect((await requestsOf(load))[0]).toMatchObject({ reason, outcome: 'not_applied' });
    expect(left).toEqual([]);
  });

  it('is sent on request, whatever its mapping refuses, and warned of', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await dispatch(load, ['X3@1 09:00', 'AF@1 08:00'], { forced: true, ...policy({ outOfOrder: 'reject' }) });
    await load.reaches('delivered', 'delivered');
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder', 'cameLate']]);
  });

  it('is not looked at where its mapping says off', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await dispatch(load, ['X3@1 09:00', 'AF@1 08:00'], policy({ outOfOrder: 'off', cameLate: 'off' }));
    await load.reaches('delivered', 'delivered');
    expect(await kindsOf(load)).toEqual([[], []]);
  });

  it('is judged with its first turn, and no later: neither a restart nor a repeat changes what was said', async () => {
    const upstream = upstreamAnswers(429);
    const load = aLoad();
    await dispatch(load, ['AF@1 08:00']);
    await load.freezeIn('waiting');
    await dispatch(load, ['AF@1 08:00', 'X3@1 09:00']);
    await evictDurableObject(load.stub());
    await load.wake();
    expect(await kindsOf(load), 'the second has not had its turn').toEqual([[], []]);
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'delivered');
    await evictDurableObject(load.stub());
    await dispatch(load, ['AF@1 08:00', 'X3@1 09:00']);
    await load.wake();
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder']]);
    expect(codesSent(upstream.left).slice(-2)).toEqual(['AF', 'X3']);
  });

  it('keeps what was said of it when its sending is interrupted and repeated', async () => {
    const held = heldAnswer();
    const upstream = upstreamAnswers(200, held.answer);
    const load = aLoad();
    await dispatch(load, ['AF@1 08:00', 'X3@1 09:00']);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), { timeout: 10_000 });
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder']]);
    upstream.answer(200);
    held.release(500);
    await load.reaches('delivered', 'delivered');
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder']]);
  });

  it('is none beside one that the receiving system refused, or that was withdrawn', async () => {
    const upstream = upstreamAnswers(422, 200);
    const load = aLoad();
    await dispatch(load, ['AF@1 08:00']);
    await load.reaches('rejected');
    upstream.answer(loadUnknown);
    await dispatch(load, ['CP@1 08:00'], { batchId: 'b_2', ...asking({ loadWaitMs: 3_600_000 }) });
    await load.reaches('rejected', 'waiting');
    await load.stub().cancel('b_2');
    upstream.answer(200);
    await dispatch(load, ['X3@1 09:00'], { batchId: 'b_3' });
    await load.reaches('rejected', 'cancelled', 'delivered');
    expect(await kindsOf(load)).toEqual([[], [], []]);
  });

  it('is judged anew when it is retried, and is not blamed for coming late then', async () => {
    const upstream = upstreamAnswers(422, 200);
    const load = aLoad();
    await dispatch(load, ['X3@1 08:00', 'AF@1 09:00'], policy({ cameLate: 'reject' }));
    await load.reaches('rejected', 'delivered');
    const again = { key: 'b_1/1/1~2', generation: 2 };
    await dispatch(load, ['X3@1 08:00'], { ...again, ...policy({ cameLate: 'reject' }) });
    await load.reaches('rejected', 'delivered', 'delivered');
    expect(await kindsOf(load)).toEqual([[], [], []]);
    expect(codesSent(upstream.left)).toEqual(['X3', 'AF', 'X3']);
  });

  it('is found also beside events that were handed over before journeys were kept', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await dispatch(load, ['AF@1 08:00']);
    await load.reaches('delivered');
    await runInDurableObject(load.stub(), (instance, { storage: { sql } }) => {
      const { identity, request } = tablesOf(instance);
      sql.exec(`DROP TABLE ${JOURNAL}`);
      sql.exec(SUBJECT_TABLES);
      for (const { form, values } of [identity, request] as unknown as Rows<Record<string, Cell>>[]) {
        const columns = Object.keys(form.columns);
        const places = columns.map(() => '?').join(', ');
        for (const row of values()) {
          const cells = columns.map((column) => row[column] ?? null);
          sql.exec(`INSERT INTO ${form.name} (${columns.join(', ')}) VALUES (${places})`, ...cells);
        }
      }
    });
    await evictDurableObject(load.stub());
    await dispatch(load, ['AF@1 08:00', 'X3@1 09:00']);
    await load.reaches('delivered', 'delivered');
    expect(await kindsOf(load)).toEqual([[], ['outOfOrder']]);
  });
});

describe('an odd position', () => {
  const point = (load: LoadUnderTest, record: number, latitude: number, more: Partial<DispatchedRequest> = {}) => {
    const { traces } = JSON.parse(pointBody(load.identity.loadNumber, record)) as { traces: object[] };
    const time = timeOf(at(`08:0${record}`));
    const fields = {
      loadNumber: load.identity.loadNumber,
      traces: [{ ...traces[0], time, coordinate: { latitude, longitude: -88 } }],
    };
    return load.request(record, { kind: 'trace', live: true, body: JSON.stringify(fields), ...more });
  };

  it('travels with the others, and it and the one behind it say so', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const latitudes = [41, 41.01, 31, 41.02, 41.03];
    await load.stub().enqueue(
      load.identity,
      latitudes.map((latitude, index) => point(load, index + 1, latitude)),
    );
    await load.reaches('delivered', 'coalesced', 'coalesced', 'coalesced', 'coalesced');
    expect(pointsIn(left)).toEqual([[1, 2, 3, 4, 5]]);
    expect(await kindsOf(load)).toEqual([[], [], ['speed'], ['speed'], []]);
  });

  it('is left out where its mapping refuses such, and its neighbours travel', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const latitudes = [41, 41.01, 31, 41.02, 41.03];
    await load.stub().enqueue(
      load.identity,
      latitudes.map((latitude, index) => point(load, index + 1, latitude, policy({ speed: 'reject' }))),
    );
    await load.reaches('delivered', 'coalesced', 'dead', 'coalesced', 'coalesced');
    expect(pointsIn(left)).toEqual([[1, 2, 4, 5]]);
    expect((await requestsOf(load))[2]).toMatchObject({ reason: 'sequence_suspicious', outcome: 'not_applied' });
  });
});
