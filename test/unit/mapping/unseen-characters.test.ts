/** Characters that nobody sees, and marks of spreadsheets, in the cells that a mapping reads: one rule for all that reads them. */
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { bodyOf, errorsOf, mapCells, mappingOf, withFields } from './documents.ts';
import { bodiesOf, briefly, mapInput, orderDocument } from './files.ts';

const loadOf = (load: string, field: unknown = 'Load'): unknown => {
  const document = withFields({ loadNumber: field });
  const [error] = errorsOf(document, { Load: load });
  return error === undefined ? bodyOf(document, { Load: load }).loadNumber : `${error.code} ${error.path}`;
};

describe('characters nobody sees', () => {
  it.each([
    'LD1',
    '\u200bLD1',
    'LD\u200b1',
    'LD1\u2060',
    '\ufeff LD1',
    '\u00adLD1\u00ad',
    '\u202aLD1\u202c',
    'LD\u200d1',
  ])('are trimmed of a load number, so that there is one load (%j)', (load) => expect(loadOf(load)).toBe('LD1'));

  it('are an error that names the place where `trim: false` keeps them', () => {
    expect(loadOf('LD1\u200b', { from: 'Load', trim: false })).toBe('control_character Load');
    const [error] = errorsOf(withFields({ loadNumber: { from: 'Load', trim: false } }), { Load: 'LD\u200b1' });
    expect(error).toMatchObject({
      path: 'Load',
      value: 'LD\u200b1',
      message:
        'The load number holds the character U+200B, which is not seen everywhere, at character 3, which cannot be sent.',
      fix: 'Remove the line break or unprintable character from "Load"; where it cannot be seen, type the value anew.',
    });
  });

  it('leave a field empty where nothing else stands in it', () =>
    expect(loadOf('\u200b \u00ad')).toBe('value_missing Load'));

  it('change no condition, switch or group', async () => {
    const skip = { when: { field: 'Load', equals: 'LD1' } };
    expect(mapCells({ skip }, { Load: 'LD\u200b1' }).skipped).toBe(true);
    const target = { switch: 'Kind', cases: { S: 'milestone' }, otherwise: 'skip' };
    expect(mapCells({ target }, { Kind: 'S\u200b' }).requests).toHaveLength(1);
    const csv = { source: { format: 'csv' }, group: { by: ['no'] } };
    const document = orderDocument({ lines: { each: 'rows', item: 'line' } }, csv);
    const grouped = await mapInput(document, "no,line\n00123,1\n\u200b00123,2\n'00123,3\n");
    expect(briefly(grouped)).toEqual(['order.create order:00123 (1)', 'with 1', 'with 1']);
  });

  it('change no name of a column', async () => {
    const [row] = await mapInput(
      { fields: { loadNumber: 'Load', eventCode: 'Code', time: { from: 'When', parse: 'iso' } } },
      'Load\u200b,\u200eCode,When\nLD1,X3,2026-03-02T08:00:00Z\n',
    );
    expect(row).toMatchObject({ errors: [], requests: [{ subject: 'load:LD1' }] });
  });

  it('make no second column of one name', async () => {
    const file = new TextEncoder().encode('Load,Load\u200b,Code,When\nLD1,LD2,X3,2026-03-02T08:00:00Z\n');
    for await (const step of mapFile(mappingOf(withFields({})), bytesInMemory(file)))
      expect(step).toMatchObject({ outcome: 'unreadable', problems: [{ code: 'duplicate_header', value: 'Load' }] });
    expect.assertions(1);
  });

  it('change no word of a code list, number, time or coordinate', () => {
    const document = withFields({
      stopsequenceNumber: { from: 'Stop', as: 'integer' },
      time: { from: 'When', parse: 'M/d/yyyy HH:mm', zone: { const: 'America/Chicago' } },
    });
    const cells = { Stop: '\u200e2', When: '\u200e3/\u200e2/\u200e2026 \u200f\u200e08:15' };
    expect(errorsOf(document, cells)).toEqual([]);
    expect(bodyOf(document, cells)).toMatchObject({
      stopsequenceNumber: 2,
      time: { dateTime: '2026-03-02T08:15:00.0000000-06:00' },
    });
  });
});

describe('a soft hyphen inside', () => {
  it('is an error that names the place: some programs show it as a hyphen, and others do not', () => {
    const [error] = errorsOf(withFields({}), { Load: 'LD\u00ad1' });
    expect(error).toMatchObject({
      code: 'control_character',
      path: 'Load',
      value: 'LD\u00ad1',
      message: expect.stringContaining('U+00AD'),
    });
  });

  it('is one in a text of an order, too', async () => {
    expect(await bodiesOf(orderDocument({ note: 'note' }), { no: 'A', note: 'so\u00adfa' })).toEqual([
      ['control_character note'],
    ]);
  });
});

describe('the mark by which a spreadsheet makes digits a text', () => {
  it.each(["'00123", " '00123", '="00123"'])('is trimmed: %j', (load) => expect(loadOf(load)).toBe('00123'));

  it('is an error where a name or code begins with it and no digit says that it is a mark', () => {
    expect(loadOf("'ABC")).toBe('excel_damage Load');
    expect(errorsOf(withFields({ eventCode: 'Code' }), { Code: "'AF" })).toMatchObject([
      {
        code: 'excel_damage',
        path: 'Code',
        value: "'AF",
        message: expect.stringContaining('begins with an apostrophe'),
        fix: expect.stringContaining('Write "Code" without the apostrophe.'),
      },
    ]);
  });

  it('is an error of an order whose reference begins with it', async () =>
    expect(await bodiesOf(orderDocument({ note: 'note' }), { no: "'A", note: 'x' })).toEqual([['excel_damage no']]));

  it('stays where it belongs to a word', async () => {
    const document = withFields({ eventCity: 'City' });
    expect(bodyOf(document, { City: "'s-Hertogenbosch" }).eventCity).toBe("'s-Hertogenbosch");
    expect(await bodiesOf(orderDocument({ note: 'note' }), { no: 'A', note: "'90s chair" })).toEqual([
      { orderRef: 'A', note: "'90s chair" },
    ]);
  });

  it('is kept by `trim: false`, and is then an error', () =>
    expect(loadOf("'00123", { from: 'Load', trim: false })).toBe('excel_damage Load'));
});
