import { describe, expect, it } from 'vitest';
import { milestoneOf } from '../../milestone-of.ts';
import { bodyOf, errorsOf, type Loose, mapCells, mapperOf, namesOf, RIGHT, withFields } from './documents.ts';

const FIELDS = RIGHT.fields as Loose;

describe('a record becomes one request', () => {
  it('whose subject is its load', () =>
    expect(mapCells({}, { Load: 'LD-7' }).requests).toEqual([
      {
        kind: 'milestone',
        subject: 'load:LD-7',
        body: {
          loadNumber: 'LD-7',
          eventCode: 'X1',
          time: { dateTime: '2026-03-02T08:00:00.0000000+00:00', timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' },
        },
      },
    ]));
  it('from which empty optional fields are left out', () => {
    const fields = {
      eventCity: 'City',
      eventState: 'State',
      reasonCode: 'Reason',
      stopsequenceNumber: { from: 'Stop', as: 'integer' },
    };
    const body = bodyOf(withFields(fields), { City: '', State: ' ', Reason: '', Stop: '' });
    expect(Object.keys(body).sort()).toEqual(['eventCode', 'loadNumber', 'time']);
  });
  it('that carries all fields that are filled', () => {
    const fields = {
      eventCity: 'City',
      eventState: 'State',
      reasonCode: 'Reason',
      stopsequenceNumber: { from: 'Stop', as: 'integer' },
    };
    const body = bodyOf(withFields(fields), { City: 'Joliet', State: 'IL', Reason: 'NS', Stop: '2' });
    expect(body).toMatchObject({ eventCity: 'Joliet', eventState: 'IL', reasonCode: 'NS', stopsequenceNumber: 2 });
  });
  it('reads cells of columns named like parts of every object', () => {
    const columns = ['__proto__', 'constructor', 'toString', 'Load', 'Code', 'When'];
    const fields = withFields({ eventCity: '__proto__', eventState: 'constructor', reasonCode: 'toString' });
    const [request] = mapperOf(fields, columns)(['p', 'c', 't', 'L1', 'X1', '2026-03-02 08:00']).requests;
    expect(request?.body).toMatchObject({ eventCity: 'p', eventState: 'c', reasonCode: 't' });
    expect(({} as Loose).p).toBeUndefined();
  });
});

describe('a record in error', () => {
  it('names every error at once, by the column of the file', () => {
    const fields = {
      eventCode: { from: 'Code', lookup: 'words' },
      stopsequenceNumber: { from: 'Stop', as: 'integer' },
    };
    const errors = errorsOf(withFields(fields), { Load: ' ', Code: 'Lost', When: 'soon', Stop: 'x' });
    expect(namesOf(errors)).toEqual([
      'value_missing Load',
      'code_unknown Code',
      'bad_date When',
      'not_a_whole_number Stop',
    ]);
  });
  it('says in plain words what the value is for', () =>
    expect(errorsOf({}, { Load: '' })[0]).toMatchObject({
      path: 'Load',
      value: '',
      message: '"Load" is empty, but the load number is needed.',
      fix: 'Fill in "Load" in this row, and send the row again.',
    }));
  it('names all columns of a joined value', () =>
    expect(errorsOf(withFields({ loadNumber: { from: ['A', 'B'] } }), { A: '', B: '' })[0]).toMatchObject({
      path: 'A, B',
      message: '"A" and "B" are empty, but the load number is needed.',
    }));
  it('yields no request', () => expect(mapCells({}, { Load: '' })).toMatchObject({ requests: [], skipped: false }));
  it.each([
    ['loadNumber', 80],
    ['eventCode', 30],
    ['reasonCode', 30],
    ['eventCity', 255],
  ])('refuses a %s of more than %d characters and takes one of just that many', (name, charactersMax) => {
    const changes = withFields({ [name]: 'A' });
    expect(errorsOf(changes, { A: 'x'.repeat(charactersMax) })).toEqual([]);
    expect(errorsOf(changes, { A: 'x'.repeat(charactersMax + 1) })).toMatchObject([
      { code: 'value_too_long', path: 'A' },
    ]);
  });
  it.each(['a\nb', 'a\u0000b', 'a\u001bb', 'a\u0085b'])('refuses the control character in %j', (text) =>
    expect(errorsOf(withFields({ eventCity: 'A' }), { A: text })).toMatchObject([
      { code: 'control_character', path: 'A' },
    ]),
  );
  it('stops a chain of replacements that would grow without end', () => {
    const replace = Array.from({ length: 20 }, () => ({ find: 'a', with: 'a'.repeat(200) }));
    expect(errorsOf(withFields({ eventCity: { from: 'A', replace } }), { A: 'a' })).toMatchObject([
      { code: 'value_too_long', path: 'A' },
    ]);
  });
  it('quotes only the beginning of a long value', () =>
    expect(errorsOf(withFields({ eventCity: 'A' }), { A: 'x'.repeat(3_000) })[0]?.value.length).toBeLessThan(160));
});

describe('references', () => {
  const references = [
    { name: 'PRO', value: 'Pro' },
    { name: 'BOL', value: { from: 'Bol', upper: true }, omitWhenEmpty: true },
  ];
  it('carry their fixed names and their values', () =>
    expect(bodyOf(withFields({ references }), { Pro: '1', Bol: 'b2' }).references).toEqual([
      { name: 'PRO', value: '1' },
      { name: 'BOL', value: 'B2' },
    ]));
  it('are sent empty unless omitWhenEmpty is set', () =>
    expect(bodyOf(withFields({ references }), { Pro: '', Bol: '' }).references).toEqual([{ name: 'PRO', value: '' }]));
  it('are no field at all when none is left', () =>
    expect('references' in bodyOf(withFields({ references: references.slice(1) }), { Bol: '' })).toBe(false));
  it('are left out when their condition does not hold', () => {
    const conditional = [{ name: 'PRO', value: { from: 'Pro', when: { field: 'Pro', notIn: ['none'] } } }];
    expect(bodyOf(withFields({ references: conditional }), { Pro: 'none' }).references).toBeUndefined();
  });
  it('are held to the limits of a text, under their column', () =>
    expect(errorsOf(withFields({ references }), { Pro: 'x'.repeat(256), Bol: 'a\tb' })).toMatchObject([
      { code: 'value_too_long', path: 'Pro' },
      { code: 'control_character', path: 'Bol' },
    ]));
});

describe('the SCAC of a record', () => {
  it('is part of the request when the mapping reads it', () =>
    expect(mapCells({ scac: { from: 'Scac', upper: true } }, { Scac: 'abcd' }).requests).toMatchObject([
      { scac: 'ABCD' },
    ]));
  it('is absent when the mapping does not', () => expect('scac' in (mapCells({}, {}).requests[0] ?? {})).toBe(false));
  it.each(['a', 'ABCDE', 'AB1', 'AB\r\nX: y', 'ÄB'])('is refused as %j', (text) =>
    expect(errorsOf({ scac: 'Scac' }, { Scac: text })).toMatchObject([{ code: 'scac_invalid', path: 'Scac' }]),
  );
  it('is an error when empty, and left to the upload when the mapping says so', () => {
    expect(errorsOf({ scac: 'Scac' }, { Scac: '' })).toMatchObject([{ code: 'value_missing', path: 'Scac' }]);
    const scac = { from: 'Scac', when: { field: 'Scac', empty: false } };
    expect(mapCells({ scac }, { Scac: '' })).toMatchObject({ errors: [], requests: [{ kind: 'milestone' }] });
  });
});

describe('skipping', () => {
  it('leaves a record out before anything is read', () =>
    expect(
      mapCells({ skip: { when: { field: 'Code', in: ['', 'N/A'] } } }, { Code: 'N/A', Load: '', When: '?' }),
    ).toEqual({
      requests: [],
      errors: [],
      skipped: true,
    }));
  it('concerns only the records it names', () =>
    expect(mapCells({ skip: { when: { field: 'Code', in: ['', 'N/A'] } } }, {}).requests).toHaveLength(1));
});

describe('several requests of one record', () => {
  const { eventCode: _, ...shared } = FIELDS;
  const requests = [
    { fields: { eventCode: { const: 'X1' } } },
    {
      when: { field: 'Left', empty: false },
      fields: { eventCode: { const: 'CD' }, time: { from: 'Left', parse: 'yyyy-MM-dd HH:mm' } },
    },
  ];
  const changes = { fields: shared, requests };

  it('share fields and lay their own over them', () => {
    const mapped = mapCells(changes, { Left: '2026-03-02 09:00' });
    expect(
      mapped.requests.map(milestoneOf).map(({ eventCode, time }) => [eventCode, time.dateTime.slice(11, 16)]),
    ).toEqual([
      ['X1', '08:00'],
      ['CD', '09:00'],
    ]);
  });
  it('come only where their condition holds', () => expect(mapCells(changes, { Left: '' }).requests).toHaveLength(1));
  it('cost themselves alone when they are in error', () => {
    const { requests: sent, errors } = mapCells(changes, { Left: 'later' });
    expect([sent.map(({ kind }) => kind), errors]).toMatchObject([['milestone'], [{ code: 'bad_date', path: 'Left' }]]);
  });
  it('are all withheld when one is in error and the mapping asks for whole records', () =>
    expect(mapCells({ ...changes, isolate: 'record' }, { Left: 'later' })).toMatchObject({
      requests: [],
      errors: [{ code: 'bad_date', path: 'Left' }],
    }));
  it('blame a shared field once', () =>
    expect(namesOf(errorsOf(changes, { Load: '', Left: '2026-03-02 09:00' }))).toEqual(['value_missing Load']));
  it('leave the record out when none applies', () => {
    const { time: _time, ...others } = shared;
    const conditional = { fields: others, requests: requests.slice(1) };
    expect(mapCells(conditional, { Left: '' })).toEqual({ requests: [], errors: [], skipped: true });
  });
});
