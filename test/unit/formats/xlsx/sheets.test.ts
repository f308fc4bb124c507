/** Sheets as workbooks hold them: cells of every kind, rows and cells without references, several sheets, other programs' ways. */
import { describe, expect, it } from 'vitest';
import { workbookOf } from '../../../workbook-files.ts';
import { cellOf, convert, problemOf, recordsOf, textOf } from './reading.ts';

const DATES = {
  formats: { 164: 'dd.mm.yyyy hh:mm', 165: '0.00 "kg"', 166: '[h]:mm', 14: 'yyyy-mm-dd' },
  styles: [0, 14, 22, 20, 164, 165, 166, 2],
};

describe('a cell', () => {
  it.each([
    ['a shared string', '<c r="A1" t="s"><v>1</v></c>', 'two'],
    ['a shared string of runs', '<c r="A1" t="s"><v>2</v></c>', 'Jolie t, IL'],
    ['a shared string with phonetic runs', '<c r="A1" t="s"><v>3</v></c>', '東京'],
    ['a shared string with escapes', '<c r="A1" t="s"><v>4</v></c>', 'a\rb_x000D_'],
    ['an inline string', '<c r="A1" t="inlineStr"><is><t>in &amp; out</t></is></c>', 'in & out'],
    [
      'an inline string of runs',
      '<c r="A1" t="inlineStr"><is><r><t>a</t></r><r><rPr><b/></rPr><t>b</t></r></is></c>',
      'ab',
    ],
    ['an inline string in CDATA', '<c r="A1" t="inlineStr"><is><t><![CDATA[<a> & b]]></t></is></c>', '<a> & b'],
    ['text that a formula came to', '<c r="A1" t="str"><f>A2&amp;"x"</f><v>L1_x000A_L2</v></c>', 'L1\nL2'],
    ['a number that a formula came to', '<c r="A1"><f>1+1</f><v>2</v></c>', '2'],
    ['true', '<c r="A1" t="b"><v>1</v></c>', 'TRUE'],
    ['false', '<c r="A1" t="b"><v>0</v></c>', 'FALSE'],
    ['an error', '<c r="A1" t="e"><f>NA()</f><v>#N/A</v></c>', '#N/A'],
    ['a number', '<c r="A1" t="n"><v>41.357299999999995</v></c>', '41.3573'],
    ['a number of no kind', '<c r="A1"><v>7</v></c>', '7'],
    ['a number stored as text', '<c r="A1" t="s"><v>5</v></c>', '0004711'],
    ['a date stored as a number', '<c r="A1"><v>46083.34375</v></c>', '46083.34375'],
    ['a number with a unit', '<c r="A1" s="5"><v>12.5</v></c>', '12.5'],
    ['a date by a built-in style', '<c r="A1" s="2"><v>46083.34375</v></c>', '2026-03-02 08:15:00'],
    ['a date by a style of its own', '<c r="A1" s="4"><v>46083.34375</v></c>', '2026-03-02 08:15:00'],
    ['a day', '<c r="A1" s="1"><v>46083</v></c>', '2026-03-02'],
    ['a time', '<c r="A1" s="3"><v>0.34375</v></c>', '08:15:00'],
    ['a length of time', '<c r="A1" s="6"><v>1.0625</v></c>', '25:30:00'],
    ['an ISO date', '<c r="A1" t="d"><v>2026-03-02T08:15:00</v></c>', '2026-03-02 08:15:00'],
    ['an ISO date shown as a day', '<c r="A1" s="1" t="d"><v>2026-03-02T00:00:00</v></c>', '2026-03-02'],
    ['a number beyond all dates in a date cell', '<c r="A1" s="1"><v>1E9</v></c>', '1000000000'],
    ['a number before all dates in a date cell', '<c r="A1" s="1"><v>-1</v></c>', '-1'],
    ['a style that there is not', '<c r="A1" s="99"><v>46083</v></c>', '46083'],
    ['a kind that there is not', '<c r="A1" t="new"><v>46083</v></c>', '46083'],
  ])('of %s is read as text', async (_what, cell, text) => {
    const strings = [
      '<t>one</t>',
      '<t>two</t>',
      '<r><t xml:space="preserve">Jolie t</t></r><r><rPr><b/></rPr><t>, IL</t></r>',
      '<t>東京</t><rPh sb="0" eb="2"><t>とうきょう</t></rPh><phoneticPr fontId="1"/>',
      '<t>a_x000D_b_x005F_x000D_</t>',
      '<t>0004711</t>',
    ];
    expect(await cellOf(cell, { ...DATES, strings })).toBe(text);
  });

  it.each([
    '<c r="A1"/>',
    '<c r="A1" t="s"/>',
    '<c r="A1" s="1"><v></v></c>',
    '<c r="A1" t="inlineStr"/>',
    '<c r="A1" t="str"><f>B1&amp;""</f><v></v></c>',
  ])('without a value is empty: %s', async (cell) =>
    expect(await cellOf(`${cell}<c r="B1"><v>2</v></c>`, DATES, { columns: ['A', 'B'] })).toBe(''),
  );

  it.each([
    '<c r="A1"><f>B1+1</f></c>',
    '<c r="A1"><f>B1+1</f><v></v></c>',
    '<c r="A1"><f t="shared" si="0"/><v/></c>',
    '<c r="A1" t="str"><f>B1&amp;"x"</f></c>',
    '<c r="A1" t="b"><f>B1=1</f><v> </v></c>',
    '<c r="A1" s="1"><f>TODAY()</f></c>',
  ])('whose formula was never calculated says so, and is not empty: %s', async (cell) => {
    expect(await cellOf(cell, DATES)).toBe('#NOT_CALCULATED!');
  });

  it.each([
    ['123', '000123'],
    ['0', '000000'],
    ['1234567', '1234567'],
    ['-12', '-000012'],
    ['12.5', '12.5'],
    ['1.23E+2', '000123'],
    ['x', 'x'],
  ])('of a style of zeros shows them before a whole number: %s', async (value, text) => {
    const styles = {
      formats: { 164: '000000', 165: '0', 166: '#,##0', 167: '000000;(0)' },
      styles: [164, 165, 166, 167],
    };
    expect(await cellOf(`<c r="A1"><v>${value}</v></c>`, styles)).toBe(text);
    expect(await cellOf(`<c r="A1" s="3"><v>${value}</v></c>`, styles)).toBe(text);
    for (const style of [1, 2]) {
      const plain = value === '1.23E+2' ? '123' : value;
      expect(await cellOf(`<c r="A1" s="${style}"><v>${value}</v></c>`, styles)).toBe(plain);
    }
  });

  it('of a workbook of system 1904 counts days from there', async () => {
    expect(await cellOf('<c r="A1" s="1"><v>44621</v></c>', { ...DATES, date1904: true })).toBe('2026-03-02');
    expect(await cellOf('<c r="A1" s="1"><v>44621</v></c>', DATES)).toBe('2022-03-01');
  });

  it('shows its date with its time where whole dates are wanted, whatever its style shows', async () => {
    const whole = { dates: 'whole' } as const;
    expect(await cellOf('<c r="A1" s="1"><v>46083.34375</v></c>', DATES, whole)).toBe('2026-03-02 08:15:00');
    expect(await cellOf('<c r="A1" s="3"><v>46083.34375</v></c>', DATES, whole)).toBe('2026-03-02 08:15:00');
    expect(await cellOf('<c r="A1" s="1" t="d"><v>2026-03-02</v></c>', DATES, whole)).toBe('2026-03-02 00:00:00');
    expect(await cellOf('<c r="A1" s="6"><v>1.0625</v></c>', DATES, whole)).toBe('25:30:00');
    expect(await cellOf('<c r="A1" s="7"><v>46083.34375</v></c>', DATES, whole)).toBe('46083.34375');
  });

  it('whose shared string is not there makes the workbook a broken one', async () => {
    const rows = '<row r="3"><c r="B3" t="s"><v>1</v></c></row>';
    const broken = { code: 'workbook_broken', fault: 'cell', sheet: 'S', cell: 'B3', text: '1' };
    expect(await problemOf(workbookOf({ sheets: [{ name: 'S', rows }], strings: ['<t>0</t>'] }))).toEqual(broken);
  });
});

const sheet = (rows: string, more = {}) => workbookOf({ sheets: [{ name: 'S', rows }], ...more });
const v = (text: string) => `<c t="str"><v>${text}</v></c>`;

describe('the rows of a sheet', () => {
  it('stand on the lines of the same number, empty ones too', async () => {
    const rows = `<row r="1">${v('Load')}${v('City')}</row><row r="4"><c r="B4" t="str"><v>Joliet</v></c></row><row r="5"/><row r="6"><c r="A6" s="0"/></row><row r="7">${v('L7')}</row>`;
    expect(await textOf(sheet(rows))).toBe('"Load",City\r\n\r\n\r\n"",Joliet\r\n\r\n\r\n"L7",\r\n');
  });

  it('and their cells follow each other where they have no references', async () => {
    const rows = `<row>${v('a')}<c/>${v('c')}</row><row r="3">${v('x')}<c r="D3" t="str"><v>y</v></c>${v('z')}</row><row>${v('q')}</row>`;
    expect(await textOf(sheet(rows), { header: false, columns: ['1'] })).toBe('"a",,c\r\n\r\n"x",,,y,z\r\n"q"\r\n');
  });

  it('may have their cells in any order', async () => {
    const rows = '<row r="1"><c r="C1"><v>3</v></c><c r="A1"><v>1</v></c></row>';
    expect(await textOf(sheet(rows), { header: false, columns: ['1'] })).toBe('"1",,3\r\n');
  });

  it('are as wide as the header, and wider where there is more', async () => {
    const rows = `<row>${v('A')}${v('B')}${v('C')}</row><row>${v('1')}</row><row>${v('1')}${v('2')}${v('3')}${v('4')}</row>`;
    const text = await textOf(sheet(rows));
    expect(text).toBe('"A",B,C\r\n"1",,\r\n"1",2,3,4\r\n');
    expect(recordsOf(text).records.map(({ problem }) => problem)).toEqual([undefined, 'ragged_row']);
  });

  it('with a cell longer than cells may be cost themselves', async () => {
    const rows = `<row>${v('Load')}</row><row>${v('L1')}</row><row>${v('x'.repeat(70_000))}</row><row>${v('L3')}</row>`;
    const { records } = recordsOf(await textOf(sheet(rows)));
    expect(records.map(({ line, problem }) => [line, problem])).toEqual([
      [2, undefined],
      [3, 'cell_too_large'],
      [4, undefined],
    ]);
  });

  it('before the header are passed over, and keep the count of the rows', async () => {
    const rows = `<row>${v('Status report')}</row><row r="3">${v('Load')}</row><row r="4">${v('L1')}</row>`;
    const text = await textOf(sheet(rows), { headerRow: 3 });
    expect(text).toBe('\r\n\r\n"Load"\r\n"L1"\r\n');
    expect(recordsOf(text, { headerRow: 3 })).toEqual({
      columns: ['Load'],
      records: [{ fields: ['L1'], row: 'sheet "S", row 4', line: 4, problem: undefined }],
      problems: [],
    });
  });

  it('keep their numbers behind cells of several lines', async () => {
    const rows = `<row>${v('Load&#10; Number')}${v('Note')}</row><row>${v('1')}${v('a&#10;b_x000D__x000A_c')}</row><row r="5">${v('2')}${v('d')}</row>`;
    const text = await textOf(sheet(rows));
    const read = recordsOf(text);
    expect(read.columns).toEqual(['Load Number', 'Note']);
    expect(read.records.map(({ fields, row, line }) => [fields[1], row, line])).toEqual([
      ['a\nb\r\nc', 'sheet "S", row 2', 2],
      ['d', 'sheet "S", row 5', 7],
    ]);
  });

  it('are not taken for another format or a delimiter line, whatever they begin with', async () => {
    for (const text of ['sep=;', '{&quot;a&quot;: 1}', '&lt;html&gt;', 'ISA*00*', '%PDF-']) {
      const { records, problems } = recordsOf(
        await textOf(sheet(`<row>${v(text)}</row>`), { header: false, columns: ['A'] }),
        {
          header: false,
          columns: ['A'],
        },
      );
      expect([records.length, problems]).toEqual([1, []]);
    }
  });

  it.each([
    ['a row before the one before', '<row r="2"/><row r="1"/>', '1'],
    ['a row twice', '<row r="2"/><row r="2"/>', '2'],
    ['a row beyond the last', '<row r="1048577"/>', '1048577'],
    ['no number', '<row r="one"/>', 'one'],
    ['row 0', '<row r="0"/>', '0'],
  ])('are broken by %s', async (_what, rows, row) =>
    expect(await problemOf(sheet(rows))).toEqual({ code: 'workbook_broken', fault: 'row', sheet: 'S', row }),
  );

  it.each(['XFE1', '1A', 'A'])('are broken by the cell reference %s', async (cell) =>
    expect(await problemOf(sheet(`<row><c r="${cell}"><v>1</v></c></row>`))).toMatchObject({ fault: 'cell', cell }),
  );

  it.each([
    ['no row', ''],
    ['rows without text', `<row r="5"><c s="1"/>${v(' ')}</row>`],
  ])('are missed where a sheet has %s', async (_what, rows) =>
    expect(await problemOf(sheet(rows))).toEqual({ code: 'sheet_empty', sheet: 'S', fromRow: 1 }),
  );
});

describe('the sheets of a workbook', () => {
  const sheets = [
    { name: 'Cover', rows: `<row>${v('c')}</row>`, state: 'hidden' as const },
    { name: 'Status & more', rows: `<row>${v('s')}</row>` },
    { name: 'Deep', rows: `<row>${v('d')}</row>`, state: 'veryHidden' as const },
  ];
  const whole = workbookOf({ sheets });

  it.each([
    [{}, 'Cover'],
    [{ sheet: 2 }, 'Status & more'],
    [{ sheet: 'Status & more' }, 'Status & more'],
    [{ sheet: 'status & MORE ' }, 'Status & more'],
    [{ sheet: 'Deep' }, 'Deep'],
  ])('are known by number and by name: %j is %s', async (source, name) =>
    expect(await convert(whole, source)).toMatchObject({ name, text: `"${name.charAt(0).toLowerCase()}"\r\n` }),
  );

  it('that are hidden are read, and it is told', async () => {
    expect(await convert(whole, { sheet: 1 })).toMatchObject({
      notes: ['The sheet "Cover", which was read, is hidden in the workbook.'],
    });
    expect(await convert(whole, { sheet: 2 })).toMatchObject({ notes: [] });
    expect(await convert(whole, { sheet: 3 })).toMatchObject({ notes: [expect.stringContaining('hidden')] });
  });

  it.each([4, 'Statuses'])('are all named where there is none called %j', async (wanted) =>
    expect(await problemOf(whole, { sheet: wanted })).toMatchObject({
      code: 'sheet_missing',
      wanted,
      sheets: ['Cover', 'Status & more', 'Deep'],
    }),
  );

  it('do not count where they are charts', async () => {
    const relationships = `<Relationships><Relationship Id="rId1" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="rId2" Type="x/worksheet" Target="/xl/worksheets/sheet2.xml"/></Relationships>`;
    expect(await convert(workbookOf({ sheets, parts: { 'xl/_rels/workbook.xml.rels': relationships } }))).toMatchObject(
      {
        name: 'Status & more',
      },
    );
  });
});

describe('another program', () => {
  const rows = `<row>${v('a')}</row>`;
  it('may write every name with a prefix', async () => {
    const part =
      '<x:worksheet xmlns:x="m"><x:sheetData><x:row r="1"><x:c r="A1" t="str"><x:v>a</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    expect(await textOf(sheet('', { parts: { 'xl/worksheets/sheet1.xml': part } }))).toBe('"a"\r\n');
  });

  it('may write UTF-16, with its mark or without', async () => {
    const text = `<worksheet><sheetData>${rows.replace('>a<', '>ä<')}</sheetData></worksheet>`;
    const le = Buffer.from(text, 'utf16le');
    for (const bytes of [Buffer.concat([Buffer.from([0xff, 0xfe]), le]), le, Buffer.from(le).swap16()]) {
      expect(await textOf(sheet('', { parts: { 'xl/worksheets/sheet1.xml': bytes } }))).toBe('"ä"\r\n');
    }
  });

  it('may call the parts by other names, with other letters, backslashes or folders', async () => {
    const parts = {
      '_rels/.rels':
        '<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/Book\\main.xml"/></Relationships>',
      'xl/workbook.xml': null,
      'xl/_rels/workbook.xml.rels': null,
      'book\\Main.xml': '<workbook xmlns:q="r"><sheets><sheet name="S" q:id="one"/></sheets></workbook>',
      'Book/_rels/main.xml.rels':
        '<Relationships><Relationship Id="one" Type="x/worksheet" Target="../XL/worksheets/SHEET1.xml"/></Relationships>',
    };
    expect(await textOf(sheet(rows, { parts }))).toBe('"a"\r\n');
  });

  it('may leave out styles and shared strings', async () => {
    expect(await textOf(sheet(`<row><c s="3"><v>46083</v></c></row>`, { parts: { 'xl/styles.xml': null } }))).toBe(
      '"46083"\r\n',
    );
  });

  it('may keep a workbook whose sheet has other tables behind its cells', async () => {
    const part = `<worksheet><cols><col/></cols><sheetData>${rows}</sheetData><extLst><ext><row r="9"><c r="A9"><v>9</v></c></row></ext></extLst></worksheet>`;
    expect(await textOf(sheet('', { parts: { 'xl/worksheets/sheet1.xml': part } }))).toBe('"a"\r\n');
  });

  it('makes formats in styles that are no cell styles, which count for nothing', async () => {
    const styles =
      '<styleSheet><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/></cellXfs><dxfs><dxf><numFmt numFmtId="0" formatCode="yyyy"/></dxf></dxfs></styleSheet>';
    expect(await textOf(sheet('<row><c s="0"><v>46083</v></c></row>', { parts: { 'xl/styles.xml': styles } }))).toBe(
      '"46083"\r\n',
    );
  });
});
