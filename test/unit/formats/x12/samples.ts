/** X12 files of our own: small, and each with one habit of real senders. */

export interface IsaChoice {
  element?: string;
  component?: string;
  terminator?: string;
  /** ISA11. */
  eleven?: string;
  version?: string;
  control?: string;
}

export function isaText(choice: IsaChoice = {}): string {
  const {
    element = '*',
    component = '>',
    terminator = '~',
    eleven = 'U',
    version = '00401',
    control = '000000905',
  } = choice;
  const elements = [
    'ISA',
    '00',
    ' '.repeat(10),
    '00',
    ' '.repeat(10),
    'ZZ',
    'CARRIER'.padEnd(15),
    'ZZ',
    'SHIPPER'.padEnd(15),
  ];
  return [...elements, '260301', '0830', eleven, version, control, '0', 'P', component].join(element) + terminator;
}

/** A 214 of one status; `control` is ST02. */
export const status = (control: string, load = 'L1001'): string[] => [
  `ST*214*${control}`,
  `B10*PRO${control}*${load}*ABCD`,
  'L11*2*QN',
  'LX*1',
  'AT7*X1*NS***20260301*0830*ET',
  'MS1*HOUSTON*TX*US',
  `SE*7*${control}`,
];

export interface FileChoice extends IsaChoice {
  sets?: string[][];
  /** Behind each terminator. */
  behind?: string;
}

/** An interchange of one group. */
export function interchange({
  sets = [status('0001'), status('0002')],
  behind = '\n',
  ...choice
}: FileChoice = {}): string {
  const { terminator = '~', element = '*', component = '>', control = '000000905' } = choice;
  const segments = [
    'GS*QM*CARRIER*SHIPPER*20260301*0830*77*X*004010',
    ...sets.flat(),
    `GE*${sets.length}*77`,
    `IEA*1*${control}`,
  ];
  const text = segments.map((segment) => segment.replaceAll('*', element).replaceAll('>', component) + terminator);
  return [isaText(choice), ...text].map((segment) => segment + behind).join('');
}

export const TWO_SETS = interchange();

const twoGroups = [
  isaText(),
  'TA1*000000900*260301*0830*A*000~',
  'GS*QM*CARRIER*SHIPPER*20260301*0830*77*X*004010~',
  ...status('0001').map((segment) => `${segment}~`),
  'GE*1*77~',
  'GS*QM*CARRIER*SHIPPER*20260301*0830*78*X*004010~',
  ...status('0001').map((segment) => `${segment}~`),
  ...status('0002').map((segment) => `${segment}~`),
  'GE*2*78~',
  'IEA*2*000000905~',
].join('\r\n');

/** By name: each must read without a problem, whatever the slices. */
export const SAMPLES: Readonly<Record<string, string>> = {
  'line feeds behind terminators': TWO_SETS,
  'one line': interchange({ behind: '' }),
  'CRLF behind terminators': interchange({ behind: '\r\n' }),
  'CR behind terminators': interchange({ behind: '\r' }),
  'line feeds as terminators': interchange({ terminator: '\n', behind: '' }),
  'CRLF as terminator': interchange({ terminator: '\r\n', behind: '' }),
  'CR as terminator': interchange({ terminator: '\r', behind: '' }),
  'two groups and a TA1': twoGroups,
  'two interchanges with other delimiters': `${TWO_SETS}${interchange({ element: '|', component: ':', terminator: '!', behind: '\r\n', control: '000000906' })}`,
  'the second interchange separates by what ends segments of the first': `${interchange({ behind: '' })}${interchange({ element: '~', component: '^', terminator: '_', behind: '' })}`,
  'letters of UTF-8': interchange({ sets: [['ST*214*0001', 'B10*PRO*Zürich 東京*ABCD', 'SE*3*0001']] }),
  'a terminator of several bytes': interchange({ terminator: '¶' }),
  'a byte-order mark and blanks': `\ufeff \r\n${TWO_SETS}`,
};
