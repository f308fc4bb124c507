/** Files made to do harm, and files that came to harm: each is refused in words, in bounded memory, or read. */
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../src/formats/slices.ts';
import {
  PART_FLOOR_BYTES,
  PART_RATIO_MAX,
  SHARED_STRINGS_BYTES_MAX,
  SHEET_TEXT_BYTES_MAX,
  SMALL_PART_BYTES_MAX,
  WORKBOOK_BYTES_MAX,
} from '../../src/formats/xlsx/limits.ts';
import { SharedStrings } from '../../src/formats/xlsx/shared-strings.ts';
import { draws } from '../draws.ts';
import { convert, problemOf, textOf } from '../unit/formats/xlsx/reading.ts';
import {
  sharedStringsXml,
  sheetXml,
  type WorkbookWhole,
  workbookOf,
  workbookOfTexts,
  workbookParts,
} from '../workbook-files.ts';
import { zipOf } from '../zip-files.ts';

const ROWS = '<row r="1"><c r="A1" t="str"><v>a</v></c></row>';
const withPart = (name: string, content: string | Uint8Array | null, more: Partial<WorkbookWhole> = {}) =>
  workbookOf({ sheets: [{ name: 'S', rows: ROWS }], strings: ['<t>a</t>'], ...more, parts: { [name]: content } });
const SHEET = 'xl/worksheets/sheet1.xml';

describe('a bomb', () => {
  it('that unpacks to far more than it has is refused before it did', async () => {
    const bomb = Buffer.from(sheetXml('<a/>'.repeat(8_000_000)));
    const packed = deflateRawSync(bomb);
    expect(await problemOf(withPart(SHEET, bomb))).toEqual({
      code: 'workbook_too_large',
      of: 'part',
      part: SHEET,
      bytesMax: Math.max(PART_FLOOR_BYTES, packed.length * PART_RATIO_MAX),
    });
  });

  it.each(['xl/workbook.xml', 'xl/styles.xml', 'xl/_rels/workbook.xml.rels', '_rels/.rels'])(
    'in %s is refused at the bound of small parts',
    async (part) => {
      const noise = Array.from({ length: 1_400_000 }, (_, at) => ((at * 2_654_435_761) >>> 0).toString(36)).join('');
      const comments = Array.from(
        { length: 9_000 },
        (_, at) => `<!--${noise.slice(at * 1_000, at * 1_000 + 1_000)}-->`,
      );
      expect(await problemOf(withPart(part, `<r>${comments.join('')}</r>`))).toEqual({
        code: 'workbook_too_large',
        of: 'part',
        part,
        bytesMax: SMALL_PART_BYTES_MAX,
      });
    },
  );

  it('of one text shown by every cell is refused at the bound of text', async () => {
    const text = 'x'.repeat(100_000);
    const row = (at: number) => `<row r="${at}"><c r="A${at}" t="s"><v>0</v></c></row>`;
    const rows = Array.from({ length: SHEET_TEXT_BYTES_MAX / 100_000 + 1 }, (_, at) => row(at + 1)).join('');
    const file = workbookOf({ sheets: [{ name: 'S', rows }], strings: [`<t>${text}</t>`] });
    expect(await problemOf(file, { header: false, columns: ['A'] })).toEqual({
      code: 'workbook_too_large',
      of: 'text',
      sheet: 'S',
      bytesMax: SHEET_TEXT_BYTES_MAX,
    });
  }, 60_000);

  it('of one row with all of it is refused at the bound of rows', async () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(5);
    const file = workbookOf({
      sheets: [{ name: 'S', rows: `<row r="9">${cells}</row>` }],
      strings: [`<t>${'x'.repeat(32_767)}</t>`],
    });
    expect(await problemOf(file)).toMatchObject({ code: 'workbook_too_large', of: 'row', row: 9 });
  });

  it.each([
    ['text', `<v>${'y'.repeat(3_000_000)}</v>`],
    ['comment', `<!--${'y'.repeat(3_000_000)}-->`],
    ['attribute', `<v a="${'y'.repeat(3_000_000)}"/>`],
    ['tag of attributes', `<v ${Array.from({ length: 200_000 }, (_, at) => `a${at}=""`).join(' ')}/>`],
    ['name', `<${'y'.repeat(3_000_000)}/>`],
    ['instruction', `<?y ${'y'.repeat(3_000_000)}?>`],
  ])('of a %s that does not end is refused', async (_what, inner) => {
    const file = zipOf(
      workbookParts({ sheets: [{ name: 'S', rows: `<row><c>${inner}</c></row>` }] }).map((part) => ({
        ...part,
        method: 0,
      })),
    );
    expect(await problemOf(file)).toMatchObject({ code: 'workbook_too_large', of: 'token', part: SHEET });
  });

  it('of elements 100,000 deep is refused', async () =>
    expect(await problemOf(withPart(SHEET, sheetXml('<a>'.repeat(100_000))))).toMatchObject({ fault: 'xml' }));

  it('of a million sheets or styles is refused', async () => {
    const sheets = `<workbook><sheets>${'<sheet name="a"/>'.repeat(2_000)}</sheets></workbook>`;
    expect(await problemOf(withPart('xl/workbook.xml', sheets))).toMatchObject({ of: 'count', things: 'sheets' });
    const styles = `<styleSheet><cellXfs>${'<xf/>'.repeat(70_000)}</cellXfs></styleSheet>`;
    expect(await problemOf(withPart('xl/styles.xml', styles))).toMatchObject({ of: 'count', things: 'cell styles' });
  });

  it('of bytes beyond a workbook is refused by its length alone, its middle unread', async () => {
    const parts = workbookParts({ sheets: [{ name: 'S', rows: ROWS }] });
    const file = zipOf([{ name: 'noise.bin', content: new Uint8Array(WORKBOOK_BYTES_MAX), method: 0 }, ...parts]);
    const stored = bytesInMemory(file);
    let read = 0;
    const counted = {
      bytes: file.length,
      read: (offset: number, length: number) => {
        read += length;
        return stored.read(offset, length);
      },
    };
    const tooLarge = { code: 'workbook_too_large', of: 'file', bytes: file.length, bytesMax: WORKBOOK_BYTES_MAX };
    expect(await problemOf(counted)).toEqual(tooLarge);
    expect(read).toBeLessThan(3_000_000);
  });
});

describe('shared strings', () => {
  it('of ten million bytes are read', async () => {
    const count = 200_000;
    const strings = Array.from({ length: count }, (_, at) => `<t>Load ${at} of a rather long list of texts, Köln</t>`);
    const rows = `<row r="1"><c t="s"><v>0</v></c><c t="s"><v>${count - 1}</v></c></row>`;
    expect(sharedStringsXml(strings).length).toBeGreaterThan(10_000_000);
    expect(await textOf(workbookOf({ sheets: [{ name: 'S', rows }], strings }))).toBe(
      '"Load 0 of a rather long list of texts, Köln","Load 199999 of a rather long list of texts, Köln"\r\n',
    );
  }, 30_000);

  it('beyond their bound are refused', async () => {
    const noise = Array.from({ length: 40 }, (_, at) => ((at * 2_654_435_761) >>> 0).toString(36)).join(' ');
    const part = sharedStringsXml(
      Array.from({ length: SHARED_STRINGS_BYTES_MAX / 200 }, (_, at) => `<t>${at} ${noise}</t>`),
    );
    expect(await problemOf(withPart('xl/sharedStrings.xml', part))).toEqual({
      code: 'workbook_too_large',
      of: 'part',
      part: 'xl/sharedStrings.xml',
      bytesMax: SHARED_STRINGS_BYTES_MAX,
    });
  }, 30_000);

  it('are kept as they were given, however many and long', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 400 }), (texts) => {
        const strings = new SharedStrings();
        for (const text of texts) strings.add(text);
        expect(texts.map((_, index) => strings.get(index))).toEqual(texts);
        expect([-1, texts.length, 0.5, Number.NaN].map((index) => strings.get(index))).toEqual(
          Array(4).fill(undefined),
        );
      }),
      { numRuns: draws(50) },
    );
    const many = new SharedStrings();
    for (let at = 0; at < 100_000; at++) many.add(`text ${at}`);
    many.add('ü'.repeat(1_000_000));
    expect(many.get(99_999)).toBe('text 99999');
    expect(many.get(100_000)).toHaveLength(1_000_000);
  });
});

describe('a DOCTYPE', () => {
  const DOCTYPE = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;&x;">]>';
  it.each([SHEET, 'xl/workbook.xml', 'xl/sharedStrings.xml', 'xl/styles.xml', '_rels/.rels'])(
    'in %s makes the workbook refused',
    async (part) =>
      expect(await problemOf(withPart(part, `<?xml version="1.0"?>\n${DOCTYPE}<a>&y;</a>`))).toEqual({
        code: 'workbook_doctype',
        part,
      }),
  );

  it('is found in UTF-16, and behind a comment that hides where the document begins', async () => {
    const utf16 = Buffer.from(`\ufeff${DOCTYPE}<a/>`, 'utf16le');
    expect(await problemOf(withPart(SHEET, utf16))).toMatchObject({ code: 'workbook_doctype' });
    expect(await problemOf(withPart(SHEET, `<!-- <a --> ${DOCTYPE}<a/>`))).toMatchObject({ code: 'workbook_doctype' });
  });

  it('is not there when an entity is: entities are not expanded', async () =>
    expect(await problemOf(withPart(SHEET, sheetXml('<row><c t="str"><v>&y;</v></c></row>')))).toMatchObject({
      fault: 'xml',
    }));
});

describe('a file that is no workbook', () => {
  it.each([
    ['an archive of files', [{ name: 'a.csv', content: 'a,b\n' }], null],
    [
      'an OpenDocument sheet',
      [
        { name: 'mimetype', content: 'x' },
        { name: 'META-INF/manifest.xml', content: '<a/>' },
      ],
      'open_document',
    ],
    [
      'a binary workbook',
      [
        { name: '[Content_Types].xml', content: '<a/>' },
        {
          name: '_rels/.rels',
          content: '<r><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></r>',
        },
        { name: 'xl/workbook.bin', content: 'x' },
      ],
      'binary_workbook',
    ],
    [
      'a letter',
      [
        { name: '[Content_Types].xml', content: '<a/>' },
        {
          name: '_rels/.rels',
          content: '<r><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></r>',
        },
        { name: 'word/document.xml', content: '<w:document xmlns:w="w"/>' },
      ],
      'other_office_document',
    ],
  ])('is told: %s', async (_what, parts, looksLike) =>
    looksLike === null
      ? expect(await convert(zipOf(parts))).toBeNull()
      : expect(await problemOf(zipOf(parts))).toEqual({ code: 'not_a_workbook', looksLike }),
  );
});

describe('XML that no program writes', () => {
  const NAMES = [
    'row',
    'row',
    'row r="7"',
    'c',
    'c',
    'c r="C7" t="s"',
    'c t="inlineStr"',
    'c s="1"',
    'v',
    'is',
    't',
    'r',
    'rPh',
    'si',
    'sheetData',
  ];
  const element = (names: readonly string[], inner: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.constantFrom(...names), fc.array(inner, { minLength: 1, maxLength: 4 }))
      .map(([name, parts]) => `<${name}>${parts.join('')}</${name.split(' ')[0]}>`);
  const cell = fc.constantFrom(
    '<c><v>1</v></c>',
    '<c t="inlineStr"><is><t>a</t></is></c>',
    '<c t="s"><v>0</v></c>',
    '1',
    '<!-- -->',
  );
  /** Elements in each other, a few deep, any in any other. */
  const depths = [1, 2, 3].reduce<fc.Arbitrary<string>>((inner) => fc.oneof(cell, element(NAMES, inner)), cell);
  const trees = fc.array(element(NAMES, depths), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

  it('ends in a problem or in rows, never in an exception', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, async (rows, string) => {
        const converted = await convert(
          workbookOf({ sheets: [{ name: 'S', rows }], strings: [string, '<t>b</t>'], styles: [0, 22] }),
        );
        expect(converted !== null && ('problem' in converted || typeof converted.text === 'string')).toBe(true);
      }),
      { numRuns: draws(500) },
    );
  }, 30_000);

  it.each([
    [
      'a row inside of a row',
      '<row r="1"><row r="2"><c><v>1</v></c></row><c><v>2</v></c></row>',
      { fault: 'row', row: '2' },
    ],
    [
      'a cell of endless pieces',
      `<row r="1"><c t="str"><v>${'<![CDATA[0123456789]]>'.repeat(20_000)}</v></c></row>`,
      { of: 'row', row: 1 },
    ],
    [
      'a cell of endless runs',
      `<row r="1"><c t="inlineStr"><is>${'<r><t>0123456789</t></r>'.repeat(20_000)}</is></c></row>`,
      { of: 'row', row: 1 },
    ],
  ])('is refused: %s', async (_what, rows, problem) =>
    expect(await problemOf(workbookOf({ sheets: [{ name: 'S', rows }] }))).toMatchObject(problem),
  );
});

describe('a damaged workbook', () => {
  const parts = workbookParts({ sheets: [{ name: 'S', rows: ROWS }], strings: ['<t>a</t>'] });
  const changed = (name: string, change: object) =>
    zipOf(parts.map((part) => (part.name === name ? { ...part, ...change } : part)));
  it.each([
    ['a wrong checksum', changed(SHEET, { crc32: 1 }), { code: 'workbook_broken', fault: 'packed', part: SHEET }],
    ['a wrong length', changed(SHEET, { bytes: 9 }), { code: 'workbook_broken', fault: 'packed', part: SHEET }],
    ['no packed bytes at all', changed(SHEET, { packed: Buffer.from('nonsense') }), { fault: 'packed', part: SHEET }],
    ['a password', changed(SHEET, { flags: 0x0801 }), { code: 'workbook_encrypted', part: SHEET }],
    ['another method', changed(SHEET, { method: 12 }), { fault: 'packed', part: SHEET }],
    ['no workbook part', withPart('xl/workbook.xml', null), { fault: 'missing', part: 'xl/workbook.xml' }],
    ['no sheet part', withPart(SHEET, null), { fault: 'missing', part: SHEET }],
    ['an unclosed element', withPart(SHEET, sheetXml('<row>')), { fault: 'xml', part: SHEET }],
    ['an end before the end', withPart(SHEET, sheetXml(ROWS).slice(0, -30)), { fault: 'xml', part: SHEET }],
    ['no element', withPart(SHEET, '<?xml version="1.0"?>'), { fault: 'xml', part: SHEET }],
    ['nothing', withPart(SHEET, ''), { fault: 'xml', part: SHEET }],
    ['blanks without end', withPart(SHEET, ' '.repeat(20_000)), { fault: 'xml', part: SHEET }],
    [
      'bytes of another encoding',
      withPart(SHEET, Buffer.from('<a>\xe4</a>', 'latin1')),
      { fault: 'encoding', part: SHEET },
    ],
    [
      'half a character at its end',
      withPart(SHEET, Buffer.from('<a/>\xc3', 'latin1')),
      { fault: 'encoding', part: SHEET },
    ],
    ['its start only', zipOf(parts).slice(0, 700), { code: 'workbook_broken', fault: 'directory' }],
  ])('is refused for %s', async (_what, file, problem) => expect(await problemOf(file)).toMatchObject(problem));

  it('ends in a problem or in rows, never in an exception, however it is damaged', async () => {
    const file = workbookOfTexts([
      ['Load', 'City'],
      ['L1', 'Köln'],
      ['L2', 'Joliet'],
    ]);
    const damage = fc.record({
      cut: fc.option(fc.nat(file.length), { freq: 4 }),
      changes: fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ cut, changes }) => {
        const bytes = file.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        const converted = await convert(bytes.slice(0, cut ?? bytes.length));
        expect(converted === null || 'problem' in converted || typeof converted.text === 'string').toBe(true);
      }),
      { numRuns: draws(300) },
    );
  }, 30_000);

  it('is told from a store that fails, which is no fault of the file', async () => {
    const file = workbookOfTexts([['a']]);
    const stored = bytesInMemory(file);
    for (let good = 0; good < 30; good++) {
      let left = good;
      const failing = {
        bytes: file.length,
        read: (offset: number, length: number) => {
          left -= 1;
          return left < 0 ? Promise.reject(new Error('no answer')) : stored.read(offset, length);
        },
      };
      const outcome = await convert(failing).catch((thrown: Error) => thrown.message);
      if (typeof outcome !== 'string') return expect(good).toBeGreaterThan(5);
      expect(outcome).toBe('no answer');
    }
    expect.unreachable('thirty reads are enough for a small workbook');
  });
});
