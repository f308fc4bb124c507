/** How commands are defined: what an action gets and returns, the options that many share, examples in their help. */
import { type Command, Option } from 'commander';
import type { ExitCode, Surroundings } from './surroundings.ts';

/** What an action is given beside its arguments; what it returns is the exit code. */
type Run<Args extends unknown[]> = (surroundings: Surroundings, ...args: Args) => Promise<ExitCode>;

/** A command that is being defined. @property run puts an action in, of which the exit code is kept. */
export interface Definitions {
  program: Command;
  run<Args extends unknown[]>(action: Run<Args>): (...args: Args) => Promise<void>;
}

/** e.g. `transload mapping list` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

type Example = readonly [example: string, does: string];

const shownExamples = new WeakMap<Command, readonly Example[]>();
export const examplesOf = (command: Command): readonly Example[] => shownExamples.get(command) ?? [];

/** Examples at the end of a command's help. @param lines command and what it does. */
export function examples(command: Command, lines: readonly Example[]): Command {
  shownExamples.set(command, lines);
  const shown = lines.map(([example, does]) => `${does === '' ? '' : `  # ${does}\n`}  $ ${example}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${shown}`);
}

/** What every command that asks a bridge takes. */
export const withBridge = (command: Command): Command =>
  command
    .option('--profile <name>', 'of `transload login`; else TRANSLOAD_PROFILE, or the one logged in last')
    .option('--url <url>', 'address of the bridge; else TRANSLOAD_URL, or that of the profile');

/** And operators, whose key may be for both. */
export const withEnvironment = (command: Command): Command =>
  withBridge(command).addOption(
    new Option('--environment <name>', 'if an operator’s key is for both').choices(['test', 'production']),
  );

export const withJson = (command: Command, what = 'print the result as JSON'): Command =>
  command.option('--json', what);

export const printJson = ({ output }: Pick<Surroundings, 'output'>, value: unknown): void =>
  void output.write(`${JSON.stringify(value, null, 2)}\n`);
