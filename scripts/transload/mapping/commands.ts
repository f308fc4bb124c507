/** `mapping …` and `publish`: mappings of a bridge, and new ones from a sample. */
import { type Command as Defined, Option } from 'commander';
import { visible } from '../../frame/command.ts';
import { openBridge } from '../bridge.ts';
import { type Definitions, examples, printJson, withEnvironment, withJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { type Command, type MappingOptions, ownersIn, queryFor, wordsSet } from './arguments.ts';
import { addNewMapping } from './new.ts';
import { runMapping } from './run.ts';

type Options = MappingOptions & BridgeOptions & { json?: boolean };

/** What a bridge is asked, and its answer shown: a document goes into a file as it is, tabs and all. */
async function show(surroundings: Surroundings, command: Command, options: Options): Promise<ExitCode> {
  const { output } = surroundings;
  const { text, value } = await runMapping(queryFor(command, options), openBridge(options, surroundings));
  if (options.json) printJson(surroundings, value);
  else output.write(command.does === 'show' && output.isTTY !== true ? text : visible(text));
  return EXIT_CODES.done.code;
}

type Define = (name: string, does: string) => Defined;

/** A command below another that asks the bridge and can print JSON. */
const below =
  (parent: Defined): Define =>
  (name, does) =>
    withJson(withEnvironment(parent.command(name).description(does)));

const NOTE = ['--note <text>', 'kept in the history'] as const;
const IF_MATCH = ['--if-match <version>', 'change only what still is that version'] as const;
const DRY_RUN = ['--dry-run', 'show what would change; change nothing'] as const;

const forWhom = (command: Defined): Defined =>
  command
    .addOption(new Option('--partners <a,b>', 'for these partners and nobody else').conflicts('shared'))
    .option('--shared', 'for all partners');

export function addMappingCommands(definitions: Definitions): void {
  const { program, run } = definitions;
  const mapping = program.command('mapping').description('Mappings: new ones from a sample, and those of a bridge.');
  addNewMapping(mapping, definitions);
  const define = below(mapping);
  addLooks(mapping, define, definitions);
  addChanges(define, definitions);
  addPublish(define, definitions);
  const publish = withJson(withEnvironment(program.command('publish'))).description(
    'Checks a mapping or a code list on the bridge, runs its examples, and makes its name stand for it. As `mapping publish`.',
  );
  publishOptions(publish).action(
    run((surroundings: Surroundings, file: string, options: Options) =>
      show(surroundings, { does: 'publish', file, owners: ownersIn(options) }, options),
    ),
  );
  examples(publish, PUBLISH_EXAMPLES);
  addCodeLists(mapping, definitions);
}

const PUBLISH_EXAMPLES = [
  ['transload publish acme-status.yaml --partners acme --note "their new export"', ''],
  ['transload publish acme-status.yaml --dry-run', 'what would change'],
] as const;

const publishOptions = (command: Defined): Defined =>
  forWhom(command.argument('<file>', 'a YAML file'))
    .option(...NOTE)
    .option(...IF_MATCH)
    .option(...DRY_RUN);

function addLooks(mapping: Defined, define: Define, { run }: Definitions): void {
  define('list', 'Every mapping: what it is, where it comes from, since when, by whom.').action(
    run((surroundings: Surroundings, options: Options) =>
      show(surroundings, { does: 'list', artifact: 'mapping' }, options),
    ),
  );
  define('show', 'The document as its author wrote it.')
    .argument('<name>')
    .action(
      run((surroundings: Surroundings, name: string, options: Options) =>
        show(surroundings, { does: 'show', artifact: 'mapping', name }, options),
      ),
    );
  define('history', 'Who changed it, when and why.')
    .argument('<name>')
    .action(
      run((surroundings: Surroundings, name: string, options: Options) =>
        show(surroundings, { does: 'history', artifact: 'mapping', name }, options),
      ),
    );
  const diff = define('diff', 'What differs between two versions.')
    .argument('<name>')
    .option('--from <version>', 'a version, bundled, previous or current', 'previous')
    .option('--to <version>', 'likewise', 'current')
    .action(
      run((surroundings: Surroundings, name: string, options: Options) => {
        const { from = 'previous', to = 'current' } = options;
        return show(surroundings, { does: 'diff', name, from, to }, options);
      }),
    );
  examples(diff, [['transload mapping diff carrier-status-csv --from bundled', 'versions may be shortened']]);
  define('rerun', 'Maps a batch again without sending: what a version would change, row by row.')
    .argument('<batch>')
    .option('--to <version>', 'a version; by default the one the batch had')
    .action(
      run((surroundings: Surroundings, batchId: string, options: Options) =>
        show(surroundings, { does: 'rerun', batchId, to: options.to ?? null }, options),
      ),
    );
  examples(mapping, [
    ['transload mapping new events.csv -o acme-status.yaml', 'a first version from a sample'],
    ['transload mapping list', ''],
    ['transload mapping publish acme-status.yaml --partners acme', ''],
    ['transload mapping rollback acme-status --to 18644da44e54', ''],
  ]);
}

function addChanges(define: Define, { run }: Definitions): void {
  forWhom(define('owners', 'Whom a mapping is for, and who said so; with --partners or --shared it is changed.'))
    .argument('<name>')
    .option(...NOTE)
    .action(
      run((surroundings: Surroundings, name: string, options: Options) =>
        show(surroundings, { does: 'owners', name, owners: ownersIn(options) }, options),
      ),
    );
  define('rollback', 'Back to an earlier version, or to the bundled one.')
    .argument('<name>')
    .requiredOption('--to <version>', 'a version (see history), or bundled')
    .option(...NOTE)
    .option(...IF_MATCH)
    .option(...DRY_RUN)
    .action(
      run((surroundings: Surroundings, name: string, options: Options) =>
        show(surroundings, { does: 'rollback', artifact: 'mapping', name, to: options.to ?? '' }, options),
      ),
    );
}

function addPublish(define: Define, { run }: Definitions): void {
  for (const [does, what] of [
    ['check', 'Checks a document or code list against the bridge; changes nothing.'],
    ['publish', 'Checks it, runs its examples, and makes its name stand for it.'],
  ] as const) {
    const command = publishOptions(define(does, what)).action(
      run((surroundings: Surroundings, file: string, options: Options) =>
        show(surroundings, { does, file, owners: ownersIn(options) }, options),
      ),
    );
    if (does === 'publish') examples(command, PUBLISH_EXAMPLES);
  }
}

function addCodeLists(mapping: Defined, { run }: Definitions): void {
  const lists = mapping.command('code-list').description('Code lists, which mappings share.');
  const define = below(lists);
  define('list', 'Every code list, and which mappings use it.').action(
    run((surroundings: Surroundings, options: Options) =>
      show(surroundings, { does: 'list', artifact: 'code_list' }, options),
    ),
  );
  for (const [does, what] of [
    ['show', 'One code list.'],
    ['history', 'Who changed it, when and why.'],
  ] as const)
    define(does, what)
      .argument('<name>')
      .action(
        run((surroundings: Surroundings, name: string, options: Options) =>
          show(surroundings, { does, artifact: 'code_list', name }, options),
        ),
      );
  define('rollback', 'Back to an earlier version, or to the bundled one.')
    .argument('<name>')
    .requiredOption('--to <version>', 'a version (see history), or bundled')
    .option(...NOTE)
    .option(...IF_MATCH)
    .option(...DRY_RUN)
    .action(
      run((surroundings: Surroundings, name: string, options: Options) =>
        show(surroundings, { does: 'rollback', artifact: 'code_list', name, to: options.to ?? '' }, options),
      ),
    );
  const set = define('set', 'Adds or changes words. All mappings that use the list go along, or none.')
    .argument('<name>')
    .argument('<word=code...>')
    .option(...NOTE)
    .option(...IF_MATCH)
    .option(...DRY_RUN)
    .action(
      run((surroundings: Surroundings, name: string, words: string[], options: Options) =>
        show(surroundings, { does: 'edit', name, set: wordsSet(words), remove: [] }, options),
      ),
    );
  examples(set, [['transload mapping code-list set carrier-status-words "Handed over=D1" --dry-run', '']]);
  define('remove', 'Removes words.')
    .argument('<name>')
    .argument('<word...>')
    .option(...NOTE)
    .option(...IF_MATCH)
    .option(...DRY_RUN)
    .action(
      run((surroundings: Surroundings, name: string, words: string[], options: Options) =>
        show(surroundings, { does: 'edit', name, set: {}, remove: words }, options),
      ),
    );
}
