/** What each step of reading leaves in its batch: rows, counts, groups, acknowledgments, and where the next step begins. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { DEFAULT_RULES } from '../../../src/batch/envelopes/validate.ts';
import { keepArrived } from '../../../src/batch/files/pinned.ts';
import { earlierBatches, readingPort } from '../../../src/batch/steps/reading.ts';
import { LOOKUP_PAUSE_MS } from '../../../src/fleet/limits.ts';
import { batchName, registerName } from '../../../src/kernel/names.ts';
import { TROUBLE } from '../fleet/samples.ts';
import { aReading, type Given } from './reading-samples.ts';
import { aTicket, BATCH_ID, SMALL_MAPPING } from './samples.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const EARLIER = 'b_01kjp00000000000000000000z';

/** A file under the small mapping: columns Load, Code, At. */
const ofStops = (lines: readonly string[], more: Partial<Given> = {}) =>
  aReading({
    ...{ texts: [`${['Load,Code,At', ...lines].join('\n')}\n`], mapping: 'stops' },
    ...{ document: () => SMALL_MAPPING, ...more },
  });
const GOOD = 'L1,X3,2026-03-02 08:15';

describe('a file', () => {
  it('is stored with its rows and what they are, and counted with them', async () => {
    vi.useFakeTimers({ now: 120_000, toFake: ['Date'] });
    const { store, states, progress, step, seen } = await ofStops([GOOD, 'L2,X3,yesterday', 'L3,-,', GOOD]);
    expect(await step()).toBeNull();
    expect(states()).toEqual(['queued', 'invalid', 'skipped', 'queued']);
    expect(store.tally()).toEqual({ records: { queued: 2, invalid: 1, skipped: 1 }, requests: { queued: 2 } });
    expect(store.minutes().points).toEqual([[2, 0, 0, 1]]);
    expect(progress()).toMatchObject({ state: 'reading', readingFinished: true });
    expect(['rules', 'setTexts', 'emitting'].filter((key) => key in progress())).toEqual([]);
    expect(seen.replaced).toEqual([]);
  });

  it('of a dry run has no requests, and rows that could have been sent are valid', async () => {
    const { store, states, step } = await ofStops([GOOD, 'L2,X3,yesterday'], { ticket: { dryRun: true } });
    await step();
    expect([states(), store.requestsAfter({ record: 0, request: 0 }, 9)]).toEqual([['valid', 'invalid'], []]);
    expect(store.tally()).toEqual({ records: { valid: 1, invalid: 1 }, requests: {} });
  });

  it('keeps what its mapping asks of delivery', async () => {
    const document = () => SMALL_MAPPING.replace('examples:', 'delivery: { laterEvents: wait }\nexamples:');
    const { progress, step } = await ofStops([GOOD], { document });
    await step();
    expect(progress().rules).toMatchObject({ laterEvents: 'wait' });
  });

  it('that cannot be read says why, and has no rows', async () => {
    const { progress, store, step } = await ofStops([GOOD], { texts: ['Other\nx\n'] });
    expect(await step()).toBeNull();
    expect([progress().state, progress().problems[0]?.code]).toEqual(['unreadable', 'missing_column']);
    expect([store.lastRecord(), store.tally()]).toEqual([0, { records: {}, requests: {} }]);
  });

  it('whose bytes came with it is read from them, and they are let go once it was read', async () => {
    const { port, ticket, store, step } = await ofStops([GOOD], { texts: ['other bytes\n'] });
    const text = `Load,Code,At\n${GOOD}\n`;
    keepArrived(port.memory, ticket, BATCH_ID, Buffer.from(text.padEnd(ticket.bytes)));
    const kept = { ...ticket, bytes: text.length };
    Object.assign(ticket, kept);
    await step();
    expect([store.lastRecord(), port.memory.arrived.size]).toEqual([1, 0]);
  });
});

describe('rows that replace rows of an earlier batch', () => {
  const document = () => SMALL_MAPPING;
  const texts = [`Load,Code,At,_batch,_record\n${GOOD},${EARLIER},7\n`];

  it('are sent where that batch has nothing against it, and it is told of their delivery', async () => {
    const { seen, states, claims, step } = await ofStops([], { texts, document });
    await step();
    expect(seen.replaced).toEqual([[EARLIER, [{ record: 7, by: { batchId: BATCH_ID, record: 1 } }], true]]);
    expect(states()).toEqual(['queued']);
    claims.delivered(BATCH_ID, [1]);
    expect(claims.due(EARLIER, 9)).toEqual([{ own: 1, record: 7, by: { batchId: BATCH_ID, record: 1 } }]);
  });

  it('are asked about by a dry run, too, which claims nothing', async () => {
    const { seen, claims, step } = await ofStops([], { texts, document, ticket: { dryRun: true } });
    await step();
    claims.delivered(BATCH_ID, [1]);
    expect([seen.replaced.map(([, , claim]) => claim), claims.hasDue()]).toEqual([[false], false]);
  });

  it('are not sent where those were delivered', async () => {
    const { seen, states, step } = await ofStops([], { texts, document });
    seen.replacedIs = { outcome: 'delivered' };
    await step();
    expect(states()).toEqual(['duplicate']);
  });

  it('are named by who sends them again, where a file has no room to say so', async () => {
    const again = { batchId: EARLIER, records: [null, 12] };
    const { seen, states, step } = await ofStops([GOOD, GOOD], { ticket: { again } });
    await step();
    expect(seen.replaced).toEqual([[EARLIER, [{ record: 12, by: { batchId: BATCH_ID, record: 2 } }], true]]);
    expect(states()).toEqual(['skipped', 'queued']);
  });
});

/** An interchange with a set for each of the loads. @param said the count of segments that each set has. */
function x12(loads: readonly string[], said = 6): string {
  const sets = loads.map((load, at) => {
    const control = String(at + 1).padStart(4, '0');
    const status = 'LX*1~AT7*X3*NS***20260302*0815*CT~MS1*Joliet*IL~';
    return `ST*214*${control}~B10*PRO*${load}*ABCD~${status}SE*${said}*${control}~`;
  });
  const head =
    'ISA*00*          *00*          *02*ABCD           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*>~';
  return `${head}GS*QM*ABCD*TRANSLOAD*20260302*1500*17*X*004010~${sets.join('')}GE*${loads.length}*17~IEA*1*000000017~`;
}
const ofX12 = (texts: readonly string[], more: Partial<Given> = {}, ticket: Partial<BatchTicket> = {}) =>
  aReading({ texts, mapping: 'x12-214', ...more, ticket: { format: 'x12', ...ticket } });

describe('what is acknowledged of a file', () => {
  it('is kept with its rows, from its first set to its last', async () => {
    const { store, states, progress, step } = await ofX12([x12(['L1', 'L2'])]);
    await step();
    expect([states(), progress().setTexts]).toEqual([['queued', 'queued'], 1]);
    const page = store.setOutcomes(0, null);
    expect([page?.sets.length, page?.next, page?.sets[0]]).toEqual([1, null, expect.stringContaining('0002')]);
  });

  it('goes on from file to file of an archive', async () => {
    const files = ['L1', 'L2', 'L3'].map((load) => x12([load]));
    const { store, progress, step } = await ofX12(['zip'], { files });
    const counted: unknown[] = [];
    for (let file = 1; file <= 3; file += 1) {
      await step();
      counted.push([progress().setTexts, store.lastRecord(), progress().readingFinished]);
    }
    expect(counted).toEqual([
      [1, 1, false],
      [2, 2, false],
      [3, 3, true],
    ]);
    expect(store.setOutcomes(0, null)?.sets).toHaveLength(3);
  });

  it('is kept for each message', async () => {
    const { store, step } = await ofX12([x12(['L1']), x12(['L2'])]);
    await step();
    await step();
    expect([1, 2].map((message) => store.setOutcomes(message, null)?.sets.length)).toEqual([1, 1]);
  });

  it('is not kept of what an earlier release began to read, or of sets that are sent again', async () => {
    const files = ['L1', 'L2'].map((load) => x12([load]));
    const begun = await ofX12(['zip'], { files });
    await begun.step();
    const { setTexts: _, ...before } = begun.progress();
    begun.store.keepProgress(before);
    await begun.step();
    expect(['setTexts' in begun.progress(), begun.store.setOutcomes(0, null)]).toEqual([false, null]);
    const again = await ofX12([x12(['L1'])], {}, { again: { batchId: EARLIER, records: [3] } });
    await again.step();
    expect(['setTexts' in again.progress(), again.states()]).toEqual([false, ['queued']]);
  });

  it('is as the partner and the operator agreed', async () => {
    const strict = await ofX12([x12(['L1'], 9)]);
    await strict.step();
    const lenient = await ofX12([x12(['L1'], 9)], {}, { envelopes: { ...DEFAULT_RULES, counts: 'lenient' } });
    await lenient.step();
    expect([strict.states(), lenient.states()]).toEqual([['invalid'], ['queued']]);
  });
});

describe('bytes in memory of an archive or of messages', () => {
  it('stay until the last file of their upload was read', async () => {
    const { port, ticket, step } = await ofX12(['zip'], { files: ['L1', 'L2'].map((load) => x12([load])) });
    keepArrived(port.memory, ticket, BATCH_ID, Buffer.from('zip'));
    await step();
    expect(port.memory.arrived.size).toBe(1);
    await step();
    expect(port.memory.arrived.size).toBe(0);
  });

  it('stay where a commit failed while they were read: nothing of them is stored, and no other message ends', async () => {
    const { port, store, progress, step } = await ofX12([x12(['L1']), x12(['L2'])]);
    store.keepProgress({ ...progress(), content: null });
    await step();
    const { content: _, ...second } = progress();
    const first = { ...second, message: 1, readingFinished: true, content: null };
    for (const forgotten of [first, second]) {
      store.keepProgress({ ...second, content: null });
      const reading = step();
      store.noteProgress(forgotten);
      expect([await reading, store.lastRecord(), progress()]).toEqual([null, 1, forgotten]);
    }
    expect([1, 2].map((message) => port.messages.message(message)?.state)).toEqual(['read', 'reading']);
  });

  it('go with each message that was read', async () => {
    const texts = [x12(['L1']), x12(['L2'])];
    const { port, ticket, progress, step } = await ofX12(texts);
    keepArrived(port.memory, ticket, BATCH_ID, Buffer.from(texts[0] ?? ''));
    await step();
    expect([progress().message, progress().readingFinished, port.memory.arrived.size]).toEqual([2, false, 0]);
  });
});

const ORDERS =
  'Order No,Shipper,Service,Deliver On,Ship To,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Item,Qty,Weight lb';
const line = (order: string, sku = 'S', state = 'il'): string =>
  `${order},acme,Threshold,2026-03-09,C 1,12 Elm,Joliet,${state},60431,,,,,${sku},,1,`;
const orders = (...lines: string[]): string => `${[ORDERS, ...lines].join('\n')}\n`;
const anywhere = (text: string): string => text.replace('order: adjacent', 'order: anywhere');
const bodyOf = ({ store }: Awaited<ReturnType<typeof aReading>>, record: number) =>
  JSON.parse(store.request(record, 1)?.body ?? 'null') as Record<string, unknown> | null;

describe('groups whose rows follow each other', () => {
  it('that an earlier slice has closed do not come again', async () => {
    const { groups, states, step } = await aReading({ mapping: 'orders-csv', texts: [orders(line('A'), line('B'))] });
    groups.keepSlice(0, { open: null, closedKeys: ['["A"]'], staged: [], marks: [] });
    await step();
    expect(states()).toEqual(['invalid', 'queued']);
  });

  it('have the key of the feed that follows them in each order', async () => {
    const orderPair = { partnerId: 'P1', clientId: 'C1' };
    const paired = await aReading({ mapping: 'orders-csv', texts: [orders(line('A'))], ticket: { orderPair } });
    await paired.step();
    const plain = await aReading({ mapping: 'orders-csv', texts: [orders(line('A'))] });
    await plain.step();
    expect(bodyOf(paired, 1)).not.toEqual(bodyOf(plain, 1));
    expect(bodyOf(plain, 1)).toMatchObject({ orderRef: 'A' });
  });
});

describe('groups whose rows may be anywhere', () => {
  const staged = (given: Partial<Given>) =>
    aReading({ mapping: 'orders-csv', document: anywhere, texts: [], ...given });

  it('become rows once their file is read, and then it is', async () => {
    const read = await staged({ texts: [orders(line('A', '1'), line('B', '2'), line('A', '3'))] });
    const { store, states, progress, step, emit } = read;
    expect(await step()).toBeNull();
    expect([store.lastRecord(), progress().readingFinished, progress().emitting]).toEqual([0, false, true]);
    expect(await emit()).toBeNull();
    expect([states(), progress().emitting]).toEqual([['queued', 'queued', 'queued'], true]);
    expect(store.tally()).toEqual({ records: { queued: 3 }, requests: { queued: 2 } });
    expect(bodyOf(read, 1)).toMatchObject({ orderRef: 'A', skus: [{ sku: '1' }, { sku: '3' }] });
    expect(await emit()).toBeNull();
    expect([progress().emitting, progress().readingFinished, store.lastRecord()]).toEqual([false, true, 3]);
  });

  it('of a file that breaks off may lack rows, and are not sent', async () => {
    const { states, step, emit } = await staged({ texts: [`${orders(line('A'))}A,"acme`] });
    await step();
    await emit();
    expect(states()).toContain('invalid');
    expect(states()).not.toContain('queued');
  });

  it('are so many rows in one step, and the rest in the next', async () => {
    const { groups, store, step, emit } = await staged({ texts: [orders(line('A'), line('B'))] });
    const nextPending = groups.nextPending.bind(groups);
    const wanted = vi.spyOn(groups, 'nextPending').mockImplementation(() => nextPending(1));
    await step();
    const left: unknown[] = [];
    for (let steps = 0; steps < 2; steps += 1) left.push([await emit(), store.lastRecord(), groups.hasPending()]);
    expect(left).toEqual([
      [null, 1, true],
      [null, 2, false],
    ]);
    expect(wanted.mock.calls).toEqual([[2_000], [2_000]]);
  });

  it('are asked about where they replace others', async () => {
    const text = orders(line('A'))
      .replace('Weight lb', 'Weight lb,_batch,_record')
      .replace(',1,\n', `,1,,${EARLIER},4\n`);
    const { seen, step, emit } = await staged({ texts: [text] });
    await step();
    expect(seen.replaced).toEqual([]);
    await emit();
    expect(seen.replaced).toEqual([[EARLIER, [{ record: 4, by: { batchId: BATCH_ID, record: 1 } }], true]]);
  });

  it('are never made of columns that are not those of their file', async () => {
    const { groups, step, emit } = await staged({ texts: [orders(line('A'))] });
    await step();
    groups.keepFile({ file: 0, columns: ['x'], cut: false });
    await expect(emit()).rejects.toThrow('the columns of a file that was read are no longer bound');
  });

  const enriched = (text: string): string =>
    anywhere(text)
      .replace('state: { from: State, upper: true }', 'state: { from: State, enrich: { location: state } }')
      .replace('group: {', 'enrichment: { whenDown: wait }\ngroup: {');

  it('wait for what is looked up, and have it recorded with their file or message', async () => {
    const texts = [orders(line('A', '1', '1003'))];
    const found = () => ({ outcome: 'found', facts: { state: 'IL' }, atMs: 1 }) as const;
    const read = await staged({ texts, document: enriched, found });
    await read.step();
    read.seen.trouble = TROUBLE;
    expect([await read.emit(), read.store.lastRecord()]).toEqual([LOOKUP_PAUSE_MS, 0]);
    read.seen.trouble = null;
    expect([await read.emit(), read.states(), read.lookUps.recorded(0, '', 9).length]).toEqual([null, ['queued'], 1]);
    const messages = await staged({ texts: [...texts, ...texts], document: enriched, found });
    await messages.step();
    await messages.emit();
    expect([1, 0].map((message) => messages.lookUps.recorded(message, '', 9).length)).toEqual([1, 0]);
  });
});

describe('a file whose rows are looked up', () => {
  it('waits where nobody answers, and nothing of it is stored', async () => {
    const text =
      'Load,Unit,Site,Date,Time,Latitude,Longitude,Odometer\nL1,700001,1003,2026-03-02,08:15,41.87,-87.65,\n';
    const { seen, store, progress, step } = await aReading({ texts: [text] });
    seen.trouble = TROUBLE;
    expect([await step(), store.lastRecord(), progress().checkpoint]).toEqual([LOOKUP_PAUSE_MS, 0, null]);
    expect(seen.awaited).toMatchObject({ tries: 1 });
  });
});

describe('what a batch reads with', () => {
  const ticket = aTicket();
  const env = {
    ...{ INTAKE_REGISTER: { getByName: (name: string) => `register ${name}` }, FILES: 'the files' },
    ...{ BATCH: { getByName: (name: string) => `batch ${name}` }, CHANNELS: '[]' },
  } as unknown as Env;

  it('is the register of its partner, and that partner’s batches', () => {
    const { register, batch } = earlierBatches(env, ticket);
    expect([register, batch(EARLIER)]).toEqual([
      `register ${registerName(ticket)}`,
      `batch ${batchName(ticket, EARLIER)}`,
    ]);
  });

  it('is what it has itself, the stored files, and lookups of its own channel', async () => {
    const awaited = { sinceMs: 1 } as NonNullable<BatchProgress['awaited']>;
    const kept: unknown[] = [];
    const own = { progress: () => ({ awaited }), keep: (change: unknown) => void kept.push(change), groups: 'groups' };
    const port = readingPort(env, ticket, own as unknown as Parameters<typeof readingPort>[2]);
    expect([port.files, port.groups, port.lookUps.awaited()]).toEqual(['the files', 'groups', awaited]);
    port.lookUps.keep(undefined);
    port.lookUps.keep(awaited);
    expect(kept).toEqual([{ awaited: undefined }, { awaited }]);
    expect(port.earlier.batch(EARLIER)).toBe(`batch ${batchName(ticket, EARLIER)}`);
    await expect(port.lookUps.request([])).rejects.toThrow('channel main is not configured');
  });
});
