/** Real files of other people: nothing to do where the folder is absent. Counts come from the files by other means. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { codesOf, problemsOf, readX12, type WholeRead } from './reading.ts';

const ROOT = join(CORPUS, 'x12');

interface Facts {
  isaFixedWidth?: boolean;
  delims?: { element: string; segment: string };
  interchanges?: number;
  IEA?: number;
  groups?: number;
  GE?: number;
  sets?: number;
  SE?: number;
  setTypes?: Record<string, number>;
  countProblems?: string[];
}

const jsonAt = (name: string): Record<string, unknown> => JSON.parse(readFileSync(join(CORPUS, name), 'utf8'));
const files = isInCorpus(ROOT)
  ? readdirSync(ROOT).flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `x12/${folder}/${name}`))
  : [];
const facts = files.length === 0 ? {} : (jsonAt('x12_envelope_facts.json').files as Record<string, Facts>);
const malformed =
  files.length === 0 ? {} : (jsonAt('malformed_index.json').x12 as Record<string, { reasonFacts: string[] }>);
const bytes = (path: string): Uint8Array => new Uint8Array(readFileSync(join(CORPUS, path)));
const latin1 = (path: string): string => Buffer.from(bytes(path)).toString('latin1');
const ends = (read: WholeRead, kind: string): number => read.facts.filter((fact) => fact.kind === kind).length;

/** Segments counted by tag, as one would on the command line: after whatever ends a segment in this file. */
const counted = (text: string, tag: string): number =>
  [...text.matchAll(new RegExp(`(?:^|[~$\\n\\r!'\\\\_?]|\\ufeff|[^A-Za-z0-9*|^ ])\\s*${tag}[*|^~](?=[^\\n])`, 'g'))]
    .length;

const interchanges = files.filter((path) => !path.endsWith('.json') && !/no_isa_line|NonEdi/.test(path));
/** Their ISA leaves open what the delimiters are, or the file is cut within it. */
const REFUSED = [
  'dynamic_segment_terminator_detection',
  'edge_cases_valid.1',
  'invalid_isa_missing_fields',
  'invalid_isa_wrong_element_separator',
  'isa_too_many_fields',
  'same_component_and_segment_separator',
  'special_characters_as_separators',
  'truncated_isa',
  'unicode_component_separator',
];
const isRefused = (path: string): boolean => REFUSED.some((name) => path.endsWith(`${name}.edi`));

describe('real X12 files', () => {
  itReads.each(files)('read to their end, in slices too: %s', (path) => {
    const whole = readX12(bytes(path));
    expect(readX12(bytes(path), { sliceBytes: 509 })).toEqual(whole);
    expect(readX12(bytes(path), { policy: { broken: 'interchange' } }).sets).toHaveLength(whole.sets.length);
    expect(whole.unreadable.length > 0).toBe(!interchanges.includes(path));
  });

  itReads.each(interchanges.filter((path) => !isRefused(path)))(
    'have as many sets and interchanges as are counted: %s',
    (path) => {
      const read = readX12(bytes(path));
      const text = latin1(path);
      expect(read.sets).toHaveLength(counted(text, 'ST'));
      expect(ends(read, 'interchange')).toBe(counted(text, 'ISA'));
      expect(ends(read, 'interchange_end')).toBe(counted(text, 'ISA'));
      expect(ends(read, 'group')).toBe(counted(text, 'GS'));
    },
  );

  itReads.each(interchanges.filter(isRefused))('whose delimiters cannot be told are refused: %s', (path) => {
    const read = readX12(bytes(path));
    expect(read.sets).toEqual([]);
    expect(problemsOf(read)).toMatchObject([{ standard: expect.stringMatching(/^TA1 0(04|22)$/) }]);
  });

  const sound = interchanges.filter((path) => {
    const known = facts[path];
    return known?.delims !== undefined && malformed[path] === undefined && known.countProblems?.length === 0;
  });
  itReads.each(sound)('have no problem where nothing is wrong: %s', (path) => {
    expect(problemsOf(readX12(bytes(path)))).toEqual([]);
  });

  /** `SE01 25!=22`: the fault in the words of the index. A terminator that is no part of the number is read as one there. */
  const faults = Object.entries(malformed).flatMap(([path, { reasonFacts }]) =>
    isRefused(path)
      ? []
      : reasonFacts.filter((reason) => /^(?:SE|GE|IEA)0[12] /.test(reason)).map((reason) => [path, reason] as const),
  );
  itReads.each(faults)('have the problem that is known of them: %s: %s', (path, reason) => {
    const [, element = '', found = '', wanted = ''] = /^(\w+) (.*)!=(?:\w+ )?(.*)$/.exec(reason) ?? [];
    const problems = problemsOf(readX12(bytes(path)));
    // The index compares control numbers as text, and reads the terminator of an ISA without ISA16 as a part of them.
    if (element.endsWith('02') && Number(found.replace('~', '')) === Number(wanted)) {
      expect(problems.filter((problem) => problem.path === element)).toEqual([]);
      return;
    }
    expect(problems).toContainEqual(expect.objectContaining({ path: element, value: found.replace('~', '') }));
  });

  const unclosed = Object.entries(malformed).filter(([, { reasonFacts }]) =>
    reasonFacts.some((reason) => reason.includes('IEA=0')),
  );
  itReads.each(unclosed.filter(([path]) => !isRefused(path)))(
    'without IEA have a problem, or show their terminator elsewhere: %s',
    (path) => {
      const read = readX12(bytes(path));
      const isClosed = counted(latin1(path), 'IEA') > 0;
      expect(codesOf(read).includes('trailer_missing')).toBe(!isClosed);
    },
  );
});

describe('real files give their values', () => {
  itReads('sets of each kind, as counted beside the files', () => {
    const countedFiles = interchanges.filter((path) => !isRefused(path) && (facts[path]?.sets ?? 0) > 0);
    expect(countedFiles.length).toBeGreaterThan(90);
    for (const path of countedFiles) {
      const kinds: Record<string, number> = {};
      for (const { id } of readX12(bytes(path)).sets) kinds[id] = (kinds[id] ?? 0) + 1;
      expect([path, kinds]).toEqual([path, facts[path]?.setTypes]);
    }
  });

  const aws = files.find((path) => path.endsWith('toolkit/214.edi'));
  itReads('eight 214s with $ as terminator', () => {
    const read = readX12(bytes(aws ?? ''));
    expect(read.sets.map(({ id }) => id)).toEqual(Array(8).fill('214'));
    const lines = latin1(aws ?? '')
      .split('$')
      .map((line) => line.trim());
    const own = read.sets.flatMap(({ segments }) =>
      segments.map(({ tag, elements }) => [tag, ...elements.map((each) => [each].flat().join('>'))].join('*')),
    );
    expect(own).toEqual(lines.filter((line) => !/^(?:ISA|GS|GE|IEA)\b|^$/.test(line)));
  });
});
