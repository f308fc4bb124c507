/** Workbooks of other people, read where they lie; what is wanted was read off their XML by other means. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CORPUS, itReads } from '../../../corpus.ts';
import { convert, textOf } from './reading.ts';

const ROOT = join(CORPUS, 'xlsx', 'exceljs__exceljs');

const WANTED: [file: string, text: string][] = [
  ['dateIssue.xlsx', '"Date"\r\n"2020-11-20"\r\n'],
  [
    'gold.xlsx',
    '"Text",I am Text\r\n"Number",3.14\r\n"Integer",5\r\n"Date",2016-05-17\r\n"Formula",I am Text\r\n"Hyperlink",exceljs\r\n',
  ],
  [
    'many-columns.xlsx',
    '"this",spread,sheet,has,many,many,many,many,many,many,many,columns\r\n"but",the,really,really,funny,thing,is,that,it,has,even,more,in,the,second,row,bla,bla,bla,bla\r\n',
  ],
  ['shared_string_with_escape.xlsx', '"_x000D_"\r\n'],
  ['test-issue-1575.xlsx', '"A",B,C\r\n"1.0",2.0,3.0\r\n"4.0",5.0,6.0\r\n'],
];

describe('real workbooks', () => {
  itReads.each(WANTED)('%s reads as it is shown', async (file, text) =>
    expect(await textOf(readFileSync(join(ROOT, file)))).toBe(text),
  );

  itReads('with formulas read as what these came to', async () => {
    const lines = (await textOf(readFileSync(join(ROOT, 'fibonacci.xlsx')))).trimEnd().split('\r\n');
    expect(lines).toHaveLength(19);
    let [before, number] = [0, 1];
    for (const [index, line] of lines.entries()) {
      expect(line).toBe(`"${index + 1}",${number}`);
      [before, number] = [number, before + number];
    }
  });

  itReads('all end in a sheet or a problem', async () => {
    for (const file of readdirSync(ROOT)) expect(await convert(readFileSync(join(ROOT, file)))).toHaveProperty('text');
  });
});
