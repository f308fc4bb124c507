import { describe, expect, it } from 'vitest';
import { type Loose, mapperOf, namesOf, problemsOf, textOf } from './documents.ts';
import { bodiesOf, lines, mapInput, orderDocument } from './files.ts';

const orderOf = async (tree: Loose, record: Loose, more: Loose = {}): Promise<unknown> => {
  const [body] = await bodiesOf(orderDocument(tree, more), { no: 'SO-1', ...record });
  return body;
};
/** The value that a field makes of the member `a`. */
const madeOf = async (field: unknown, a: unknown): Promise<unknown> => {
  const body = await orderOf({ value: field }, { a });
  return Array.isArray(body) ? body : (body as { value?: unknown }).value;
};

describe('the reference of an order', () => {
  it('names its subject', async () => {
    const [record] = await mapInput({ source: { format: 'ndjson' }, ...orderDocument({}) }, lines({ no: ' SO-1 ' }));
    expect(record?.requests).toEqual([{ kind: 'order.create', subject: 'order:SO-1', body: { orderRef: 'SO-1' } }]);
  });
  it.each([
    ['', 'value_missing no'],
    ['x'.repeat(81), 'value_too_long no'],
    ['a\nb', 'control_character no'],
    ['a\u0000b', 'control_character no'],
    ['a\u0085b', 'control_character no'],
  ])('is refused as %j', async (no, wanted) => expect(await orderOf({}, { no })).toEqual([wanted]));
  it('may have 80 characters, and functions like any field', async () => {
    const no = 'x'.repeat(80);
    expect(await orderOf({}, { no })).toEqual({ orderRef: no });
    expect(await orderOf({ orderRef: { from: ['a', 'no'], join: '-', upper: true } }, { a: 'p' })).toEqual({
      orderRef: 'P-SO-1',
    });
  });
  it('is told beside everything else that is wrong', async () =>
    expect(
      await orderOf({ n: { from: 'n', as: 'integer' }, m: { from: 'm', required: true } }, { no: '', n: 'x' }),
    ).toEqual(['value_missing no', 'value_missing m', 'not_a_whole_number n']));
});

describe('the tree of an order', () => {
  const tree = {
    to: {
      object: {
        name: 'name',
        address: { object: { street: 'street', city: 'city' } },
        tags: { list: ['t1', { from: 't2' }] },
      },
    },
    notes: { list: [{ object: { text: 'n1' } }, { object: { text: 'n2' } }] },
  };
  it('carries what is filled and leaves out what is empty, with the objects and lists that hold nothing else', async () => {
    expect(await orderOf(tree, { street: '12 Elm St', t2: 'x', n2: 'late' })).toEqual({
      orderRef: 'SO-1',
      to: { address: { street: '12 Elm St' }, tags: ['x'] },
      notes: [{ text: 'late' }],
    });
    expect(await orderOf(tree, { name: '', street: ' ', city: null, t1: {}, n1: [] })).toEqual({ orderRef: 'SO-1' });
  });
  it('has its reference first and the others by name, as a stored version of the document has them', async () => {
    const body = await orderOf({ z: 'z', a: 'a', ...tree }, { z: 1, a: 2, name: 'n', city: 'c', t1: 't' });
    expect(JSON.stringify(body)).toBe(
      '{"orderRef":"SO-1","a":"2","to":{"address":{"city":"c"},"name":"n","tags":["t"]},"z":"1"}',
    );
  });
  it('is an error where something is required and empty: a value, an object, a list', async () => {
    const required = {
      value: { from: 'a', required: true },
      object: { object: { b: 'b' }, required: true },
      list: { list: ['c'], required: true },
    };
    expect(await orderOf(required, {})).toEqual(['list_empty list', 'list_empty object', 'value_missing a']);
    expect(await orderOf(required, { a: '0', b: 'x', c: 'y' })).toEqual({
      orderRef: 'SO-1',
      value: '0',
      object: { b: 'x' },
      list: ['y'],
    });
  });
  it('is an error where a condition asks for what is empty: a value, an object, a list', async () => {
    const asked = { field: 'kind', equals: 'home' };
    const required = {
      value: { from: 'a', required: asked },
      object: { object: { b: 'b' }, required: asked },
      list: { list: ['c'], required: asked },
    };
    expect(await orderOf(required, { kind: 'home' })).toEqual([
      'list_empty list',
      'list_empty object',
      'value_missing a',
    ]);
    expect(await orderOf(required, { kind: 'store' })).toEqual({ orderRef: 'SO-1' });
    expect(await orderOf(required, { kind: 'store', a: 'x' })).toEqual({ orderRef: 'SO-1', value: 'x' });
    expect(await orderOf(required, { kind: 'home', a: 'x', b: 'y', c: 'z' })).toEqual({
      orderRef: 'SO-1',
      value: 'x',
      object: { b: 'y' },
      list: ['z'],
    });
  });
  it('does not call a list empty whose entry is in error', async () =>
    expect(await orderOf({ list: { list: [{ from: 'a', as: 'integer' }], required: true } }, { a: 'x' })).toEqual([
      'not_a_whole_number a',
    ]));
  it('demands a required value inside an object whether the object holds something or not', async () =>
    expect(await orderOf({ to: { object: { name: { from: 'name', required: true }, city: 'city' } } }, {})).toEqual([
      'value_missing name',
    ]));
  it('leaves a part out whose condition does not hold, what is required in it included', async () => {
    const to = { object: { name: { from: 'name', required: true } }, when: { field: 'kind', equals: 'home' } };
    const list = { list: ['a'], required: true, when: { field: 'kind', equals: 'home' } };
    const value = { from: 'b', required: true, when: { field: 'kind', equals: 'home' } };
    expect(await orderOf({ to, list, value }, { kind: 'store' })).toEqual({ orderRef: 'SO-1' });
    expect(await orderOf({ to, list, value }, { kind: 'home' })).toEqual([
      'list_empty list',
      'value_missing name',
      'value_missing b',
    ]);
  });
  it('holds constants, which make an object that is never empty', async () =>
    expect(await orderOf({ ref: { object: { name: { const: 'PO' }, value: 'po' } } }, {})).toEqual({
      orderRef: 'SO-1',
      ref: { name: 'PO' },
    }));
  it.each(['__proto__', 'prototype', 'constructor'])('has no member %s', (name) => {
    const text = textOf(orderDocument({})).replace('orderRef: no', `orderRef: no\n  "${name}": no`);
    const problems = problemsOf(text);
    expect(problems.map(({ path, code }) => `${code} ${path}`)).toEqual([
      name === '__proto__' ? expect.stringContaining('yaml_not_supported') : `wrong_form order.${name}`,
    ]);
  });
  it('may have members named like other parts of every object', async () => {
    const body = await orderOf(
      { toString: { const: 'x' }, hasOwnProperty: 'a', valueOf: { object: { length: 'a' } } },
      { a: 'y' },
    );
    expect(body).toEqual({ orderRef: 'SO-1', toString: 'x', hasOwnProperty: 'y', valueOf: { length: 'y' } });
  });
});

describe('what a value of an order becomes', () => {
  it.each([
    [{ from: 'a' }, ' x ', 'x'],
    [{ from: 'a', as: 'text' }, 1.1, '1.1'],
    [{ from: 'a', as: 'integer' }, '-7', -7],
    [{ from: 'a', as: 'number' }, '2.50', 2.5],
    [{ from: 'a', as: 'number', decimal: ',', thousands: '.' }, '1.234,5', 1234.5],
    [{ from: 'a', as: 'number', unit: { from: 'lb', to: 'kg' }, round: 2 }, 3.5, 1.59],
    [{ from: 'a', as: 'boolean' }, true, true],
    [{ from: 'a', as: 'boolean' }, 'N', false],
    [{ from: 'a', as: 'boolean' }, 'YES', true],
    [{ from: 'a', as: 'boolean', default: 'no' }, '', false],
    [{ from: 'a', as: 'date', parse: 'M/d/yyyy' }, '3/9/2026', '2026-03-09'],
    [{ from: 'a', as: 'date', parse: ['M/d/yyyy', 'iso'] }, '2026-03-09T23:30:00-06:00', '2026-03-09'],
    [{ from: 'a', as: 'dateTime', parse: 'iso' }, '2026-03-09T08:00:00Z', '2026-03-09T08:00:00.0000000+00:00'],
    [
      { from: 'a', as: 'time', parse: 'iso', zone: { const: 'America/Chicago' } },
      '2026-03-09T08:00:00',
      { dateTime: '2026-03-09T08:00:00.0000000-05:00', timeZoneCode: 'CDT', timeZoneOffset: 'UTC-5' },
    ],
    [{ from: 'a', lookup: 'words' }, 'departed', 'AF'],
  ])('%j of %j', async (field, a, wanted) => expect(await madeOf(field, a)).toEqual(wanted));
  it.each([
    [{ from: 'a', as: 'boolean' }, 'maybe', 'not_a_boolean a'],
    [{ from: 'a', as: 'integer' }, '1.5', 'not_a_whole_number a'],
    [{ from: 'a', as: 'number' }, 'NaN', 'not_a_number a'],
    [{ from: 'a', as: 'date', parse: 'M/d/yyyy' }, '2/30/2026', 'bad_date a'],
    [{ from: 'a' }, 'x'.repeat(2_001), 'value_too_long a'],
    [{ from: 'a' }, 'a\u0007b', 'control_character a'],
    [{ from: 'a', lookup: 'words' }, 'Lost', 'code_unknown a'],
  ])('%j refuses %j', async (field, a, wanted) => expect(await madeOf(field, a)).toEqual([wanted]));
  it.each(['integer', 'number', 'boolean', 'text'])('leaves an empty %s out', async (as) =>
    expect(await orderOf({ value: { from: 'a', as } }, { a: '' })).toEqual({ orderRef: 'SO-1' }),
  );
  it('keeps line breaks and tabs of a comment', async () =>
    expect(await madeOf({ from: 'a' }, 'Ring twice.\r\n\tThen wait.')).toBe('Ring twice.\r\n\tThen wait.'));
  it('keeps false and 0, which are not empty', async () =>
    expect(
      await orderOf({ b: { from: 'b', as: 'boolean' }, n: { from: 'n', as: 'number' } }, { b: false, n: 0 }),
    ).toEqual({
      orderRef: 'SO-1',
      b: false,
      n: 0,
    }));
});

describe('a day', () => {
  it('is the one that is written, whatever the zone of the document and its clock changes', async () => {
    const day = { day: { from: 'a', as: 'date', parse: 'yyyy-MM-dd' } };
    // Midnight of this day does not exist in Santiago.
    for (const zone of [{ const: 'America/Santiago' }, 'tz']) {
      expect(await orderOf(day, { a: '2026-09-06' }, { zone })).toEqual({ orderRef: 'SO-1', day: '2026-09-06' });
    }
  });
  it('of a moment is told by the zone, and never without one', async () => {
    const day = { day: { from: 'a', as: 'date', parse: 'epochSeconds' } };
    const moment = { a: 1772413200 }; // 2026-03-02T01:00:00Z
    expect(await orderOf(day, moment, { zone: { const: 'America/Chicago' } })).toMatchObject({ day: '2026-03-01' });
    expect(namesOf(problemsOf({ source: { format: 'ndjson' }, ...orderDocument(day), zone: undefined }))).toEqual([
      'zone_missing order.day',
    ]);
  });
});

describe('the size of an order', () => {
  const order = { orderRef: 'Order', lines: { each: 'rows', item: { from: 'Text', required: true } } };
  const document = { target: 'order.create', fields: undefined, order, group: { by: ['Order'] } };
  const rowsOf = (count: number) =>
    Array.from({ length: count }, () => ({ fields: ['SO-1', 'x'.repeat(1_999)], lists: [] }));
  it('has a limit, which is told with the size', () => {
    const map = mapperOf(document, ['Order', 'Text']);
    const fits = rowsOf(249);
    expect(map(fits[0]?.fields ?? [], [fits]).errors).toEqual([]);
    const rows = rowsOf(250);
    const [error] = map(rows[0]?.fields ?? [], [rows]).errors;
    expect(error).toMatchObject({ code: 'order_too_large', path: 'order' });
    expect(error?.message).toMatch(/would have 500\d{3} characters; at most 500000/);
  });
});
