/**
 * Mappings of a running bridge from the command line: look, check, publish, compare, go back, edit a code list.
 *
 * Talks to the bridge's ops API and to nothing else. Results go to stdout, refusals to stderr, in words for people.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import { parseDocument } from 'yaml';
import { EXIT, NotRun, reasonFor, visible } from './frame/command.ts';
import { type Artifact, type Command, readArguments, type TargetQuery, USAGE } from './mapping/arguments.ts';
import { type Fetch, type OpsClient, opsClient } from './mapping/client.ts';
import {
  type Changed,
  changedLines,
  type Difference,
  differenceLines,
  historyLines,
  type Listed,
  listLines,
  type Owned,
  ownersLines,
  ownersSetLine,
  type Publication,
  Refused,
  type Rerun,
  rerunLines,
} from './mapping/messages.ts';

/** The process's own, or a test's. */
export interface Surroundings {
  environment: Record<string, string | undefined>;
  fetch: Fetch;
  output: Writable & { isTTY?: boolean };
  errors: Writable;
}

interface Subject {
  artifact: Artifact;
  name: string;
}

const rootOf = (artifact: Artifact): string => (artifact === 'mapping' ? '/v1/ops/mappings' : '/v1/ops/code-lists');
const pathOf = (artifact: Artifact, name: string): string => `${rootOf(artifact)}/${encodeURIComponent(name)}`;

/** @returns what is shown when it is done. */
async function run(asked: TargetQuery, client: OpsClient): Promise<string> {
  const { command, note } = asked;
  const dryRun: Record<string, string> = asked.dryRun ? { dryRun: 'true' } : {};
  switch (command.does) {
    case 'list':
      return list(command.artifact, client);
    case 'show':
      return client.text({ path: pathOf(command.artifact, command.name), accept: 'application/yaml' });
    case 'history':
      return historyLines(await historyOf(command, client));
    case 'check':
    case 'publish':
      return put(asked, command, client);
    case 'owners': {
      const path = `${pathOf('mapping', command.name)}/owners`;
      const { owners } = command;
      if (owners === null) return ownersLines(command.name, await client.json<Owned>({ path }));
      const body = { ...(owners === 'everybody' ? { shared: true } : { partners: owners }), note };
      const set = await client.json<Owned & { changed: boolean }>({ method: 'PUT', path, body });
      return ownersSetLine(command.name, set);
    }
    case 'diff':
      return compare(command, client);
    case 'rerun':
      return rerunBatch(command, client);
    case 'rollback': {
      const path = `${pathOf(command.artifact, command.name)}/rollback`;
      const to = await wholeVersion(command.to, command, client);
      const ifMatch = await matching(asked, command, client);
      const request = { method: 'POST', path, query: dryRun, body: { to, note }, ifMatch } as const;
      return changedLines(await client.json<Changed>(request), false);
    }
    case 'edit': {
      const path = pathOf('code_list', command.name);
      const body = { set: command.set, remove: command.remove, note };
      const ifMatch = await matching(asked, { artifact: 'code_list', name: command.name }, client);
      const request = { method: 'PATCH', path, query: dryRun, body, ifMatch } as const;
      return changedLines(await client.json<Changed>(request), false);
    }
  }
}

async function list(artifact: Artifact, client: OpsClient): Promise<string> {
  const all = await client.json<{ mappings?: Listed[]; codeLists?: Listed[] }>({ path: rootOf(artifact) });
  return listLines(all.mappings ?? all.codeLists ?? []);
}

async function historyOf({ artifact, name }: Subject, client: OpsClient): Promise<Publication[]> {
  const all: Publication[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const path = `${pathOf(artifact, name)}/history`;
    const query: Record<string, string> = before === '' ? {} : { before };
    const page: { publications: Publication[]; next: string | null } = await client.json({ path, query });
    all.push(...page.publications);
    before = page.next === null ? null : new URL(page.next, 'http://bridge').searchParams.get('before');
  }
  return all;
}

async function put(
  asked: TargetQuery,
  { does, file, owners }: Extract<Command, { file: string }>,
  client: OpsClient,
): Promise<string> {
  const text = readFileSync(file, 'utf8');
  const subject = subjectOf(text, file);
  const query: Record<string, string> = asked.note === '' ? {} : { note: asked.note };
  if (asked.dryRun || does === 'check') query.dryRun = 'true';
  if (owners === 'everybody') query.shared = 'true';
  else if (owners !== null) query.partners = owners.join(',');
  const ifMatch = await matching(asked, subject, client);
  const path = pathOf(subject.artifact, subject.name);
  const changed = await client.json<Changed>({ method: 'PUT', path, query, body: text, ifMatch });
  return changedLines(changed, does === 'check');
}

const matching = async ({ ifMatch }: TargetQuery, subject: Subject, client: OpsClient): Promise<string | null> =>
  ifMatch === null ? null : wholeVersion(ifMatch, subject, client);

/** A document says what it is and how it is called; one that cannot be read is sent under its file's name, to be told why. */
export function subjectOf(text: string, file: string): Subject {
  const document = parseDocument(text, { logLevel: 'silent' });
  const named = (key: string): string | undefined => {
    const value: unknown = document.errors.length > 0 ? undefined : document.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const mapping = named('mapping');
  const codeList = named('list');
  if (mapping === undefined && codeList !== undefined) return { artifact: 'code_list', name: codeList };
  return { artifact: 'mapping', name: mapping ?? basename(file).replace(/\.ya?ml$/, '') };
}

async function compare({ name, from, to }: Extract<Command, { does: 'diff' }>, client: OpsClient): Promise<string> {
  const subject = { artifact: 'mapping', name } as const;
  const query = { from: await wholeVersion(from, subject, client), to: await wholeVersion(to, subject, client) };
  const path = `${pathOf('mapping', name)}/diff`;
  const compared = await client.json<{ differences: Difference[]; differencesOmitted: number }>({ path, query });
  return differenceLines(compared.differences, compared.differencesOmitted) || 'No difference.\n';
}

async function rerunBatch({ batchId, to }: Extract<Command, { does: 'rerun' }>, client: OpsClient): Promise<string> {
  const path = `/v1/ops/batches/${encodeURIComponent(batchId)}/rerun`;
  return rerunLines(await client.json<Rerun>({ path, query: to === null ? {} : { to } }));
}

/** `3f2a91c04b1e` → the one version of the name that begins so. */
async function wholeVersion(version: string, subject: Subject, client: OpsClient): Promise<string> {
  if (!/^[0-9a-f]{4,63}$/.test(version)) return version;
  const { bundledSha256 } = await client.json<{ bundledSha256: string | null }>({
    path: pathOf(subject.artifact, subject.name),
  });
  const publications = await historyOf(subject, client);
  const known = publications.flatMap(({ sha256, beforeSha256 }) => [sha256, beforeSha256]);
  const found = [...new Set([...known, bundledSha256])].filter((sha256) => sha256?.startsWith(version));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw new NotRun(
    `${found.length === 0 ? 'No version' : 'More than one version'} of "${subject.name}" begins with ${version}.`,
  );
}

/** @param args as on the command line, without the program. @returns the exit code. */
export async function runMapping(
  args: string[],
  { environment, fetch, output, errors }: Surroundings,
): Promise<number> {
  try {
    const asked = readArguments(args, environment);
    const shown = await run(asked, opsClient(asked, fetch));
    // A document goes into a file as it is, tabs and all.
    output.write(asked.command.does === 'show' && output.isTTY !== true ? shown : visible(shown));
    return EXIT.done;
  } catch (thrown) {
    errors.write(`${visible(reasonFor(thrown, USAGE))}\n`);
    return thrown instanceof Refused ? EXIT.found : EXIT.notRun;
  }
}

if (import.meta.main) {
  process.exitCode = await runMapping(process.argv.slice(2), {
    environment: process.env,
    fetch,
    output: process.stdout,
    errors: process.stderr,
  });
}
