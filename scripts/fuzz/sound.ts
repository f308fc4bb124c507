/** Small sound files of each format, and under which declarations they are read. The examples of the mappings stand beside them. */
import { Buffer } from 'node:buffer';

/** @property paths what is read of each record; of no use where the file names its own columns. */
export interface SoundFiles {
  source: unknown;
  paths?: readonly string[];
  lists?: readonly { path: string; shape: { paths: readonly string[]; lists: [] } }[];
  policy?: { broken?: 'set' | 'interchange'; counts?: 'strict' | 'lenient'; width?: 'tolerant' | 'strict' };
  files: readonly (string | Buffer)[];
}

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

export const CSV: readonly SoundFiles[] = [
  {
    source: { format: 'csv' },
    files: [
      'Load,Status,City,Note\nL1,X3,"Cañon City","says ""yes""\nand more"\nL2,AF,Joliet,\n\nL3,X6,"a,b",x\n',
      utf16('Load,Status\r\nL1,X3\r\n"L2",AF\r\n'),
      '\ufeffLoad,Ort\rL1,Köln\r"L2","Zürich"\r',
    ],
  },
  {
    source: {
      format: 'csv',
      delimiter: ';',
      encoding: 'windows-1252',
      header: false,
      columns: ['a', 'b', 'c'],
      comment: '#',
      trim: true,
    },
    files: [Buffer.from('# list\n 1 ; "K\xf6ln" ;3\n2;b;\n#x\n3;;c\n', 'latin1')],
  },
  { source: { format: 'csv', delimiter: '||', quote: '', skipLines: 2 }, files: ['title\n\na||b\n1||"2\n3||4\n'] },
  { source: { format: 'csv', encoding: 'utf-16be', delimiter: '\t' }, files: [utf16('a\tb\n1\t2\n').swap16()] },
];

export const JSON_FILES: readonly SoundFiles[] = [
  {
    source: { format: 'json', records: 'list' },
    paths: ['load.number', 'stops[0].city', 'n'],
    lists: [{ path: 'stops', shape: { paths: ['city', '.'], lists: [] } }],
    files: [
      '{"by":"x","list":[{"load":{"number":7.10},"stops":[{"city":"Köln"},{"city":"\\ud83d\\ude00"}],"n":-1e3},{"load":null,"n":true}],"more":[1,{"a":[]}]}',
      '\ufeff{ "list" : {"load":{"number":"L1"}} }\n',
    ],
  },
  {
    source: { format: 'json' },
    paths: ['a', 'b.c'],
    files: ['[{"a":1},{"a":"x\\n\\"y","b":{"c":[1,2]}},\n {"a":0.5e-7}]\n', '{"a":1,"b":{"c":"é"}}', '[]'],
  },
];

export const NDJSON: readonly SoundFiles[] = [
  {
    source: { format: 'ndjson' },
    paths: ['a', 'b.c', 'list[1]'],
    lists: [{ path: 'list', shape: { paths: ['.', 'x'], lists: [] } }],
    files: ['{"a":1,"list":[1,{"x":2}]}\n{"a":"x","b":{"c":null}}\r\n\n{"a":3}', '{"a":"ü"}\n{"a":[[]]}\n'],
  },
];

const ISA =
  'ISA*00*          *00*          *ZZ*CARRIER        *ZZ*SHIPPER        *260301*0830*U*00401*000000905*0*P*>~';
const SET =
  'ST*214*0001~\nB10*PRO1*L1001*ABCD~\nL11*2*QN~\nLX*1~\nAT7*X1*NS***20260301*0830*ET~\nMS1*HOUSTON*TX*US~\nLX*2~\nAT7*X3*NS***20260301*0930*ET~\nSE*9*0001~\n';
const GS = 'GS*QM*CARRIER*SHIPPER*20260301*0830*1*X*004010~\n';
const X12_FILE = `${ISA}\n${GS}${SET}${SET.replaceAll('0001~', '0002~')}GE*2*1~\nIEA*1*000000905~\n`;
/** Delimiters of another sender, a repetition separator, a terminator that is a line break, and two interchanges. */
const OTHER_X12 = X12_FILE.replaceAll('\n', '')
  .replaceAll('*', '|')
  .replaceAll('~', '\n')
  .replaceAll('>', ':')
  .replace('|U|00401|', '|^|00501|');
const X12_LOOPS = { LX: {}, AT7: { in: 'LX', holds: ['MS1', 'MS2'] } };
const X12_PATHS = ['B10-02', 'AT7-01', 'L11[02=QN]-01', 'MS1-01', 'GS-02', 'ISA-06', 'AT7-03'];

export const X12: readonly SoundFiles[] = [
  {
    source: { format: 'x12', sets: ['214'], ignore: ['997'], loops: X12_LOOPS, record: 'AT7' },
    paths: X12_PATHS,
    files: [X12_FILE, OTHER_X12, `${OTHER_X12}\r\n${X12_FILE.replaceAll('905', '906')}`],
  },
  {
    source: { format: 'x12', sets: ['214'] },
    paths: X12_PATHS,
    policy: { broken: 'interchange', counts: 'lenient', width: 'strict' },
    files: [X12_FILE, Buffer.from(X12_FILE.replace('HOUSTON', 'CA\xd1ON'), 'latin1')],
  },
];

const UNB = "UNB+UNOC:3+SENDER:14+RECEIVER+260101:1200+77'";
const MESSAGE =
  "UNH+M1+IFTSTA:D:96A:UN'BGM+23+77'NAD+CA+ABCD::92'CNI+1+L1'STS+1+21'DTM+334:202603010830:203'LOC+7+USHOU:139:6'CNI+2+L2'STS+1+31'FTX+AAI+++it?'s late?+er'UNT+11+M1'";
const EDIFACT_FILE = `UNA:+.? '\n${UNB}\n${MESSAGE.replaceAll("'U", "'\nU")}${MESSAGE.replaceAll('M1', 'M2')}UNZ+2+77'\n`;
const GROUPED = `${UNB}UNG+IFTSTA+A+B+260101:1200+5+UN+D:96A'${MESSAGE}UNE+1+5'UNZ+1+77'`;
const EDIFACT_LOOPS = { CNI: {}, STS: { in: 'CNI' } };
const EDIFACT_PATHS = ['BGM-02', 'CNI-02', 'STS-02', 'DTM[01.1=334]-01.2', 'LOC[01=7]-02.1', 'NAD-02.1', 'FTX-04'];

export const EDIFACT: readonly SoundFiles[] = [
  {
    source: { format: 'edifact', messages: ['IFTSTA'], ignore: ['CONTRL'], loops: EDIFACT_LOOPS, record: 'STS' },
    paths: EDIFACT_PATHS,
    files: [EDIFACT_FILE, GROUPED, `${GROUPED}\n${EDIFACT_FILE.replaceAll('77', '78')}`],
  },
  {
    source: { format: 'edifact', messages: ['IFTSTA'], bare: 'accept' },
    paths: EDIFACT_PATHS,
    policy: { broken: 'interchange', counts: 'lenient' },
    files: [
      MESSAGE,
      Buffer.from(EDIFACT_FILE.replace('late', 'sp\xe4t'), 'latin1'),
      GROUPED.replaceAll('+', '\x1d').replaceAll(':', '\x1f').replaceAll("'", '\x1c').replace('UNOC', 'UNOB'),
    ],
  },
];

export const XML: readonly SoundFiles[] = [
  {
    source: { format: 'xml', records: 'list/item', namespaces: { x: 'urn:x' } },
    paths: ['@id', 'name', 'x:code', 'stop[2]/@city', '/list/head/@by'],
    lists: [{ path: 'stop', shape: { paths: ['@city', '.'], lists: [] } }],
    files: [
      '<?xml version="1.0" encoding="UTF-8"?>\n<list xmlns:x="urn:x"><head by="me"/><item id="1"><name>K&#246;ln &amp; co</name><x:code>7</x:code><stop city="a">1</stop><stop city="b"/></item>\n<!-- no --><item id=\'2\'><name><![CDATA[<b>]]></name></item><item/></list>\n',
      Buffer.from(
        '<?xml version="1.0" encoding="ISO-8859-1"?><list><item><name>K\xf6ln</name></item></list>',
        'latin1',
      ),
      utf16('<list><item id="3"><name>é</name></item></list>'),
    ],
  },
];

export const FIXED: readonly SoundFiles[] = [
  {
    source: {
      format: 'fixed',
      lineLength: 24,
      records: {
        H: { use: 'passed' },
        L: { use: 'carried', fields: { load: { at: 2, length: 8 } } },
        S: {
          fields: {
            status: { at: 2, length: 2 },
            city: { at: 4, length: 10, trim: 'right' },
            weight: { at: 14, length: 8, number: { decimals: 2, sign: 'overpunch' } },
          },
        },
        T: { use: 'trailer', count: { at: 2, length: 6 } },
      },
    },
    files: [
      'H 20260301              \nLL1001   \nSX3Joliet    0000123}  \nSAFKöln      00001234  \r\nLL1002\nSX6\nT000003\n',
    ],
  },
  {
    source: {
      format: 'fixed',
      encoding: 'windows-1252',
      lineEnds: 'none',
      lineLength: 10,
      shortLines: 'reject',
      records: { all: { marker: '', fields: { a: { at: 1, length: 4 }, b: { at: 5, length: 6, trim: 'none' } } } },
    },
    files: [Buffer.from('L1  K\xf6ln  L2  Ulm   ', 'latin1')],
  },
  {
    source: {
      format: 'fixed',
      records: {
        A00: { use: 'passed' },
        Q00: { use: 'carried', fields: { load: { at: 4, length: 8 } } },
        Q10: { fields: { status: { at: 4, length: 3 } } },
        Q20: { fields: { text: { at: 4, length: 20 } } },
        Z00: { use: 'trailer', count: { at: 4, length: 6, of: ['Q00', 'Q10'] } },
      },
    },
    files: ['A00\nQ00L1001\nQ10021\nQ20left at the gate\nQ00L1002\nQ10011\nZ00000004\nQ10031\nZ00000001\n'],
  },
  {
    source: {
      format: 'fixed',
      tabStops: 8,
      records: {
        A: {
          marker: [
            { at: 1, text: 'A' },
            { at: 9, text: 'X' },
          ],
          fields: { n: { at: 2, length: 6, number: { sign: 'trailing' } } },
        },
        rest: { marker: '', use: 'passed' },
      },
    },
    files: ['A  12-\tX\nA 0013  X\nsomething else\n'],
  },
];
