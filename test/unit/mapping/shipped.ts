/** The shipped documents, read from their folder and compiled; `columns` are those of the mapping's sample file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { checkCodeLists } from '../../../src/mapping/check/code-list.ts';
import { type CompiledMapping, compileMapping } from '../../../src/mapping/compile/compile.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
export const MAPPINGS = join(ROOT, 'mappings');
export const FIXTURES = join(ROOT, 'fixtures');

export function yamlTexts(folder: string): Map<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return new Map(files.map((file) => [file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')]));
}

export const SHIPPED_TEXTS = yamlTexts(MAPPINGS);
const lists = checkCodeLists(yamlTexts(join(MAPPINGS, 'code-lists')));
if (!lists.ok) throw new Error(JSON.stringify(lists.error));
export const SHIPPED_LISTS = lists.value;

/** As the header of the sample has them; for trees, and for mappings without a sample, the paths that the mapping reads. */
function sampleColumns(name: string, mapping: CompiledMapping): readonly string[] {
  const { source } = mapping;
  if (source.format !== 'csv') return mapping.shape.paths;
  const path = join(FIXTURES, 'samples', `${name}.csv`);
  if (!existsSync(path)) return mapping.shape.paths; // an author's own, proved by its examples
  return (readFileSync(path, 'latin1').split(/\r?\n/)[0] ?? '').split(source.delimiter);
}

export const SHIPPED = new Map(
  [...SHIPPED_TEXTS].map(([name, text]) => {
    const document = checkMapping(text, SHIPPED_LISTS, { name, bases: SHIPPED_TEXTS });
    if (!document.ok) throw new Error(JSON.stringify(document.error));
    const mapping = compileMapping(document.value, SHIPPED_LISTS);
    const columns = sampleColumns(name, mapping);
    return [name, { document: document.value, mapping, columns }] as const;
  }),
);
