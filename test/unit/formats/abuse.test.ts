/** Files that are made to do harm, through the one face of all formats: each is refused, or costs itself, in bounded time and memory. */
import { describe, expect, it } from 'vitest';
import { readerOf, recordSource } from '../../../src/formats/reader.ts';
import type { ReadRecord } from '../../../src/formats/record-reader.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { openSheet } from '../../../src/formats/xlsx/convert.ts';
import { sheetOfXlsx, xlsxSource } from '../../../src/formats/xlsx/declaration.ts';
import type { Problem } from '../../../src/kernel/problem.ts';
import { sheetXml, workbookOf } from '../../workbook-files.ts';
import { readSlices } from './whole-read.ts';

/** Far more than any of these takes on a busy machine, far less than any of them would take if it did what it is made for. */
const READING_MS_MAX = 5_000;
const MEMORY_BYTES_MAX = 96 * 1024 * 1024;
/** What is kept of a file, as JSON: as text it is stored with every row. */
const KEPT_CHARACTERS_MAX = 100_000;

interface Read {
  records: ReadRecord[];
  problems: Problem[];
}

function readFile(declared: Record<string, unknown>, text: string, paths: readonly string[] = ['a']): Read {
  const { start, read } = readerOf(recordSource.parse(declared), { paths, lists: [] });
  const file = new TextEncoder().encode(text);
  const { records, problems, endProblem } = readSlices(read, start, file, 64 * 1024, (checkpoint) =>
    expect(JSON.stringify(checkpoint).length).toBeLessThan(KEPT_CHARACTERS_MAX),
  );
  return { records, problems: endProblem === null ? problems : [endProblem] };
}

/** What comes out, and that neither time nor memory went into it. */
async function bounded<T>(read: () => T | Promise<T>): Promise<T> {
  const before = process.memoryUsage();
  const startedMs = performance.now();
  const result = await read();
  expect(performance.now() - startedMs).toBeLessThan(READING_MS_MAX);
  expect(process.memoryUsage().rss - before.rss).toBeLessThan(MEMORY_BYTES_MAX);
  expect(JSON.stringify(result).length).toBeLessThan(KEPT_CHARACTERS_MAX);
  return result;
}

const codesOf = ({ records, problems }: Read): (string | undefined)[] => [
  ...records.map(({ problem }) => problem?.code),
  ...problems.map(({ code }) => code),
];

const ENTITIES = Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
const LAUGHS = `<!DOCTYPE list [<!ENTITY l0 "ha">${ENTITIES}]>`;
const EXTERNAL = '<!DOCTYPE list [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
const DEEP = 100_000;

describe('an XML document', () => {
  const source = { format: 'xml', records: 'list/item' };

  it('of entities in entities (billion laughs) is refused for its DOCTYPE', async () => {
    const read = await bounded(() => readFile(source, `${LAUGHS}<list><item><a>&l12;</a></item></list>`));
    expect(codesOf(read)).toEqual(['xml_doctype']);
  });

  it('with an external entity is refused for its DOCTYPE, and nothing is fetched', async () => {
    const read = await bounded(() => readFile(source, `${EXTERNAL}<list><item><a>&x;</a></item></list>`));
    expect(codesOf(read)).toEqual(['xml_doctype']);
    expect(JSON.stringify(read)).not.toContain('root:');
  });

  it(`of elements ${DEEP} deep ends at the depth that is read`, async () => {
    const file = `<list><item/><item>${'<a>'.repeat(DEEP)}${'</a>'.repeat(DEEP)}</item></list>`;
    expect(codesOf(await bounded(() => readFile(source, file)))).toEqual([undefined, 'xml_too_deep']);
  });
});

describe('a JSON file', () => {
  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])(`of %s ${DEEP} deep is not followed down`, async (_what, opening, closing) => {
    const file = `[{"a":1},${opening.repeat(DEEP)}1${closing.repeat(DEEP)},{"a":2}]`;
    const read = await bounded(() => readFile({ format: 'json' }, file));
    expect(codesOf(read)).toEqual([undefined, 'too_deep', 'json_broken_from_here']);
  });

  it(`of lines ${DEEP} levels deep loses these alone`, async () => {
    const file = `{"a":1}\n{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}\n{"a":2}\n`;
    const read = await bounded(() => readFile({ format: 'ndjson' }, file));
    expect(codesOf(read)).toEqual([undefined, 'too_deep', undefined]);
  });

  it('with a member name that fills a record is quoted only in part', async () => {
    const read = await bounded(() => readFile({ format: 'ndjson' }, `{"${'n'.repeat(60_000)}":x}\n`.repeat(50)));
    expect(new Set(codesOf(read))).toEqual(new Set(['invalid_json']));
    expect(read.records[0]?.problem?.path).toHaveLength(501);
  });
});

describe('a CSV file', () => {
  it('with a column name that fills its cell is quoted only in part', async () => {
    const file = `${'n'.repeat(60_000)},b\n${'x"y,2\n'.repeat(50)}`;
    const read = await bounded(() => readFile({ format: 'csv' }, file));
    expect(new Set(codesOf(read))).toEqual(new Set(['bad_quote']));
    expect(read.records[0]?.problem).toMatchObject({ path: `${'n'.repeat(500)}…` });
  });
});

describe('a header', () => {
  it('that gives one name to a thousand columns lists the first of them', async () => {
    const read = await bounded(() => readFile({ format: 'csv' }, `${Array(900).fill('n').join(',')}\n`, ['n']));
    expect(read.problems[0]).toMatchObject({
      code: 'duplicate_header',
      message: expect.stringMatching(/to columns 1 and 2 and [\d and]{20,60} and 890 more\.$/),
    });
  });
});

describe('an interchange', () => {
  const LONG = '7'.repeat(60_000);
  const ISA =
    'ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*>~';
  const x12 = { format: 'x12', sets: ['214'], loops: { AT7: {} }, record: 'AT7' };
  const edifact = { format: 'edifact', messages: ['IFTSTA'], loops: { STS: {} }, record: 'STS' };

  it('with a control number that fills a segment does not repeat it at each of its records', async () => {
    const set = `ST*214*${LONG}~${'AT7*X3~'.repeat(500)}SE*502*${LONG}~`;
    const file = `${ISA}GS*QM*A*B*20260302*1500*1*X*004010~${set}GE*1*1~IEA*1*000000017~`;
    const { records } = await bounded(() => readFile(x12, file, ['AT7-01']));
    expect(records).toHaveLength(500);
    expect(records[499]?.position.place).toBe(`ISA 000000017, GS 1, ST ${'7'.repeat(40)}…, segment 501 (AT7)`);
  });

  it('with references that fill a segment does not carry them in its checkpoints', async () => {
    const sets = Array.from({ length: 40 }, (_, at) => `UNH+R${at}${LONG}+IFTSTA:D:96A:UN'STS+1'UNT+3+R${at}${LONG}'`);
    const { records } = await bounded(() =>
      readFile(edifact, `UNB+UNOC:3+A+B+260101:1200+7'${sets.join('')}UNZ+40+7'`),
    );
    expect(records).toHaveLength(40);
  });

  it('with a segment that is one long tag places its set in a few words', async () => {
    const set = `ST${'['.repeat(60_000)}~AT7*X3~SE*3*0001~`;
    const file = `${ISA}GS*QM*A*B*20260302*1500*1*X*004010~${set}GE*1*1~IEA*1*000000017~`;
    const { records } = await bounded(() => readFile(x12, file, ['AT7-01']));
    expect(records.length).toBeGreaterThan(0);
    for (const { position } of records) expect(position.place?.length ?? 0).toBeLessThan(150);
  });

  it('of messages of a type that fills a segment is quoted only in part', async () => {
    const file = `UNB+UNOC:3+A+B+260101:1200+7'UNH+1+${'T'.repeat(60_000)}:D:96A:UN'STS+1'UNT+3+1'UNZ+1+7'`;
    const read = await bounded(() => readFile(edifact, file));
    expect(codesOf(read)).toEqual(['set_not_taken']);
    expect(read.records[0]?.problem?.value).toMatch(/^T{120}… \(60000 characters\)$/);
  });
});

describe('a workbook', () => {
  const SHEET = 'xl/worksheets/sheet1.xml';
  const ROWS = '<row r="1"><c r="A1" t="str"><v>a</v></c></row>';
  const withSheet = (sheet: string): Uint8Array =>
    workbookOf({ sheets: [{ name: 'S', rows: ROWS }], parts: { [SHEET]: sheet } });
  const problemOf = async (file: Uint8Array): Promise<unknown> => {
    const opened = await openSheet(bytesInMemory(file), sheetOfXlsx(xlsxSource.parse({ format: 'xlsx' })));
    if (!opened.ok || opened.value === null) return opened;
    const csv = opened.value.csv();
    for (let bytes = 0; ; ) {
      const { done, value } = await csv.next();
      if (done) return { problem: value, bytes };
      bytes += value.byteLength;
    }
  };

  it('of entities in entities, or with an external one, is refused for its DOCTYPE', async () => {
    for (const doctype of [LAUGHS, EXTERNAL]) {
      const sheet = doctype + sheetXml(ROWS).replace(/^<\?.*?\?>\s*/, '');
      const file = withSheet(sheet);
      expect(await bounded(() => problemOf(file))).toMatchObject({
        problem: { code: 'workbook_doctype' },
        bytes: 0,
      });
    }
  });

  it('that unpacks to hundreds of times its size is refused before it did', async () => {
    const file = withSheet(sheetXml(`${ROWS}${'<a/>'.repeat(1_000_000)}`));
    expect(await bounded(() => problemOf(file))).toMatchObject({ problem: { code: 'workbook_too_large', of: 'part' } });
  });

  it(`of elements ${DEEP} deep is refused`, async () => {
    const file = withSheet(sheetXml(`<row>${'<a>'.repeat(DEEP)}</row>`));
    const read = await bounded(() => problemOf(file));
    expect(read).toMatchObject({ problem: { code: 'workbook_broken', fault: 'xml' } });
  });
});
