/**
 * Mappings of a running bridge from the command line: look, check, publish, compare, go back, edit a code list.
 *
 * Talks to the bridge's ops API and to nothing else. Results go to stdout, refusals to stderr, in words for people.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseDocument } from 'yaml';
import { NotRun } from '../../frame/command.ts';
import type { Bridge } from '../bridge.ts';
import type { Artifact, Command, MappingQuery } from './arguments.ts';
import {
  type Changed,
  changedLines,
  type Difference,
  differenceLines,
  historyLines,
  type Listed,
  listLines,
  type OfferedMapping,
  type Owned,
  offeredLines,
  ownersLines,
  ownersSetLine,
  type Publication,
  type Rerun,
  rerunLines,
} from './messages.ts';

/** What was answered: for people, and as it came. */
export interface Shown {
  text: string;
  value: unknown;
}

interface Subject {
  artifact: Artifact;
  name: string;
}

const rootOf = (artifact: Artifact): string => (artifact === 'mapping' ? '/v1/ops/mappings' : '/v1/ops/code-lists');
const pathOf = (artifact: Artifact, name: string): string => `${rootOf(artifact)}/${encodeURIComponent(name)}`;

/** @returns what is shown when it is done. @throws Refused, NotRun */
export async function runMapping(asked: MappingQuery, bridge: Bridge): Promise<Shown> {
  const { command, note } = asked;
  const dryRun: Record<string, string> = asked.dryRun ? { dryRun: 'true' } : {};
  switch (command.does) {
    case 'list':
      return list(command.artifact, bridge);
    case 'show':
      return show(command, bridge);
    case 'history': {
      const publications = await historyOf(command, bridge);
      return { text: historyLines(publications), value: { name: command.name, publications } };
    }
    case 'check':
    case 'publish':
      return put(asked, command, bridge);
    case 'owners':
      return owners(command, note, bridge);
    case 'diff':
      return compare(command, bridge);
    case 'rerun':
      return rerunBatch(command, bridge);
    case 'rollback': {
      const path = `${pathOf(command.artifact, command.name)}/rollback`;
      const to = await wholeVersion(command.to, command, bridge);
      const ifMatch = await matching(asked, command, bridge);
      return changed(await bridge.json<Changed>({ method: 'POST', path, query: dryRun, body: { to, note }, ifMatch }));
    }
    case 'edit': {
      const path = pathOf('code_list', command.name);
      const body = { set: command.set, remove: command.remove, note };
      const ifMatch = await matching(asked, { artifact: 'code_list', name: command.name }, bridge);
      return changed(await bridge.json<Changed>({ method: 'PATCH', path, query: dryRun, body, ifMatch }));
    }
  }
}

const changed = (value: Changed, isCheck = false): Shown => ({ text: changedLines(value, isCheck), value });

/** A partner sees those that its key may use. */
async function list(artifact: Artifact, bridge: Bridge): Promise<Shown> {
  if (bridge.root === '/v1' && artifact === 'mapping') {
    const value = await bridge.json<{ mappings: OfferedMapping[] }>({ path: '/v1/mappings' });
    return { text: offeredLines(value.mappings), value };
  }
  const value = await bridge.json<{ mappings?: Listed[]; codeLists?: Listed[] }>({ path: rootOf(artifact) });
  return { text: listLines(value.mappings ?? value.codeLists ?? []), value };
}

async function show({ artifact, name }: Subject, bridge: Bridge): Promise<Shown> {
  const root = bridge.root === '/v1' && artifact === 'mapping' ? '/v1/mappings' : rootOf(artifact);
  const path = `${root}/${encodeURIComponent(name)}`;
  const text = await bridge.text({ path, accept: 'application/yaml' });
  return { text, value: { name, text } };
}

async function owners(
  { name, owners: wanted }: Extract<Command, { does: 'owners' }>,
  note: string,
  bridge: Bridge,
): Promise<Shown> {
  const path = `${pathOf('mapping', name)}/owners`;
  if (wanted === null) {
    const value = await bridge.json<Owned>({ path });
    return { text: ownersLines(name, value), value };
  }
  const body = { ...(wanted === 'everybody' ? { shared: true } : { partners: wanted }), note };
  const value = await bridge.json<Owned & { changed: boolean }>({ method: 'PUT', path, body });
  return { text: ownersSetLine(name, value), value };
}

async function historyOf({ artifact, name }: Subject, bridge: Bridge): Promise<Publication[]> {
  const all: Publication[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const path = `${pathOf(artifact, name)}/history`;
    const query: Record<string, string> = before === '' ? {} : { before };
    const page: { publications: Publication[]; next: string | null } = await bridge.json({ path, query });
    all.push(...page.publications);
    before = page.next === null ? null : new URL(page.next, 'http://bridge').searchParams.get('before');
  }
  return all;
}

async function put(
  asked: MappingQuery,
  { does, file, owners }: Extract<Command, { file: string }>,
  bridge: Bridge,
): Promise<Shown> {
  const text = readFileSync(file, 'utf8');
  const subject = subjectOf(text, file);
  const query: Record<string, string> = asked.note === '' ? {} : { note: asked.note };
  if (asked.dryRun || does === 'check') query.dryRun = 'true';
  if (owners === 'everybody') query.shared = 'true';
  else if (owners !== null) query.partners = owners.join(',');
  const ifMatch = await matching(asked, subject, bridge);
  const path = pathOf(subject.artifact, subject.name);
  return changed(await bridge.json<Changed>({ method: 'PUT', path, query, body: text, ifMatch }), does === 'check');
}

const matching = async ({ ifMatch }: MappingQuery, subject: Subject, bridge: Bridge): Promise<string | null> =>
  ifMatch === null ? null : wholeVersion(ifMatch, subject, bridge);

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

async function compare({ name, from, to }: Extract<Command, { does: 'diff' }>, bridge: Bridge): Promise<Shown> {
  const subject = { artifact: 'mapping', name } as const;
  const query = { from: await wholeVersion(from, subject, bridge), to: await wholeVersion(to, subject, bridge) };
  const path = `${pathOf('mapping', name)}/diff`;
  const value = await bridge.json<{ differences: Difference[]; differencesOmitted: number }>({ path, query });
  return { text: differenceLines(value.differences, value.differencesOmitted) || 'No difference.\n', value };
}

async function rerunBatch({ batchId, to }: Extract<Command, { does: 'rerun' }>, bridge: Bridge): Promise<Shown> {
  const path = `/v1/ops/batches/${encodeURIComponent(batchId)}/rerun`;
  const value = await bridge.json<Rerun>({ path, query: to === null ? {} : { to } });
  return { text: rerunLines(value), value };
}

/** `3f2a91c04b1e` → the one version of the name that begins so. */
async function wholeVersion(version: string, subject: Subject, bridge: Bridge): Promise<string> {
  if (!/^[0-9a-f]{4,63}$/.test(version)) return version;
  const { bundledSha256 } = await bridge.json<{ bundledSha256: string | null }>({
    path: pathOf(subject.artifact, subject.name),
  });
  const publications = await historyOf(subject, bridge);
  const known = publications.flatMap(({ sha256, beforeSha256 }) => [sha256, beforeSha256]);
  const found = [...new Set([...known, bundledSha256])].filter((sha256) => sha256?.startsWith(version));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw new NotRun(
    `${found.length === 0 ? 'No version' : 'More than one version'} of "${subject.name}" begins with ${version}.`,
  );
}
