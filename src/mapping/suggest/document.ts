/**
 * A drafted document → its YAML with an example made from the sample's first records, checked and run as publishing
 * would. What the example must become is what the mapping makes of it now: its author reads it and corrects the mapping.
 */
import { encodedText } from '../../formats/encoding.ts';
import { encodingOf } from '../../formats/reader.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import { checkMapping } from '../check/check.ts';
import { checkCodeList } from '../check/code-list.ts';
import { type CompiledMapping, compileMapping, type LocatedRecord } from '../compile/compile.ts';
import { mapFile } from '../compile/map-file.ts';
import type { Json } from '../document/canonical.ts';
import type { CodeList, CodeLists } from '../document/code-list.ts';
import type { DocumentProblem } from '../document/problems.ts';
import { runExamples } from '../examples/examples.ts';
import { EXAMPLE_RECORDS_MAX } from './limits.ts';
import type { Shipped, SuggestedCodeList } from './suggestion.ts';
import { type Entry, entry, yamlBlock, yamlFlow, yamlLines } from './yaml.ts';

interface Written {
  yaml: string;
  isValid: boolean;
  problems: DocumentProblem[];
}

interface DraftedDocument {
  /** All keys but the examples. */
  entries: readonly Entry[];
  /** The sample's opening and first records as a text; null: none can be made. */
  exampleOf(records: number): string | null;
  codeLists: readonly SuggestedCodeList[];
  /** Nothing is open: it has to be valid. */
  isWhole: boolean;
}

const SCHEMA_LINE = '# yaml-language-server: $schema=./mapping.schema.json';
/** Only to be checked before an example is known: documents need one. */
const NO_EXAMPLE = ['examples:', '  - input: none', '    records: []'];

export async function writeDocument(drafted: DraftedDocument, shipped: Shipped): Promise<Written> {
  const head = [SCHEMA_LINE, ...yamlLines(drafted.entries)];
  const lists = withProposed(shipped.lists, drafted.codeLists);
  const bare = checked([...head, ...NO_EXAMPLE], lists, shipped);
  if (!bare.ok) {
    const note = ['# The example is made once the questions above are answered.'];
    return { yaml: text([...head, ...note]), isValid: false, problems: bare.problems };
  }
  const example = await exampleLines(bare.mapping, drafted);
  if (example === null) {
    const problem = noExample();
    return {
      yaml: text([...head, '# examples: add one, such as a header and two rows, with what they become']),
      isValid: false,
      problems: [problem],
    };
  }
  const lines = [...head, ...example];
  const whole = checked(lines, lists, shipped);
  if (!whole.ok) return { yaml: text(lines), isValid: false, problems: whole.problems };
  const differences = await runExamples(whole.mapping, whole.examples);
  const problems = differences.map(({ path, wanted, received }): DocumentProblem => {
    const message = 'The example does not become what it says.';
    return { path, code: 'wrong_form', message, wanted: JSON.stringify(wanted), value: JSON.stringify(received) };
  });
  return { yaml: text(lines), isValid: problems.length === 0 && drafted.isWhole, problems };
}

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

const noExample = (): DocumentProblem => ({
  path: 'examples',
  code: 'wrong_form',
  message: 'No example can be made from the sample: its first records are too long, or cannot be written in YAML.',
  wanted: 'an example with an input and what it becomes',
});

function withProposed(lists: CodeLists, proposed: readonly SuggestedCodeList[]): CodeLists {
  const own = proposed.flatMap(({ list, yaml }): [string, CodeList][] => {
    const read = yaml === null ? null : checkCodeList(yaml, list);
    return read?.ok ? [[list, read.value]] : [];
  });
  return new Map([...lists, ...own]);
}

type Checked =
  | { ok: true; mapping: CompiledMapping; examples: Parameters<typeof runExamples>[1] }
  | { ok: false; problems: DocumentProblem[] };

function checked(lines: readonly string[], lists: CodeLists, { documents }: Shipped): Checked {
  const read = checkMapping(text(lines), lists, { bases: documents });
  if (!read.ok) return { ok: false, problems: read.error };
  return { ok: true, mapping: compileMapping(read.value, lists), examples: read.value.examples };
}

/** The first records that map without an error, or the first ones at all. */
async function exampleLines(mapping: CompiledMapping, { exampleOf }: DraftedDocument): Promise<string[] | null> {
  for (let records = EXAMPLE_RECORDS_MAX; records > 0; records--) {
    const input = exampleOf(records);
    const bytes = input === null ? undefined : encodedText(input, encodingOf(mapping.source));
    if (input === null || bytes === undefined) continue;
    const mapped = await recordsOf(mapping, bytes);
    const block = yamlBlock(input, '      ') ?? JSON.stringify(input);
    if (mapped === null) continue;
    return [
      'examples:',
      '  - about: The first records of the sample. Check that they become what you expect.',
      `    input: ${block}`,
      '    records:',
      ...mapped.flatMap(recordLines),
    ];
  }
  return null;
}

async function recordsOf(mapping: CompiledMapping, bytes: Uint8Array): Promise<LocatedRecord[] | null> {
  const records: LocatedRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome !== 'records') return null;
    records.push(...step.records);
  }
  return records.length === 0 ? null : records;
}

function recordLines({ mapped: { requests, errors, skipped, group } }: LocatedRecord): string[] {
  const outcome = skipped ? [entry('skipped', true)] : [];
  const grouped = group === undefined ? [] : [entry('group', group)];
  const failed =
    errors.length === 0
      ? []
      : [entry('errors', { lines: errors.map(({ code, path }) => ({ value: { code, path }, note: null })) })];
  const first = [...outcome, ...grouped, ...failed];
  const made = requests.flatMap((request) => {
    const lines = Object.entries(request).flatMap(([key, value]) =>
      key === 'body' ? ['body:', ...bodyLines(value as Json)] : [`${key}: ${yamlFlow(value as Json)}`],
    );
    return lines.map((line, index) => `          ${index === 0 ? '- ' : '  '}${line}`);
  });
  const heads = yamlLines(first, '        ');
  const all = [...heads, ...(made.length === 0 ? [] : ['        requests:', ...made])];
  if (all.length === 0) return ['      - requests: []'];
  return all.map((line, index) => (index === 0 ? `      - ${line.trimStart()}` : line));
}

const bodyLines = (body: Json): string[] =>
  Object.entries(body as { [key: string]: Json }).map(([key, value]) => `  ${key}: ${yamlFlow(value)}`);
