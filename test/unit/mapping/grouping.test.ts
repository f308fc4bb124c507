import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { GROUP_CHARACTERS_MAX, GROUP_ROWS_MAX } from '../../../src/mapping/limits.ts';
import { type Loose, mappingOf } from './documents.ts';
import { type BriefRecord, bodiesOf, briefly, lines, mapInput, orderDocument } from './files.ts';

const ORDER = { orderRef: 'Order', to: 'To', lines: { each: 'rows', item: { from: 'SKU', required: true } } };
const SKIP = { skip: { when: { field: 'SKU', equals: 'TOTAL' } } };
const document = (group: Loose = {}, more: Loose = {}): Loose =>
  orderDocument(ORDER, { group: { by: ['Order'], ...group }, ...SKIP, ...more });

const HEADER = 'Order,To,SKU\n';
const mapRows = (rows: string[], group: Loose = {}, more: Loose = {}): Promise<BriefRecord[]> =>
  mapInput(document(group, more), HEADER + rows.map((row) => `${row}\n`).join(''));
const outcomes = async (rows: string[], group: Loose = {}, more: Loose = {}) =>
  briefly(await mapRows(rows, group, more));
const linesOf = (record: BriefRecord | undefined): unknown =>
  (record?.requests[0]?.body as { lines?: unknown } | undefined)?.lines;

const A = 'order.create order:A';
const B = 'order.create order:B';
const INVALID = 'group_invalid ';

describe('adjacent rows', () => {
  it('of one key become one request, which the first one carries', async () => {
    const records = await mapRows(['A,x,1', 'A,x,2', 'B,y,3']);
    expect(briefly(records)).toEqual([`${A} (1)`, 'with 1', `${B} (3)`]);
    expect(records.map(({ group }) => group)).toEqual([1, 1, 3]);
    expect(linesOf(records[0])).toEqual(['1', '2']);
  });
  it('are compared without blanks around the key, and otherwise exactly', async () =>
    expect(await outcomes(['A,,1', ' A ,,2', 'a,,3'])).toEqual([`${A} (1)`, 'with 1', 'order.create order:a (3)']));
  it('may have a key of several columns, of which some may be empty', async () => {
    const group = { by: ['Order', 'To'], whenDifferent: 'first' };
    expect(await outcomes(['A,x,1', 'A,x,2', 'A,y,3', 'A,,4'], group)).toEqual([
      `${A} (1)`,
      'with 1',
      `${A} (3)`,
      `${A} (4)`,
    ]);
    expect(await outcomes([',,1'], group)).toEqual(['group_key_missing Order, To']);
  });
  it('whose key came before are errors, never a second request', async () =>
    expect(await outcomes(['A,x,1', 'B,y,2', 'A,x,3', 'A,x,4', 'B,y,5'])).toEqual([
      `${A} (1)`,
      `${B} (2)`,
      'group_reopened Order',
      'group_reopened Order',
      'group_reopened Order',
    ]));
  it('stay together past a row that is left out', async () => {
    const records = await mapRows(['A,x,1', 'A,x,TOTAL', ',,TOTAL', 'A,x,2', 'B,y,TOTAL', 'B,y,3']);
    expect(briefly(records)).toEqual([`${A} (1)`, 'skipped', 'skipped', 'with 1', 'skipped', `${B} (6)`]);
    expect(linesOf(records[0])).toEqual(['1', '2']);
  });
  it('are written in the order of the file, whatever is known first', async () => {
    const records = await mapRows(['A,x,1', ',,TOTAL', 'A,x,2', 'B,,3', 'B,,TOTAL', 'B,,4']);
    expect(records.map(({ record }) => record)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('rows that disagree', () => {
  it('in what is read once for the group make it an error, each naming its column', async () => {
    const records = await mapRows(['A,x,1', 'A,y,2', 'A,x,3']);
    expect(briefly(records)).toEqual([INVALID, 'group_disagrees To', INVALID]);
  });
  it('may be empty after the first one, but not before', async () => {
    expect(await outcomes(['A,x,1', 'A,,2'])).toEqual([`${A} (1)`, 'with 1']);
    expect(await outcomes(['A,,1', 'A,x,2'])).toEqual([INVALID, 'group_disagrees To']);
  });
  it('say what the first one says', async () => {
    const messages: string[] = [];
    const bytes = new TextEncoder().encode(`${HEADER}A,x,1\nA,y,2\nB,,3\nB,z,4\n`);
    for await (const step of mapFile(mappingOf(document()), bytesInMemory(bytes))) {
      if (step.outcome === 'records')
        messages.push(...step.records.flatMap(({ mapped }) => mapped.errors.map(({ message }) => message)));
    }
    expect(messages).toEqual([
      'Nothing was sent for this group, because row 2 is wrong.',
      'Row 1 of this group says "x" here.',
      'Nothing was sent for this group, because row 4 is wrong.',
      'Row 3 of this group has nothing here.',
    ]);
  });
  it('follow the first one where the document says so', async () => {
    const records = await mapRows(['A,x,1', 'A,y,2'], { whenDifferent: 'first' });
    expect(records[0]?.requests[0]?.body).toEqual({ orderRef: 'A', to: 'x', lines: ['1', '2'] });
  });
  it('may differ in what is read in every row, conditions included', async () => {
    const lines = { each: 'rows', object: { sku: { from: 'SKU', when: { field: 'To', empty: false } } } };
    const order = { orderRef: 'Order', lines };
    expect(
      briefly(await mapInput(orderDocument(order, { group: { by: ['Order'] } }), `${HEADER}A,x,1\nA,y,2\n`)),
    ).toEqual([`${A} (1)`, 'with 1']);
  });
});

describe('a wrong row', () => {
  it('makes its whole group an error, and is named by the others', async () =>
    expect(await outcomes(['A,x,1', 'A,x,', 'A,x,3', 'B,y,4'])).toEqual([
      INVALID,
      'value_missing SKU',
      INVALID,
      `${B} (4)`,
    ]));
  it('is left out where the document says so, and the next one carries the request', async () => {
    const records = await mapRows(['A,x,', 'A,x,2', 'A,x,'], { invalidRow: 'row' });
    expect(briefly(records)).toEqual(['value_missing SKU', `${A} (2)`, 'value_missing SKU']);
    expect(records[1]).toMatchObject({ group: 2, requests: [{ body: { lines: ['2'] } }] });
  });
  it('leaves nothing where all are wrong', async () =>
    expect(await outcomes(['A,x,', 'A,x,'], { invalidRow: 'row' })).toEqual([
      'value_missing SKU',
      'value_missing SKU',
    ]));
  it('spoils the group all the same where the others are no request without it', async () => {
    const order = { orderRef: 'Order', to: { from: 'To', required: true }, lines: ORDER.lines };
    const more = { order };
    expect(await outcomes(['A,x,', 'A,,2'], { invalidRow: 'row' }, more)).toEqual([
      'value_missing SKU',
      'value_missing To',
    ]);
  });
  it('is not looked for where the order as a whole is too large', async () => {
    const rowsOf = (text: string) => Array.from({ length: 140 }, () => `A,x,"${text}"`);
    const quotes = rowsOf('""'.repeat(1_999)); // two characters each in the order, one in the group
    const [first, second] = await outcomes(quotes, { invalidRow: 'row' });
    expect([first, second]).toEqual(['order_too_large order', INVALID]);
    expect((await outcomes(rowsOf('y'.repeat(1_999))))[0]).toBe(`${A} (1)`);
  });
});

describe('a row that cannot be placed', () => {
  const RAGGED = 'A,x,1,surplus';
  const QUOTE = '"A"x,y,1';
  it('inside of a group makes it an error', async () => {
    expect(await outcomes(['A,x,1', RAGGED, 'A,x,2', 'B,y,3'])).toEqual([
      INVALID,
      'ragged_row column 4',
      INVALID,
      `${B} (4)`,
    ]);
    expect(await outcomes(['A,x,1', QUOTE, 'A,x,2', 'B,y,3'])).toEqual([
      INVALID,
      'bad_quote Order',
      INVALID,
      `${B} (4)`,
    ]);
    expect(await outcomes(['A,x,1', ',x,2', 'A,x,3', 'B,y,4'])).toEqual([
      INVALID,
      'group_key_missing Order',
      INVALID,
      `${B} (4)`,
    ]);
  });
  it('between two groups holds back both, for it may belong to either', async () => {
    expect(await outcomes(['A,x,1', QUOTE, 'B,y,2', 'B,y,3', 'C,z,4'])).toEqual([
      INVALID,
      'bad_quote Order',
      'group_uncertain Order',
      'group_uncertain Order',
      'order.create order:C (5)',
    ]);
    expect(await outcomes(['A,x,1', ',x,2', 'B,y,3'])).toEqual([
      INVALID,
      'group_key_missing Order',
      'group_uncertain Order',
    ]);
  });
  it('holds back the orders of a file whose rows name their order in the first one alone', async () =>
    expect(await outcomes(['A,x,1', ',,2', ',,3', 'B,y,4', ',,5'])).toEqual([
      INVALID,
      'group_key_missing Order',
      'group_key_missing Order',
      'group_uncertain Order',
      'group_key_missing Order',
    ]));
  it('before the first group holds that one back, and after the last one the last', async () =>
    expect(await outcomes([QUOTE, 'A,x,1', 'B,y,2', 'C,z,3', QUOTE])).toEqual([
      'bad_quote Order',
      'group_uncertain Order',
      `${B} (3)`,
      INVALID,
      'bad_quote Order',
    ]));
  it('is alone in a file without groups', async () =>
    expect(await outcomes([QUOTE, ',x,2'])).toEqual(['bad_quote Order', 'group_key_missing Order']));
  it('that still names its key belongs there, and spoils no neighbour', async () => {
    expect(await outcomes(['A,x,1', 'B,y', 'C,z,3'])).toEqual([
      `${A} (1)`,
      'ragged_row SKU',
      'order.create order:C (3)',
    ]);
    expect(await outcomes(['A,x,1', 'B,y', 'B,y,3', 'C,z,4'])).toEqual([
      `${A} (1)`,
      'ragged_row SKU',
      INVALID,
      'order.create order:C (4)',
    ]);
  });
  it('is only left out where the document leaves wrong rows out', async () =>
    expect(await outcomes(['A,x,1', QUOTE, 'B,y,2', ',x,3'], { invalidRow: 'row' })).toEqual([
      `${A} (1)`,
      'bad_quote Order',
      `${B} (3)`,
      'group_key_missing Order',
    ]));
  it('has its own error alone where the group it stands in is an error for another reason', async () =>
    expect(await outcomes(['A,x,1', 'B,y,2', 'A,x,3', ',x,4'])).toEqual([
      `${A} (1)`,
      `${B} (2)`,
      'group_reopened Order',
      'group_key_missing Order',
    ]));

  describe('where other columns stand before the key', () => {
    const mapLate = async (rows: string[]) =>
      briefly(await mapInput(document(), `SKU,To,Order\n${rows.map((row) => `${row}\n`).join('')}`));
    it('is not trusted with its key: a cell too many may have put another value there', async () =>
      expect(await mapLate(['1,x,A', '2,x,y,A', '3,x,A'])).toEqual([INVALID, 'ragged_row column 4', INVALID]));
    it('belongs to the rows after it where they have its key', async () =>
      expect(await mapLate(['1,x,A', '2,y,B,z', '3,y,B', '4,z,C'])).toEqual([
        `${A} (1)`,
        'ragged_row column 4',
        INVALID,
        'order.create order:C (4)',
      ]));
    it('holds back both neighbours where neither has its key', async () =>
      expect(await mapLate(['1,x,A', '2,y,C,z', '3,y,B'])).toEqual([
        INVALID,
        'ragged_row column 4',
        'group_uncertain Order',
      ]));
  });
});

describe('a group that is too large', () => {
  const tooMany = Array.from({ length: GROUP_ROWS_MAX + 1 }, (_, index) => `A,x,${index}`);
  it('is an error of all its rows, and of nothing else', async () => {
    const records = await outcomes([...tooMany, 'B,y,1']);
    expect(new Set(records.slice(0, -1))).toEqual(new Set(['group_too_large Order']));
    expect(records.at(-1)).toBe(`${B} (${GROUP_ROWS_MAX + 2})`);
    expect((await mapRows(tooMany.slice(1)))[0]?.requests).toHaveLength(1);
  });
  it('by its characters is one, too', async () => {
    const long = Array.from({ length: 300 }, () => `A,x,${'y'.repeat(GROUP_CHARACTERS_MAX / 300)}`);
    expect(new Set(await outcomes(long))).toEqual(new Set(['group_too_large Order']));
  });
  it('is one wherever its rows stand', async () => {
    const records = await outcomes(['B,y,1', ...tooMany, 'B,y,2'], { order: 'anywhere' });
    expect([records[0], records.at(-1), new Set(records.slice(1, -1))]).toEqual([
      `${B} (1)`,
      'with 1',
      new Set(['group_too_large Order']),
    ]);
  });
});

describe('rows that may stand anywhere', () => {
  const anywhere = (rows: string[], group: Loose = {}) => outcomes(rows, { order: 'anywhere', ...group });
  it('come together by their key', async () => {
    const records = await mapRows(['A,x,1', 'B,y,2', 'A,x,3', ',,TOTAL', 'B,y,4'], { order: 'anywhere' });
    expect(briefly(records)).toEqual([`${A} (1)`, `${B} (2)`, 'with 1', 'skipped', 'with 2']);
    expect(linesOf(records[0])).toEqual(['1', '3']);
  });
  it('are wrong together', async () =>
    expect(await anywhere(['A,x,1', 'B,y,2', 'A,x,'])).toEqual([INVALID, `${B} (2)`, 'value_missing SKU']));
  it('are held back beside one that cannot be placed', async () =>
    expect(await anywhere([',,0', 'A,x,1', 'B,y,2', ',,3', 'C,z,4', 'D,z,5', 'A,x,6'])).toEqual([
      'group_key_missing Order',
      'group_uncertain Order',
      INVALID,
      'group_key_missing Order',
      'group_uncertain Order',
      'order.create order:D (6)',
      'group_uncertain Order',
    ]));
  it('leave wrong ones out where the document says so', async () =>
    expect(await anywhere(['A,x,1', ',,2', 'A,x,'], { invalidRow: 'row' })).toEqual([
      `${A} (1)`,
      'group_key_missing Order',
      'value_missing SKU',
    ]));
});

describe('groups of other files and requests', () => {
  it('are made of the records of a tree, with the arrays of every one', async () => {
    const order = {
      all: { each: 'rows', object: { sku: 'sku', parts: { each: 'parts', item: { from: '.', as: 'integer' } } } },
    };
    const changes = orderDocument(order, { group: { by: ['no'] } });
    expect(
      await bodiesOf(changes, { no: 1, sku: 'x', parts: [1, 2] }, { no: 1, sku: 'y' }, { no: 2, parts: 3 }),
    ).toEqual([
      { orderRef: '1', all: [{ sku: 'x', parts: [1, 2] }, { sku: 'y' }] },
      { orderRef: '2', all: [{ parts: [3] }] },
    ]);
    const wrong = lines({ no: 1, parts: [1] }, { no: 1, parts: [2, 'x'] });
    expect(briefly(await mapInput({ source: { format: 'ndjson' }, ...changes }, wrong))).toEqual([
      INVALID,
      'not_a_whole_number parts[1]',
    ]);
  });
  it('may be events', async () => {
    const changes = { group: { by: ['Load'] } };
    const rows = 'Load,Code,When\nL1,X3,2026-03-02 08:00\nL1,X3,\nL2,X3,2026-03-02 08:00\n';
    expect(briefly(await mapInput(changes, rows))).toEqual([
      'milestone load:L1 (1)',
      'with 1',
      'milestone load:L2 (3)',
    ]);
  });
  it('follow a switch, whose column all rows share', async () => {
    const target = { switch: 'To', cases: { x: 'order.create', y: 'order.cancel' } };
    const order = { orderRef: 'Order', lines: ORDER.lines };
    const changes = { target, fields: undefined, order, group: { by: ['Order'] } };
    expect(briefly(await mapInput(changes, `${HEADER}A,x,1\nA,,2\nB,y,\nC,x,3\nC,y,4\n`))).toEqual([
      `${A} (1)`,
      'with 1',
      'order.cancel order:B (3)',
      INVALID,
      'group_disagrees To',
    ]);
  });
});

describe('lines of fixed width', () => {
  const source = {
    ...{ format: 'fixed', lineLength: 20 },
    records: {
      LINE: {
        marker: '',
        fields: { Order: { at: 1, length: 5 }, SKU: { at: 6, length: 10 }, To: { at: 16, length: 5 } },
      },
    },
  };
  const line = (order: string, sku: string) => `${order.padEnd(5)}${sku.padEnd(10)}Depot`;
  const outcomesOf = async (group: Loose, ...rows: string[]) =>
    briefly(await mapInput(document(group, { source }), rows.map((row) => `${row}\n`).join('')));

  it('whose characters are moved may belong to the orders beside them: none goes out with a line missing', async () => {
    const moved = `X${line('SO-1', 'LAMP-2')}`;
    const rows = [line('SO-1', 'SOFA-3'), moved, line('SO-2', 'RUG-4')];
    const held = await outcomesOf({}, ...rows);
    expect(held.map((each) => each.split(' ')[0])).toEqual(['group_invalid', 'line_too_long', 'group_uncertain']);
    const anywhere = await outcomesOf({ order: 'anywhere' }, ...rows);
    expect(
      anywhere.some((each) => each.startsWith('order.create')),
      anywhere.join(),
    ).toBe(false);
    expect(await outcomesOf({}, ...rows.filter((row) => row !== moved))).toEqual([
      'order.create order:SO-1 (1)',
      'order.create order:SO-2 (2)',
    ]);
  });
});
