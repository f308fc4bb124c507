import { describe, expect, it } from 'vitest';
import { previewFile } from '../../../src/ops/publishing/preview.ts';
import { mappingOf } from '../mapping/documents.ts';
import { SHIPPED } from '../mapping/shipped.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const preview = (text: string, changes = {}) => previewFile(mappingOf(changes), bytes(text));
const row = (load: string): string => `${load},X1,2026-03-02 08:00\n`;
const HEADER = 'Load,Code,When\n';

describe('previewFile', () => {
  it('shows requests and errors beside the cells they come from', async () => {
    const { records, counts, fileProblems } = await preview(`${HEADER}${row('L1')}L2,X1,yesterday\n`);
    expect(counts).toEqual({ records: 2, mapped: 1, requests: 1, skipped: 0, invalid: 1 });
    expect(fileProblems).toEqual([]);
    expect(records).toMatchObject([
      {
        record: 1,
        position: { line: 2, byteFrom: 15 },
        columns: [
          ['Load', 'L1'],
          ['Code', 'X1'],
          ['When', '2026-03-02 08:00'],
        ],
        requests: [{ kind: 'milestone', subject: 'load:L1', body: { eventCode: 'X1' } }],
        errors: [],
        skipped: false,
      },
      { record: 2, requests: [], errors: [{ code: 'bad_date', path: 'When', value: 'yesterday' }] },
    ]);
  });

  it('counts what is wrong over all records, also over those that are not shown', async () => {
    const good = Array.from({ length: 300 }, (_, at) => row(`L${at}`)).join('');
    const { causes, records } = await preview(`${HEADER}${good}A,X1,yesterday\nB,X1,yesterday\nC,X1,today\n`);
    expect(records).toHaveLength(200);
    expect(causes).toMatchObject([
      { problem: { code: 'bad_date', value: 'yesterday' }, position: { record: 301, line: 302 }, records: 2 },
      { problem: { code: 'bad_date', value: 'today' }, position: { record: 303 }, records: 1 },
    ]);
  });

  it('counts values beyond a hundred by their place: no fault of many records is left out', async () => {
    const odd = Array.from({ length: 120 }, (_, at) => `A${at},X1,odd ${at}\n`).join('');
    const { causes } = await preview(`${HEADER}${odd}${',X1,2026-03-02 08:00\n'.repeat(30)}`);
    expect(causes).toHaveLength(102);
    expect(causes.at(-2)).toMatchObject({ problem: { code: 'bad_date', value: 'odd 100' }, records: 20 });
    expect(causes.at(-1)?.records).toBe(30);
  });

  it('shows every column of the file, also those the mapping does not read', async () => {
    const { records } = await preview('Load,Note,Code,When\nL1,hot,X1,2026-03-02 08:00\n');
    expect(records[0]?.columns).toContainEqual(['Note', 'hot']);
  });

  it('counts what is skipped apart', async () => {
    const skip = { when: { field: 'Load', in: ['TOTAL'] } };
    const { counts, records } = await preview(`${HEADER}${row('TOTAL')}${row('L1')}`, { skip });
    expect(counts).toMatchObject({ records: 2, mapped: 1, skipped: 1 });
    expect(records[0]).toMatchObject({
      skipped: true,
      columns: [['Load', 'TOTAL'], expect.anything(), expect.anything()],
    });
  });

  it('says what is wrong with a row that cannot be read, without cells', async () => {
    const { records, counts } = await preview(`${HEADER}L1,X1\n${row('L2')}`);
    expect(records[0]).toMatchObject({ columns: null, errors: [{ code: 'ragged_row' }] });
    expect(counts).toMatchObject({ invalid: 1, mapped: 1 });
  });

  it('says what is wrong with a file as a whole', async () => {
    expect(await preview('Load,Status,When\nL1,X1,2026-03-02 08:00\n')).toMatchObject({
      fileProblems: [{ code: 'missing_column', path: 'Code' }],
      records: [],
      counts: { records: 0 },
    });
  });

  it('says beside what to send what its author can change in the mapping, once for each kind of problem', async () => {
    const { records, authorFixes } = await preview(`${HEADER}L1,X1,yesterday\nL2,X1,today\n${row('L3')}`);
    expect(records.map(({ errors }) => errors[0]?.fix ?? '')).toEqual([
      expect.not.stringContaining('parse'),
      expect.not.stringContaining('parse'),
      '',
    ]);
    expect(authorFixes).toEqual([{ code: 'bad_date', fix: 'Add the form that the file has to `parse`.' }]);
    expect((await preview('Load;Code;When\nL1;X1;x\n')).authorFixes).toEqual([
      { code: 'wrong_delimiter', fix: 'Declare under source the `delimiter` that the file has.' },
    ]);
    expect((await preview(HEADER + row('L1'))).authorFixes).toEqual([]);
  });

  it('keeps the records before the place where a file breaks off', async () => {
    const mapping = SHIPPED.get('carrier-events-json')?.mapping;
    if (!mapping) throw new Error('the shipped mapping is gone');
    const whole = { records: [] as unknown[] };
    const { fileProblems } = await previewFile(mapping, bytes(JSON.stringify(whole).slice(0, -1)));
    expect(fileProblems).toHaveLength(1);
  });

  it('shows the first 200 records and counts all', async () => {
    const rows = Array.from({ length: 1_201 }, (_, index) => row(`L${index}`));
    const { records, counts } = await preview(HEADER + rows.join(''));
    expect(records.map(({ record }) => record)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(records.every(({ record, columns }) => columns?.[0]?.[1] === `L${record - 1}`)).toBe(true);
    expect(counts).toMatchObject({ records: 1_201, requests: 1_201 });
  });
});
