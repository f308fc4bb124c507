import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { codesOf, declare, fieldsOf, readWhole } from './reading.ts';

const ROOT = join(CORPUS, 'fixed');
const files = isInCorpus(ROOT)
  ? readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ach|txt)$/.test(path))
  : [];
const bytes = (path: string): Uint8Array => new Uint8Array(readFileSync(join(ROOT, path)));

/** Entries of 94 columns: file, batch, entry, addenda, controls; fillers of nines. */
const ENTRIES = declare({
  lineLength: 94,
  records: {
    file: { marker: '1', use: 'passed' },
    batch: { marker: '5', use: 'carried', fields: { company: { at: 5, length: 16 }, class: { at: 51, length: 3 } } },
    entry: {
      marker: '6',
      fields: {
        account: { at: 13, length: 17 },
        amount: { at: 30, length: 10, number: { decimals: 2 } },
        trace: { at: 80, length: 15 },
      },
    },
    addenda: { marker: '7', fields: { text: { at: 4, length: 80 } } },
    batchControl: { marker: '8', use: 'trailer', count: { at: 5, length: 6, of: 'records' } },
    fileControl: { marker: '9', use: 'passed' },
    filler: { marker: '9999999999', use: 'passed' },
  },
});

describe('real fixed-width files', () => {
  itReads.each(files)('%s ends in records or problems, the same in slices', (path) => {
    const any = declare({ records: { row: { marker: '', fields: { all: { at: 1, length: 200, trim: 'none' } } } } });
    for (const source of [any, ENTRIES]) {
      const read = readWhole(bytes(path), source);
      expect(readWhole(bytes(path), source, { sliceBytes: 77 })).toEqual(read);
      if (source === any) expect(read.records.length + read.problems.length).toBeGreaterThan(0);
    }
  });

  itReads.each(files.filter((path) => path.endsWith('.ach')))(
    '%s has the entries that can be counted by hand',
    (path) => {
      const lines = readFileSync(join(ROOT, path), 'latin1').split(/\r?\n/);
      const read = readWhole(bytes(path), ENTRIES);
      const rows = lines.filter((line) => /^[67]/.test(line));
      expect(read.records).toHaveLength(rows.length);
      const kindAt = read.columns.indexOf('recordKind');
      const amountAt = read.columns.indexOf('amount');
      rows.forEach((line, index) => {
        const fields = read.records[index]?.fields ?? [];
        expect(fields[kindAt]).toBe(line.startsWith('6') ? 'entry' : 'addenda');
        const amount = line.slice(29, 39);
        if (line.startsWith('6') && /^\d{10}$/.test(amount))
          expect(Number(fields[amountAt]) * 100).toBeCloseTo(Number(amount));
      });
      // Each batch control counts its own entries and addenda.
      const counts = [];
      let entries = 0;
      for (const line of lines) {
        if (/^[67]/.test(line)) entries += 1;
        if (line.startsWith('8')) {
          counts.push(Number(line.slice(4, 10)) === entries);
          entries = 0;
        }
      }
      if (counts.every(Boolean)) expect(read.endProblem).toBeNull();
      else expect(read.endProblem).toMatchObject({ code: 'trailer_count_differs' });
    },
  );

  itReads.each(files.filter((path) => path.endsWith('__beanio/f.txt')))(
    '%s counts characters of three bytes as one',
    (path) => {
      const source = declare({
        records: { r: { marker: '', fields: { a: { at: 1, length: 2 }, b: { at: 8, length: 3 } } } },
      });
      expect(fieldsOf(readWhole(bytes(path), source)).slice(1)).toEqual([
        ['ハロ', 'ハロー', 'r'],
        ['ハロ', '世界', 'r'],
      ]);
    },
  );

  itReads.each(files.filter((path) => path.endsWith('f4_padding.txt')))('%s: a kind by its first letters', (path) => {
    const fields = { rest: { at: 4, length: 40 } };
    const read = readWhole(bytes(path), declare({ records: { INT: { fields }, CHA: { fields } } }));
    expect(codesOf(read)).toEqual(['', '', 'unknown_record_kind', 'unknown_record_kind']);
  });
});
