/** An acknowledgment of an interchange of any length is written while it is judged: what is kept does not grow with it. */
import { Buffer } from 'node:buffer';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { contrlAcknowledgment } from '../../../../src/batch/acknowledgment/contrl.ts';
import { acknowledgmentText, outcomesReadAgain } from '../../../../src/batch/acknowledgment/file.ts';
import type { Audited } from '../../../../src/batch/acknowledgment/set-outcomes.ts';
import { x12Acknowledgment } from '../../../../src/batch/acknowledgment/x12.ts';
import { DEFAULT_POLICY } from '../../../../src/formats/segments/parts.ts';
import type { Segment } from '../../../../src/formats/segments/segment.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';
import { SHIPPED } from '../../mapping/shipped.ts';
import { AT_MS } from './both-ways.ts';

const SETS = 300_000;
const MESSAGES = 100_000;
/** What is told of them, were it kept, is above 8 MB. */
const KEPT_BYTES_MAX = 4_000_000;

const segment = (...[tag, ...elements]: [string, ...string[]]): Segment => ({
  ...{ tag, elements, number: 1 },
  ...{ line: 1, byteFrom: 0, byteTo: 0 },
});
const ISA = segment(
  'ISA',
  '00',
  '',
  '00',
  '',
  '02',
  'DEMO',
  'ZZ',
  'TRANSLOAD',
  '260302',
  '1500',
  'U',
  '00401',
  '17',
  '1',
  'T',
);
const UNB = segment('UNB', 'UNOC', 'DEMO', 'TRANSLOAD', '260302', '17');
const UNG = segment('UNG', 'IFTSTA', 'A', 'B', '260302', 'G1');

function rejected(opening: Segment): Audited {
  const problem = { code: 'code_unknown', path: 'AT7-01', value: 'ZZ', message: '', fix: '' };
  const fault = { tag: 'AT7', number: 4, element: 1, component: null, problem, standard: '' };
  return { kind: 'set', verdict: { opening, outcome: 'rejected', faults: [fault, { ...fault, element: 2 }] } };
}

function* judged(
  header: Segment,
  group: Segment,
  sets: number,
  opening: (index: number) => Segment,
): Generator<Audited> {
  yield { kind: 'interchange', header, problems: [] };
  yield { kind: 'group', header: group, problems: [] };
  for (let index = 1; index <= sets; index++) yield rejected(opening(index));
  yield { kind: 'group_end', counted: sets, stated: String(sets), problems: [] };
  yield { kind: 'interchange_end', counted: 1, problems: [] };
}

async function* later(each: Iterable<Audited>): AsyncGenerator<Audited> {
  yield* each;
}

function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** @returns what is kept when three quarters of the pieces have gone out, how many there were, and the last one. */
async function written(
  pieces: AsyncIterable<string | Uint8Array>,
  sets: number,
): Promise<{ kept: number; count: number; last: string }> {
  const before = keptBytes();
  let [kept, count, last] = [0, 0, ''];
  for await (const piece of pieces) {
    count += 1;
    last = Buffer.from(piece).toString('latin1');
    if (count === sets * 0.75) kept = keptBytes() - before;
  }
  return { kept, count, last };
}

/** They take some seconds, and several times as long on a machine that is busy. */
const BUSY_MS_MAX = 90_000;
const control = async (): Promise<number> => 41;

describe('of sets that are all rejected', () => {
  it(
    'a 997 keeps none of 300,000, and its counts are right',
    async () => {
      const group = segment('GS', 'QM', 'DEMO', 'TRANSLOAD', '20260302', '1500', '17', 'X', '004010');
      const open = (index: number): Segment => segment('ST', '214', String(index));
      const begun = (): AsyncIterable<Audited> => later(judged(ISA, group, SETS, open));
      let end = '';
      const keepEnd = async function* (): AsyncGenerator<string> {
        for await (const text of x12Acknowledgment(begun, '997', control, AT_MS)) {
          end = end.slice(-200) + text;
          yield text;
        }
      };
      const { kept, count } = await written(keepEnd(), SETS);
      expect(count).toBe(SETS + 4);
      expect(kept).toBeLessThan(KEPT_BYTES_MAX);
      expect(end).toContain(`AK9*R*${SETS}*${SETS}*0~\nSE*${5 * SETS + 4}*0001~\nGE*1*41001~\nIEA*1*000000041~\n`);
    },
    BUSY_MS_MAX,
  );

  it(
    'a CONTRL keeps none of 100,000, and its count is right',
    async () => {
      const open = (index: number): Segment => segment('UNH', String(index), 'IFTSTA');
      const { kept, count, last } = await written(
        contrlAcknowledgment(() => later(judged(UNB, UNG, MESSAGES, open)), control, AT_MS),
        MESSAGES,
      );
      expect(count).toBe(MESSAGES + 3);
      expect(kept).toBeLessThan(KEPT_BYTES_MAX);
      expect(last).toBe(`UNT+${4 * MESSAGES + 4}+1'\nUNZ+1+41'\n`);
    },
    BUSY_MS_MAX,
  );
});

describe('the acknowledgment of a long file', () => {
  const sets = Array.from(
    { length: 24_000 },
    (_, index) => `ST*214*${index + 1}~B10*PRO*L1*DEMO~LX*1~SE*9*${index + 1}~\n`,
  );
  const isa =
    'ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*>~';
  const gs = 'GS*QM*DEMO*TRANSLOAD*20260302*1500*17*X*004010~';
  const bytes = Buffer.from(`${isa}${gs}${sets.join('')}GE*${sets.length}*17~IEA*1*000000017~`);

  it('is handed on in pieces, the first of them long before its end is judged', async () => {
    const mapping = SHIPPED.get('x12-214')?.mapping;
    if (mapping === undefined) throw new Error('no mapping x12-214');
    const file = bytesInMemory(bytes);
    const offsets: number[] = [];
    const source = {
      bytes: file.bytes,
      read: async (offset: number, length: number) => {
        offsets.push(offset);
        return file.read(offset, length);
      },
    };
    const outcomes = outcomesReadAgain({ mapping, policy: DEFAULT_POLICY, sources: [source], rows: async () => [] });
    const reader = acknowledgmentText({ kind: '997', outcomes, control, atMs: AT_MS }).getReader();
    const first = await reader.read();
    const firstLength = first.value?.byteLength ?? 0;
    const readBefore = offsets.length;
    const lengths = [firstLength];
    for (let next = await reader.read(); !next.done; next = await reader.read()) lengths.push(next.value.byteLength);
    expect(lengths.length).toBeGreaterThan(2);
    expect(offsets.slice(readBefore)).toContain(Math.max(...offsets));
    expect(Math.max(...lengths)).toBeLessThan(70_000);
  });
});
