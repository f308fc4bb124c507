/** The arguments of the mapping command → what is asked for, and of which bridge. Pure. */
import { parseArgs } from 'node:util';
import { NotRun } from '../frame/command.ts';

export const USAGE = `Usage:
  npm run --silent mapping -- list                            every mapping: where it comes from, since when, by whom
  npm run --silent mapping -- show NAME                       the document as written
  npm run --silent mapping -- check FILE                      check a document or code list against the bridge; change nothing
  npm run --silent mapping -- publish FILE                    check it and make its name stand for it
  npm run --silent mapping -- owners NAME                     whom it is for, and who said so
  npm run --silent mapping -- owners NAME --partners A,B      from now on for these and nobody else, or with --shared for all; with --note
  npm run --silent mapping -- diff NAME [--from V] [--to V]   what differs; V: a version, bundled, previous, current
  npm run --silent mapping -- rerun BATCH [--to V]            make a batch again without sending: what V would change, row by row
  npm run --silent mapping -- rollback NAME --to V            back to a version of before, or to bundled
  npm run --silent mapping -- history NAME                    who changed it, when and why
  npm run --silent mapping -- code-list list
  npm run --silent mapping -- code-list show|history NAME
  npm run --silent mapping -- code-list set NAME "word=code" …
  npm run --silent mapping -- code-list remove NAME word …
  npm run --silent mapping -- code-list rollback NAME --to V
A new name is published with --partners A,B, or with --shared for all partners.
Options: --url URL, --key KEY (or TRANSLOAD_URL and TRANSLOAD_OPS_KEY in the environment), --environment test|production,
  --note TEXT (kept in the history), --if-match VERSION (change only what still is that), --dry-run (change nothing).
Versions may be shortened to their first characters.
Exit: 0 done, 1 refused (problems, failed examples, changed since), 2 could not run.`;

export type Artifact = 'mapping' | 'code_list';

export type Command =
  | { does: 'list'; artifact: Artifact }
  | { does: 'show' | 'history'; artifact: Artifact; name: string }
  | { does: 'check' | 'publish'; file: string; owners: Owners | null }
  | { does: 'owners'; name: string; owners: Owners | null }
  | { does: 'diff'; name: string; from: string; to: string }
  | { does: 'rerun'; batchId: string; to: string | null }
  | { does: 'rollback'; artifact: Artifact; name: string; to: string }
  | { does: 'edit'; name: string; set: Record<string, string>; remove: string[] };

/** Whom a mapping is for. */
type Owners = readonly string[] | 'everybody';

/** The bridge that is asked, and as whom. @property environment null: the key names one only. */
export interface AskedBridge {
  url: string;
  key: string;
  environment: string | null;
}

export interface TargetQuery extends AskedBridge {
  command: Command;
  note: string;
  ifMatch: string | null;
  dryRun: boolean;
}

export function readArguments(args: string[], environment: Record<string, string | undefined>): TargetQuery {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...BRIDGE_OPTIONS,
      note: { type: 'string' },
      'if-match': { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      from: { type: 'string' },
      to: { type: 'string' },
      partners: { type: 'string' },
      shared: { type: 'boolean', default: false },
    },
  });
  const command = readCommand(positionals, values);
  if (command.does === 'owners' && (values['dry-run'] || values['if-match'] !== undefined)) {
    throw new NotRun('owners takes neither --dry-run nor --if-match.');
  }
  return {
    command,
    ...bridgeIn(values, environment),
    note: values.note ?? '',
    ifMatch: values['if-match'] ?? null,
    dryRun: values['dry-run'],
  };
}

/** What every command that asks a bridge takes. */
export const BRIDGE_OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  environment: { type: 'string' },
} as const;

export function bridgeIn(
  values: { url?: string | undefined; key?: string | undefined; environment?: string | undefined },
  environment: Record<string, string | undefined>,
): AskedBridge {
  const url = values.url ?? environment.TRANSLOAD_URL;
  const key = values.key ?? environment.TRANSLOAD_OPS_KEY;
  if (!url || !URL.canParse(url)) {
    throw new NotRun('Say where the bridge is: --url https://…, or TRANSLOAD_URL in the environment.');
  }
  if (!key) throw new NotRun('Say who you are: --key tlops_…, or TRANSLOAD_OPS_KEY in the environment.');
  return { url: url.replace(/\/+$/, ''), key, environment: values.environment ?? null };
}

interface Options {
  from?: string;
  to?: string;
  partners?: string;
  shared: boolean;
}

function readCommand(positionals: readonly string[], options: Options): Command {
  const [first, ...rest] = positionals;
  if (first !== 'code-list') return mappingCommand(first, rest, options);
  const [second, ...others] = rest;
  switch (second) {
    case 'list':
      return exactly(others, 0, { does: 'list', artifact: 'code_list' });
    case 'show':
    case 'history':
      return exactly(others, 1, { does: second, artifact: 'code_list', name: others[0] ?? '' });
    case 'rollback':
      return exactly(others, 1, { does: 'rollback', artifact: 'code_list', name: others[0] ?? '', to: toOf(options) });
    case 'set':
    case 'remove':
      return editCommand(second, others);
    default:
      throw new NotRun(second === undefined ? USAGE : `There is no command "code-list ${second}".\n${USAGE}`);
  }
}

function mappingCommand(does: string | undefined, rest: readonly string[], options: Options): Command {
  const name = rest[0] ?? '';
  switch (does) {
    case 'list':
      return exactly(rest, 0, { does, artifact: 'mapping' });
    case 'show':
    case 'history':
      return exactly(rest, 1, { does, artifact: 'mapping', name });
    case 'check':
    case 'publish':
      return exactly(rest, 1, { does, file: name, owners: ownersIn(options) });
    case 'owners':
      return exactly(rest, 1, { does, name, owners: ownersIn(options) });
    case 'diff':
      return exactly(rest, 1, { does, name, from: options.from ?? 'previous', to: options.to ?? 'current' });
    case 'rerun':
      return exactly(rest, 1, { does, batchId: name, to: options.to ?? null });
    case 'rollback':
      return exactly(rest, 1, { does, artifact: 'mapping', name, to: toOf(options) });
    default:
      throw new NotRun(does === undefined ? USAGE : `There is no command "${does}".\n${USAGE}`);
  }
}

function ownersIn({ partners, shared }: Options): Owners | null {
  if (partners !== undefined && shared) throw new NotRun('Say --partners or --shared, not both.');
  if (shared) return 'everybody';
  return partners?.split(',') ?? null;
}

function editCommand(does: 'set' | 'remove', [name, ...words]: readonly string[]): Command {
  if (name === undefined || words.length === 0) throw new NotRun(USAGE);
  if (does === 'remove') return { does: 'edit', name, set: {}, remove: words };
  // At the last "=": a word may hold one, a code hardly ever does.
  const pairs = words.map((text) => {
    const at = text.lastIndexOf('=');
    if (at < 1 || at === text.length - 1) throw new NotRun(`"${text}" is not of the form word=code.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return { does: 'edit', name, set: Object.fromEntries(pairs), remove: [] };
}

function exactly(words: readonly string[], wanted: number, command: Command): Command {
  if (words.length !== wanted) throw new NotRun(USAGE);
  return command;
}

function toOf({ to }: { to?: string }): string {
  if (to === undefined) throw new NotRun('Say --to VERSION (see history), or --to bundled.');
  return to;
}
