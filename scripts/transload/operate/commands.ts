/** `keys`, `holds`, `replay`, `index`: for whoever operates the bridge. */
import { type Command, Option } from 'commander';
import { type Definitions, examples, withEnvironment, withJson } from '../definitions.ts';
import { decideHolds, listHolds } from './holds.ts';
import { rebuildIndex } from './index-batches.ts';
import {
  inviteInDirectory,
  listKeys,
  makeKey,
  makeOpsKey,
  revokeKey,
  revokeOpsKey,
  rotateKey,
  rotateOpsKey,
} from './keys.ts';
import { replay } from './replay.ts';

const DECISIONS = ['send_again', 'create_again', 'mark_delivered', 'close'];

export function addOperatorCommands(definitions: Definitions): void {
  addKeys(definitions);
  addHolds(definitions);
  addReplay(definitions);
  const { program, run } = definitions;
  withEnvironment(program.command('index'))
    .summary('rebuild the list of all batches')
    .description(
      'Rebuilds the list of batches from what the batches say. Uploads and deliveries go on meanwhile. Exit code 1: some did not answer and keep the row they have.',
    )
    .option('--cursor <cursor>', 'where an earlier run stopped')
    .action(run(rebuildIndex));
}

/** As `wrangler.toml` names them. */
const DEPLOYMENTS = ['staging', 'production'];

/** Where keys are made before there is a key to make them with. */
const directly = (command: Command): Command =>
  command
    .addOption(
      new Option('--remote <deployment>', 'in a checkout: in the database of a deployment itself')
        .choices(DEPLOYMENTS)
        .conflicts('persistTo'),
    )
    .option('--persist-to <folder>', 'in a checkout: in the local database of `npm run dev`');

const WHY = ['--why <text>', 'kept in the audit'] as const;
const EXPIRES = ['--expires <day>', 'YYYY-MM-DD or never; by default a year from now'] as const;

function addKeys({ program, run }: Definitions): void {
  const keys = program
    .command('keys')
    .summary("partners' and operators' keys")
    .description(
      "Partners' and operators' keys. A key is shown once. By an administrator's key; in a checkout also in the database itself, with --remote or --persist-to, as for the first key.",
    );
  const named = (parent: Command, name: string, does: string): Command =>
    withJson(withEnvironment(parent.command(name).description(does)));
  named(keys, 'list', 'The keys of a partner, or of all operators.')
    .argument('[partner]', 'left out: the keys of operators')
    .action(run(listKeys));
  const create = directly(named(keys, 'create', 'Makes a key for a partner.'))
    .requiredOption('--partner <name>', 'lower-case letters, digits and dashes')
    .option('--scacs <A,B>', 'the carrier codes it may use; by default those of its channel')
    .option('--mappings <a,b>', 'the mappings it may use; by default all of the partner')
    .option(...EXPIRES)
    .option('--name <text>', 'display name of a new partner; in the database itself')
    .option('--channel <name>', 'channel of a new partner; in the database itself')
    .option(...WHY)
    .action(run(makeKey));
  named(keys, 'rotate', 'Makes a key in the place of one, which works on for a while.')
    .requiredOption('--partner <name>', 'whose key')
    .requiredOption('--key-id <id>', 'between the first and the second _ of the key')
    .option('--overlap-hours <number>', 'how long the old one works on')
    .option(...EXPIRES)
    .option(...WHY)
    .action(run(rotateKey));
  directly(named(keys, 'revoke', "Ends a partner's key at once."))
    .option('--partner <name>', 'whose key; not needed in the database itself')
    .requiredOption('--key-id <id>', 'between the first and the second _ of the key')
    .option(...WHY)
    .action(run(revokeKey));
  const ops = keys.command('ops').description('Keys of programs that operate the bridge.');
  directly(named(ops, 'create', 'Makes one.'))
    .requiredOption('--name <text>', 'who it is; in the history of changes')
    .requiredOption('--role <role>', 'viewer, operator or admin')
    .requiredOption('--environments <a,b>', 'test, production or both')
    .option(...EXPIRES)
    .option(...WHY)
    .action(run(makeOpsKey));
  named(ops, 'rotate', 'Makes one in the place of one, which works on for a while.')
    .requiredOption('--key-id <id>', 'between the first and the second _ of the key')
    .option('--overlap-hours <number>', 'how long the old one works on')
    .option(...EXPIRES)
    .option(...WHY)
    .action(run(rotateOpsKey));
  directly(named(ops, 'revoke', 'Ends one at once.'))
    .requiredOption('--key-id <id>', 'between the first and the second _ of the key')
    .option(...WHY)
    .action(run(revokeOpsKey));
  directly(keys.command('invite').description('In a checkout: a link that signs somebody in to the console once.'))
    .requiredOption('--name <text>', 'who it is')
    .requiredOption('--role <role>', 'viewer, operator or admin')
    .requiredOption('--environments <a,b>', 'test, production or both')
    .requiredOption('--url <url>', 'address of the bridge, as browsers open it')
    .action(run(inviteInDirectory));
  examples(create, [
    ['transload keys create --partner acme --scacs ACME --why "their new system"', ''],
    [
      'npm run key -- create --partner acme --environment test --channel acme-test --scacs ACME --remote staging',
      'the first one',
    ],
  ]);
}

function addHolds({ program, run }: Definitions): void {
  const holds = program
    .command('holds')
    .summary('what waits for a decision')
    .description('Requests that a person decides about.');
  const list = withJson(withEnvironment(holds.command('list', { isDefault: true })))
    .description('What waits for a decision, with what is recommended. Exit code 1 if there is any.')
    .option('--partner <name>', 'of one partner')
    .option('--batch <batch>', 'of one batch')
    .option('-n, --limit <number>', 'how many', '50')
    .action(run(listHolds));
  const decide = withJson(withEnvironment(holds.command('decide')))
    .description('Decides: shows the plan first, and asks before anything is done. Without a terminal, --yes says so.')
    .argument('<decision>', `${DECISIONS.join(', ')}; adopt_id for a single request`)
    .argument('[request...]', 'batch/record/request, as `holds` shows them')
    .requiredOption(...WHY)
    .option('--partner <name>', 'all of a partner, instead of single ones')
    .option('--batch <batch>', 'all of a batch, instead of single ones')
    .option('--order-id <id>', 'with adopt_id: the id that was looked up')
    .option('--outcome <outcome>', 'with close: not_applied or unknown')
    .option('--dry-run', 'show the plan, do nothing')
    .option('-y, --yes', 'do not ask')
    .action(run(decideHolds));
  examples(list, [['transload holds --partner acme', '']]);
  examples(decide, [
    ['transload holds decide send_again b_01m7…/12/1 --why "not there, asked by telephone"', ''],
    ['transload holds decide close --outcome not_applied --batch b_01m7… --why "withdrawn" --dry-run', ''],
  ]);
}

function addReplay({ program, run }: Definitions): void {
  const command = withJson(withEnvironment(program.command('replay')))
    .summary('send again what ended badly')
    .description(
      'Sends again what was refused or given up. Shows the plan first, and asks before anything is sent; then waits for the end. What was delivered is never sent again.',
    )
    .argument('[batch...]', 'these batches; left out: all of the partner')
    .requiredOption('--partner <name>', 'whose')
    .requiredOption(...WHY)
    .option('--states <a,b>', 'rejected, dead, cancelled; by default the first two')
    .option('--reasons <a,b>', 'only these reasons')
    .option('--issue <id>', 'all that failed alike')
    .option('--include-unknown', 'also what may have arrived: it may then arrive twice')
    .option('--dry-run', 'show the plan, do nothing')
    .option('-y, --yes', 'do not ask')
    .action(run(replay));
  examples(command, [
    ['transload replay b_01m7ww39jy4zp0vsb9jmf5mjzh --partner acme --why "their master data is right now"', ''],
    ['transload replay --partner acme --why "after the outage" --dry-run', ''],
  ]);
}
