/** Messages that share a batch: each is read, answered, acknowledged and paid for by itself, whatever becomes of its neighbours. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import type { BatchRow, BatchSummary } from '../../../src/batch/report/summary.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { batchName, loadName, registerName, sourceKey } from '../../../src/kernel/names.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { loseAlarm } from '../watched.ts';
import { a214, arrival } from '../x12-files.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const EDI = { Accept: 'application/EDI-X12' };
const WAIT = { Prefer: 'wait=20' };

interface Outcome {
  batchId: string;
  message: number;
  state: string;
  rows: (Pick<BatchRow, 'record' | 'state' | 'position'> & { errors: { code: string }[] })[];
  rowCount: number;
  rowStates: Record<string, number>;
  problems: { code: string; file?: string }[];
  links: Record<string, string>;
}

const send = (partner: Partner, body: BodyInit, headers: Record<string, string> = {}, mapping = 'x12-214') =>
  partner.fetch(`/v1/messages?mapping=${mapping}`, { method: 'POST', body, headers });

const outcomeOf = async (answer: Promise<Response>): Promise<Outcome> => (await answer).json<Outcome>();

/** A CSV file as a message, and what became of it. */
const sendCsv = (partner: Partner, ...rows: string[]): Promise<Outcome> =>
  outcomeOf(send(partner, statusFile(...rows), WAIT, 'carrier-status-csv'));

const batchOf = (partner: Partner, batchId: string): DurableObjectStub<Batch> =>
  env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));

/** It says at once whether a batch is open. */
const registerKnows = (partner: Partner, state: string): Promise<void> =>
  vi.waitFor(async () => {
    const { batches } = await partner.getJson<{ batches: { state: string }[] }>('/v1/batches');
    expect(batches[0]?.state).toBe(state);
  }, PATIENCE);

/** @returns the id under which the first message's bytes are stored. */
const storedMessage = (batchId: string, partner: Partner): Promise<string | undefined> =>
  runInDurableObject(
    env.INTAKE_REGISTER.getByName(registerName({ environment: 'test', partner: partner.name })),
    (_, { storage }) =>
      storage.sql
        .exec<{ id: string }>('SELECT upload_id AS id FROM message WHERE batch_id = ? AND message = 1', batchId)
        .toArray()[0]?.id,
  );

describe('messages that share a batch', () => {
  it('are numbered, and their rows through all of them; each shows its own', async () => {
    const partner = await aPartner();
    const first = await sendCsv(partner, statusRow('A1'), statusRow('A2'));
    const second = await sendCsv(partner, statusRow('B1', { Status: 'Q9' }), statusRow('B2'));
    expect([first.batchId, first.message, second.message]).toEqual([second.batchId, 1, 2]);
    expect([first.rowStates, second.rowStates]).toEqual([{ delivered: 2 }, { delivered: 1, invalid: 1 }]);
    expect(second.rows.map(({ record, position }) => [record, position.line, position.file])).toEqual([
      [3, 2, 'message 2'],
      [4, 3, 'message 2'],
    ]);
    expect(await partner.getJson(second.links.self ?? '')).toEqual(second);
    const rows = await partner.getJson<{ rows: BatchRow[] }>(second.links.rows ?? '');
    expect(rows.rows.map(({ record }) => record)).toEqual([3, 4]);
  });

  it('are read from what came with them while they are short: storage keeps their bytes and is not asked for them', async () => {
    const partner = await aPartner();
    const read = vi.spyOn(env.FILES, 'get');
    const sent = await outcomeOf(send(partner, a214([{ load: 'S1' }]), WAIT));
    expect(sent.rowStates).toEqual({ delivered: 1 });
    const owner = { environment: 'test', partner: partner.name } as const;
    const source = sourceKey(owner, (await storedMessage(sent.batchId, partner)) ?? '');
    expect(read.mock.calls.map(([key]) => key)).not.toContain(source);
    expect(await (await partner.fetch(sent.links.source ?? '')).text()).toContain('S1');
    expect(read.mock.calls.map(([key]) => key)).toContain(source);
  });

  it('are one line of the list and one summary, which says how many they are', async () => {
    const partner = await aPartner();
    for (const load of ['A1', 'A2', 'A3']) await sendCsv(partner, statusRow(load));
    const { batches } = await partner.getJson<{ batches: BatchSummary[] }>('/v1/batches');
    expect(batches).toMatchObject([{ messages: 3, fileName: null, sha256: null }]);
    const summary = await partner.summary(batches[0]?.batchId ?? '');
    expect(summary).toMatchObject({ messages: 3, state: 'settled', rowStates: { delivered: 3 }, problems: [] });
    expect([summary.bytes, summary.bytesRead]).toEqual([batches[0]?.bytes, batches[0]?.bytes]);
    expect(summary.notes[0]).toMatch(/^Messages of \d{4}-\d\d-\d\d \(UTC\) share this batch/);
  });

  it('keep their exact bytes, each under its own address; the batch has none', async () => {
    const partner = await aPartner();
    const texts = [statusFile(statusRow('A1')), statusFile(statusRow('B1'))];
    const sent: Outcome[] = [];
    for (const text of texts) sent.push(await outcomeOf(send(partner, text, WAIT, 'carrier-status-csv')));
    for (const [index, { links }] of sent.entries()) {
      expect(await (await partner.fetch(links.source ?? '')).text()).toBe(texts[index]);
    }
    const whole = await partner.fetch(`/v1/batches/${sent[0]?.batchId}/source`);
    expect([whole.status, (await problemOf(whole)).code]).toEqual([404, 'source_not_offered']);
  });

  it('are acknowledged one by one, each with a control number of ours; the batch has no acknowledgment', async () => {
    const partner = await aPartner();
    const text = (control: number, load: string) => a214([{ load }, { load, events: [arrival('ZZ')] }], { control });
    const answers = [await send(partner, text(17, 'M1'), EDI), await send(partner, text(18, 'M2'), EDI)];
    const told = await Promise.all(answers.map((answer) => answer.text()));
    expect(told.map((each) => each.match(/AK1\*QM\*\d+|AK9\*[^~]+/g))).toEqual([
      ['AK1*QM*17', 'AK9*P*2*2*1'],
      ['AK1*QM*18', 'AK9*P*2*2*1'],
    ]);
    expect(told.map((each) => each.slice(90, 99))).toEqual(['000000001', '000000002']);
    const again = await partner.fetch(`${answers[0]?.headers.get('Location')}/acknowledgment`);
    expect(await again.text()).toBe(told[0]);
    const { batches } = await partner.getJson<{ batches: BatchSummary[] }>('/v1/batches');
    const whole = await partner.fetch(`/v1/batches/${batches[0]?.batchId}/acknowledgment`);
    expect((await problemOf(whole)).code).toBe('acknowledgment_not_offered');
  });

  it('that come at the same moment are all taken, and each has rows of its own', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const loads = Array.from({ length: 12 }, (_, index) => `S${index}`);
    const sent = await Promise.all(loads.map((load) => sendCsv(partner, statusRow(load))));
    expect(new Set(sent.map(({ batchId }) => batchId)).size).toBe(1);
    expect(sent.map(({ message }) => message).sort((a, b) => a - b)).toEqual(loads.map((_, index) => index + 1));
    expect(sent.map(({ rowStates }) => rowStates)).toEqual(loads.map(() => ({ delivered: 1 })));
    expect(sent.map(({ rows }) => rows[0]?.record).sort((a = 0, b = 0) => a - b)).toEqual(loads.map((_, i) => i + 1));
    expect(left).toHaveLength(12);
  });

  it('stand in one report, every row with its message, the columns of each under their own names', async () => {
    const partner = await aPartner();
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    await sendCsv(partner, statusRow('B1'), statusRow('B2', { Status: 'Q9' }));
    const csv = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    const lines = csv.trim().split('\r\n');
    const column = lines[0]?.split('","').indexOf('_file') ?? -1;
    expect(lines.slice(1).map((line) => line.split('","')[column])).toEqual(['message 1', 'message 2', 'message 2']);
    const { rows } = await partner.getJson<{ rows: BatchRow[] }>(`/v1/batches/${batchId}/report.json`);
    expect(rows.map(({ record, position }) => [record, position.file])).toEqual([
      [1, 'message 1'],
      [2, 'message 2'],
      [3, 'message 2'],
    ]);
    const corrections = await (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text();
    expect(corrections).toContain('B2');
    expect(corrections).not.toContain('A1');
  });

  it('are corrected in JSON by their own records', async () => {
    const partner = await aPartner();
    const event = (number: string, code: string) => ({
      ...{ load: { number }, status: { code }, occurredAt: '2026-03-02T08:15:00-06:00' },
    });
    const text = (...events: object[]) => JSON.stringify({ events });
    const sent = (body: string) => outcomeOf(send(partner, body, WAIT, 'carrier-events-json'));
    const { batchId } = await sent(text(event('J1', 'NOPE'), event('J2', 'NOPE')));
    await sent(text(event('J3', 'NOPE')));
    const answer = await partner.fetch(`/v1/batches/${batchId}/corrections`);
    const { events } = await answer.json<{ events: { _record: number; load: { number: string } }[] }>();
    expect(events.map(({ _record, load }) => [_record, load.number])).toEqual([
      [1, 'J1'],
      [2, 'J2'],
      [3, 'J3'],
    ]);
  });

  it('are shown on one page, every row with its message', async () => {
    const partner = await aPartner();
    await sendCsv(partner, statusRow('A1'));
    const { links } = await sendCsv(partner, statusRow('B1'));
    const batch = (links.console ?? '').replace(/\/messages.*/, '');
    const html = await (await partner.fetch(`${batch}?state=all`)).text();
    for (const words of ['Messages of ', 'message 1, line 2', 'message 2, line 2']) expect(html).toContain(words);
    expect(html).not.toContain('The file as received');
    const list = await (await partner.fetch(`${batch}/messages`)).text();
    expect(list).toMatch(/Message 1<\/a>[\s\S]*Message 2<\/a>/);
    const message = await (await partner.fetch(links.console ?? '')).text();
    expect(message).toContain('B1');
    expect(message).not.toContain('A1');
  });
});

describe('a message that cannot be read', () => {
  it('costs only itself: it says why, and its neighbours are delivered', async () => {
    const partner = await aPartner();
    const first = await sendCsv(partner, statusRow('A1'));
    const answer = await send(partner, 'nothing\nthat fits', WAIT, 'carrier-status-csv');
    const broken = await answer.json<Outcome>();
    expect([answer.status, broken.state, broken.message]).toEqual([422, 'unreadable', 2]);
    expect(broken.problems[0]).toMatchObject({ file: 'message 2', code: expect.any(String) });
    const third = await sendCsv(partner, statusRow('C1'));
    expect(third.rowStates).toEqual({ delivered: 1 });
    const summary = await partner.summary(first.batchId);
    expect(summary).toMatchObject({ state: 'settled', messages: 3, rowStates: { delivered: 2 } });
    expect(new Set(summary.problems.map(({ file }) => file))).toEqual(new Set(['message 2']));
    expect(summary.notes.join()).toContain('1 of its messages could not be read (2)');
    const csv = await (await partner.fetch(`/v1/batches/${first.batchId}/report.csv`)).text();
    expect(csv.trim().split('\r\n')).toHaveLength(1 + 2 + broken.problems.length);
    const bytes = await partner.fetch(`/v1/messages/${first.batchId}/2/source`);
    expect(await bytes.text()).toBe('nothing\nthat fits');
  });

  it('has no acknowledgment, and is told so', async () => {
    const partner = await aPartner();
    const answer = await send(partner, 'no interchange', { ...EDI, ...WAIT });
    expect([answer.status, (await answer.json<Outcome>()).state]).toEqual([422, 'unreadable']);
    const acknowledgment = await partner.fetch(`${answer.headers.get('Location')}/acknowledgment`);
    expect((await problemOf(acknowledgment)).code).toBe('acknowledgment_impossible');
  });

  it('may be sent again under its key; one that could be read is known', async () => {
    const partner = await aPartner();
    const key = { 'Idempotency-Key': 'message-1', ...WAIT };
    const broken = await outcomeOf(send(partner, 'nothing\nthat fits', key, 'carrier-status-csv'));
    await vi.waitFor(async () => {
      const right = await send(partner, statusFile(statusRow('A1')), key, 'carrier-status-csv');
      expect(right.status).toBe(200);
      expect((await right.json<Outcome>()).message).toBe(broken.message + 1);
    }, PATIENCE);
  });

  it('as an interchange of which nothing was taken may be sent again under its control number', async () => {
    const partner = await aPartner();
    await send(partner, a214([{ load: 'M0' }], { control: 16 }), WAIT);
    await send(partner, a214([{ load: 'M1', events: [arrival('ZZ')] }]), WAIT);
    await vi.waitFor(async () => {
      const again = await send(partner, a214([{ load: 'M1' }]), WAIT);
      expect([again.status, (await again.json<Outcome>()).rowStates]).toEqual([200, { delivered: 1 }]);
    }, PATIENCE);
    const repeated = await send(partner, a214([{ load: 'M0' }], { control: 16 }), WAIT);
    const { batches } = await partner.getJson<{ batches: BatchSummary[] }>('/v1/batches');
    expect((await problemOf(repeated)).fix).toContain(`GET /v1/messages/${batches[0]?.batchId}/1 says`);
  });
});

describe('a message that waits for its turn', () => {
  it('is told of as being read, and its acknowledgment is not ready', async () => {
    const partner = await aPartner();
    vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
    await send(partner, a214([{ load: 'M1' }], { control: 16 }));
    const { links } = await outcomeOf(send(partner, a214([{ load: 'M2' }])));
    expect(await partner.getJson(links.self ?? '')).toMatchObject({
      message: 2,
      state: 'reading',
      rows: [],
      rowCount: 0,
    });
    const acknowledgment = await partner.fetch(links.acknowledgment ?? '');
    expect((await problemOf(acknowledgment)).code).toBe('acknowledgment_not_ready');
  });
});

describe('a message that is compressed', () => {
  it('is unpacked by itself', async () => {
    const partner = await aPartner();
    await sendCsv(partner, statusRow('A1'));
    const zipped = new Blob([statusFile(statusRow('G1'), statusRow('G2'))])
      .stream()
      .pipeThrough(new CompressionStream('gzip'));
    const body = await new Response(zipped).bytes();
    const packed = await outcomeOf(send(partner, body as Uint8Array<ArrayBuffer>, WAIT, 'carrier-status-csv'));
    expect([packed.message, packed.rowStates]).toEqual([2, { delivered: 2 }]);
    const last = await sendCsv(partner, statusRow('C1'));
    expect(last.rows[0]?.record).toBe(4);
    const csv = await (await partner.fetch(`/v1/batches/${packed.batchId}/report.csv`)).text();
    for (const load of ['A1', 'G1', 'G2', 'C1']) expect(csv).toContain(load);
  });
});

describe('a batch of messages that has settled', () => {
  it('is opened again by the next one, and its register knows before it moves', async () => {
    const partner = await aPartner();
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    await registerKnows(partner, 'settled');
    const reopened = vi.spyOn(IntakeRegister.prototype, 'reopenBatch');
    vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
    await send(partner, statusFile(statusRow('B1')), {}, 'carrier-status-csv');
    expect(reopened).toHaveBeenCalledExactlyOnceWith(batchId, 1);
    expect((await partner.summary(batchId)).state).toBe('reading');
    await registerKnows(partner, 'delivering');
  });

  it('takes no message while its register cannot be told, and says so', async () => {
    const partner = await aPartner();
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    await registerKnows(partner, 'settled');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(IntakeRegister.prototype, 'reopenBatch').mockRejectedValueOnce(new Error('planned: no register'));
    const answer = await send(partner, statusFile(statusRow('B1')), {}, 'carrier-status-csv');
    expect((await problemOf(answer)).code).toBe('storage_unavailable');
    await vi.waitFor(async () => {
      expect(await partner.summary(batchId)).toMatchObject({ messages: 2, rowStates: { delivered: 2 } });
    }, PATIENCE);
  });

  it('that loses its alarm behind the next one is found by its register', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    await registerKnows(partner, 'settled');
    const asleep = vi.spyOn(Batch.prototype, 'alarm').mockResolvedValueOnce(undefined);
    await send(partner, statusFile(statusRow('B1')), {}, 'carrier-status-csv');
    await vi.waitFor(() => expect(asleep).toHaveBeenCalled(), PATIENCE);
    await loseAlarm(batchOf(partner, batchId));
    await vi.waitFor(async () => {
      expect(await partner.summary(batchId)).toMatchObject({ state: 'settled', rowStates: { delivered: 2 } });
    }, PATIENCE);
    expect(left).toHaveLength(2);
  });

  it('is closed again once the next one is done', async () => {
    const partner = await aPartner();
    await sendCsv(partner, statusRow('A1'));
    await registerKnows(partner, 'settled');
    await sendCsv(partner, statusRow('B1'));
    await registerKnows(partner, 'settled');
  });
});

describe('a process that ends', () => {
  it('between the claim of a message and its batch costs nothing: the alarm places it', async () => {
    const { left } = upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const partner = await aPartner();
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    vi.spyOn(Batch.prototype, 'append').mockRejectedValueOnce(new Error('planned: died before the batch'));
    const answer = await send(partner, statusFile(statusRow('B1')), {}, 'carrier-status-csv');
    expect(answer.status).toBe(503);
    await evictDurableObject(
      env.INTAKE_REGISTER.getByName(registerName({ environment: 'test', partner: partner.name })),
    );
    await vi.waitFor(async () => {
      expect(await partner.getJson<Outcome>(`/v1/messages/${batchId}/2`)).toMatchObject({
        rowStates: { delivered: 1 },
      });
    }, PATIENCE);
    expect(left).toHaveLength(2);
  });

  it('after the batch has the message, before its register knows that, costs nothing: it is there once', async () => {
    const { left } = upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const partner = await aPartner();
    const { append } = Batch.prototype;
    vi.spyOn(Batch.prototype, 'append').mockImplementationOnce(async function (this: Batch, ...asked) {
      await append.apply(this, asked);
      throw new Error('planned: the answer is lost');
    });
    const key = { 'Idempotency-Key': 'message-1', ...WAIT };
    expect((await send(partner, statusFile(statusRow('A1')), key, 'carrier-status-csv')).status).toBe(503);
    const again = await send(partner, statusFile(statusRow('A1')), key, 'carrier-status-csv');
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    const { batchId, message, rowStates } = await again.json<Outcome>();
    expect([message, rowStates]).toEqual([1, { delivered: 1 }]);
    expect(await partner.summary(batchId)).toMatchObject({ messages: 1, rows: 1 });
    expect(left).toHaveLength(1);
  });

  it('while messages are read costs nothing, whichever of them had its turn', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
    const loads = ['A', 'B', 'C', 'D'];
    let batchId = '';
    for (const load of loads) {
      const rows = Array.from({ length: 3 }, (_, index) => statusRow(`${load}${index}`));
      batchId = (await outcomeOf(send(partner, statusFile(...rows), {}, 'carrier-status-csv'))).batchId;
    }
    vi.restoreAllMocks();
    const { left: sent } = upstreamAnswers(200);
    const batch = batchOf(partner, batchId);
    for (let turn = 0; turn < 3; turn += 1) {
      await evictDurableObject(batch);
      await runInDurableObject(batch, (_, { storage }) => storage.setAlarm(Date.now()));
    }
    const settled = await partner.reaches(batchId, 'settled');
    expect([settled.messages, settled.rowStates]).toEqual([4, { delivered: 12 }]);
    expect([left.length, sent.length]).toEqual([0, 12]);
    const rows = await partner.rows(batchId);
    expect(rows.map(({ record, position }) => [record, position.file])).toEqual(
      rows.map((_, index) => [index + 1, `message ${Math.floor(index / 3) + 1}`]),
    );
  });
});

describe('an action on the batch', () => {
  it('cancels all of its messages, and the next message gets a batch of its own', async () => {
    upstreamAnswers(429);
    const partner = await aPartner();
    const { batchId } = await outcomeOf(send(partner, statusFile(statusRow('A1')), {}, 'carrier-status-csv'));
    await outcomeOf(send(partner, statusFile(statusRow('B1')), {}, 'carrier-status-csv'));
    await partner.fetch(`/v1/batches/${batchId}/cancel`, { method: 'POST' });
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ cancelled: 2 });
    upstreamAnswers(200);
    const next = await sendCsv(partner, statusRow('C1'));
    expect([next.batchId === batchId, next.message, next.rowStates]).toEqual([false, 1, { delivered: 1 }]);
    const after = await sendCsv(partner, statusRow('D1'));
    expect([after.batchId, after.message]).toEqual([next.batchId, 2]);
  });

  it('wakes its batch once, however often it is offered', async () => {
    const partner = await aPartner();
    const append = vi.spyOn(Batch.prototype, 'append');
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    const [part] = append.mock.calls[0] ?? [];
    if (part === undefined) throw new Error('nothing was offered');
    await partner.reaches(batchId, 'settled');
    await registerKnows(partner, 'settled');
    const armed = () => runInDurableObject(batchOf(partner, batchId), (_, { storage }) => storage.getAlarm());
    await vi.waitFor(async () => expect(await armed()).toBeGreaterThan(Date.now() + 10_000), PATIENCE); // its retention
    const before = await armed();
    expect(await batchOf(partner, batchId).append(part, null)).toEqual({ outcome: 'taken', isFull: false });
    expect(await armed()).toBe(before);
  });

  it('that retries a cancelled batch does not have it take messages again, however late one is offered', async () => {
    upstreamAnswers(429);
    const partner = await aPartner();
    const { batchId } = await outcomeOf(send(partner, statusFile(statusRow('A1')), {}, 'carrier-status-csv'));
    await partner.fetch(`/v1/batches/${batchId}/cancel`, { method: 'POST' });
    await partner.reaches(batchId, 'settled');
    const append = vi.spyOn(Batch.prototype, 'append');
    await send(partner, statusFile(statusRow('B1')), {}, 'carrier-status-csv');
    const [part] = append.mock.calls[0] ?? [];
    upstreamAnswers(200);
    await partner.fetch(`/v1/batches/${batchId}/retry`, { method: 'POST' });
    if (part === undefined) throw new Error('nothing was offered');
    expect(await batchOf(partner, batchId).append(part, null)).toEqual({ outcome: 'refused' });
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
  });

  it('sends again what was refused in any of its messages', async () => {
    upstreamAnswers(422);
    const partner = await aPartner();
    const { batchId } = await sendCsv(partner, statusRow('A1'));
    await sendCsv(partner, statusRow('B1'));
    await registerKnows(partner, 'settled');
    upstreamAnswers(200);
    await partner.fetch(`/v1/batches/${batchId}/retry`, { method: 'POST' });
    await vi.waitFor(async () => {
      expect((await partner.summary(batchId)).rowStates).toEqual({ delivered: 2 });
    }, PATIENCE);
    expect((await partner.getJson<Outcome>(`/v1/messages/${batchId}/2`)).rowStates).toEqual({ delivered: 1 });
  });
});

describe('a dry run', () => {
  it('of a message has a batch of its own and is answered like one', async () => {
    const partner = await aPartner();
    await sendCsv(partner, statusRow('A1'));
    const mapping = 'carrier-status-csv&dryRun=true';
    const dry = await outcomeOf(send(partner, statusFile(statusRow('B1')), WAIT, mapping));
    expect([dry.message, dry.rowStates]).toEqual([1, { valid: 1 }]);
    expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toHaveLength(2);
  });
});

describe('the time a request may take', () => {
  it('counts from when its own message came in, not from when its batch began', async () => {
    const partner = await aPartner();
    await sendCsv(partner, statusRow('A1'));
    const { links } = await sendCsv(partner, statusRow('B1'));
    const load = env.LOAD.getByName(loadName({ environment: 'test', partner: partner.name }, 'DEMO', 'B1'));
    const accepted = (await load.timeline()).map(({ request }) => new Date(request.accepted_at_ms).toISOString());
    const { receivedAt } = await partner.getJson<{ receivedAt: string }>(links.self ?? '');
    expect(accepted).toEqual([receivedAt]);
  });
});
