/**
 * Mappings of a running bridge from the command line: look, check, publish, compare, go back, edit a code list.
 *
 * Talks to the bridge's ops API and to nothing else. Results go to stdout, refusals to stderr, in words for people.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseDocument } from 'yaml';
import type { Answered } from '../../../src/http/contract/contract.ts';
import { NotRun } from '../../frame/command.ts';
import type { Bridge } from '../bridge.ts';
import type { Artifact, Command, MappingQuery } from './arguments.ts';
import {
  type Changed,
  changedLines,
  differenceLines,
  historyLines,
  listLines,
  offeredLines,
  ownersLines,
  ownersSetLine,
  type Publication,
  rerunLines,
} from './messages.ts';

type History = Answered<'GET /v1/ops/mappings/{name}/history'>;

/** What was answered: for people, and as it came. */
interface Shown {
  text: string;
  value: unknown;
}

interface Subject {
  artifact: Artifact;
  name: string;
}

const roomOf = (artifact: Artifact) => (artifact === 'mapping' ? 'mappings' : 'code-lists');

/** @returns what is shown when it is done. @throws Refused, NotRun */
export async function runMapping(asked: MappingQuery, bridge: Bridge): Promise<Shown> {
  const { command, note } = asked;
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
      const { artifact, name } = command;
      const to = await wholeVersion(command.to, command, bridge);
      const options = { path: { name }, body: { to, note }, ...(await matching(asked, command, bridge)) };
      return changed(
        await (asked.dryRun ? bridge.plan : bridge.call)(`POST /v1/ops/${roomOf(artifact)}/{name}/rollback`, options),
      );
    }
    case 'edit': {
      const { name, set, remove } = command;
      const match = await matching(asked, { artifact: 'code_list', name }, bridge);
      const options = { path: { name }, body: { set, remove, note }, ...match };
      return changed(await (asked.dryRun ? bridge.plan : bridge.call)('PATCH /v1/ops/code-lists/{name}', options));
    }
  }
}

const changed = (value: Changed, isCheck = false): Shown => ({ text: changedLines(value, isCheck), value });

/** A partner sees those that its key may use. */
async function list(artifact: Artifact, bridge: Bridge): Promise<Shown> {
  if (!bridge.isOps && artifact === 'mapping') {
    const value = await bridge.call('GET /v1/mappings');
    return { text: offeredLines(value.mappings), value };
  }
  if (artifact === 'mapping') {
    const value = await bridge.call('GET /v1/ops/mappings');
    return { text: listLines(value.mappings), value };
  }
  const value = await bridge.call('GET /v1/ops/code-lists');
  return { text: listLines(value.codeLists), value };
}

async function show({ artifact, name }: Subject, bridge: Bridge): Promise<Shown> {
  const route = artifact === 'mapping' ? bridge.own('GET /v1/mappings/{name}') : 'GET /v1/ops/code-lists/{name}';
  const text = await (await bridge.answer(route, { path: { name }, headers: { Accept: 'application/yaml' } })).text();
  return { text, value: { name, text } };
}

async function owners(
  { name, owners: wanted }: Extract<Command, { does: 'owners' }>,
  note: string,
  bridge: Bridge,
): Promise<Shown> {
  const path = { name };
  if (wanted === null) {
    const value = await bridge.call('GET /v1/ops/mappings/{name}/owners', { path });
    return { text: ownersLines(name, value), value };
  }
  const body = { ...(wanted === 'everybody' ? { shared: true as const } : { partners: wanted }), note };
  const value = await bridge.call('PUT /v1/ops/mappings/{name}/owners', { path, body });
  return { text: ownersSetLine(name, value), value };
}

async function historyOf({ artifact, name }: Subject, bridge: Bridge): Promise<Publication[]> {
  const all: Publication[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const asked = { path: { name }, query: { before } };
    const page: History = await bridge.call(`GET /v1/ops/${roomOf(artifact)}/{name}/history`, asked);
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
  const { artifact, name } = subject;
  const isPlan = asked.dryRun || does === 'check';
  const to = { path: { name }, text, ...(await matching(asked, subject, bridge)) };
  const ask = isPlan ? bridge.plan : bridge.call;
  if (artifact === 'code_list') {
    if (owners !== null && owners !== 'everybody')
      throw new NotRun('A code list is for everybody: leave out --partners.');
    return changed(
      await ask('PUT /v1/ops/code-lists/{name}', { ...to, query: { note: asked.note } }),
      does === 'check',
    );
  }
  const audience = owners === 'everybody' ? { shared: 'true' } : { partners: owners?.join(',') };
  const query = { note: asked.note, ...audience };
  return changed(await ask('PUT /v1/ops/mappings/{name}', { ...to, query }), does === 'check');
}

const matching = async ({ ifMatch }: MappingQuery, subject: Subject, bridge: Bridge): Promise<{ ifMatch?: string }> =>
  ifMatch === null ? {} : { ifMatch: await wholeVersion(ifMatch, subject, bridge) };

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
  const value = await bridge.call('GET /v1/ops/mappings/{name}/diff', { path: { name }, query });
  return { text: differenceLines(value.differences, value.differencesOmitted) || 'No difference.\n', value };
}

async function rerunBatch({ batchId, to }: Extract<Command, { does: 'rerun' }>, bridge: Bridge): Promise<Shown> {
  const path = { id: batchId };
  const subjectNamed = async (): Promise<Subject> => ({
    artifact: 'mapping',
    name: (await bridge.call('GET /v1/ops/batches/{id}', { path })).mapping,
  });
  const version = isShortened(to) ? await wholeVersion(to, await subjectNamed(), bridge) : to;
  const value = await bridge.call('GET /v1/ops/batches/{id}/rerun', { path, query: { to: version } });
  return { text: rerunLines(value), value };
}

const isShortened = (version: string | null): version is string => version !== null && /^[0-9a-f]{4,63}$/.test(version);

/** `3f2a91c04b1e` → the one version of the name that begins so. */
async function wholeVersion(version: string, subject: Subject, bridge: Bridge): Promise<string> {
  if (!isShortened(version)) return version;
  const route = `GET /v1/ops/${roomOf(subject.artifact)}/{name}` as const;
  const { bundledSha256 } = await bridge.call(route, { path: { name: subject.name } });
  const publications = await historyOf(subject, bridge);
  const known = publications.flatMap(({ sha256, beforeSha256 }) => [sha256, beforeSha256]);
  const found = [...new Set([...known, bundledSha256])].filter((sha256) => sha256?.startsWith(version));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw new NotRun(
    `${found.length === 0 ? 'No version' : 'More than one version'} of "${subject.name}" begins with ${version}.`,
  );
}
