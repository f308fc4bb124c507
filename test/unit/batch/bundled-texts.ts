/** The shipped documents as text, read from their files: Node does not import YAML as the Worker's bundler does. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAPPINGS = join(import.meta.dirname, '../../../mappings');

const textsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')]),
  );

export const BUNDLED_DOCUMENTS = textsIn(MAPPINGS);
export const BUNDLED_CODE_LISTS = textsIn(join(MAPPINGS, 'code-lists'));
