/** `login`, `logout` and `profiles`: which bridges are known, and with which key. */
import { readFileSync } from 'node:fs';
import { NotRun } from '../frame/command.ts';
import { bridgeClient, Unreached } from './bridge.ts';
import { type Definitions, examples, printJson, withJson } from './definitions.ts';
import { type AskedBridge, bridgeUrl, isOperators, readProfiles, writeProfiles } from './profiles.ts';
import { EXIT_CODES, type ExitCode, Refused, type Surroundings } from './surroundings.ts';
import { ask, askSecret, canAsk, paintFor, readAll, table } from './terminal.ts';

interface LoginOptions {
  profile: string;
  url?: string;
  keyFile?: string;
  json?: boolean;
}

const KEY_FORM = /^tl[a-z]+_[0-9a-f]{16}_[0-9a-f]{64}$/;

export function addAccountCommands({ program, run }: Definitions): void {
  const login = withJson(program.command('login'))
    .summary('keep the address of a bridge and your key')
    .description(
      'Asks the bridge whether it takes your key, and keeps both in a file that only you may read. On a terminal the key is asked for and not shown; else it is read from standard input or --key-file. Where TRANSLOAD_KEY is set, that is taken, unless the key comes from a file: --key-file PATH, or < PATH.',
    )
    .option('--url <url>', 'address of the bridge')
    .option('--profile <name>', 'keep it under this name', 'default')
    .option('--key-file <path>', 'a file with the key; - is standard input')
    .action(run(logIn));
  examples(login, [
    ['transload login --url https://bridge.example', 'asks for the key'],
    ['transload login --url https://bridge.example --key-file key.txt', ''],
    ['transload login --profile operator < key.txt', 'a second one, for --profile operator'],
  ]);
  program
    .command('logout')
    .summary('forget a profile')
    .description('Forgets a profile and its key. The key itself still works: only its owner or an operator can end it.')
    .option('--profile <name>', 'which one; by default the one logged in last')
    .action(run(logOut));
  withJson(program.command('profiles'))
    .summary('the bridges you logged in to')
    .description('The profiles that are kept, and which one is used by default. Keys are not shown.')
    .action(run(list));
}

async function logIn(surroundings: Surroundings, options: LoginOptions): Promise<ExitCode> {
  const { environment, fetch, output } = surroundings;
  const known = readProfiles(environment).profiles[options.profile];
  const url = bridgeUrl(options.url ?? (environment.TRANSLOAD_URL || (await askUrl(surroundings, known?.url))));
  const key = await keyFor(surroundings, options);
  if (!KEY_FORM.test(key))
    throw new NotRun('That is no key: tltest_…, tllive_… or tlops_…, with 16 and 64 characters after it.');
  const asked = { url, key, environment: null };
  await mustBeTaken(asked, fetch);
  const profiles = { ...readProfiles(environment).profiles, [options.profile]: { url, key } };
  const path = writeProfiles(environment, { current: options.profile, profiles });
  if (options.json)
    printJson(surroundings, {
      profile: options.profile,
      url,
      keyId: keyIdOf(key),
      holder: holderOf(asked),
      file: path,
    });
  else
    output.write(
      `Logged in to ${url} as ${holderOf(asked)}, key ${keyIdOf(key)}. Kept as the profile "${options.profile}" in ${path}.\n`,
    );
  return EXIT_CODES.done.code;
}

const keyIdOf = (key: string): string => key.split('_')[1] ?? '';
const holderOf = (asked: Pick<AskedBridge, 'key'>): 'an operator' | 'a partner' =>
  isOperators(asked) ? 'an operator' : 'a partner';

async function askUrl(surroundings: Surroundings, before: string | undefined): Promise<string> {
  if (!canAsk(surroundings)) {
    if (before !== undefined) return before;
    throw new NotRun('Say where the bridge is: --url https://…');
  }
  const answer = await ask(surroundings, `Address of the bridge${before === undefined ? '' : ` [${before}]`}: `);
  return answer === '' ? (before ?? '') : answer;
}

/** Standard input may be that of a whole script: beside TRANSLOAD_KEY it is read only where it is a file, or asked for. */
async function keyFor(surroundings: Surroundings, { keyFile }: LoginOptions): Promise<string> {
  const { input, environment, errors } = surroundings;
  if (keyFile !== undefined && keyFile !== '-') return readFileSync(keyFile, 'utf8').trim();
  const ofEnvironment = environment.TRANSLOAD_KEY || null;
  const isRead = keyFile === '-' || input.isFile === true || (ofEnvironment === null && input.isTTY !== true);
  if (isRead) return (await readAll(input)).trim();
  if (ofEnvironment !== null) {
    errors.write('The key is the one of TRANSLOAD_KEY.\n');
    return ofEnvironment;
  }
  // What is typed where no question can be shown would be shown itself.
  if (!canAsk(surroundings)) throw new NotRun('Say your key: --key-file PATH, or on standard input.');
  return askSecret(surroundings, 'Your key (not shown): ');
}

/** Any answer of a bridge but a refusal of the key means that it is taken: an operator's key for both environments would have to name one. */
async function mustBeTaken(asked: AskedBridge, fetch: Surroundings['fetch']): Promise<void> {
  const bridge = bridgeClient(asked, fetch);
  const heard = bridge.isOps ? bridge.call('GET /v1/ops/code-lists') : bridge.call('GET /v1/mappings');
  await heard.catch((thrown: unknown) => {
    const isAnswer = thrown instanceof Refused || (thrown instanceof NotRun && !(thrown instanceof Unreached));
    if (!isAnswer || !/\(environment_[a-z_]+\)/.test((thrown as Error).message)) throw thrown;
  });
}

async function logOut({ environment, output }: Surroundings, options: { profile?: string }): Promise<ExitCode> {
  const known = readProfiles(environment);
  const name = options.profile ?? known.current;
  if (known.profiles[name] === undefined) throw new NotRun(`There is no profile "${name}".`);
  const { [name]: _, ...profiles } = known.profiles;
  // No other takes its place by itself: it may be of another environment.
  writeProfiles(environment, { current: known.current, profiles });
  output.write(`The profile "${name}" is forgotten.\n`);
  const others = Object.keys(profiles);
  if (known.current === name && others.length > 0)
    output.write(`None is used by itself now: --profile ${others.join(' or ')}, or transload login.\n`);
  return EXIT_CODES.done.code;
}

async function list(surroundings: Surroundings, options: { json?: boolean }): Promise<ExitCode> {
  const { environment, output } = surroundings;
  const { current, profiles } = readProfiles(environment);
  const all = Object.entries(profiles).map(([name, { url, key }]) => ({
    ...{ name, url, keyId: keyIdOf(key), holder: holderOf({ key }), current: name === current },
  }));
  if (options.json) printJson(surroundings, { profiles: all });
  else if (all.length === 0) output.write('None yet: transload login --url https://bridge.example\n');
  else {
    const rows = all.map((each) => [each.current ? '*' : '', each.name, each.url, each.holder, each.keyId]);
    output.write(table(['', 'PROFILE', 'BRIDGE', 'AS', 'KEY'], rows, paintFor(output, environment)));
  }
  return EXIT_CODES.done.code;
}
