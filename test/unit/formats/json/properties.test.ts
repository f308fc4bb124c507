import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_LIMITS, LOOKAHEAD_BYTES } from '../../../../src/formats/json/limits.ts';
import { describeJsonProblem, type JsonProblem } from '../../../../src/formats/json/problems.ts';
import { draws } from '../../../draws.ts';
import { anyFile, damaged, lines, string, written } from './arbitraries.ts';
import {
  asParsed,
  cutOut,
  jsonReader,
  membersOf,
  ndjsonReader,
  problemsOf,
  type Reader,
  readJson,
  readNdjson,
  readWith,
  valuesOf,
} from './reading.ts';

/** Small enough that random text of a hundred bytes passes every limit. */
const SMALL = {
  sniffBytes: 8,
  recordBytesMax: 60,
  valueBytesMax: 20,
  depthMax: 4,
  membersMax: 6,
  itemsMax: 6,
  passedDepthMax: 6,
  sliceValuesMax: 12,
};

/** The same file as JSON and as NDJSON. */
const bothWays = (file: Uint8Array, path: string, options: { sliceBytes?: number; limits?: typeof SMALL }) => [
  readJson(file, path, options),
  readNdjson(file, options),
];

describe('any file', { timeout: 60_000 }, () => {
  it('reads the same in slices of any size', () => {
    fc.assert(
      fc.property(anyFile, fc.integer({ min: 1, max: 200 }), ({ file, path }, sliceBytes) => {
        const whole = bothWays(file, path, { limits: SMALL });
        expect(bothWays(file, path, { limits: SMALL, sliceBytes })).toEqual(whole);
      }),
      { numRuns: draws(4_000) },
    );
  });

  it('reads the same in slices of one byte', () => {
    fc.assert(
      fc.property(anyFile, ({ file, path }) => {
        const whole = bothWays(file, path, { limits: SMALL });
        expect(bothWays(file, path, { limits: SMALL, sliceBytes: 1 })).toEqual(whole);
      }),
      { numRuns: draws(1_000) },
    );
  });

  it('never wants more than a record and what is looked at behind it', () => {
    const patient = <Checkpoint extends { byte: number }>(reader: Reader<Checkpoint>): Reader<Checkpoint> => ({
      ...reader,
      slices:
        (limits) =>
        (...slice) => {
          const read = reader.slices(limits)(...slice);
          expect(read.outcome).not.toBe('more');
          return read;
        },
    });
    const sliceBytes = SMALL.recordBytesMax + LOOKAHEAD_BYTES;
    fc.assert(
      fc.property(fc.array(anyFile, { minLength: 2, maxLength: 5 }), (files) => {
        const file = Buffer.concat(files.map((one) => one.file));
        readWith(patient(jsonReader(files[0]!.path)), file, { sliceBytes, limits: SMALL });
        readWith(patient(ndjsonReader), file, { sliceBytes, limits: SMALL });
      }),
      { numRuns: draws(1_000) },
    );
  });

  it('ends in records or in problems with words, whatever the bytes', () => {
    fc.assert(
      fc.property(anyFile, ({ file, path }) => {
        for (const read of bothWays(file, path, { limits: SMALL })) {
          for (const problem of problemsOf(read)) {
            const described = describeJsonProblem(problem);
            expect(described.message).toMatch(/^\S.*[.?]$/s);
            expect(described.fix).toMatch(/^\S.*\.$/s);
            expect(`${described.message}${described.fix}`.replace(/\\"|"[^"]*"|\bnull\b/g, '')).not.toMatch(
              /undefined|NaN(?! is)|\[object/,
            );
            if ('byte' in problem) expect(problem.byte).toBeLessThanOrEqual(file.byteLength);
          }
        }
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('gives every record its own bytes, in order, numbered without gaps, with a value or a problem', () => {
    fc.assert(
      fc.property(anyFile, ({ file, path }) => {
        for (const { records, byte, problems, endProblem } of bothWays(file, path, { limits: SMALL })) {
          let reached = 0;
          records.forEach(({ position, value, problem }, index) => {
            expect(position.record).toBe(index + 1);
            expect(position.line).toBe(Buffer.from(file.subarray(0, position.byteFrom)).toString().split('\n').length);
            expect(position.byteFrom).toBeGreaterThanOrEqual(reached);
            expect(position.byteTo).toBeGreaterThan(position.byteFrom);
            reached = position.byteTo;
            expect(value === null).toBe(problem !== undefined);
          });
          expect(reached).toBeLessThanOrEqual(file.byteLength);
          if (problems.length === 0 && endProblem === null) expect(byte).toBe(file.byteLength);
        }
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('goes on from every checkpoint as if it had not stopped', () => {
    const resumes = <Checkpoint extends { byte: number }>(reader: Reader<Checkpoint>, file: Uint8Array): void => {
      const stops: [Checkpoint, number][] = [];
      const note = (checkpoint: Checkpoint, recordsBefore: number): unknown => stops.push([checkpoint, recordsBefore]);
      const whole = readWith(reader, file, { limits: SMALL, sliceBytes: 5 }, (...stop) => void note(...stop));
      for (const [checkpoint, recordsBefore] of stops) {
        const rest = readWith(reader, file, { limits: SMALL }, () => undefined, checkpoint);
        expect({ ...rest, records: [...whole.records.slice(0, recordsBefore), ...rest.records] }).toEqual({
          ...whole,
          byte: rest.byte,
        });
      }
    };
    fc.assert(
      fc.property(anyFile, ({ file, path }) => {
        resumes(jsonReader(path), file);
        resumes(ndjsonReader, file);
      }),
      { numRuns: draws(500) },
    );
  });
});

/** Cut at each of its bytes. */
const small = written.filter(({ text }) => text.length < 250);

describe('documents written by the rules', { timeout: 60_000 }, () => {
  it('are read as JSON.parse reads them', () => {
    fc.assert(
      fc.property(written, ({ text, path, records }) => {
        const read = readJson(text, path);
        expect(lasting(problemsOf(read))).toEqual([]);
        expect(read.records).toHaveLength(records.length);
        const parsed = records.map((record) => JSON.parse(record) as unknown);
        expect(valuesOf(read)).toEqual(
          parsed.map((value, at) => (read.records[at]!.value === null ? undefined : value)),
        );
        expect(read.records.map((record) => cutOut(text, record))).toEqual(records);
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('keep every name, escaped or not', () => {
    fc.assert(
      fc.property(string, (text) => {
        const [record] = readJson(`[{${text}:1}]`).records;
        expect(membersOf(record!.value)).toEqual([[JSON.parse(text), { kind: 'number', text: '1' }]]);
      }),
    );
  });

  it('keep every number as it is written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,5})?$/), (text) => {
        const [record] = readJson(`[{"n":${text}}]`).records;
        expect(membersOf(record!.value)).toEqual([['n', { kind: 'number', text }]]);
      }),
    );
  });

  it('cut at any byte give the same records before the cut, and a problem with a place', () => {
    fc.assert(
      fc.property(small, ({ text, path }) => {
        const file = Buffer.from(text.trimEnd());
        const whole = readJson(file, path);
        for (let to = 0; to < file.byteLength; to++) {
          const cut = readJson(file.subarray(0, to), path);
          const [problem] = cut.problems;
          if (cut.problems.length > 0) {
            expect(problem).toMatchObject(
              problem?.code === 'empty_file' ? { bytes: to } : { byte: expect.any(Number) },
            );
            continue;
          }
          expect(cut.endProblem).toMatchObject({ code: 'json_broken_from_here', byte: to });
          const good = cut.records.filter((record) => record.position.byteTo < to || record.value !== null);
          expect(whole.records.slice(0, good.length)).toEqual(good);
          expect(cut.records.length - good.length).toBeLessThan(2);
        }
      }),
      { numRuns: draws(50) },
    );
  });

  it('split in two at any byte read the same', () => {
    fc.assert(
      fc.property(small, ({ text, path }) => {
        const file = Buffer.from(text);
        const reader = jsonReader(path);
        const whole = readJson(file, path);
        for (let to = 1; to < file.byteLength; to++) {
          const slices = reader.slices({ ...JSON_LIMITS, sniffBytes: 8 });
          const first = slices(reader.start, file.subarray(0, to), false);
          if (first.outcome === 'more') continue;
          if (first.outcome === 'unreadable') throw new Error('unreadable');
          const rest = readWith(reader, file, {}, () => undefined, first.checkpoint);
          expect([...first.records, ...rest.records]).toEqual(whole.records);
        }
      }),
      { numRuns: draws(50) },
    );
  });

  it('as lines give one record each', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 50 }), ({ text, records }, sliceBytes) => {
        const read = readNdjson(text, { sliceBytes });
        expect(read.records.map((record) => cutOut(text, record))).toEqual(records);
        for (const { value, problem } of read.records) if (!problem) expect(asParsed(value)).toBeDefined();
        expect(lasting(problemsOf(read))).toEqual([]);
      }),
      { numRuns: draws(500) },
    );
  });
});

/** Problems of JSON that is valid: what `JSON.parse` lets pass. */
const LENIENT = new Set([
  'duplicate_key',
  'not_an_object',
  'records_not_found',
  'lone_surrogate',
  'too_deep',
  'value_too_large',
  'record_too_large',
  'too_many_members',
]);
const lasting = (problems: JsonProblem[]): JsonProblem[] => problems.filter(({ code }) => !LENIENT.has(code));

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('damaged documents', { timeout: 60_000 }, () => {
  /** Something else was told first, so that what else is wrong stays untold: in this record, or in the rest of the file. */
  const hides = ({ code }: JsonProblem): boolean => LENIENT.has(code) && code !== 'not_an_object';
  const stops = (problem: JsonProblem): boolean =>
    hides(problem) || (problem.code === 'json_broken_from_here' && problem.cause.code === 'duplicate_key');

  it('are refused exactly where JSON.parse refuses them', () => {
    const seen = { refused: 0, accepted: 0 };
    fc.assert(
      fc.property(damaged, ({ text, path }) => {
        const problems = problemsOf(readJson(text, path));
        if (problems.some(stops)) return;
        const isValid = isJson(text.replace(/^\ufeff/, ''));
        seen[isValid ? 'accepted' : 'refused']++;
        expect(lasting(problems).length === 0).toBe(isValid);
      }),
      { numRuns: draws(5_000) },
    );
    expect(Math.min(seen.refused, seen.accepted)).toBeGreaterThan(draws(5_000) / 10);
  });

  it('as NDJSON are refused line by line exactly where JSON.parse refuses the line', () => {
    fc.assert(
      fc.property(fc.array(damaged, { minLength: 1, maxLength: 4 }), (documents) => {
        const texts = documents
          .map(({ text }) => text.replace(/[\r\n\ufeff]/g, ' ').trim())
          .filter((text) => text !== '');
        const { records } = readNdjson(`{"first":1}\n${texts.join('\n')}`);
        expect(records).toHaveLength(texts.length + 1);
        texts.forEach((text, at) => {
          const { problem } = records[at + 1]!;
          if (problem !== undefined && hides(problem)) return;
          expect({ text, isValid: lasting(problem ? [problem] : []).length === 0 }).toEqual({
            text,
            isValid: isJson(text),
          });
        });
      }),
      { numRuns: draws(2_000) },
    );
  });
});
