/** A changed cell of an interchange: written in its place, released where that is needed, and nothing else moves. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctedSets, type SegmentRow, segmentRows } from '../../../../src/batch/envelopes/corrected-sets.ts';
import { isSegmented } from '../../../../src/formats/reader.ts';
import { DEFAULT_POLICY } from '../../../../src/formats/segments/parts.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';
import { draws } from '../../../draws.ts';
import { SHIPPED } from '../../mapping/shipped.ts';

const fixture = (name: string, file: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../../../../fixtures', name, file));

function opened(name: string, bytes: Uint8Array) {
  const mapping = SHIPPED.get(name)?.mapping;
  if (mapping === undefined || !isSegmented(mapping.source)) throw new Error(`no EDI mapping ${name}`);
  const from = { source: bytesInMemory(bytes), declared: mapping.source, policy: DEFAULT_POLICY };
  const wanted = new Map(Array.from({ length: 60 }, (_, at) => [at + 1, []] as const));
  return { from, rows: () => segmentRows(from, mapping.shape, wanted) };
}

const FILES = [
  ['x12-214', 'mixed/input.x12'],
  ['x12-214', 'three-sets/input.x12'],
  ['x12-204', 'mixed/input.x12'],
  ['x12-850', 'mixed/input.x12'],
  ['edifact-iftsta', 'mixed/input.edifact'],
  ['edifact-iftsta', 'own-delimiters/input.edifact'],
  ['edifact-iftmin', 'mixed/input.edifact'],
] as const;

const written = async (
  { from }: ReturnType<typeof opened>,
  changes: readonly { record: number; at: number; row: SegmentRow; text: string }[],
) => {
  const cells = changes.map(({ record, at, row: { cells, writing }, text }) => {
    const cell = cells[at];
    if (cell === undefined) throw new Error('no such cell');
    return { record, cell, writing, text };
  });
  return correctedSets(from, new Set(changes.map(({ record }) => record)), cells);
};

describe.each(FILES)('%s %s', (mapping, file) => {
  const bytes = fixture(mapping, file);
  const texts = fc.oneof(
    fc.constantFrom('AF', 'Coeur d’Alene', "O'Fallon", 'a+b:c?d', 'x*y', '1>2~', 'ü', ''),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.trim()),
  );

  it('differs in the bytes of the changed cell alone, and reads back as it was typed', async () => {
    const file = opened(mapping, bytes);
    const rows = [...(await file.rows())];
    expect(rows.length).toBeGreaterThan(0);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), texts, async (row, place, text) => {
        const [record, found] = rows[row % rows.length] ?? [];
        if (record === undefined || found === undefined || found.cells.length === 0) return;
        const at = place % found.cells.length;
        const cell = found.cells[at];
        const plain = await written(file, [{ record, at, row: found, text: cell?.text ?? '' }]);
        const made = await written(file, [{ record, at, row: found, text }]);
        if (!made.ok) {
          // Only what divides the file, or no letters of it.
          expect(/[^\x20-\x7e]|[*>~^|!+:?'\\,:]/.test(text)).toBe(true);
          return;
        }
        const [before, now] = [plain.ok ? plain.value.bytes : [], made.value.bytes];
        const same = sharedEnds(before, now);
        expect(before.length - same).toBeLessThanOrEqual(Buffer.byteLength(cell?.text ?? '') * 2);
        expect(now.length - same).toBeLessThanOrEqual(Buffer.byteLength(text) * 2 + 12);
        const again = opened(mapping, now);
        const numbers = made.value.records;
        const back = (await again.rows()).get(numbers.indexOf(record) + 1);
        const it = back?.cells.find(
          ({ segment, element, component }) =>
            segment.number === cell?.segment.number && element === cell.element && component === cell.component,
        );
        if (it !== undefined) expect(it.text).toBe(text);
      }),
      { numRuns: draws(200) },
    );
  });
});

/** Bytes that two files share at their beginning and at their end. */
function sharedEnds(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return start + end;
}

const isa = (end = '>~') =>
  `ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*${end}`;
const x12 = (...segments: string[]) =>
  [isa(), 'GS*QM*DEMO*TRANSLOAD*20260302*1500*17*X*004010~', ...segments, 'GE*1*17~', 'IEA*1*000000017~'].join('\n');
const SET = ['ST*214*0001~', 'B10*P*LD1*DEMO~', 'LX*1~', 'AT7*X3*NS***20260302*0815~', 'MS1*Joliet*IL~', 'SE*6*0001~'];

it('adds the separators of an element that is missing at the end, and keeps counts and control numbers', async () => {
  const file = opened('x12-214', Buffer.from(x12(...SET)));
  const rows = await segmentRows(
    file.from,
    SHIPPED.get('x12-214')?.mapping.shape ?? { paths: [], lists: [] },
    new Map([[1, ['AT7-07']]]),
  );
  const row = rows.get(1);
  const at = row?.cells.findIndex(({ column }) => column === 'AT7-07') ?? -1;
  expect(row?.cells[at]).toMatchObject({ text: '', element: 7 });
  const made = row === undefined ? undefined : await written(file, [{ record: 1, at, row, text: 'CT' }]);
  const set = SET.join('\n').replace('*0815~', '*0815*CT~');
  expect(made?.ok && Buffer.from(made.value.bytes).toString()).toBe(
    `${isa()}GS*QM*DEMO*TRANSLOAD*20260302*1500*17*X*004010~${set}GE*1*17~IEA*1*000000017~`,
  );
});

it('writes a changed component with the delimiters of a UNA that only the interchange before has', async () => {
  const first = fixture('edifact-iftsta', 'own-delimiters/input.edifact').toString('latin1').trim();
  const second = first.slice('UNA|*,\\ ~'.length).replace('|1500*73~', '|1500*74~').replace('UNZ*1*73~', 'UNZ*1*74~');
  const file = opened('edifact-iftsta', Buffer.from(first + second, 'latin1'));
  const row = (await file.rows()).get(2);
  const at = row?.cells.findIndex(({ text }) => text.startsWith('Coeur')) ?? -1;
  const made = row === undefined ? undefined : await written(file, [{ record: 2, at, row, text: 'A|B*' }]);
  expect(made?.ok && Buffer.from(made.value.bytes).toString('latin1')).toBe(
    `UNA|*,\\ ~${second.replace(/Coeur.*?~UNT/s, 'A\\|B\\*~UNT')}`,
  );
});

describe('segments that end with CRLF', () => {
  const lines = (set: readonly string[]) => `${x12(...set)}\n`.replaceAll('~\n', '\r\n');
  const LINES = lines(SET);

  it.each([
    ['the last element', 'B10-03', '*DEMO~', '*ACME~', 'ACME'],
    ['an element that is missing at the end', 'AT7-07', '*0815~', '*0815*CT~', 'CT'],
    ['an element before the last', 'B10-02', '*LD1*', '*LD2*', 'LD2'],
  ])('keep their ends around %s', async (_about, column, before, after, text) => {
    expect(LINES).toMatch(/^ISA.*>\r\nGS.*\r\nIEA\*1\*000000017\r\n$/s);
    const file = opened('x12-214', Buffer.from(LINES));
    const shape = SHIPPED.get('x12-214')?.mapping.shape ?? { paths: [], lists: [] };
    const row = (await segmentRows(file.from, shape, new Map([[1, [column]]]))).get(1);
    if (row === undefined) throw new Error('a row is wanted');
    const at = row.cells.findIndex((cell) => cell.column === column);
    const made = await written(file, [{ record: 1, at, row, text }]);
    const wanted = lines(SET.map((segment) => segment.replace(before, after)));
    const end = 'GE*1*17\nIEA*1*000000017\n';
    expect(made.ok && Buffer.from(made.value.bytes).toString()).toBe(wanted.replace(/GE\*.*$/s, end));
  });
});

it('writes what an ISA that has lost its terminator leaves to the segment after it', async () => {
  const file = opened('x12-214', Buffer.from(x12(...SET).replace('>~\n', '>')));
  const row = (await file.rows()).get(1);
  if (row === undefined) throw new Error('a row is wanted');
  const at = row.cells.findIndex(({ column }) => column === 'MS1-02');
  const made = await written(file, [{ record: 1, at, row, text: 'OH' }]);
  expect(made.ok && Buffer.from(made.value.bytes).toString()).toContain('MS1*Joliet*OH~');
});

it('refuses what no file of its kind can hold, and two texts for one place', async () => {
  const two = [...SET.slice(0, 4), 'AT7*AF*NS***20260302*0915~', 'SE*6*0001~'];
  const file = opened('x12-214', Buffer.from(x12(...two)));
  const rows = await file.rows();
  const [one, other] = [rows.get(1), rows.get(2)];
  if (one === undefined || other === undefined) throw new Error('two rows are wanted');
  const at = one.cells.findIndex(({ column }) => column === 'B10-02');
  for (const text of ['a*b', 'a~b', 'a>b', 'a\nb'])
    expect(await written(file, [{ record: 1, at, row: one, text }])).toMatchObject({ ok: false });
  const both = [
    { record: 1, at, row: one, text: 'LD8' },
    { record: 2, at, row: other, text: 'LD9' },
  ];
  expect(await written(file, both)).toMatchObject({ ok: false, error: { why: expect.stringContaining('row 1') } });
  expect(
    (
      await written(
        file,
        both.map((each) => ({ ...each, text: 'LD8' })),
      )
    ).ok,
  ).toBe(true);
});
