/** `map` and `check`: mappings tried on this machine, without a bridge. */
import { type Definitions, examples } from '../definitions.ts';
import type { Surroundings } from '../surroundings.ts';
import { type MapOptions, mappingAt, type Wanted, wantedOf } from './arguments.ts';

/** What maps is loaded where it is needed: other commands start without it. */
const runWanted = async (surroundings: Surroundings, wanted: Wanted) =>
  (await import('./run.ts')).runMap(wanted, surroundings);

export function addMapCommands({ program, run }: Definitions): void {
  const map = program
    .command('map')
    .summary('map a file on this machine; nothing is sent')
    .description(
      'Maps a file and prints a line of JSON for each record: the requests that an upload would send, and what is wrong. Needs no bridge.',
    )
    .argument('[mapping]', 'a YAML file, or a name in mappings/')
    .argument('[file]', 'the file; - is standard input')
    .option('--mapping-file <path>', 'a mapping document anywhere, with its code-lists/ beside it')
    .option('--lookups <path>', 'what its lookups find, as JSON {"vehicles": […], "locations": […]}')
    .option('--check', 'check the document and run its examples instead')
    .option('--sample', 'print an example as a file that maps without an error instead')
    .allowExcessArguments()
    .action(
      run(async (surroundings: Surroundings, _mapping, _file, options: MapOptions) => {
        const wanted = wantedOf(map.args, options);
        return typeof wanted === 'string' ? map.error(`error: ${wanted}`) : runWanted(surroundings, wanted);
      }),
    );
  examples(map, [
    ['transload map carrier-status-csv events.csv', 'exit code 1 if records are in error'],
    ['transload map --mapping-file acme.yaml events.csv | head -n 3', ''],
    ['transload map --sample carrier-status-csv > sample.csv', ''],
  ]);
  const check = program
    .command('check')
    .summary('check a mapping on this machine, and run its examples')
    .description('Says every problem of a mapping document with its line, and runs its examples. Needs no bridge.')
    .argument('<mapping>', 'a YAML file, or a name in mappings/')
    .action(
      run((surroundings: Surroundings, mapping: string) =>
        runWanted(surroundings, { does: 'check', mapping: mappingAt(mapping) }),
      ),
    );
  examples(check, [['transload check acme-status.yaml', '']]);
}
