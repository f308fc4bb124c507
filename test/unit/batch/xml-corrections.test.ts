/** Records that were not delivered, as a document that can be read again. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { xmlCorrections } from '../../../src/batch/report/corrections.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { cellsOf, declare } from '../formats/xml/reading.ts';

async function partsOf(
  file: string | Uint8Array,
  numbers: readonly number[],
  source = declare(),
): Promise<Uint8Array[]> {
  const rows = async (after: number, limit: number) =>
    numbers
      .filter((record) => record > after)
      .slice(0, limit)
      .map((record) => ({ record, replacedBy: null }) as BatchRow);
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  return Array.fromAsync(xmlCorrections({ source: bytesInMemory(bytes), rows }, 'b_1', source));
}

const corrected = async (...asked: Parameters<typeof partsOf>): Promise<Buffer> =>
  Buffer.concat(await partsOf(...asked));

const FILE = `<?xml version="1.0"?>
<list id="L"><head>Größe</head>
  <item n="1"><a/></item>
  <item n="2"/>
  <other/><item n="3" >x</item>
  <item>y</item>
</list>
`;

describe('corrections of an XML document', () => {
  it('are the document without the records that are right; each of the others names its row', async () => {
    expect((await corrected(FILE, [2, 3])).toString()).toBe(`<?xml version="1.0"?>
<list id="L"><head>Größe</head>
  
  <item _batch="b_1" _record="2" n="2"/>
  <other/><item _batch="b_1" _record="3" n="3" >x</item>
</list>
`);
  });

  it('read as the records did, with the rows they replace', async () => {
    const { records, endProblem } = cellsOf(await corrected(FILE, [1, 4]), ['@n', '.', '../@id', '../head']);
    expect(endProblem).toBeNull();
    expect(records.map(({ fields, replaces }) => [...fields, replaces?.record])).toEqual([
      ['1', '', 'L', 'Größe', '1'],
      ['', 'y', 'L', 'Größe', '4'],
    ]);
  });

  it('bring a place they had already no second time', async () => {
    const once = await corrected(FILE, [2, 3]);
    const twice = (await corrected(once, [2])).toString();
    expect(twice).toContain('<item _batch="b_1" _record="2" n="3" >x</item>');
    expect(twice.match(/_batch/g)).toHaveLength(1);
  });

  it('come in parts of which none is empty, also where nothing stands between two records', async () => {
    const parts = await partsOf('<list><item n="1"/><item n="2"/></list>', [1, 2]);
    expect(parts.map(({ byteLength }) => byteLength)).not.toContain(0);
    expect(Buffer.concat(parts).toString()).toMatch(/n="1"\/><item [^>]*n="2"\/><\/list>$/);
  });

  it('keep the encoding of the file', async () => {
    const file = Buffer.from(`\ufeff${FILE}`, 'utf16le');
    expect((await corrected(file, [4])).toString('utf16le')).toContain('<item _batch="b_1" _record="4">y</item>');
    const latin = Buffer.from(FILE.replace('"1.0"', '"1.0" encoding="ISO-8859-1"'), 'latin1');
    expect((await corrected(latin, [4])).toString('latin1')).toContain('Größe');
  });

  it('end where the document broke, with the end tags that are missing', async () => {
    const file = '<list><group><item n="1"/><item n="2"/><item>a & b</item></group></list>';
    const source = declare('list/group/item');
    const bytes = await corrected(file, [2], source);
    expect(bytes.toString()).toBe('<list><group><item _batch="b_1" _record="2" n="2"/></group></list>\n');
  });

  it('leave attributes alone that only look like a place', async () => {
    const bytes = await corrected(`<list><item a=' _batch="x"' b=">" c="/"/></list>`, [1]);
    expect(cellsOf(bytes, ['@a', '@b', '@c']).records[0]?.fields).toEqual([' _batch="x"', '>', '/']);
  });
});
