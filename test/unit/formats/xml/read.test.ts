import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { xmlStart } from '../../../../src/formats/xml/checkpoint.ts';
import { XML_LIMITS, XML_SLICE_BYTES_ENOUGH } from '../../../../src/formats/xml/limits.ts';
import { describeXmlProblem } from '../../../../src/formats/xml/problems.ts';
import { xmlNotes, xmlSlices } from '../../../../src/formats/xml/reader.ts';
import { bytesOf, cellsOf, declare, plain, readWhole } from './reading.ts';

const cut = (file: Uint8Array, { byteFrom, byteTo }: { byteFrom: number; byteTo: number }) =>
  Buffer.from(file.subarray(byteFrom, byteTo)).toString();

describe('records', () => {
  const FILE =
    '<?xml version="1.0"?>\n<!-- a note -->\n<list made="today">\n  <item n="1">Ä<b/>x</item>\n  <other/>\r\n  <item\n n="2"/>\n</list>\n';

  it('have their exact bytes and lines', () => {
    const { records, endProblem } = readWhole(FILE);
    expect(records.map(({ position }) => cut(bytesOf(FILE), position))).toEqual([
      '<item n="1">Ä<b/>x</item>',
      '<item\n n="2"/>',
    ]);
    expect(records.map(({ position: { record, line } }) => [record, line])).toEqual([
      [1, 4],
      [2, 6],
    ]);
    expect(endProblem).toBeNull();
  });

  it('are trees of elements, attributes and own texts', () => {
    expect(plain(readWhole(FILE).records[0]?.element ?? null)).toEqual({
      name: 'item',
      attributes: [{ local: 'n', uri: '', hasPrefix: false, value: '1' }],
      text: 'Äx',
      children: [{ name: 'b', attributes: [], text: '', children: [] }],
    });
  });

  it('of mixed content have the texts around their elements as their own, and not those inside', () => {
    const read = readWhole('<list><item>Left at <b>door</b> 3, <i>by</i> hand</item></list>');
    expect(plain(read.records[0]?.element ?? null)).toMatchObject({
      text: 'Left at  3,  hand',
      children: [
        { name: 'b', text: 'door' },
        { name: 'i', text: 'by' },
      ],
    });
  });

  it('join text, CDATA and references, and leave comments out', () => {
    const read = readWhole('<list><item a="&quot;&#65;"> a&amp;b<![CDATA[<&]]><!-- no --> &#xe9;</item></list>');
    expect(plain(read.records[0]?.element ?? null)).toMatchObject({
      text: ' a&b<& é',
      attributes: [{ value: '"A' }],
    });
  });

  it('stand at the path from the root, and nowhere else', () => {
    const file = '<list><item/><more><item/><list><item/></list></more><item/></list>';
    expect(readWhole(file).records).toHaveLength(2);
    expect(readWhole(file, declare('list/more/list/item')).records).toHaveLength(1);
    expect(readWhole(file, declare('list')).records).toHaveLength(1);
  });

  it('may stand in several elements of the same name', () => {
    expect(readWhole('<a><b><c/></b><b/><b><c/><c/></b></a>', declare('a/b/c')).records).toHaveLength(3);
  });

  it('are none in a list that is empty; a note names what stands in their place', () => {
    const empty = readWhole('<list/>');
    expect(empty).toMatchObject({ records: [], problems: [], endProblem: null });
    expect(xmlNotes(empty.checkpoint)).toEqual([]);
    expect(xmlNotes(readWhole('<list><items/></list>').checkpoint)).toEqual([expect.stringContaining('items')]);
  });

  it.each([
    ['<lists><item/></lists>', 'list/item', '', ['lists']],
    ['<a><x/><y/><x/></a>', 'a/b/c', 'a', ['x', 'y']],
    ['<a/>', 'b', '', ['a']],
  ])('are told to be missing where the path leads nowhere: %s, %s', (file, path, reached, names) => {
    expect(readWhole(file, declare(path)).problems).toEqual([{ code: 'records_not_found', path, reached, names }]);
  });
});

describe('namespaces', () => {
  const FILE =
    '<s:list xmlns:s="urn:s" xmlns="urn:d"><s:item/><item/><item xmlns="urn:s"/><x:item xmlns:x="urn:s"/><u:item/></s:list>';
  it('do not matter to names without a prefix', () => {
    expect(readWhole(FILE).records).toHaveLength(5);
  });
  it('must agree where the mapping gives a prefix, whatever prefix the document has', () => {
    const source = declare('a:list/a:item', { namespaces: { a: 'urn:s' } });
    expect(readWhole(FILE, source).records).toHaveLength(3);
    expect(readWhole(FILE, declare('a:list/item', { namespaces: { a: 'urn:other' } })).problems).toHaveLength(1);
  });
});

describe('what breaks a document', () => {
  const broken = (file: string) => readWhole(`<list><item/>${file}`);

  it.each([
    ['<item a="1" a="2"/></list>', 'duplicate attribute'],
    ['<item a="<"/></list>', 'disallowed'],
    ['<item></list>', 'end tag of another element'],
    ['<item><a></item></list>', 'end tag of another element'],
    ['<item>\u0001</item></list>', 'disallowed'],
    ['<item>&nbsp;</item></list>', 'undefined entity'],
    ['<item>a & b</item></list>', '& that begins no reference'],
    ['<item b="Smith & Sons"/></list>', '& that begins no reference'],
    ['</list><list/>', 'only one root'],
    ['</list>text', 'text outside of the root element'],
    ['<item>]]></item></list>', ']]>'],
  ])('ends the reading there, and the records before it stand: %s', (file, detail) => {
    const { records, endProblem } = broken(file);
    expect(records).toHaveLength(1);
    expect(endProblem).toMatchObject({ code: 'xml_not_well_formed', detail: expect.stringContaining(detail) });
  });

  it('is placed where it stands, with what stands before it and around it', () => {
    const { endProblem } = broken('\n<item><name>Smith & Sons</name></item></list>');
    expect(endProblem).toMatchObject({ byte: 32, line: 2, text: '\n<item><name>Smith ', inside: 'list/item/name' });
    const undefinedEntity = broken('<item>Caf&eacute;</item></list>');
    expect(undefinedEntity.endProblem).toMatchObject({ byte: 22 });
    expect(describeXmlProblem(endProblem!).fix).toContain('&amp;');
  });

  it('is told soon where a byte of another encoding follows an & that begins no reference', () => {
    const start = '<list><item/><item>Meyer & S\xf6hne</item>';
    const file = Buffer.from(`${start}${'<item/>'.repeat(20_000)}</list>`, 'latin1');
    const { endProblem } = readWhole(file, undefined, { sliceBytes: 2_048 });
    expect(endProblem).toMatchObject({ code: 'xml_not_well_formed', byte: start.indexOf('&'), line: 1 });
    const reader = xmlSlices(declare(), []);
    expect(reader(xmlStart, file.subarray(0, 2_048), false)).toMatchObject({ finished: true, endProblem });
  });

  it('is nothing inside of CDATA and comments', () => {
    expect(broken('<item><![CDATA[a & b]]></item><!-- & --><?x & ?></list>').endProblem).toBeNull();
  });

  it.each(['<item><b>', '<item', '<item a="x', '<item></item', '<!-- ', '<item><![CDATA[x'])(
    'is also its end in mid-air: %s',
    (file) => expect(broken(file)).toMatchObject({ records: [{}], endProblem: { code: 'xml_cut_off' } }),
  );

  it('makes the file unreadable where no record stands before it', () => {
    expect(readWhole('<list><item></list>').problems).toMatchObject([{ code: 'xml_not_well_formed' }]);
    expect(readWhole('<list').problems).toMatchObject([{ code: 'xml_cut_off' }]);
    expect(readWhole('<!-- only -->').problems).toMatchObject([{ code: 'xml_cut_off' }]);
  });

  it('is told again when the checkpoint behind it is read on', () => {
    const { checkpoint, endProblem } = broken('<item></list>');
    expect(checkpoint.endProblem).toEqual(endProblem);
  });
});

describe('encodings', () => {
  const text = '<list><item>Größe é</item></list>';
  it.each([
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['windows-1252', Buffer.from(`<?xml version='1.0' encoding='windows-1252'?>${text}`, 'latin1')],
    ['iso-8859-1', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1" ?>${text}`, 'latin1')],
    ['utf-8', Buffer.from(`\ufeff<?xml version="1.0" encoding="utf-16"?>${text}`)],
    ['utf-8', Buffer.from(`<?xml version="1.0" encoding="utf-16"?>${text}`)],
  ] as const)('are those that the file itself names: %s', (encoding, file) => {
    const read = readWhole(file);
    expect(read.records[0]?.element?.text).toBe('Größe é');
    expect(read.checkpoint.encoding).toBe(encoding);
  });

  it('are told where they are not those of the mapping', () => {
    const file = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-15"?>${text}`, 'latin1');
    expect(xmlNotes(readWhole(file).checkpoint)).toEqual([expect.stringContaining('iso-8859-15')]);
    expect(
      readWhole(Buffer.from(`\ufeff${text}`), declare('list/item', { encoding: 'windows-1252' })).checkpoint,
    ).toMatchObject({
      encodingByMark: 'utf-8',
    });
  });

  it('are the mapping’s where the file names none', () => {
    const source = declare('list/item', { encoding: 'windows-1252' });
    expect(readWhole(Buffer.from(text, 'latin1'), source).records[0]?.element?.text).toBe('Größe é');
  });

  describe('of single bytes in a document of UTF-8', () => {
    const ascii = '<item>Joliet</item>'.repeat(100);
    const latin = (body: string) => `<?xml version="1.0" encoding="ISO-8859-1"?><list>${body}</list>`;
    const codes = (file: string | Uint8Array, more: Parameters<typeof readWhole>[2] = {}) =>
      readWhole(file, declare(), more).records.map(({ problem }) => problem?.code);

    it('are refused at the start, whether the document or the mapping names them', () => {
      const file = latin('<item>São Paulo</item>');
      expect(readWhole(file).problems).toEqual([
        { code: 'encoding_disagrees', encoding: 'iso-8859-1', line: null, hex: 'c3 a3' },
      ]);
      const silent = file.replace(/<.xml.*?>/, '');
      expect(readWhole(silent, declare('list/item', { encoding: 'windows-1252' })).problems).toMatchObject([
        { code: 'encoding_disagrees', encoding: 'windows-1252' },
      ]);
      expect(readWhole(silent).problems).toEqual([]);
    });

    it('are an error of each such record later on, wherever a slice ends', () => {
      const file = latin(`${ascii}\n<item>São Paulo</item><item>Joliet</item><item city="Tomé"/>`);
      for (const sliceBytes of [1_100, 100_000]) {
        const read = readWhole(file, declare(), { sliceBytes });
        expect(read.records.slice(99).map(({ problem }) => problem)).toEqual([
          undefined,
          { code: 'encoding_disagrees', encoding: 'iso-8859-1', line: 2, hex: 'c3 a3' },
          undefined,
          { code: 'encoding_disagrees', encoding: 'iso-8859-1', line: 2, hex: 'c3 a9' },
        ]);
      }
    });

    it('are one of each record that reads such a text from around it', () => {
      const file = latin(`<!-- ${'x'.repeat(1_100)} --><day>Sábado</day><item>Joliet</item>`);
      const source = declare();
      const { records } = cellsOf(file, ['../day', '.'], source);
      expect(records.map(({ problem }) => problem?.code)).toEqual(['encoding_disagrees']);
      expect(cellsOf(file, ['.'], source).records.map(({ fields }) => fields)).toEqual([['Joliet']]);
    });

    it('are right where the letters are of single bytes', () => {
      const file = latin(`${ascii}<item>S\xe3o Paulo</item><item>M\xfcnchen \xc3\xa3</item><item>CAF\xc9\xae</item>`);
      expect(codes(Buffer.from(file, 'latin1')).filter((code) => code !== undefined)).toEqual([]);
      expect(codes(latin(`${ascii}<item>S&#227;o Paulo</item>`)).at(-1)).toBeUndefined();
    });
  });

  it('that are not read are refused, and bytes of another one end the reading', () => {
    expect(readWhole('<?xml version="1.0" encoding="EBCDIC-CP-US"?><a/>').problems).toMatchObject([
      { code: 'encoding_unsupported', declared: 'ebcdic-cp-us' },
    ]);
    const { endProblem } = readWhole(Buffer.from('<list><item/><item>\xe9</item></list>', 'latin1'));
    expect(endProblem).toMatchObject({ code: 'bad_encoding', byte: 19, hex: 'e9', inside: 'list/item' });
  });
});

describe('hostile documents', () => {
  const LAUGHS = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at} "${`&l${at - 1};`.repeat(10)}">`).join('')}]><list><item>&l9;</item></list>`;
  it.each([
    ['entities in entities', LAUGHS],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><list><item>&x;</item></list>'],
    ['an external DTD', '<!-- --><?p?>\n<!doctype list SYSTEM "http://bridge.example/x.dtd"><list/>'],
  ])('with %s are refused before they are parsed, in any encoding', (_what, file) => {
    for (const bytes of [
      Buffer.from(file),
      Buffer.from(`\ufeff${file}`, 'utf16le'),
      Buffer.from(file, 'utf16le').swap16(),
    ]) {
      expect(readWhole(bytes).problems.map(({ code }) => code)).toEqual(['xml_doctype']);
    }
  });

  it('have no DOCTYPE later on either', () => {
    expect(readWhole('<list><item/><!DOCTYPE a><item/></list>').endProblem?.code).toBe('xml_doctype');
  });

  it('nested 100,000 deep end at the depth that is read, in little memory', () => {
    const file = `<list><item/><item>${'<a>'.repeat(100_000)}`;
    const { endProblem } = readWhole(file);
    expect(endProblem).toMatchObject({ code: 'xml_too_deep', depthMax: 64 });
    expect(endProblem!.byte).toBeLessThan(400);
  });

  it('of many nodes in one record cost that record alone', () => {
    const limits = { ...XML_LIMITS, nodesMax: 10 };
    const file = `<list><item>${'<a b=""/>'.repeat(5)}</item><item>${'<a><b/></a>'.repeat(4)}</item></list>`;
    const { records } = readWhole(file, declare(), { limits });
    expect(records.map(({ problem }) => problem?.code)).toEqual(['too_many_nodes', undefined]);
  });

  it.each([
    ['an attribute', `<item a="${'x'.repeat(70_000)}"/>`, 'attribute'],
    ['a name', `<${'x'.repeat(300)}/>`, 'name'],
    ['a name of an attribute', `<item ${'x'.repeat(300)}=""/>`, 'name'],
    ['many attributes', `<item ${Array.from({ length: 300 }, (_, at) => `a${at}=""`).join(' ')}/>`, 'attributes'],
    ['a comment', `<!--${'x'.repeat(XML_LIMITS.recordBytesMax)}--><item/>`, 'markup'],
    ['a record', `<item>${'x'.repeat(XML_LIMITS.recordBytesMax)}</item>`, 'record'],
  ])('with %s that is too large end there', (_what, inner, what) => {
    const file = `<list><item/>${inner}</list>`;
    const { records, endProblem } = readWhole(file);
    expect(records).toHaveLength(1);
    expect(endProblem).toMatchObject({ code: 'xml_too_large', what });
    expect(readWhole(file, undefined, { sliceBytes: 300_000 }).endProblem).toEqual(endProblem);
  });

  it('never get more than the longest slice', () => {
    const file = bytesOf(`<list><item>${'x'.repeat(3 * XML_LIMITS.recordBytesMax)}`);
    const read = readWhole(file, undefined, { sliceBytes: XML_SLICE_BYTES_ENOUGH });
    expect(read.problems).toMatchObject([{ code: 'xml_too_large', what: 'record', byte: 6 }]);
  });

  it.each([
    ['{"a":1}', 'not_xml'],
    ['plain text', 'not_xml'],
    ['PK\u0003\u0004', 'not_xml'],
    ['', 'empty_file'],
    [' \n ', 'empty_file'],
  ])('that are none are refused: %j', (file, code) => {
    expect(readWhole(file).problems.map((problem) => problem.code)).toEqual([code]);
  });
});
