import { describe, expect, it } from 'vitest';
import { checkCodeList } from '../../../src/mapping/check/code-list.ts';
import { GROUP_COLUMNS_MAX, ORDER_DEPTH_MAX, ORDER_NODES_MAX } from '../../../src/mapping/limits.ts';
import { type Loose, namesOf, problemsOf, withFields } from './documents.ts';
import { orderDocument } from './files.ts';

const only = (changes: Loose | string): string[] => namesOf(problemsOf(changes));
const NDJSON = { source: { format: 'ndjson' } };
const GROUP = { group: { by: ['no'] } };
const order = (tree: Loose, more: Loose = {}): string[] => only(orderDocument(tree, more));

it('reports the mistakes of a document with a switch, orders and a group at once, each with path, line and wanted form', () => {
  const problems = problemsOf(`mapping: trial-csv
description: Many mistakes.
source: { format: csv }
target:
  switch: Type
  cases:
    L: { target: trace, fields: { coordinate: { latitude: Lat, longitude: { from: Lon, form: DMS } } } }
    N: { target: order.new }
  otherwise: ignore
group: { by: [No], order: anywere }
order:
  orderReference: No
  weight: { from: Weight, as: number, unit: { from: lb, to: C } }
  volume: { from: Volume, unit: { from: gal, to: l } }
  due: { from: Due, as: date }
  lines: { each: items, object: { sku: SKU }, item: Item }
  note: { from: Note, capture: { pattern: "(a", group: 2 } }
  kind: { from: Kind, lookup: [words, wrods], requird: true }
  both: { object: { a: A }, list: [B] }
examples: [{ input: x, records: [] }]
`);
  expect(namesOf(problems)).toEqual([
    'field_missing target.cases.L.fields.loadNumber',
    'field_missing target.cases.L.fields.time',
    'wrong_form target.cases.L.fields.coordinate.longitude.form',
    'wrong_form target.cases.N.target',
    'wrong_form target.otherwise',
    'wrong_form group.order',
    'field_missing order.orderRef',
    'unit_unknown order.weight.unit',
    'no_effect order.volume.unit',
    'key_missing order.due.parse',
    'origin_invalid order.lines',
    'path_invalid order.lines.each',
    'pattern_invalid order.note.capture.pattern',
    'unknown_key order.kind.requird',
    'keys_exclude order.both.list',
  ]);
  expect(problems.map(({ line }) => line)).toEqual([7, 7, 7, 8, 9, 10, 11, 13, 14, 15, 16, 16, 17, 18, 19]);
  const wanted = new Map(problems.map((problem) => [problem.path, problem.wanted]));
  expect(wanted.get('target.cases.L.fields.coordinate.longitude.form')).toBe('one of decimal, DDDMMSS, byDigits');
  expect(wanted.get('target.cases.N.target')).toContain('order.create, order.update');
  expect(wanted.get('group.order')).toBe('one of adjacent, anywhere');
  expect(wanted.get('order.kind.requird')).toContain('required');
  for (const { message } of problems) expect(message.length).toBeGreaterThan(10);
});

describe('a switch', () => {
  const target = { switch: 'Type', cases: { S: 'milestone', O: 'order.create' } };
  it('has one case or more, and not too many', () => {
    expect(only({ target: { switch: 'Type', cases: {} } })).toEqual(['too_many target.cases']);
    const cases = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`C${index}`, 'milestone']));
    expect(only({ target: { switch: 'Type', cases } })).toEqual(['too_many target.cases']);
  });
  it('stands alone, without requests', () =>
    expect(only({ target, order: { orderRef: 'no' }, requests: [{ target: 'milestone' }] })).toContain(
      'keys_exclude requests',
    ));
  it('demands of every case what its kind requires', () => {
    expect(only({ target })).toEqual(['key_missing target.cases.O.order']);
    expect(only({ target, order: { orderRef: 'no' }, ...withFields({ time: undefined }) })).toEqual([
      'field_missing target.cases.S.fields.time',
    ]);
  });
  it('refuses what a case has and its kind does not', () => {
    const cases = {
      S: {
        target: 'milestone',
        fields: { coordinate: { latitude: 'Lat', longitude: 'Lon' } },
        order: { orderRef: 'no' },
      },
      O: { target: 'order.create', order: { orderRef: 'no' }, fields: { eventCity: 'City' } },
    };
    expect(only({ target: { switch: 'Type', cases } })).toEqual([
      'unknown_field target.cases.S.fields.coordinate',
      'no_effect target.cases.S.order',
      'no_effect target.cases.O.fields',
    ]);
  });
  it('refuses a shared field that none of its kinds has, and an order where nothing becomes one', () => {
    const changes = {
      target: { switch: 'Type', cases: { S: 'milestone' } },
      order: { orderRef: 'no' },
      ...withFields({ odometer: { from: 'O', as: 'integer' } }),
    };
    expect(only(changes)).toEqual(['unknown_field fields.odometer', 'no_effect order']);
  });
  it('names the kind that was misspelt, and not the whole target', () => {
    const [problem] = problemsOf({ target: { switch: 'Type', cases: { S: 'milestones' } } });
    expect(problem).toMatchObject({ code: 'wrong_form', path: 'target.cases.S', value: 'milestones' });
    expect(problem?.wanted).toContain('one of milestone, trace');
  });
});

describe('a position and a temperature', () => {
  const trace = (coordinate: Loose, more: Loose = {}) => {
    const { eventCode: _, ...fields } = withFields({ coordinate, ...more }).fields as Loose;
    return only({ target: 'trace', fields });
  };
  it('are told by what is wrong with their parts', () =>
    expect(
      trace(
        { latitude: { from: 'Lat', form: 'DMS' }, longitude: { decimal: ',' } },
        { temperature: { value: { from: 'T', unit: { from: 'F', to: 'kg' } } } },
      ),
    ).toEqual(['wrong_form fields.coordinate.latitude.form', 'key_missing fields.temperature.unitOfMeasure']));
  it('demand both halves, and no condition on either', () => {
    expect(trace({ latitude: 'Lat' })).toEqual(['key_missing fields.coordinate.longitude']);
    const when = { field: 'Lat', empty: false };
    expect(trace({ latitude: { from: 'Lat', when }, longitude: { from: 'Lon', when } })).toEqual([
      'keys_exclude fields.coordinate.latitude.when',
      'keys_exclude fields.coordinate.longitude.when',
    ]);
  });
  it('are checked like any other field', () => {
    const value = { from: 'T', unit: { from: 'F', to: 'kg' } };
    const time = { from: 'At', parse: 'dd.MM.yyyy HH:MM' };
    expect(
      trace(
        { latitude: 'Lat', longitude: { from: 'Lon', const: '1' } },
        { temperature: { value, unitOfMeasure: 'U', time } },
      ),
    ).toEqual([
      'origin_invalid fields.coordinate.longitude',
      'unit_unknown fields.temperature.value.unit',
      'pattern_invalid fields.temperature.time.parse',
    ]);
  });
});

describe('a number', () => {
  const odometer = (keys: Loose) => {
    const { eventCode: _, ...fields } = withFields({
      coordinate: { latitude: 'Lat', longitude: 'Lon' },
      odometer: { from: 'O', as: 'integer', ...keys },
    }).fields as Loose;
    return only({ target: 'trace', fields });
  };
  it.each([
    [{ decimal: ',', thousands: ',' }, 'keys_exclude fields.odometer.thousands'],
    [{ thousands: '.' }, 'keys_exclude fields.odometer.thousands'],
    [{ unit: { from: 'leagues', to: 'mi' } }, 'unit_unknown fields.odometer.unit.from'],
    [{ unit: { from: { column: 'U' }, to: 'leagues' } }, 'unit_unknown fields.odometer.unit.to'],
    [{ unit: { from: 'kg', to: 'mi' } }, 'unit_unknown fields.odometer.unit'],
    [{ round: 10 }, 'wrong_form fields.odometer.round'],
    [{ decimal: ';' }, 'wrong_form fields.odometer.decimal'],
  ])('refuses %j', (keys, wanted) => expect(odometer(keys)).toEqual([wanted]));
});

describe('captures and lookups', () => {
  const city = (keys: Loose) => only(withFields({ eventCity: { from: 'A', ...keys } }));
  it.each([
    [{ capture: { pattern: '(a' } }, 'pattern_invalid fields.eventCity.capture.pattern'],
    [{ capture: { pattern: '(?=a)' } }, 'pattern_invalid fields.eventCity.capture.pattern'],
    [{ capture: { pattern: 'a' } }, 'pattern_invalid fields.eventCity.capture.pattern'],
    [{ capture: { pattern: '(a)', group: 2 } }, 'pattern_invalid fields.eventCity.capture.pattern'],
    [{ capture: { pattern: '(a{200}){200}' } }, 'pattern_invalid fields.eventCity.capture.pattern'],
    [{ lookup: ['words', 'none'] }, 'code_list_unknown fields.eventCity.lookup[1]'],
    [{ lookup: ['words', 'exact', 'zones', 'words', 'words', 'words'] }, 'too_many fields.eventCity.lookup'],
    [{ reverse: true }, 'no_effect fields.eventCity.reverse'],
  ])('refuses %j', (keys, wanted) => expect(city(keys)).toEqual([wanted]));
  it('refuse to go back from a code that several words lead to, unless the list says which', () => {
    const list = (reverse: Loose) =>
      `list: w\ndescription: Words.\ncodes: { A: X, B: X }\n${Object.keys(reverse).length > 0 ? `reverse: ${JSON.stringify(reverse)}\n` : ''}`;
    const checked = checkCodeList(list({ X: 'C' }));
    expect(checked.ok ? [] : namesOf(checked.error)).toEqual(['code_unknown reverse.X']);
    const unsaid = checkCodeList(list({}));
    expect(unsaid.ok && unsaid.value.ambiguousCodes()).toEqual(['X']);
    const said = checkCodeList(list({ X: 'B' }));
    expect(said.ok && [said.value.findWord('X'), said.value.ambiguousCodes()]).toEqual(['B', []]);
  });
});

describe('an order', () => {
  it.each([
    [{ orderRef: undefined }, 'field_missing order.orderRef'],
    [{ orderRef: { object: { a: 'a' } } }, 'wrong_form order.orderRef'],
    [{ orderRef: { from: 'no', as: 'integer' } }, 'wrong_form order.orderRef'],
    [{ orderRef: { from: 'no', when: { field: 'no', empty: false } } }, 'keys_exclude order.orderRef.when'],
    [{ a: {} }, 'origin_invalid order.a'],
    [{ a: { from: 'a', object: { b: 'b' } } }, 'keys_exclude order.a.from'],
    [{ a: { list: ['a'], default: 'x' } }, 'keys_exclude order.a.default'],
    [{ a: { from: 'a', item: 'b' } }, 'keys_exclude order.a.item'],
    [{ a: { from: 'a', flatten: true } }, 'keys_exclude order.a.flatten'],
    [{ a: { each: 'b', item: 'c', flatten: true } }, 'no_effect order.a.flatten'],
    [{ a: { each: 'b', object: { c: 'c' }, flatten: true } }, 'no_effect order.a.flatten'],
    [{ a: { from: 'a', required: { field: 'b' } } }, 'condition_invalid order.a.required'],
    [{ a: { from: 'a', as: 'date' } }, 'key_missing order.a.parse'],
    [{ a: { from: 'a', parse: 'iso' } }, 'no_effect order.a.parse'],
    [{ a: { from: 'a', round: 2 } }, 'no_effect order.a.round'],
    [{ a: { from: 'a', as: 'dateTime', parse: 'yyyy-MM-dd' } }, 'zone_missing order.a'],
    [{ a: { object: { b: { from: 'a', lookup: 'none' } } } }, 'code_list_unknown order.a.object.b.lookup'],
    [{ a: { list: [{ template: 'x' }] } }, 'template_invalid order.a.list[0].template'],
    [{ a: { list: [] } }, 'wrong_form order.a.list'],
    [{ a: { from: 'a', when: { field: 'b' } } }, 'condition_invalid order.a.when'],
    [{ a: { object: { b: 'b' }, when: { field: 'b' } } }, 'condition_invalid order.a.when'],
    [{ fields: { frm: 'a' } }, 'unknown_key order.fields.frm'],
    [{ a: 7 }, 'wrong_form order.a'],
    [{ ['x'.repeat(81)]: 'a' }, `wrong_form order.${'x'.repeat(81)}`],
  ])('refuses %j', (tree, wanted) => expect(order(tree, { ...NDJSON, zone: undefined })).toEqual([wanted]));
  it('says which keys there are inside of it', () => {
    const [problem] = problemsOf(orderDocument({ a: { object: { b: { form: 'x' } } } }, NDJSON));
    expect(problem?.path).toBe('order.a.object.b.form');
    expect(problem?.wanted).toContain('one of from, join');
  });
  it('needs no zone for a day', () =>
    expect(order({ a: { from: 'a', as: 'date', parse: 'yyyy-MM-dd' } }, { zone: undefined })).toEqual([]));
  it('is not too deep and not too large', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'a' : { object: { b: nested(depth - 1) } });
    expect(order({ a: nested(ORDER_DEPTH_MAX - 1) })).toEqual([]);
    expect(order({ a: nested(ORDER_DEPTH_MAX) })).toEqual([`too_many order.a${'.object.b'.repeat(ORDER_DEPTH_MAX)}`]);
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 'a']));
    expect(order(members(ORDER_NODES_MAX - 1))).toEqual([]);
    expect(order(members(ORDER_NODES_MAX))).toEqual(['too_many order']);
  });
  it('is what an order has, instead of fields', () => {
    expect(only({ target: 'order.create', order: { orderRef: 'no' } })).toEqual([
      'unknown_field fields.loadNumber',
      'unknown_field fields.eventCode',
      'unknown_field fields.time',
    ]);
    expect(only({ target: 'order.create', fields: undefined })).toEqual(['key_missing order']);
    expect(only({ order: { orderRef: 'no' } })).toEqual(['no_effect order']);
  });
  it('that is cancelled has its reference alone', () =>
    expect(order({ a: 'a' }, { target: 'order.cancel' })).toEqual(['no_effect order.a']));
});

describe('an array', () => {
  const lines = (each: string, more: Loose = {}) => ({ lines: { each, object: { sku: 'sku' }, ...more } });
  it('is one of a tree, or the rows of a group', () => {
    expect(order(lines('lines'), NDJSON)).toEqual([]);
    expect(order(lines('rows'), GROUP)).toEqual([]);
    expect(order(lines('rows'))).toEqual(['keys_exclude order.lines.each']);
    expect(order(lines('lines'), GROUP)).toEqual(['path_invalid order.lines.each']);
    expect(order(lines('a..b'), NDJSON)).toEqual(['path_invalid order.lines.object.sku']);
  });
  it('says once what its elements become', () => {
    expect(order(lines('lines', { item: 'sku' }), NDJSON)).toEqual(['origin_invalid order.lines']);
    expect(order({ lines: { each: 'lines' } }, NDJSON)).toEqual(['origin_invalid order.lines']);
  });
  it('of the rows of a group is read in its row, not in the first one alone', () => {
    expect(order(lines('lines'), { ...NDJSON, ...GROUP })).toEqual(['keys_exclude order.lines.each']);
    const inRows = { all: { each: 'rows', object: { sku: 'sku', parts: { each: 'parts', item: '.' } } } };
    expect(order(inRows, { ...NDJSON, ...GROUP })).toEqual([]);
    expect(order({ all: { each: 'rows', object: { again: { each: 'rows', item: 'sku' } } } }, GROUP)).toEqual([
      'path_invalid order.all.object.again.each',
    ]);
  });
  const each = (request: Loose, more: Loose = {}) => only({ ...NDJSON, ...more, requests: [request] });
  it('becomes requests of a tree alone, and not together with a group', () => {
    const request = { each: 'stops', fields: { eventCity: 'city' } };
    expect(each(request)).toEqual([]);
    expect(each(request, { source: { format: 'csv' } })).toEqual(['keys_exclude requests[0].each']);
    expect(each(request, { group: { by: ['Load'] } })).toContain('keys_exclude requests[0].each');
  });
  it('is gone through for something that is read in it', () => {
    expect(each({ each: 'stops' })).toEqual(['no_effect requests[0].each']);
    expect(each({ each: 'stops', fields: { eventCity: { const: 'x' } } })).toEqual(['no_effect requests[0].each']);
    expect(each({ each: 'orders', target: 'order.create' }, { order: { orderRef: 'no' }, fields: undefined })).toEqual([
      'key_missing requests[0].order',
      'no_effect requests[0].each',
    ]);
  });
});

describe('a group', () => {
  const group = (spec: Loose) => order({ lines: { each: 'rows', item: 'sku' } }, { group: spec });
  it.each([
    [{}, 'key_missing group.by'],
    [{ by: [] }, 'wrong_form group.by'],
    [{ by: ['a', ' a'] }, 'no_effect group.by[1]'],
    [{ by: Array.from({ length: GROUP_COLUMNS_MAX + 1 }, (_, index) => `c${index}`) }, 'too_many group.by'],
    [{ by: ['no'], order: 'sorted' }, 'wrong_form group.order'],
    [{ by: ['no'], invalidRow: 'skip' }, 'wrong_form group.invalidRow'],
    [{ by: ['no'], whenDifferent: 'last' }, 'wrong_form group.whenDifferent'],
    [{ by: ['no'], from: 'x' }, 'unknown_key group.from'],
  ])('refuses %j', (spec, wanted) => expect(group(spec)).toEqual([wanted]));
  it('demands the columns of its key of the file', () => {
    const source = { format: 'csv', header: false, columns: ['no'] };
    expect(only(orderDocument({}, { source, group: { by: ['nr'] } }))).toEqual(['column_unknown group.by[0]']);
  });
});
