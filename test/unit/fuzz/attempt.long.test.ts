/** What the fuzzing stands on: the same input for the same seed, sound files that are read soundly, and breaches that are seen. */
import { describe, expect, it } from 'vitest';
import { attempt, drawInput } from '../../../scripts/fuzz/attempt.ts';
import { inputsOf } from '../../../scripts/fuzz/many.ts';
import { Breach, checkProblem, readThrough } from '../../../scripts/fuzz/read-through.ts';
import { READERS } from '../../../scripts/fuzz/targets.ts';
import { type Checkpoint, readerOf, recordSource } from '../../../src/formats/reader.ts';
import type { RecordReader } from '../../../src/formats/record-reader.ts';

const CSV = readerOf(recordSource.parse({ format: 'csv' }), { paths: [], lists: [] });
const FILE = new TextEncoder().encode('a,b\n1,2\n3,4\n');
const reading = { sliceBytes: () => 3, msMax: 10_000 };

describe.each(READERS)('inputs of %s', (name) => {
  it('are the same for the same seed, and others for another one', () => {
    const inputs = [1, 2, 3, 4, 5, 6].map((seed) => Buffer.from(drawInput(name, seed).file).toString('base64'));
    expect(inputs).toEqual(
      [1, 2, 3, 4, 5, 6].map((seed) => Buffer.from(drawInput(name, seed).file).toString('base64')),
    );
    expect(new Set(inputs).size).toBeGreaterThan(4);
  });

  it('keep every promise, some dozens of them', async () => {
    for (let seed = 1; seed <= 40; seed++) expect(await attempt(name, seed)).toBeNull();
  });
});

it('are shared out whole among the readers', () => {
  for (const inputs of [1, 7, 40_000, 99_999]) {
    const shares = inputsOf({ reader: 'all', inputs, each: false });
    expect([...shares.keys()]).toEqual(expect.arrayContaining([...READERS]));
    expect([...shares.values()].reduce((sum, count) => sum + count, 0)).toBe(inputs);
  }
  expect([...inputsOf({ reader: 'xml', inputs: 5, each: false })]).toEqual([['xml', 5]]);
  expect([...inputsOf({ reader: 'all', inputs: 5, each: true })]).toEqual(READERS.map((name) => [name, 5]));
});

describe('a reader that', () => {
  const changed = (read: RecordReader<Checkpoint>['read']): RecordReader<Checkpoint> => ({ start: CSV.start, read });

  it('does what it promises is read to its end', () => {
    expect(readThrough(CSV, FILE, reading).records.map(({ fields }) => fields)).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it.each<[string, RecordReader<Checkpoint>]>([
    ['always wants more', changed(() => ({ outcome: 'more' }))],
    ['refuses a file without a word', changed(() => ({ outcome: 'unreadable', problems: [] }))],
    [
      'stands still',
      changed((checkpoint) => ({
        outcome: 'records',
        columns: [],
        records: [],
        checkpoint,
        finished: false,
        endProblem: null,
      })),
    ],
    [
      'numbers records wrong',
      changed((checkpoint, bytes, atEnd) => {
        const read = CSV.read(checkpoint, bytes, atEnd);
        if (read.outcome !== 'records') return read;
        const records = read.records.map((record) => ({ ...record, position: { ...record.position, record: 9 } }));
        return { ...read, records };
      }),
    ],
  ])('%s is found', (_what, broken) => {
    expect(() => readThrough(broken, FILE, reading)).toThrow(Breach);
  });

  it.each([
    { code: 'Not a code' },
    { message: ' ' },
    { fix: '' },
    { message: 'It has undefined cells.' },
    { value: 'x'.repeat(500) },
  ])('tells a problem like %j is found', (wrong) => {
    const sound = { code: 'bad_quote', path: 'a', value: 'x', message: 'Something is wrong.', fix: 'Correct it.' };
    expect(() => checkProblem(sound)).not.toThrow();
    expect(() => checkProblem({ ...sound, ...wrong })).toThrow(Breach);
  });
});
