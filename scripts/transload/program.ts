/**
 * `transload`: one command for partners, authors of mappings and operators.
 *
 * Asks a bridge by its API and nothing else; `map`, `check` and `mapping new` need no bridge. Results go to stdout; progress,
 * questions and reasons to stderr.
 */
import { Command, CommanderError, Help } from 'commander';
import { EXIT, NotRun, visible } from '../frame/command.ts';
import { addAccountCommands } from './account.ts';
import { addBatchCommands } from './batches/commands.ts';
import { addCompletion } from './completion.ts';
import { type Definitions, pathOf } from './definitions.ts';
import { addMapCommands } from './map/commands.ts';
import { addMappingCommands } from './mapping/commands.ts';
import { addOperatorCommands } from './operate/commands.ts';
import { addOrderCommands } from './orders.ts';
import { EXIT_CODES, type ExitCode, Interrupted, Refused, type Surroundings } from './surroundings.ts';

/** As the package has it. */
const VERSION = '0.1.0';

/** @param kept told the exit code of the action that ran. */
export function transload(surroundings: Surroundings, kept: (code: ExitCode) => void): Command {
  const program = new Command('transload');
  program
    .description(
      'Sends files to a bridge, follows them, corrects them; writes, tries and publishes mappings; operates.',
    )
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    // Without `[options]`, which all have: the words beside it need the room.
    .configureHelp({
      subcommandTerm: (each) => `${each.name()} ${each.usage().replace(/^\[options\] ?/, '')}`.trimEnd(),
    })
    .configureOutput({
      writeOut: (text) => void surroundings.output.write(text),
      writeErr: (text) => void surroundings.errors.write(text),
      getOutHelpWidth: () => surroundings.output.columns ?? HELP_CHARACTERS,
      getErrHelpWidth: () => surroundings.errors.columns ?? HELP_CHARACTERS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(visible(text)),
    });
  const definitions: Definitions = {
    program,
    run:
      (action) =>
      async (...args) =>
        kept(await action(surroundings, ...args)),
  };
  addAccountCommands(definitions);
  addBatchCommands(definitions);
  addOrderCommands(definitions);
  addMapCommands(definitions);
  addMappingCommands(definitions);
  addOperatorCommands(definitions);
  addCompletion(definitions);
  program.addHelpText('after', `\n${FIRST_STEPS}\n${exitCodes()}`);
  usageAfterErrors(program);
  return program;
}

const HELP_CHARACTERS = 100;

const FIRST_STEPS = `First steps:
  # asks for your key, and keeps it for you alone
  $ transload login --url https://bridge.example
  $ transload upload events.csv --mapping carrier-status-csv --watch
  # a mapping made from a sample; nothing is sent
  $ transload mapping new events.csv -o events.yaml
In the environment: TRANSLOAD_URL, TRANSLOAD_KEY, TRANSLOAD_PROFILE,
  TRANSLOAD_ENVIRONMENT, NO_COLOR.
`;

/** Beside the codes, on a terminal of 80 columns. */
const MEANING_CHARACTERS = 72;

const exitCodes = (): string =>
  `Exit codes:\n${Object.values(EXIT_CODES)
    .map(
      ({ code, meaning }) =>
        `  ${String(code).padEnd(4)} ${new Help().boxWrap(meaning, MEANING_CHARACTERS).replaceAll('\n', `\n${' '.repeat(7)}`)}`,
    )
    .join('\n')}\n`;

/** After wrong arguments: how the command is used, and where its help is. */
function usageAfterErrors(command: Command): void {
  const path = pathOf(command);
  command.showHelpAfterError(`Usage: ${path} ${command.usage()}\n${path} --help says more.`);
  command.commands.forEach(usageAfterErrors);
}

/** @param args as on the command line, without the program. */
export async function runTransload(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  try {
    const program = transload(surroundings, (kept) => {
      code = kept;
    });
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.notRun;
    if (surroundings.interrupted().aborted) return EXIT_CODES.interrupted.code;
    surroundings.errors.write(`${visible(reasonOf(thrown))}\n`);
    if (thrown instanceof Interrupted) return EXIT_CODES.interrupted.code;
    return thrown instanceof Refused ? EXIT.found : EXIT.notRun;
  }
}

/** A bug shows where it is; anything else is said in words. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof NotRun || thrown instanceof Refused || thrown instanceof Interrupted) return thrown.message;
  if (thrown instanceof Error && 'code' in thrown) return thrown.message; // of the system: no such file, no space left
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
