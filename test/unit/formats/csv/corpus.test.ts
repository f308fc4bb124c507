import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { describe, expect } from 'vitest';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { cutOut, type Declared, declare, fieldsOf, problemsOf, readWhole } from './reading.ts';

const ROOT = join(CORPUS, 'csv');
const files = isInCorpus(ROOT)
  ? readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.csv'))
  : [];
const bytes = (path: string): Uint8Array => new Uint8Array(readFileSync(join(ROOT, path)));

describe('real CSV files', () => {
  itReads('read the same in slices, and their positions cut out the records', () => {
    for (const path of files) {
      for (const encoding of ['utf-8', 'windows-1252'] as const) {
        const file = bytes(path);
        const source = declare({ encoding });
        const read = readWhole(file, source);
        expect(readWhole(file, source, { sliceBytes: 777 }), path).toEqual(read);
        for (const record of read.records) expect(cutOut(file, record, 'latin1'), path).toMatch(/^[^\r\n]/);
        if (read.problems.length > 0) expect(read.records).toEqual([]);
      }
    }
  });

  /** Counted and copied by hand: declaration, columns, records, first and last record. */
  const KNOWN: [string, Declared, number, number, string[], string[]][] = [
    [
      'BurntSushi__rust-csv/gtfs-mbta-stop-times.first600.csv',
      {},
      9,
      599,
      ['Logan-22-Weekday-trip', '08:00:00', '08:00:00', 'Logan-Subway', '1', '', '0', '1', '0'],
      [],
    ],
    [
      'BurntSushi__rust-csv/smallpop-colon.csv',
      { delimiter: ':' },
      4,
      10,
      ['Southborough', 'MA', 'United States', '9686'],
      [],
    ],
    [
      'BurntSushi__rust-csv/smallpop-no-headers.csv',
      { header: false, columns: ['city', 'region', 'country', 'population'] },
      4,
      10,
      ['Southborough', 'MA', 'United States', '9686'],
      [],
    ],
    [
      'BurntSushi__rust-csv/uspop-latin1.csv',
      { encoding: 'iso-8859-1' },
      5,
      100,
      ['Davidsons Landing', 'AK', '', '65.2419444', '-165.2716667'],
      [],
    ],
    ['mholt__PapaParse/utf-8-bom-sample.csv', {}, 3, 1, ['X', 'Y', 'Z'], ['X', 'Y', 'Z']],
    ['mholt__PapaParse/sample-header.csv', {}, 2, 2, ['test title 01', 'test name 01'], ['', 'test name 02']],
  ];
  itReads.each(KNOWN.filter(([path]) => files.includes(path)))(
    '%s',
    (path, declared, columns, records, first, last) => {
      const read = readWhole(bytes(path), declare(declared));
      expect(read.columns).toHaveLength(columns);
      expect(read.records).toHaveLength(records);
      expect(problemsOf(read).filter((code) => code !== undefined)).toEqual([]);
      expect(read.records[0]!.fields).toEqual(first);
      if (last.length > 0) expect(read.records.at(-1)!.fields).toEqual(last);
    },
  );

  const SPECTRUM = 'npm__csv-spectrum-2.0.0';
  // Broken upstream: a quote inside an unquoted cell.
  const broken = join(SPECTRUM, 'csvs__location_coordinates.csv');
  const vectors = files.filter((path) => path.startsWith(join(SPECTRUM, 'csvs__')) && path !== broken);

  itReads.each(vectors)('%s gives the objects expected of it', (path) => {
    const expected: unknown = JSON.parse(
      readFileSync(join(ROOT, path.replace('csvs__', 'json__').replace(/csv$/, 'json')), 'utf8'),
    );
    const { columns, ...read } = readWhole(bytes(path));
    const objects = read.records.map(({ fields }) => Object.fromEntries(columns.map((name, at) => [name, fields[at]])));
    expect(objects).toEqual(expected);
  });

  itReads.each(files.filter((path) => path === broken))('%s costs the one row that breaks the rules', (path) => {
    const read = readWhole(bytes(path));
    expect(problemsOf(read)).toEqual(['bad_quote']);
  });

  itReads.each(files.filter((path) => path.endsWith('strange.csv')))(
    '%s has quotes escaped in a way that is not CSV',
    (path) => {
      const declared = { delimiter: ';', header: false, columns: ['name', 'year'], comment: '#' };
      const codes = problemsOf(readWhole(bytes(path), declare(declared)));
      expect(codes).toEqual(['bad_quote', 'bad_quote', 'ragged_row', 'bad_quote', 'bad_quote', 'bad_quote']);
      expect(fieldsOf(readWhole(bytes(path), declare({ ...declared, quote: '' })))[1]).toEqual([
        '"Bret \\"Hit Man\\" Hart"',
        '1984',
      ]);
    },
  );

  interface PapaVector {
    description: string;
    input: unknown;
    config?: Record<string, unknown>;
    expected: { data: unknown[]; errors: unknown[] };
  }
  const PAPA = join(ROOT, 'mholt__PapaParse', 'test-cases.js');

  /** The tables of vectors at the top of the file; the tests made of them need a browser's test runner. */
  function papaVectors(): PapaVector[] {
    if (!isInCorpus(PAPA)) return [];
    const script = readFileSync(PAPA, 'utf8');
    const tables = { describe: () => undefined, module: { exports: true }, require: () => ({ assert: null }) };
    const context = vm.createContext(tables);
    vm.runInContext(script.slice(0, script.indexOf('var PARSE_ASYNC_TESTS')), context);
    return vm.runInContext('[...CORE_PARSER_TESTS, ...PARSE_TESTS]', context) as PapaVector[];
  }

  /** Vectors about delimited text itself: not about guessing, typing, previews, nor errors of that parser. */
  function concernsUs({ input, config = {}, expected }: PapaVector): boolean {
    const settings = Object.entries(config);
    const known = settings.every(([name, value]) => KNOWN_SETTINGS.has(name) && value !== 'greedy' && value !== '\n');
    const readable = typeof input === 'string' && expected.errors.length === 0 && expected.data.every(Array.isArray);
    return known && readable && settings.every(([, value]) => typeof value !== 'function' && typeof value !== 'number');
  }
  const KNOWN_SETTINGS = new Set(['delimiter', 'quoteChar', 'newline', 'comments', 'skipEmptyLines']);

  itReads('Papa Parse vectors are read as expected, or with a problem where that parser is lenient', () => {
    const read = papaVectors()
      .filter(concernsUs)
      .flatMap(({ description, input, config = {}, expected }) => {
        const rows = (expected.data as string[][]).filter((row) => row.length > 1 || row[0]?.trim() !== '');
        const width = Math.max(1, ...rows.map((row) => row.length));
        const comment = config.comments === true ? '#' : config.comments || undefined;
        const source = declare({
          delimiter: config.delimiter ?? ',',
          quote: config.quoteChar ?? '"',
          comment,
          header: false,
          columns: Array.from({ length: width }, (_, at) => `c${at}`),
        });
        const whole = readWhole(input as string, source);
        const isLenient = whole.problems.length > 0 || problemsOf(whole).some((code) => code !== undefined);
        if (!isLenient) expect(fieldsOf(whole), description).toEqual(rows);
        return isLenient ? [] : [description];
      });
    expect(read.length).toBeGreaterThan(60);
  });
});
