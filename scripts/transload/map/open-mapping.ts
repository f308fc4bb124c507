/** A mapping on disk, with the code lists it may use → the checked document and its compiled form. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { checkCodeLists } from '../../../src/mapping/check/code-list.ts';
import { type CompiledMapping, compileMapping } from '../../../src/mapping/compile/compile.ts';
import type { CodeLists } from '../../../src/mapping/document/code-list.ts';
import type { MappingDocument } from '../../../src/mapping/document/document.ts';
import { didYouMean } from '../../../src/mapping/document/nearest.ts';
import { type DocumentProblem, problemLine } from '../../../src/mapping/document/problems.ts';
import { NotRun } from '../../frame/command.ts';
import { PROJECT_ROOT } from '../../frame/kept-file.ts';
import type { MappingWanted } from './arguments.ts';

const MAPPINGS_FOLDER = join(PROJECT_ROOT, 'mappings');

export interface OpenedMapping {
  document: MappingDocument;
  lists: CodeLists;
  mapping: CompiledMapping;
}

function yamlTexts(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return new Map(files.map((file) => [file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')]));
}

/** What comes with the command: suggestions extend or use it. @throws NotRun */
export const shipped = (): { documents: Map<string, string>; lists: CodeLists } => ({
  documents: yamlTexts(MAPPINGS_FOLDER),
  lists: sound('code lists', checkCodeLists(yamlTexts(join(MAPPINGS_FOLDER, 'code-lists')))),
});

/** With it nothing can be mapped; who checks has found it. */
export class WrongDocument extends NotRun {}

/** @throws WrongDocument with every problem of the document or of the lists. */
export function openMapping(wanted: MappingWanted): OpenedMapping {
  const ownLists = 'path' in wanted ? yamlTexts(join(dirname(wanted.path), 'code-lists')) : [];
  const lists = sound(
    'code lists',
    checkCodeLists(new Map([...yamlTexts(join(MAPPINGS_FOLDER, 'code-lists')), ...ownLists])),
  );
  const document = 'path' in wanted ? documentAt(wanted.path, lists) : documentNamed(wanted.name, lists);
  return { document, lists, mapping: compileMapping(document, lists) };
}

const documentAt = (path: string, lists: CodeLists): MappingDocument =>
  sound(path, checkMapping(readFileSync(path, 'utf8'), lists, { bases: yamlTexts(MAPPINGS_FOLDER) }));

function documentNamed(name: string, lists: CodeLists): MappingDocument {
  const texts = yamlTexts(MAPPINGS_FOLDER);
  const text = texts.get(name);
  if (text !== undefined) return sound(`mapping ${name}`, checkMapping(text, lists, { name, bases: texts }));
  const known = [...texts.keys()].join(', ');
  throw new NotRun(`There is no mapping "${name}".${didYouMean(name, texts.keys())} There are: ${known}.`);
}

function sound<T>(what: string, checked: { ok: true; value: T } | { ok: false; error: DocumentProblem[] }): T {
  if (checked.ok) return checked.value;
  const lines = checked.error.map((problem) => `  ${problemLine(problem)}`);
  throw new WrongDocument(
    [`${what}: ${lines.length === 1 ? 'one problem' : `${lines.length} problems`}`, ...lines].join('\n'),
  );
}
