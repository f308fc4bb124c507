/** `command.md`: the command `transload`, as its own definitions have it. */
import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { examplesOf, pathOf } from '../transload/definitions.ts';
import { transload } from '../transload/program.ts';
import { EXIT_CODES } from '../transload/surroundings.ts';
import { code, page, prose, section, table } from './markdown.ts';

const INSTALL = `In a checkout: \`npm run --silent transload -- COMMAND\`. On any other machine with Node 22.2 or later (or 20.15 and later in version 20): \`npm pack\` in the checkout makes a file, and \`npm install --global ./transload-0.1.0.tgz\` installs it there. Every command has \`--help\` with its options and examples; most print JSON with \`--json\`.`;

const ENVIRONMENT: readonly (readonly [name: string, does: string])[] = [
  ['TRANSLOAD_URL', 'address of the bridge, before that of the profile'],
  [
    'TRANSLOAD_KEY',
    'your key, before that of the profile. It is never taken from the command line, where others could read it',
  ],
  ['TRANSLOAD_PROFILE', 'the profile to use; else the one logged in last'],
  ['TRANSLOAD_ENVIRONMENT', '`test` or `production`, for a key of an operator that is for both'],
  ['NO_COLOR', 'no colours; there are none either where the output is no terminal'],
  [
    'XDG_CONFIG_HOME',
    'where profiles are kept, in `transload/profiles.json`, readable by you alone; else `~/.config`, on Windows `%APPDATA%`',
  ],
];

export function commandPage(): string {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { signal } = new AbortController();
  const surroundings = {
    environment: {},
    fetch,
    input: Readable.from([]),
    output: nothing,
    errors: nothing,
    pause: async () => undefined,
    interrupted: () => signal,
  };
  const leaves = leavesOf(transload(surroundings, () => undefined));
  const examples = leaves.flatMap((leaf) =>
    examplesOf(leaf)
      .slice(0, 1)
      .map(([example]) => example),
  );
  return page('The command transload', INSTALL, [
    section(
      'Commands',
      table(
        ['Command', 'Does'],
        leaves.map((leaf) => [code(usageOf(leaf)), prose(leaf.summary() || leaf.description())]),
      ),
    ),
    section('Examples', ['```sh', ...new Set(examples), '```'].join('\n')),
    section(
      'Exit codes',
      table(
        ['Code', 'Means'],
        Object.values(EXIT_CODES).map(({ code: number, meaning }) => [String(number), meaning]),
      ),
    ),
    section(
      'In the environment',
      table(
        ['Name', 'For'],
        ENVIRONMENT.map(([name, does]) => [code(name), does]),
      ),
    ),
    section(
      'What an upload promises',
      'With the receipt a file is safe: its batch goes on whether or not the command is there. An upload that broke off, or was killed, is sent again with the same command: the same file is the same batch, the command says so and goes on watching it. With `--force` each run is a sending of its own: without a receipt look at `transload batches` first. Ctrl-C ends the watching, not the batch.',
    ),
  ]);
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0
    ? [command]
    : command.commands.filter((each) => each.name() !== 'help').flatMap(leavesOf);

const usageOf = (command: Command): string =>
  `${pathOf(command)} ${command.usage().replace(/^\[options\] ?/, '')}`.trim();
