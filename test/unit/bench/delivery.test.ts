import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { Arrivals, lossOf } from '../../../scripts/bench/delivery/arrivals.ts';
import { type DeliveryResult, type DeliverySide, linesOf } from '../../../scripts/bench/delivery/compare.ts';
import { fileText, MAPPING_OF, markOf, rowsOf, SHAPES, type Shape } from '../../../scripts/bench/delivery/file.ts';
import { milestoneOf, traceOf } from '../../../scripts/bench/delivery/naive.ts';
import { checkDelivery, deliveryCostTable, deliveryTable } from '../../../scripts/bench/delivery/table.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { SHIPPED } from '../mapping/shipped.ts';

const wanted = (shape: Shape, loads = 30) => ({ shape, loads, rowsPerLoad: 20, prefix: 'LD' });

async function ourBodies(shape: Shape, text: string): Promise<object[]> {
  const mapping = SHIPPED.get(MAPPING_OF[shape])?.mapping;
  if (mapping === undefined) throw new Error(MAPPING_OF[shape]);
  const bodies: object[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(Buffer.from(text)))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    for (const { mapped } of step.records) {
      expect(mapped.errors).toEqual([]);
      bodies.push(...mapped.requests.map(({ body }) => body));
    }
  }
  return bodies;
}

const naiveBodies = (shape: Shape, text: string): object[] =>
  shape === 'traces'
    ? text
        .trimEnd()
        .split('\n')
        .map((line) => traceOf(JSON.parse(line)))
    : (parse(text, { columns: true }) as Record<string, string>[]).map(milestoneOf);

describe.each(SHAPES)('a file of %s', (shape) => {
  const text = fileText(wanted(shape));

  it('becomes equal bodies in the naive script and through the mapping, so that the same work is compared', async () => {
    const bodies = await ourBodies(shape, text);
    expect(bodies).toHaveLength(rowsOf(wanted(shape)));
    expect(naiveBodies(shape, text)).toEqual(bodies);
  });

  it('carries the number of each row once, by which the upstream knows it again', async () => {
    const arrivals = new Arrivals(rowsOf(wanted(shape)));
    for (const body of await ourBodies(shape, text)) arrivals.note(JSON.stringify(body));
    const rows = rowsOf(wanted(shape));
    expect(arrivals.arrived).toEqual({ requests: rows, rows, twice: 0, missing: 0, strange: 0 });
  });

  it('is the same for the same wish, and has other loads under another prefix', () => {
    expect(fileText(wanted(shape))).toBe(text);
    expect(text).toContain('LD000029');
    expect(fileText({ ...wanted(shape), prefix: 'WU' })).not.toContain('LD0');
  });
});

it('new loads have a row each, the others as many as are wanted', () => {
  expect(SHAPES.map((shape) => rowsOf(wanted(shape, 7)))).toEqual([140, 7, 140]);
});

describe('what arrives', () => {
  const body = (...rows: number[]): string => JSON.stringify(rows.map((row) => ({ value: markOf(row) })));

  it('is counted by row, several in one request too', () => {
    const arrivals = new Arrivals(4);
    arrivals.note(body(0));
    arrivals.note(body(1, 3));
    expect(arrivals.arrived).toEqual({ requests: 2, rows: 3, twice: 0, missing: 1, strange: 0 });
    arrivals.note(body(2));
    expect(lossOf({ ...arrivals.arrived, notDelivered: 0 })).toBeUndefined();
  });

  it('is a loss where a row comes again, is of another file, or has no number', () => {
    const arrivals = new Arrivals(2);
    for (const each of [body(0), body(0), body(2), '{}']) arrivals.note(each);
    expect(arrivals.arrived).toEqual({ requests: 4, rows: 1, twice: 1, missing: 1, strange: 2 });
    expect(lossOf({ ...arrivals.arrived, notDelivered: 3 })).toBe('1 twice, 1 missing, 2 strange, 3 not delivered');
  });
});

describe('the deliveries', () => {
  it('are every file on every store before either upstream', () => {
    const names = linesOf({ rowsPerLoad: 20 }).map(({ name }) => name);
    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(12);
    expect(names[0]).toBe('milestones, 20 per load, memory, 0 ms');
    expect(names).toContain('new loads, 1 per load, disk, 25 ms');
  });
  it('are chosen by a part of their names', () => {
    const chosen = linesOf({ rowsPerLoad: 5 }, ['traces, 5 per load, disk', 'loads, 1 per load, memory, 0']);
    expect(chosen.map(({ name }) => name)).toEqual([
      'new loads, 1 per load, memory, 0 ms',
      'traces, 5 per load, disk, 0 ms',
      'traces, 5 per load, disk, 25 ms',
    ]);
    expect(linesOf({ rowsPerLoad: 5 }, ['tape'])).toEqual([]);
  });
});

const side = (name: string, change: Partial<DeliverySide> = {}): DeliverySide => ({
  name,
  ms: [1_000],
  cpuMs: [500],
  rowsPerSecond: 2_000,
  cpuMsPerRow: 0.25,
  residentBytes: null,
  longestGetMs: null,
  counts: null,
  ...change,
});
const NOTHING = { alarmRuns: 0, calls: 0, storageCalls: 0, tables: {} };
const ours = side('Transload', {
  rowsPerSecond: 171.6,
  residentBytes: 256 * 1024 * 1024,
  longestGetMs: 133.4,
  counts: {
    Batch: { ...NOTHING, statements: 10_000, rowsWritten: 4_000, rowsRead: 6_000, alarmsSet: 10 },
    Load: { ...NOTHING, statements: 26_000, rowsWritten: 2_000, rowsRead: 0, alarmsSet: 190 },
  },
});
const result = (losses: string[] = []): DeliveryResult => ({
  line: 'traces',
  rows: 2_000,
  first: side('naive'),
  second: ours,
  ratio: { median: 0.0858, least: 0.08, most: 0.1 },
  cpuRatio: { median: 0.25, least: 0.2, most: 0.3 },
  losses,
});

it('says in tables how fast a delivery was and what it took', () => {
  const cells = (text: string): string[] => text.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
  expect(cells(deliveryTable([result()]))).toEqual([
    'file, store, upstream | rows | naive rows/s | Transload rows/s | ratio | least | most | CPU ratio',
    expect.stringMatching(/^-/),
    'traces | 2,000 | 2,000 | 172 | 0.086 x | 0.080 x | 0.10 x | 0.25 x',
  ]);
  const [head, , naive, bridge] = cells(deliveryCostTable([result()]));
  expect([head, naive, bridge]).toEqual([
    'file, store, upstream | side | CPU ms/row | statements/row | written/row | read/row | alarms/row | resident | longest GET',
    'traces | naive | 0.25 | - | - | - | - | - | -',
    'traces | Transload | 0.25 | 18.00 | 3.00 | 3.00 | 0.10 | 256 MB | 133 ms',
  ]);
});

it('fails where something did not arrive once', () => {
  expect(checkDelivery(result())).toMatchObject({ measured: 'once', holds: true });
  const lost = checkDelivery(result(['Transload, round 2: 1 missing']));
  expect(lost).toMatchObject({ measured: 'Transload, round 2: 1 missing', holds: false });
});
