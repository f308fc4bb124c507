/** The arguments of the map command → what is asked for. Pure. */
import { parseArgs } from 'node:util';
import { NotRun } from '../frame/command.ts';

export const USAGE = `Usage:
  npm run --silent map -- MAPPING FILE                   map FILE with mappings/MAPPING.yaml
  npm run --silent map -- --mapping-file PATH FILE       map FILE with a mapping document anywhere
  npm run --silent map -- --check MAPPING                check the document and run its examples
  npm run --silent map -- --check --mapping-file PATH    the same for a document anywhere
  npm run --silent map -- --sample MAPPING               print an example as a file that maps without an error
  npm run --silent map -- --sample --mapping-file PATH   the same for a document anywhere
  --lookups LOOKUPS with any of the first two: answers to what the mapping looks up, as JSON {"vehicles": [...], "locations": [...]}
FILE may be - for standard input. Code lists are read from mappings/code-lists, and from code-lists beside PATH.
Exit: 0 all records mapped, 1 some records in error (or an example failed), 2 could not run.`;

export type MappingWanted = { name: string } | { path: string };

export type Wanted =
  | { does: 'map'; mapping: MappingWanted; file: string; lookUps: string | undefined }
  | { does: 'check' | 'sample'; mapping: MappingWanted };

export function readArguments(args: string[]): Wanted {
  const { values, positionals } = parseArgs({
    args,
    options: {
      'mapping-file': { type: 'string' },
      check: { type: 'boolean', default: false },
      sample: { type: 'boolean', default: false },
      lookups: { type: 'string' },
    },
    allowPositionals: true,
  });
  const { 'mapping-file': path, check, sample, lookups: lookUps } = values;
  const [name, ...others] = path === undefined ? positionals : ['', ...positionals];
  const [file, ...surplus] = others;
  if (name === undefined || surplus.length > 0 || (check && sample)) throw new NotRun(USAGE);
  const mapping = path === undefined ? { name } : { path };
  if (lookUps !== undefined && (check || sample)) throw new NotRun(USAGE);
  if (file === undefined && (check || sample)) return { does: check ? 'check' : 'sample', mapping };
  if (file === undefined || check || sample) throw new NotRun(USAGE);
  return { does: 'map', mapping, file, lookUps };
}
