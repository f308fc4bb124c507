/** Rows that make one request, read in slices of any size: the same groups as in one piece, and every row exactly once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupSlice, locatePending, type PendingGroup } from '../../../src/batch/core/run.ts';
import type { ReadRecord } from '../../../src/formats/record-reader.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { checkCodeLists } from '../../../src/mapping/check/code-list.ts';
import {
  type BoundMapping,
  compileMapping,
  type LocatedRecord,
  recordLine,
} from '../../../src/mapping/compile/compile.ts';
import type { RowGroup } from '../../../src/mapping/groups/grouping.ts';
import { GROUP_ROWS_MAX } from '../../../src/mapping/limits.ts';
import { draws } from '../../draws.ts';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from './bundled-texts.ts';

const COLUMNS = [
  'Order No',
  'Shipper',
  'Service',
  'Deliver On',
  'Ship To',
  'Street',
  'City',
  'State',
  'ZIP',
  'Phone',
].concat(['E-Mail', 'Instructions', 'PO Number', 'SKU', 'Item', 'Qty', 'Weight lb']);

function mappingOf(order: 'adjacent' | 'anywhere'): BoundMapping {
  const lists = checkCodeLists(BUNDLED_CODE_LISTS);
  if (!lists.ok) throw new Error('lists');
  const text = (BUNDLED_DOCUMENTS.get('orders-csv') ?? '').replace('order: adjacent', `order: ${order}`);
  const document = checkMapping(text, lists.value);
  if (!document.ok) throw new Error(JSON.stringify(document.error));
  const bound = compileMapping(document.value, lists.value).bind(COLUMNS);
  if (!bound.ok) throw new Error('columns');
  return bound.value;
}

/** A row of an order; without a key, with a wrong quantity, or not readable at all. */
function rowOf(index: number, kind: 'sound' | 'wrong' | 'keyless' | 'unreadable', order: number): ReadRecord {
  const position = { record: index + 1, line: index + 2, byteFrom: index * 10, byteTo: index * 10 + 9 };
  if (kind === 'unreadable') {
    const problem = { code: 'bad_quote', path: '', value: '', message: 'No.', fix: 'Mend it.' };
    return { position, fields: [], lists: [], problem };
  }
  const fields = [
    kind === 'keyless' ? '' : `SO-${order}`,
    'acme',
    'Threshold',
    '2026-03-09',
    'C',
    '1 Elm',
    'X',
    'IL',
    '6',
  ];
  return {
    position,
    fields: [...fields, '', '', '', '', `S${index}`, '', kind === 'wrong' ? 'two' : '1', ''],
    lists: [],
  };
}

const kinds = fc.constantFrom('sound', 'sound', 'sound', 'sound', 'wrong', 'keyless', 'unreadable' as const);
const files = fc.array(fc.record({ kind: kinds, order: fc.nat(4) }), { maxLength: 40 });
const cuts = fc.array(fc.nat(40), { maxLength: 8 });

/** Reads the rows in slices, with what is kept between them going through JSON as a checkpoint does. */
function inSlices(
  mapping: BoundMapping,
  rows: readonly ReadRecord[],
  at: readonly number[],
  cut: boolean,
): LocatedRecord[] {
  const borders = [...new Set([0, ...at.filter((border) => border < rows.length), rows.length])].sort((a, b) => a - b);
  const { group: reader } = mapping;
  if (reader === undefined) throw new Error('no group');
  const placed: LocatedRecord[] = [];
  const closed = new Set<string>();
  const staged = new Map<string, PendingGroup>();
  let open: RowGroup | null = null;
  for (const [index, from] of borders.entries()) {
    const isLast = index >= borders.length - 2;
    const slice = groupSlice(mapping, reader, {
      open: JSON.parse(JSON.stringify(open)) as RowGroup | null,
      records: rows.slice(from, borders[index + 1] ?? from),
      end: !isLast ? 'more' : cut ? 'cut' : 'whole',
      wasClosed: (key) => closed.has(key),
      pendingSize: (key) => ({ rows: staged.get(key)?.rows.length ?? 0, characters: 0 }),
    });
    placed.push(...slice.placed);
    for (const key of slice.closedKeys) closed.add(key);
    for (const { key, record } of slice.staged) {
      const known = staged.get(key) ?? { key, rows: [], tooLarge: false, doubtfulRecord: null };
      staged.set(key, { ...known, rows: [...known.rows, record] });
    }
    for (const mark of slice.marks) {
      const known = staged.get(mark.key) ?? { ...mark, rows: [] };
      staged.set(mark.key, { ...known, doubtfulRecord: known.doubtfulRecord ?? mark.doubtfulRecord });
    }
    open = slice.open;
    if (isLast) break;
  }
  placed.push(...locatePending(mapping, [...staged.values()], cut));
  return placed.sort((left, right) => left.position.record - right.position.record);
}

describe.each(['adjacent', 'anywhere'] as const)('rows that stand %s', (order) => {
  const mapping = mappingOf(order);

  it('make the same groups wherever slices cut, and every row is told exactly once', () => {
    fc.assert(
      fc.property(files, cuts, fc.boolean(), (file, at, cut) => {
        const rows = file.map(({ kind, order: number }, index) => rowOf(index, kind, number));
        const whole = inSlices(mapping, rows, [], cut);
        expect(whole.map(({ position }) => position.record)).toEqual(rows.map(({ position }) => position.record));
        expect(inSlices(mapping, rows, at, cut).map(recordLine)).toEqual(whole.map(recordLine));
      }),
      { numRuns: draws(500) },
    );
  });

  it('never send an order that may lack a row', () => {
    fc.assert(
      fc.property(files, (file) => {
        const rows = file.map(({ kind, order: number }, index) => rowOf(index, kind, number));
        for (const { mapped } of inSlices(mapping, rows, [], false)) {
          for (const { body } of mapped.requests) {
            const { orderRef, skus } = body as unknown as { orderRef: string; skus: unknown[] };
            const own = file.filter(
              ({ kind, order: number }) => `SO-${number}` === orderRef && kind !== 'keyless' && kind !== 'unreadable',
            );
            const sound = own.every(({ kind }) => kind === 'sound');
            if (order === 'anywhere') expect([orderRef, sound, skus.length]).toEqual([orderRef, true, own.length]);
            else expect(skus.length).toBeLessThanOrEqual(own.length);
          }
        }
      }),
      { numRuns: draws(500) },
    );
  });

  it('are in doubt behind a row that cannot be read, which may be of either group', () => {
    const rows = [rowOf(0, 'sound', 1), rowOf(1, 'unreadable', 1), rowOf(2, 'sound', 2)];
    const codes = inSlices(mapping, rows, [], false).map(({ mapped }) => mapped.errors.map(({ code }) => code));
    expect(codes).toEqual([['group_invalid'], ['bad_quote'], ['group_uncertain']]);
  });

  it('are all in doubt when the file breaks off in the middle of them', () => {
    const rows = [rowOf(0, 'sound', 1), rowOf(1, 'sound', 1)];
    const codes = inSlices(mapping, rows, [1], true).map(({ mapped }) => mapped.errors.map(({ code }) => code));
    expect(codes).toEqual([['group_uncertain'], ['group_uncertain']]);
  });
});

describe('rows that wait for the end of their file', () => {
  const mapping = mappingOf('anywhere');
  function sliceOf(rows: readonly ReadRecord[], end: 'more' | 'whole', pending: number) {
    const { group: reader } = mapping;
    if (reader === undefined) throw new Error('no group');
    const pendingSize = () => ({ rows: pending, characters: 0 });
    return groupSlice(mapping, reader, { open: null, records: rows, end, wasClosed: () => false, pendingSize });
  }

  it('are told one by one as too many where their group is full', () => {
    const rows = [rowOf(0, 'sound', 1), rowOf(1, 'sound', 1)];
    const { placed, staged, marks } = sliceOf(rows, 'whole', GROUP_ROWS_MAX - 1);
    expect(staged.map(({ record }) => record.position.record)).toEqual([1]);
    expect(placed.map(({ position, mapped }) => [position.record, mapped.errors[0]?.code])).toEqual([
      [2, 'group_too_large'],
    ]);
    expect(marks).toMatchObject([{ tooLarge: true, doubtfulRecord: null }]);
  });

  it('stay open between slices from the last sound one on: those before it are in their group for certain', () => {
    const rows = [rowOf(0, 'sound', 1), rowOf(1, 'sound', 1), rowOf(2, 'sound', 1), rowOf(3, 'unreadable', 1)];
    const { open, staged } = sliceOf(rows, 'more', 0);
    expect(staged.map(({ record }) => record.position.record)).toEqual([1, 2]);
    expect(open?.rows.map(({ position }) => position.record)).toEqual([3, 4]);
  });
});
