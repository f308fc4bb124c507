/** Shipped mappings and code lists, read from their folder, checked and compiled. Throws when one is not in order: the unit tests hold that they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/kernel/result.ts';
import { checkMapping } from '../../src/mapping/check/check.ts';
import { checkCodeLists } from '../../src/mapping/check/code-list.ts';
import { type CompiledMapping, compileMapping } from '../../src/mapping/compile/compile.ts';
import type { CodeLists } from '../../src/mapping/document/code-list.ts';

const FOLDER = join(import.meta.dirname, '../../mappings');

function sound<T>(what: string, checked: Result<T, unknown>): T {
  if (checked.ok) return checked.value;
  throw new Error(`${what}: ${JSON.stringify(checked.error)}`);
}

export function shippedLists(): CodeLists {
  const folder = join(FOLDER, 'code-lists');
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  const texts = files.map(
    (file) => [file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')] as const,
  );
  return sound('code lists', checkCodeLists(new Map(texts)));
}

export function shippedMapping(name: string, lists: CodeLists): CompiledMapping {
  const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
  return compileMapping(sound(name, checkMapping(text, lists, { name })), lists);
}
