import { describe, expect, it } from 'vitest';
import { bordersOf } from '../../../scripts/kill/borders.ts';
import { type GroupOrder, type OrderFilePlan, orderFile } from '../../../scripts/kill/order-file.ts';

const planOf = (order: GroupOrder): OrderFilePlan => ({
  name: 'K',
  order,
  slices: 5,
  sliceBytes: 20_000,
  linesPerOrder: 7,
  rowBytes: 1_000,
});

describe.each(['adjacent', 'anywhere'] as const)('an order file with its rows %s', (order) => {
  const { text, rows, borders, crossed } = orderFile(planOf(order));
  const lines = text.trimEnd().split('\n').slice(1);

  it('has a row for every line of every order, and names it', () => {
    expect(rows).toHaveLength(lines.length);
    expect(lines.map((line) => line.split(',')[0])).toEqual(rows.map(({ orderRef }) => orderRef));
    expect(new Set(rows.map(({ orderRef, sku }) => `${orderRef} ${sku}`)).size).toBe(rows.length);
    const orders = Map.groupBy(rows, ({ orderRef }) => orderRef);
    expect([...orders.values()].every((each) => each.length === 7)).toBe(true);
  });

  it('has borders where whole records fill a slice, each inside an order', () => {
    expect(borders).toHaveLength(5);
    expect(borders.at(-1)).toBe(text.length);
    expect(crossed).toEqual([1, 2, 3, 4]);
    borders.slice(0, -1).forEach((border, index) => {
      const from = borders[index - 1] ?? 0;
      const next = text.indexOf('\n', border) + 1;
      expect(text[border - 1]).toBe('\n');
      expect(border - from).toBeLessThanOrEqual(20_000);
      expect(next - from).toBeGreaterThan(20_000);
    });
  });
});

describe('the borders a run kills at', () => {
  const borders = [100, 200, 250];
  const rows = (count: number) => Array.from({ length: count }, () => ({ orderRef: 'K-1', sku: 'SKU-1' }));

  it('are the ends of all slices where groups close on the way', () => {
    const found = bordersOf({ borders, rows: rows(9) }, false);
    expect(found.map(({ name }) => name)).toEqual(['slice 1', 'slice 2', 'slice 3']);
    expect(found.map((border) => border.isAt({ byte: 200, rows: 5 }))).toEqual([false, true, false]);
  });

  it('are the ends of the slices that stage rows, and the commits that place them', () => {
    const found = bordersOf({ borders, rows: rows(2_001) }, true);
    expect(found.map(({ name }) => name)).toEqual(['slice 1', 'slice 2', 'the first groups', 'the last groups']);
    expect(found.map((border) => border.isAt({ byte: 250, rows: 2_000 }))).toEqual([false, false, true, false]);
    expect(found.map((border) => border.isAt({ byte: 250, rows: 2_001 }))).toEqual([false, false, false, true]);
    expect(bordersOf({ borders, rows: rows(2_000) }, true).map(({ name }) => name)).toEqual([
      'slice 1',
      'slice 2',
      'the last groups',
    ]);
  });
});
