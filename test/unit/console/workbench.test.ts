/** The pure parts of the workbench: where the cursor stands, what may be written there, segments, and where values come from. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUNDLE_FILE, workbenchModule } from '../../../scripts/bundle-workbench.ts';
import { keysAt, type Schema, valuesAt } from '../../../src/console/client/workbench/schema-keys.ts';
import { cursorAt } from '../../../src/console/client/workbench/yaml-path.ts';
import type { TriedAnswer } from '../../../src/console/pages/workbench/answers.ts';
import { bodyLeaves } from '../../../src/console/pages/workbench/leaves.ts';
import { publishable } from '../../../src/console/pages/workbench/result-view.tsx';
import { asYaml, segmentsOf } from '../../../src/console/pages/workbench/segments.ts';
import type { ValueOrigin } from '../../../src/mapping/compile/value-origins.ts';

const SCRIPT_BYTES_MAX = 500_000;

it('the script is current (if not, run `npm run workbench`) and small enough', async () => {
  const text = await workbenchModule();
  expect(readFileSync(BUNDLE_FILE, 'utf8') === text).toBe(true);
  expect(Buffer.byteLength(text)).toBeLessThan(SCRIPT_BYTES_MAX);
});

describe('what is said beside the button that publishes', () => {
  const tried: TriedAnswer = {
    ...{ mapping: null, problems: [], codeLists: [], examples: { count: 1, failed: [] }, origins: [] },
    preview: {
      counts: { records: 2, mapped: 2, requests: 2, skipped: 0, invalid: 0 },
      ...{ fileProblems: [], authorFixes: [], records: [] },
    },
  };
  const problem = { path: 'fields', line: 3, column: 1, code: 'field_missing', message: 'x', wanted: 'y' };
  const failed = [{ path: 'a', wanted: '1', received: '2' }];
  const counts = { records: 2, mapped: 1, requests: 1, skipped: 0, invalid: 1 };
  it.each([
    ['nothing where nothing speaks against it', {}, true, ''],
    ['a problem of the mapping', { problems: [problem] }, false, 'Solve the problems of the mapping first.'],
    ['that of a code list', { codeLists: [{ list: 'a', problems: [problem] }] }, false, /problems/],
    ['a missing example', { problems: [{ ...problem, path: 'examples' }] }, false, /example/],
    ['an example that fails', { examples: { count: 1, failed } }, false, /fails/],
    ['rows that would not be sent', { preview: { ...tried.preview, counts } }, true, /^1 row of the sample/],
  ] as const)('%s', (_, more, isPossible, reason) => {
    const said = publishable({ ...tried, ...more } as TriedAnswer);
    expect(said.isPossible).toBe(isPossible);
    if (typeof reason === 'string') expect(said.reason).toBe(reason);
    else expect(said.reason).toMatch(reason);
  });
});

/** `|` is the cursor. */
const at = (text: string) => cursorAt(text.replace('|', ''), text.indexOf('|'));

describe('where the cursor stands', () => {
  it.each([
    ['the first key', 'map|', [], null],
    ['a key of the document', 'mapping: a\nsou|', [], null],
    ['an empty line under a key', 'fields:\n  |', ['fields'], null],
    ['a key under a key', 'fields:\n  loadNumber: Load\n  even|', ['fields'], null],
    ['a value', 'source:\n  format: c|', ['source'], 'format'],
    ['a deeper value', 'fields:\n  time:\n    parse: y|', ['fields', 'time'], 'parse'],
    ['an entry of a list', 'requests:\n  - targ|', ['requests', 0], null],
    ['a later key of an entry', 'requests:\n  - target: trace\n    fie|', ['requests', 0], null],
    ['under an entry', 'requests:\n  - target: trace\n    fields:\n      eve|', ['requests', 0, 'fields'], null],
    ['a second entry', 'requests:\n  - target: trace\n  - wh|', ['requests', 0], null],
    ['a list in the column of its key', 'references:\n- nam|', ['references', 0], null],
    ['braces', 'fields:\n  eventCode: { from: Status, loo|', ['fields', 'eventCode'], null],
    ['a value in braces', 'fields:\n  eventCode: { from: St|', ['fields', 'eventCode'], 'from'],
    ['braces in a list', 'fields:\n  references:\n    - { name: PRO, va|', ['fields', 'references', 0], null],
    ['braces in braces', 'skip: { when: { fie|', ['skip', 'when'], null],
    ['after keys that are quoted', 'target:\n  cases:\n    "": milestone\n    "9": mil|', ['target', 'cases'], '9'],
  ] as const)('%s', (_, text, path, key) => {
    expect(at(text)).toMatchObject({ path, key });
  });

  it.each(['a: 1 # com|', 'examples:\n  - input: |\n      Load'.replace('Load', 'Lo\u0000ad')])(
    'nothing is written in %j',
    (text) => {
      const cut = text.includes('\u0000') ? text.indexOf('\u0000') : text.indexOf('|');
      expect(cursorAt(text.replace('\u0000', '').replace('com|', 'com'), cut)).toBeNull();
    },
  );

  it('knows what stands beside', () => {
    expect(at('fields:\n  loadNumber: a\n  |\n  time: b\nzone: c')).toMatchObject({ beside: ['loadNumber', 'time'] });
    expect(at('a: { from: x, joi|')).toMatchObject({ beside: ['from'], typed: 'joi' });
  });
});

describe('what may be written', () => {
  const schema = JSON.parse(readFileSync('mappings/mapping.schema.json', 'utf8')) as Schema;
  const keys = (...path: (string | 0)[]) => keysAt(schema, path).map(({ key }) => key);
  it('are the keys and values of the schema, also deep inside', () => {
    expect(keys()).toEqual(expect.arrayContaining(['mapping', 'source', 'fields', 'extends']));
    expect(keys('source')).toEqual(expect.arrayContaining(['format', 'delimiter', 'sets']));
    expect(keys('fields')).toEqual(expect.arrayContaining(['loadNumber', 'time']));
    expect(keys('requests', 0, 'fields', 'time')).toEqual(expect.arrayContaining(['from', 'parse', 'zone']));
    expect(keys('order', 'anyMember')).toEqual(expect.arrayContaining(['from', 'each', 'object']));
    expect(valuesAt(schema, ['target'])).toEqual(expect.arrayContaining(['milestone', 'order.create']));
    expect(valuesAt(schema, ['source', 'format'])).toEqual(expect.arrayContaining(['csv', 'x12']));
    expect(keysAt(schema, ['fields']).every(({ about }) => typeof about === 'string')).toBe(true);
  });
});

describe('a file of segments', () => {
  it('has a path for each element of X12, with its qualifier', () => {
    const isa = `ISA*00*${' '.repeat(10)}*00*${' '.repeat(10)}*ZZ*${'A'.padEnd(15)}*ZZ*${'B'.padEnd(15)}*260302*0815*U*00401*000000001*0*P*>~`;
    const segments = segmentsOf(`${isa}\nGS*QM~\nB10*1*L1*SCAC~\nL11*77*BM~\nAT7*X3**~`);
    expect(segments?.map(({ tag }) => tag)).toEqual(['ISA', 'GS', 'B10', 'L11', 'AT7']);
    expect(segments?.[2]?.elements.map(({ path }) => path)).toEqual(['B10-01', 'B10-02', 'B10-03']);
    expect(segments?.[3]?.elements).toEqual([
      { path: 'L11[02=BM]-01', text: '77' },
      { path: 'L11-02', text: 'BM' },
    ]);
  });

  it('has components of EDIFACT, and reads its release character', () => {
    const segments = segmentsOf("UNB+UNOC:3+A+B'\nRFF+CN:4711?+2'\nDTM+334:20260302:102'\nSTS+1+X3'");
    expect(segments?.[1]?.elements).toEqual([
      { path: 'RFF-01.1', text: 'CN' },
      { path: 'RFF[01.1=CN]-01.2', text: '4711+2' },
    ]);
    expect(segments?.[2]?.elements[1]).toEqual({ path: 'DTM[01.1=334]-01.2', text: '20260302' });
    expect(segments?.[3]?.elements[1]?.path).toBe('STS-02');
    expect(segmentsOf('a,b\n1,2')).toBeNull();
  });

  it.each([
    ['City', 'City'],
    ['Load #', '"Load #"'],
    ['RFF[01.1=CN]-01.2', '"RFF[01.1=CN]-01.2"'],
    ['No', '"No"'],
    ['a "b"', '"a \\"b\\""'],
  ])('%s is written %s', (name, wanted) => expect(asYaml(name)).toBe(wanted));
});

describe('the values of a request', () => {
  it('lead to the line that says most of them', () => {
    const of = (member: string[], line: number): ValueOrigin => ({
      kinds: ['trace'],
      member,
      at: member.join('.'),
      line,
      columns: [],
    });
    const origins = [
      of(['loadNumber'], 3),
      of(['coordinate', 'latitude'], 9),
      of(['references', 'BOL'], 12),
      of(['time'], 5),
    ];
    const point = { time: { dateTime: 'x' }, coordinate: { latitude: 1 }, references: [{ name: 'BOL', value: 'B' }] };
    const leaves = bodyLeaves({ kind: 'trace', body: { loadNumber: 'L', traces: [point] } }, origins);
    expect(leaves.map(({ path, origin }) => [path, origin?.line])).toEqual([
      ['loadNumber', 3],
      ['traces[0].time.dateTime', 5],
      ['traces[0].coordinate.latitude', 9],
      ['traces[0].references[0].name', 12],
      ['traces[0].references[0].value', 12],
    ]);
  });
});
