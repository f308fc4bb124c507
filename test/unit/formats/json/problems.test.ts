import { describe, expect, it } from 'vitest';
import { describeJsonProblem, type InvalidJson, type JsonProblem } from '../../../../src/formats/json/problems.ts';
import { problemsOf, readJson, readNdjson } from './reading.ts';

const place = { byte: 120, line: 7 };
const fault: InvalidJson = {
  code: 'invalid_json',
  ...place,
  path: 'stops[0].city',
  wanted: 'colon',
  found: 'text',
  text: '"Joliet"}',
};

const PROBLEMS: JsonProblem[] = [
  { code: 'empty_file', bytes: 3 },
  { code: 'not_json', looksLike: 'zip' },
  { code: 'encoding_disagrees', found: 'utf-16le', byte: 0, hex: 'ff fe' },
  {
    code: 'records_not_found',
    ...place,
    path: 'a.b',
    reached: 'a',
    missing: 'b',
    found: 'object',
    members: ['x', 'B'],
  },
  { code: 'records_not_found', ...place, path: 'a', reached: '', missing: 'a', found: 'object', members: [] },
  { code: 'records_not_found', ...place, path: 'a', reached: '', missing: 'a', found: 'array', members: [] },
  { code: 'records_not_found', ...place, path: 'a', reached: 'a', missing: null, found: 'number', members: [] },
  { code: 'not_ndjson', ...place, text: '[' },
  { code: 'nested_too_deep', ...place, depthMax: 1_024 },
  { code: 'json_broken_from_here', ...place, recordsBefore: 3, cause: fault },
  {
    code: 'json_broken_from_here',
    ...place,
    recordsBefore: 1,
    cause: { code: 'nested_too_deep', ...place, depthMax: 9 },
  },
  fault,
  { ...fault, found: 'end_of_file', text: '' },
  { ...fault, found: 'end_of_line', text: '' },
  { code: 'duplicate_key', ...place, path: 'stop.city', name: 'city' },
  { code: 'not_an_object', ...place, found: 'null', text: 'null' },
  { code: 'value_too_large', ...place, path: 'note', bytesMax: 65_536, text: '"xxx' },
  { code: 'record_too_large', bytes: 5_000_000, bytesMax: 2_097_152 },
  { code: 'too_deep', ...place, path: 'a[0]', depthMax: 64 },
  { code: 'too_many_members', ...place, path: 'a', counted: 'items', countMax: 100_000 },
  { code: 'bad_encoding', ...place, path: 'city', hex: 'fc', text: 'M\ufffdnchen' },
  { code: 'lone_surrogate', ...place, path: 'city', text: '"\\ud800"' },
];

describe('words for a JSON problem', () => {
  it.each(PROBLEMS.map((problem) => [problem.code, problem] as const))(
    'are whole sentences for %s',
    (code, problem) => {
      const described = describeJsonProblem(problem);
      expect(described.code).toBe(code);
      expect(described.message).toMatch(/^[A-Z].*[.?]$/);
      expect(described.fix).toMatch(/^[A-Z].*\.$/);
      const { message, fix } = described;
      expect(`${message} ${fix}`.replaceAll('null', code === 'not_an_object' ? '' : 'null')).not.toMatch(
        /undefined|null|NaN|\[object/,
      );
    },
  );

  it.each([
    [
      3,
      'What stands at a (line 7) has no member "b", on the path a.b to the records. Its members: "x", "B". Did you mean "B"?',
    ],
    [5, 'The document is an array; wanted is an object with the member "a".'],
    [6, 'What stands at a (line 7) is a number; wanted is the array of records.'],
    [
      9,
      'Not valid JSON: at byte 120 of the file, in line 7, a colon is wanted, but "\\"" stands there. Nothing after that can be read; before it 3 records were read.',
    ],
    [12, 'Not valid JSON: at byte 120 of the file, in line 7, a colon is wanted, but the file ends there.'],
    [17, 'The record has 5000000 bytes; at most 2097152 are read.'],
  ])('name the place and what was wanted (%i)', (index, message) => {
    expect(describeJsonProblem(PROBLEMS[index]!).message).toBe(message);
  });

  it.each([
    [3, 'a.b', '"x", "B"'],
    [11, 'stops[0].city', '"Joliet"}'],
    [14, 'stop.city', 'city'],
    [16, 'note', '"xxx'],
  ])('carry the path and the received value (%i)', (index, path, value) => {
    expect(describeJsonProblem(PROBLEMS[index]!)).toMatchObject({ path, value });
  });

  it.each([
    ['[{"a":1,}]', 'Remove the comma before it.'],
    ['[{"a":[1,]}]', 'Remove the comma before it.'],
    ["[{'a':1}]", 'Enclose names and texts in double quotes.'],
    ['[{"a":\'x\'}]', 'Enclose names and texts in double quotes.'],
    ['[{"a":1 // one\n}]', 'Remove the comment: JSON has none.'],
    ['[{"a":"C:\\xyz"}]', 'Write a backslash inside a string as \\\\.'],
    ['[{"a":"x\ny"}]', 'Write line breaks and tabs inside a string as \\n and \\t.'],
    ['[{"a":NaN}]', 'Write null, true, false, a number or a quoted text.'],
    ['[{"a":1', 'The file is cut off: export and transfer it again.'],
    ['{"a":1}\n{"a":2}', 'Enclose the records in [ ], with commas between them. If that cannot be, ask the operator.'],
    ['{"a" 1}', 'Let a JSON library write the file.'],
  ])('say how to put it right: %j', (text, fix) => {
    expect(describeJsonProblem(problemsOf(readJson(text))[0]!).fix).toBe(fix);
  });

  it('say what a line of NDJSON lacks', () => {
    const [problem] = problemsOf(readNdjson('{"a":1}\n{"a":\n{"a":2}\n'));
    expect(describeJsonProblem(problem!)).toMatchObject({
      message: 'Not valid JSON: at byte 13 of the file, in line 2, a value is wanted, but the line ends there.',
      fix: 'Write each record whole on one line.',
    });
  });

  it('show the word that is none, and not what follows it', () => {
    const [problem] = problemsOf(readJson('[{"a":None,"b":1}]'));
    expect(describeJsonProblem(problem!).message).toContain('"None" stands there');
  });

  it('quote a long value in part', () => {
    const [problem] = problemsOf(readJson(`[{"${'x'.repeat(60_000)}":1,"${'x'.repeat(60_000)}":1}]`));
    const described = describeJsonProblem(problem!);
    expect(described.value.length).toBeLessThan(160);
    expect(described.message.length).toBeLessThan(400);
  });
});
