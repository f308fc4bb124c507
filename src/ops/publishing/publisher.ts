/**
 * Changes what a name stands for: publish, roll back, edit a code list. Reads the facts, has a plan made, stores the
 * versions, then moves the names in one transaction.
 *
 * A change that was overtaken by another is planned again on the new facts. A dry run stops before anything is written.
 */
import { pinVersion } from '../../intake/pin-version.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Bundle } from './bundle.ts';
import { type Difference, listDifferences, versionDifferences } from './diff.ts';
import { type Facts, readFacts } from './facts.ts';
import { CHANGE_TRIES_MAX } from './limits.ts';
import type { Plan } from './plan.ts';
import { type Aim, planChange, standingOf } from './plan-change.ts';
import { ownersOfChange, ownersSet } from './plan-owners.ts';
import type { Author, Owners } from './publication.ts';
import type { PublicationStore } from './publication-store.ts';
import type { Refusal } from './refusal.ts';
import type { Standing } from './standing.ts';
import { contentOf, versionText } from './version-content.ts';

export interface PublisherPorts {
  bundle: Bundle;
  store: PublicationStore;
  files: Pick<R2Bucket, 'get' | 'head' | 'put'>;
  nowMs: () => number;
}

export interface AskedChange {
  environment: Environment;
  name: string;
  aim: Aim;
  by: Author;
  note: string;
  dryRun: boolean;
  /** Whom a new mapping is for; null: not said. */
  owners: Owners | null;
  /** The name must stand for one of these versions; null: for whatever it does. */
  ifMatch: readonly string[] | null;
}

/** What a change came to, or, in a dry run, would come to. */
export interface Changed {
  sha256: string;
  beforeSha256: string | null;
  /** False: the name stands for exactly that already. */
  changed: boolean;
  differences: Difference[];
  /** Mappings that an edited code list takes along. */
  mappings: { name: string; beforeSha256: string | null; sha256: string }[];
}

export interface AskedOwners extends Pick<AskedChange, 'environment' | 'name' | 'by' | 'note'> {
  owners: Owners;
}

export interface Publisher {
  change(asked: AskedChange): Promise<Result<Changed, Refusal>>;
  /** @returns whether anything changed. */
  setOwners(asked: AskedOwners): Promise<Result<boolean, Refusal>>;
}

export function publisherOf(ports: PublisherPorts): Publisher {
  return {
    change: (asked) => unlessOvertaken(asked.name, () => tryChange(ports, asked)),
    setOwners: (asked) => unlessOvertaken(asked.name, () => trySetOwners(ports, asked)),
  };
}

async function unlessOvertaken<T>(
  name: string,
  attempt: () => Promise<Result<T | 'overtaken', Refusal>>,
): Promise<Result<T, Refusal>> {
  for (let tries = 0; tries < CHANGE_TRIES_MAX; tries += 1) {
    const changed = await attempt();
    if (!changed.ok) return changed;
    if (changed.value !== 'overtaken') return ok(changed.value);
  }
  return err({ code: 'changed_meanwhile', name });
}

async function trySetOwners(
  { store, bundle, nowMs }: PublisherPorts,
  { environment, name, owners, by, note }: AskedOwners,
): Promise<Result<boolean | 'overtaken', Refusal>> {
  const pointers = await store.pointers(environment);
  if (!pointers.ok) return pointers;
  const set = await ownersSet(bundle, pointers.value, { name, owners });
  if (!set.ok) return set;
  if (set.value === null) return ok(false);
  const at = new Date(nowMs()).toISOString();
  const appended = await store.appendOwners({ environment, by, at, note, owners: set.value });
  if (!appended.ok) return appended;
  return appended.value === 'overtaken' ? ok('overtaken') : ok(true);
}

async function tryChange(ports: PublisherPorts, asked: AskedChange): Promise<Result<Changed | 'overtaken', Refusal>> {
  const { environment, name, aim, by, note } = asked;
  const facts = await readFacts(ports.store, ports.bundle, environment);
  if (!facts.ok) return facts;
  const before = await standingOf(facts.value, aim.artifact, name);
  if (asked.ifMatch && !(before && asked.ifMatch.includes(before.sha256))) {
    return err({ code: 'version_changed', name, current: before?.sha256 ?? null });
  }
  const plan = await planChange(ports, facts.value, name, aim);
  if (!plan.ok) return plan;
  const owners = ownersOfChange(facts.value.pointers, before, asked);
  if (!owners.ok) return owners;
  const { publications } = plan.value;
  const changed = await changedBy(ports, facts.value, plan.value, before);
  if (!changed.ok || publications.length === 0 || asked.dryRun) return changed;
  const stored = await storeVersions(ports, plan.value);
  if (!stored.ok) return stored;
  const at = new Date(ports.nowMs()).toISOString();
  const { edition } = facts.value.pointers;
  const appended = await ports.store.append({ environment, edition, by, at, note, publications, owners: owners.value });
  if (!appended.ok) return appended;
  return appended.value === 'overtaken' ? ok('overtaken') : changed;
}

/** The bundled versions that are replaced are stored with the new ones: after the next deploy nothing else would hold them. */
async function storeVersions({ files, bundle }: PublisherPorts, plan: Plan): Promise<Result<void, Refusal>> {
  const replaced = await Promise.all(plan.publications.map(({ name }) => bundle.mapping(name)));
  const bundled = plan.publications.flatMap(({ beforeSha256 }, index) => {
    const version = replaced[index];
    return version && version.sha256 === beforeSha256 ? [version] : [];
  });
  const stored = await Promise.all([...plan.versions, ...bundled].map((version) => pinVersion(files, version)));
  return stored.find((each) => !each.ok) ?? ok(undefined);
}

async function changedBy(
  { files }: PublisherPorts,
  facts: Facts,
  { publications, versions }: Plan,
  before: Standing<unknown> | undefined,
): Promise<Result<Changed, Refusal>> {
  const [first, ...others] = publications;
  const beforeSha256 = before?.sha256 ?? null;
  if (first === undefined) {
    return ok({ sha256: beforeSha256 ?? '', beforeSha256, changed: false, differences: [], mappings: [] });
  }
  const mappings = others.map(({ name, sha256, ...each }) => ({ name, beforeSha256: each.beforeSha256, sha256 }));
  const change = { sha256: first.sha256, beforeSha256, changed: true, mappings };
  if (first.artifact === 'code_list') {
    return ok({ ...change, differences: listDifferences(facts.lists.get(first.name), first.written) });
  }
  const text = before ? await versionText({ bundle: facts.bundle, files }, first.name, before.sha256) : ok(null);
  if (!text.ok) return text;
  const from = text.value === null ? null : contentOf(text.value);
  return ok({ ...change, differences: versionDifferences(from, contentOf(versions[0]?.text ?? '')) });
}
