import { describe, expect, it } from 'vitest';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { formatPath, problemLine } from '../../../src/mapping/document/problems.ts';
import { LISTS, type Loose, namesOf, problemsOf, RIGHT, textOf, withFields } from './documents.ts';

const only = (changes: Loose | string): string[] => namesOf(problemsOf(changes));

it('accepts a right document', () => expect(problemsOf({})).toEqual([]));

it('reports ten mistakes of one document at once, each with its path and line', () => {
  const text = `mapping: Trial CSV
description: ""
source: { format: csv, delimeter: ";" }
target: milestones
skip: { when: { in: [x] } }
zone: { const: Chicago }
fields:
  loadNumber: { from: Load, const: L1 }
  eventcode: Code
  reasonCode: { from: Reason, lookup: wrods }
  time: { from: When, parse: "YYYY-MM-DD" }
`;
  const problems = problemsOf(text);
  expect(namesOf(problems)).toEqual([
    'wrong_form mapping',
    'key_missing examples',
    'wrong_form description',
    'unknown_key source.delimeter',
    'wrong_form target',
    'condition_invalid skip.when',
    'zone_unknown zone.const',
    'origin_invalid fields.loadNumber',
    'unknown_field fields.eventcode',
    'code_list_unknown fields.reasonCode.lookup',
    'pattern_invalid fields.time.parse',
    'pattern_invalid fields.time.parse',
  ]);
  expect(problems.map(({ line }) => line)).toEqual([1, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 11]);
  for (const { message, wanted } of problems) expect(message.length * wanted.length).toBeGreaterThan(0);
});

describe('the form of a document', () => {
  it.each(['mapping', 'description', 'source', 'target', 'fields', 'examples'])('demands %s', (key) =>
    expect(only({ [key]: undefined })).toContain(`key_missing ${key}`),
  );
  it.each(['', '[]', 'just words', '7'])('refuses a document that is %j', (text) =>
    expect(problemsOf(text)[0]).toMatchObject({ code: 'wrong_form', path: '', wanted: 'keys with values' }),
  );
  it.each(['Trial', 'trial_csv', 'trial--csv', '-trial', '../trial', 'a'.repeat(81)])(
    'refuses the name %j',
    (mapping) => expect(only({ mapping })).toEqual(['wrong_form mapping']),
  );
  it('demands the name of the file', () => {
    const checked = checkMapping(textOf(), LISTS, { name: 'other-csv' });
    expect(checked.ok ? [] : checked.error).toMatchObject([
      { code: 'name_differs', path: 'mapping', wanted: 'other-csv' },
    ]);
  });
  it('demands at least one example', () => expect(only({ examples: [] })).toEqual(['wrong_form examples']));
  it('suggests the key that was meant', () => {
    const [problem] = problemsOf(withFields({ eventCity: { from: 'City', defualt: 'x' } }));
    expect(problem).toMatchObject({ code: 'unknown_key', path: 'fields.eventCity.defualt', value: 'defualt' });
    expect(problem?.message).toContain('Did you mean "default"?');
    expect(problem?.wanted).toContain('from, join, firstOf');
  });
  it('suggests the field that was meant', () => {
    const [problem] = problemsOf(withFields({ stopSequenceNumber: { from: 'Stop', as: 'integer' } }));
    expect(problem).toMatchObject({ code: 'unknown_field', path: 'fields.stopSequenceNumber' });
    expect(problem?.message).toContain('Did you mean "stopsequenceNumber"?');
  });
  it('does not take a number for text, whose zeros would be lost', () => {
    const [problem] = problemsOf(withFields({ eventCode: { const: 3 } }));
    expect(problem).toMatchObject({ code: 'wrong_form', path: 'fields.eventCode.const', value: '3' });
    expect(problem?.wanted).toContain('put it in quotes: "3"');
  });
  it('demands "as: integer" of a number, and knows none for a text', () => {
    expect(only(withFields({ stopsequenceNumber: 'Stop' }))).toEqual(['wrong_form fields.stopsequenceNumber']);
    expect(only(withFields({ stopsequenceNumber: { from: 'Stop' } }))).toEqual([
      'key_missing fields.stopsequenceNumber.as',
    ]);
    expect(only(withFields({ eventCity: { from: 'City', as: 'integer' } }))).toEqual([
      'unknown_key fields.eventCity.as',
    ]);
  });
  it('reports the problems of the declaration of the file with its own words', () => {
    const [problem] = problemsOf({ source: { format: 'csv', delimiter: '' } });
    expect(problem).toMatchObject({
      path: 'source.delimiter',
      wanted: 'a delimiter of 1 to 4 characters, for example ";"',
    });
  });
  it.each(['constructor', 'toString', 'hasOwnProperty'])('knows no field named %s', (name) =>
    expect(only(withFields({ [name]: 'Load' }))).toEqual([`unknown_field fields.${name}`]),
  );
});

describe('the meaning of a document', () => {
  it.each(['loadNumber', 'eventCode', 'time'])('demands the field %s', (name) => {
    const [problem] = problemsOf(withFields({ [name]: undefined }));
    expect(problem).toMatchObject({ code: 'field_missing', path: `fields.${name}` });
  });
  it('demands it of every request', () => {
    const requests = [{ fields: { eventCode: { const: 'X1' } } }, { fields: { reasonCode: { const: 'NS' } } }];
    expect(only({ requests, ...withFields({ eventCode: undefined }) })).toEqual([
      'field_missing requests[1].fields.eventCode',
    ]);
  });
  it('does not call a field missing whose form is wrong', () =>
    expect(only(withFields({ loadNumber: { frm: 'Load' } }))).toEqual(['unknown_key fields.loadNumber.frm']));
  it.each([
    [{}, 'origin_invalid fields.eventCity'],
    [{ from: 'A', template: '{A}' }, 'origin_invalid fields.eventCity'],
    [{ template: '{A' }, 'template_invalid fields.eventCity.template'],
    [{ template: 'A}' }, 'template_invalid fields.eventCity.template'],
    [{ template: '{}' }, 'template_invalid fields.eventCity.template'],
    [{ template: 'fixed' }, 'template_invalid fields.eventCity.template'],
    [{ from: 'A', join: '-' }, 'no_effect fields.eventCity.join'],
    [{ const: 'x', optional: true }, 'no_effect fields.eventCity.optional'],
    [{ const: 'x', default: 'y' }, 'no_effect fields.eventCity.default'],
    [{ from: 'A', onMiss: 'keep' }, 'no_effect fields.eventCity.onMiss'],
    [{ from: 'A', upper: true, lower: true }, 'keys_exclude fields.eventCity.lower'],
    [{ from: 'A', lookup: 'none' }, 'code_list_unknown fields.eventCity.lookup'],
    [{ from: 'A', when: { field: 'B' } }, 'condition_invalid fields.eventCity.when'],
    [{ from: 'A', substring: { from: 0 } }, 'wrong_form fields.eventCity.substring.from'],
  ])('refuses the field %j', (eventCity, wanted) => expect(only(withFields({ eventCity }))).toEqual([wanted]));
  it('suggests the code list that was meant', () =>
    expect(problemsOf(withFields({ eventCity: { from: 'A', lookup: 'wordz' } }))[0]?.message).toContain(
      'Did you mean "words"?',
    ));
  it('refuses a constant or default that no request could carry', () => {
    const long = 'x'.repeat(31);
    expect(only(withFields({ eventCode: { const: long }, reasonCode: { from: 'A', default: long } }))).toEqual([
      'value_too_long fields.eventCode.const',
      'value_too_long fields.reasonCode.default',
    ]);
  });
  it('refuses a condition on a required field', () =>
    expect(only(withFields({ eventCode: { from: 'A', when: { field: 'A', empty: false } } }))).toEqual([
      'keys_exclude fields.eventCode.when',
    ]));
  it('refuses a shared field that every request replaces', () =>
    expect(only({ requests: [{ fields: { eventCode: { const: 'X1' } } }] })).toEqual(['no_effect fields.eventCode']));
  it('refuses columns that a file without header does not declare', () => {
    const source = { format: 'csv', header: false, columns: ['Load', 'Code', 'Wehn'] };
    const [problem] = problemsOf({ source });
    expect(problem).toMatchObject({ code: 'column_unknown', path: 'fields.time', value: 'When' });
    expect(problem?.message).toContain('Did you mean "Wehn"?');
  });
  it('demands the columns of a file without header', () =>
    expect(only({ source: { format: 'csv', header: false } })).toEqual(['key_missing source.columns']));
  it('limits how many fields a document fills', () => {
    const references = Array.from({ length: 50 }, (_, index) => ({ name: `R${index}`, value: 'Load' }));
    const requests = Array.from({ length: 4 }, () => ({ fields: { references } }));
    expect(only({ requests })).toEqual(['too_many fields']);
  });
  it('limits how many requests, references and parts there are', () => {
    const requests = Array.from({ length: 21 }, () => ({ fields: { reasonCode: { const: 'NS' } } }));
    expect(only({ requests })).toEqual(['too_many requests']);
    expect(only(withFields({ eventCity: { from: Array.from({ length: 21 }, () => 'A') } }))).toEqual([
      'too_many fields.eventCity.from',
    ]);
  });
});

describe('a number or time that is its column alone', () => {
  it.each([
    [{ stopsequenceNumber: 'Stop' }, 'A number', 'stopsequenceNumber: { from: Stop, as: integer }'],
    [{ stopsequenceNumber: 'Stop #' }, 'A number', 'stopsequenceNumber: { from: "Stop #", as: integer }'],
    [{ time: 'Event Date' }, 'A time', 'time: { from: Event Date, parse: "yyyy-MM-dd HH:mm" }'],
  ])('is shown as it is written: %j', (fields, what, wanted) =>
    expect(problemsOf(withFields(fields))).toEqual([
      expect.objectContaining({
        code: 'wrong_form',
        message: `${what} has no short form: its column alone is not enough.`,
        wanted,
      }),
    ]),
  );
});

describe('the YAML of a document', () => {
  /** A right document whose fourth line is this. */
  const withFields = (line: string): string => {
    const others = Object.entries(RIGHT).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const after = others.slice(3).filter((each) => !each.startsWith('fields'));
    return [...others.slice(0, 3), line, ...after].join('\n');
  };

  it('is placed by line and column where it cannot be read', () =>
    expect(problemsOf('mapping: x\nfields: {a: b\n')).toMatchObject([{ code: 'yaml_syntax', line: 3, column: 1 }]));
  it.each([
    ['fields: { loadNumber: stops[0].load, eventCode: code, time: { from: at, parse: iso } }', 'stops[0].load', 23],
    ['fields: { loadNumber: { from: stops[0].load, upper: true } }', 'stops[0].load', 31],
    ['fields: { eventCode: { firstOf: [code, stops[0].codes[1]] } }', 'stops[0].codes[1]', 40],
    ["fields: { references: [{ name: PRO, value: ref[@type='PRO'] }] }", "ref[@type='PRO']", 44],
  ])('has one problem for a path with a bracket that stands without quotes within { }: %s', (line, path, column) => {
    const text = withFields(line);
    expect(problemsOf(text)).toEqual([
      {
        path: '',
        code: 'yaml_syntax',
        value: path,
        message: 'Within { } or [ ] a bracket begins a list, so that this path ends before it.',
        wanted: `the path in quotes: "${path}"`,
        line: 4,
        column,
      },
    ]);
    expect(problemsOf(text.replace(path, `"${path}"`)).filter(({ code }) => code === 'yaml_syntax')).toEqual([]);
  });
  it.each([
    ['fields: { loadNumber: Load #, eventCode: Code, time: { from: At, parse: iso } }', 'Load #', 23],
    ['fields: { loadNumber: { from: Load # } }', 'Load #', 31],
    ['fields: { eventCode: { firstOf: [Code # 1, Load] } } # {as written}', 'Code # 1', 34],
    ['fields: { references: [{ name: PRO, value: Pro # }] }', 'Pro #', 44],
  ])('has one problem for a "#" that cuts a line within { }: %s', (line, cut, column) => {
    const text = withFields(line);
    expect(problemsOf(text)).toEqual([
      {
        path: '',
        code: 'yaml_syntax',
        value: cut,
        message: expect.stringMatching(/^A "#" after a blank begins a comment within \{ \}/),
        wanted: `the text in quotes: "${cut}"`,
        line: 4,
        column,
      },
    ]);
    expect(problemsOf(text.replace(cut, `"${cut}"`)).filter(({ code }) => code === 'yaml_syntax')).toEqual([]);
  });
  it('is read in linear time where it has nothing but braces and comments', () => {
    const started = performance.now();
    expect(problemsOf(`a: {${' #'.repeat(50_000)}]`)[0]).toMatchObject({ code: 'yaml_syntax' });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
  it('has one problem for each such path, and what else is wrong beside them, in the order of the text', () => {
    const text = 'a: { b: c[0], d: e[1] }\n f: 1\ng: { h: i["j k"] }\nk: l[0]\n';
    expect(problemsOf(text).map(({ line, value, wanted }) => [line, value ?? '', wanted])).toEqual([
      [1, 'c[0]', 'the path in quotes: "c[0]"'],
      [1, 'e[1]', 'the path in quotes: "e[1]"'],
      [2, '', expect.stringMatching(/^keys of one level below each other/)],
      [3, 'i["j k"]', `the path in quotes: 'i["j k"]'`],
    ]);
  });
  it('takes such a path without quotes where it stands alone behind its key, or in quotes', () => {
    const text = 'a: b[0]\nc: { d: "e[0]", f: \'g[1]\' } # h[2]\n';
    expect(problemsOf(text).filter(({ code }) => code === 'yaml_syntax')).toEqual([]);
  });
  it('tells of a structure that is lost once, where it is lost', () => {
    const text = 'fields:\n  eventCity: { template: {City}-{State} }\n  loadNumber: Load\n  eventCode: { const: X3 }\n';
    expect(problemsOf(text)).toMatchObject([{ code: 'yaml_syntax', line: 2 }]);
  });
  it.each([
    ['a: "b\n', 'Something is missing here: a closing quote'],
    ['a: { b: c }}\n', 'This cannot stand here'],
    ['a:\n  b: c\n d: e\n', 'not indented as those'],
    ['a:\n\tb: c\n', 'A tab stands where'],
    ['a: b: c\n', 'A second "key: value"'],
    ['a: @b\n', 'A text cannot begin with this character'],
    ['a: *b\n', 'begins with "*"'],
    ['a: "\\q"\n', 'begins a special character'],
  ])('is refused in words of whoever writes it, never of a library: %j', (text, said) => {
    const found = problemsOf(text);
    expect(found[0]?.message).toContain(said);
    expect(found.map(({ message }) => message).join()).not.toMatch(
      /flow|scalar|token|implicit|node|collection|YAML stream/i,
    );
  });
  it('must not hold a key twice', () =>
    expect(problemsOf(`${textOf()}target: milestone\n`)).toMatchObject([
      { code: 'duplicate_key', value: 'target', line: 19, column: 1 },
    ]));
  it('must not hold tags or several documents', () => {
    expect(problemsOf('mapping: !!js/function x\n')[0]).toMatchObject({ code: 'yaml_not_supported', line: 1 });
    expect(problemsOf('a: 1\n---\nb: 2\n')[0]).toMatchObject({ code: 'yaml_not_supported', line: 2 });
  });
  it('must not hold the key __proto__', () => {
    const problems = problemsOf(textOf().replace('fields:\n', 'fields:\n  __proto__: { x: 1 }\n'));
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'yaml_not_supported', value: '__proto__', line: 9 }),
    );
    expect(({} as Loose).x).toBeUndefined();
  });
  it('says so when a # without quotes swallows part of a name, beside all other problems', () => {
    const text = textOf({ target: 'traces' }).replace('loadNumber: Load', 'loadNumber: Load #');
    expect(problemsOf(text)).toMatchObject([
      { path: 'target' },
      { code: 'yaml_syntax', value: 'Load #', wanted: 'the text in quotes: "Load #"', line: 9 },
    ]);
  });
  it('may share parts by a few aliases', () => {
    const text = textOf().replace('loadNumber: Load', 'loadNumber: &load Load').concat('scac: *load\n');
    expect(problemsOf(text)).toEqual([]);
  });
  it('must not unfold aliases without end', () => {
    const levels = 'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(9)}]`);
    expect(only(['a: &a [x,x,x,x,x,x,x,x,x]', ...levels].join('\n'))).toEqual(['yaml_not_supported ']);
  });
  it('is refused for its many aliases before they cost anything, and a text that begins with a star is none', () => {
    const aliases = (many: number) => `a: &a x\nb:\n${'  - *a\n'.repeat(many)}`;
    expect(only(aliases(30_000))).toEqual(['yaml_not_supported ']);
    const timed = (text: string) => {
      const fromMs = performance.now();
      problemsOf(text);
      return performance.now() - fromMs;
    };
    const plain = aliases(30_000).replaceAll('*a', 'xa');
    expect(timed(aliases(30_000))).toBeLessThan(timed(plain));
    const stars = textOf().replace('loadNumber: Load', `loadNumber: Load # ${'*a '.repeat(200)}`);
    expect(problemsOf(stars).map(({ code }) => code)).not.toContain('yaml_not_supported');
  });
  it('must not nest without end', () => expect(problemsOf('['.repeat(20_000))[0]?.code).toBe('yaml_syntax'));
  it('must not be larger than a document may be', () =>
    expect(only(`# ${'x'.repeat(256 * 1024)}`)).toEqual(['too_large ']));
  it('lists no more problems than anybody reads', () => {
    const text = Array.from({ length: 500 }, (_, index) => `key${index}: 1`).join('\n');
    expect(problemsOf(text)).toHaveLength(100);
  });
});

describe('a key that stands one level too deep', () => {
  it.each([
    [{ from: { const: 'X3' } }, '"const" stands in the place of "from", not under it.', 'const: X3, without "from"'],
    [
      { from: { template: '{A}-{B}' } },
      '"template" stands in the place of "from", not under it.',
      'template: {A}-{B}, without "from"',
    ],
    [
      { firstOf: { from: 'A' } },
      '"from" stands in the place of "firstOf", not under it.',
      'from: A, without "firstOf"',
    ],
    [
      { from: { lookup: 'words', upper: true } },
      '"lookup" and "upper" stand beside "from", not under it.',
      'from: …, lookup: words, upper: true',
    ],
  ])('is told where it belongs: %j', (eventCode, message, wanted) => {
    const [problem, ...others] = problemsOf(withFields({ eventCode }));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: 'wrong_form', message, wanted });
    expect(problem?.path).toMatch(/^fields\.eventCode\.(from|firstOf)$/);
  });

  it('is no such key where the key is none: what a "from" may be is said', () =>
    expect(problemsOf(withFields({ eventCode: { from: { column: 'A' } } }))).toMatchObject([
      { code: 'wrong_form', wanted: 'a column, or a list of columns and { const: text }' },
    ]));
});

describe('a problem in words', () => {
  it('writes paths as one would read them', () => {
    expect(formatPath(['requests', 0, 'fields', 'time'])).toBe('requests[0].fields.time');
    expect(formatPath(['codes', 'ARRIVED PU'])).toBe('codes["ARRIVED PU"]');
  });
  it('is one line with place, message and wanted form', () => {
    const [problem] = problemsOf({ ...RIGHT, target: 'milestones' });
    expect(problem && problemLine(problem)).toMatch(
      /^line \d+:1 target: .+ \(received: milestones\) Wanted: one of milestone, trace, /,
    );
  });
});
