/** Reports as they are downloaded, from stored bytes and the mapping version the batch was born with. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { RESULT_COLUMNS } from '../../../src/batch/report/report-csv.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { mappingKey, sourceKey } from '../../../src/kernel/names.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { mappingVersion } from '../../../src/mapping/document/versions.ts';
import { aRow, aRowRequest, aSummary, SMALL_MAPPING } from '../batch/samples.ts';
import { anApp, KNOWN_ID } from './samples.ts';

const checked = checkMapping(SMALL_MAPPING, new Map());
if (!checked.ok) throw new Error(JSON.stringify(checked.error));
const version = await mappingVersion(checked.value, new Map());

function appWith(file: string, rows: BatchRow[] = []) {
  const source = sourceKey({ environment: 'test', partner: 'acme' }, KNOWN_ID);
  const files = new Map([
    [source, file],
    [mappingKey(version.sha256), version.text],
  ]);
  const bytes = new TextEncoder().encode(file).length;
  const summary = aSummary({ batchId: KNOWN_ID, bytes, mappingSha256: version.sha256, rows: rows.length });
  return anApp({ summary, rows, files });
}

const ROUTES = ['/v1/batches'];

describe.each(ROUTES)('a report under %s', (route) => {
  const csvOf = async (app: ReturnType<typeof appWith>) => {
    const answer = await app.request(`${route}/${KNOWN_ID}/report.csv`);
    return parse(await answer.text(), { relax_column_count: false }) as string[][];
  };

  it('has each record with its original columns and what became of it', async () => {
    const lines = await csvOf(appWith('Load,Code,At\nL1,X3,2026-03-02 08:15\nL2,X1,now\n', [aRow(1), aRow(2)]));
    expect(lines.map((cells) => cells.slice(0, 5))).toEqual([
      ['Load', 'Code', 'At', '_batch', '_record'],
      ['L1', 'X3', '2026-03-02 08:15', KNOWN_ID, '1'],
      ['L2', 'X1', 'now', KNOWN_ID, '2'],
    ]);
  });

  it('begins with one byte order mark, by which a spreadsheet reads it as UTF-8, whether the file has one or not', async () => {
    const MARK = '\ufeff';
    for (const file of ['Load,Code,At\nÄ1,X3,now\n', `${MARK}Load,Code,At\nÄ1,X3,now\n`]) {
      const answer = await appWith(file, [aRow(1)]).request(`${route}/${KNOWN_ID}/report.csv`);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await answer.arrayBuffer());
      expect(text.slice(0, 8)).toBe(`${MARK}"Load",`);
      expect(text.slice(1)).not.toContain(MARK);
    }
  });

  it('of a file that is only a header has its columns', async () => {
    expect(await csvOf(appWith('Load,Code,At\n'))).toEqual([['Load', 'Code', 'At', ...RESULT_COLUMNS]]);
  });

  it('of a batch that has no row yet has the columns of the file', async () => {
    expect(await csvOf(appWith('Load,Code,At\nL1,X3,now\n'))).toEqual([['Load', 'Code', 'At', ...RESULT_COLUMNS]]);
  });

  it('as JSON has the cells by their columns', async () => {
    const { request } = appWith('Load,Code,At\nL1,X3\n', [aRow(1)]);
    const report = await (await request(`${route}/${KNOWN_ID}/report.json`)).json();
    expect(report).toMatchObject({
      batch: { batchId: KNOWN_ID },
      rows: [
        {
          record: 1,
          columns: [
            ['Load', 'L1'],
            ['Code', 'X3'],
            ['At', ''],
          ],
        },
      ],
    });
  });

  it('says what the receiving system says of each row, and asks for it no more than the JSON report does', async () => {
    const rows = ['updated', null, 'rejected'].map((action, index) =>
      aRow(index + 1, { requests: [aRowRequest({ action })] }),
    );
    const file = `Load,Code,At\n${'L1,X3,now\n'.repeat(rows.length)}`;
    const [csv, json] = [appWith(file, rows), appWith(file, rows)];
    const [header = [], ...cells] = await csvOf(csv);
    expect(cells.map((line) => line[header.indexOf('_action')])).toEqual(['updated', '', 'rejected']);
    await (await json.request(`${route}/${KNOWN_ID}/report.json`)).text();
    expect(csv.asked).toEqual(json.asked);
  });

  it('as JSON of a file that is only a header has no rows', async () => {
    const { request } = appWith('Load,Code,At\n');
    expect(await (await request(`${route}/${KNOWN_ID}/report.json`)).json()).toMatchObject({ rows: [] });
  });
});
