/** Changes what names point at, and shows what they pointed at before. */

import { pinVersion } from '../../batch/files/pinned.ts';
import { iso } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Bundle } from './bundle.ts';
import { type Difference, listDifferences, versionDifferences } from './diff.ts';
import { CHANGE_TRIES_MAX, PUBLICATIONS_PAGE_MAX } from './limits.ts';
import {
  type Current,
  type CurrentMapping,
  currentMapping,
  type Facts,
  namesOf,
  readFacts,
  unknownName,
} from './names.ts';
import type { Plan } from './plan.ts';
import { type Aim, currentOf, ownersOfChange, ownersSet, planChange, TO_BUNDLED } from './plan-change.ts';
import type { Artifact, Author, Owners, OwnersChange, Publication } from './publication.ts';
import type { PublicationStore } from './publication-store.ts';
import type { Refusal } from './refusal.ts';
import { contentOf, versionText } from './version-content.ts';

/*
 * Changes a name: publish, roll back, edit a code list. Reads the facts, gets a plan, stores the versions, then moves
 * the names in one transaction.
 * A change that was overtaken by another is planned again on the new facts. A dry run stops before anything is written.
 */

interface PublishingPorts {
  bundle: Bundle;
  store: PublicationStore;
  files: Pick<R2Bucket, 'get' | 'head' | 'put'>;
  nowMs: () => number;
}

export interface RequestedChange {
  environment: Environment;
  name: string;
  aim: Aim;
  by: Author;
  note: string;
  dryRun: boolean;
  /** The owners of a new mapping; null: not given. */
  owners: Owners | null;
  /** The name must point at one of these versions; null: at any. */
  ifMatch: readonly string[] | null;
}

/** The result of a change or, in a dry run, what it would be. */
export interface Changed {
  sha256: string;
  beforeSha256: string | null;
  /** False: the name already points at exactly that. */
  changed: boolean;
  differences: Difference[];
  /** Mappings that change with an edited code list. */
  mappings: { name: string; beforeSha256: string | null; sha256: string }[];
}

interface RequestedOwners extends Pick<RequestedChange, 'environment' | 'name' | 'by' | 'note' | 'dryRun'> {
  owners: Owners;
}

export type Publishing = ReturnType<typeof publishingOf>;

export const publishingOf = (ports: PublishingPorts) => ({
  change: (asked: RequestedChange) => unlessOvertaken(asked.name, () => tryChange(ports, asked)),
  /** @returns whether anything changed. */
  setOwners: (asked: RequestedOwners) => unlessOvertaken(asked.name, () => trySetOwners(ports, asked)),
  ...historyOf(ports),
});

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
  { store, bundle, nowMs }: PublishingPorts,
  { environment, name, owners, by, note, dryRun }: RequestedOwners,
): Promise<Result<boolean | 'overtaken', Refusal>> {
  const pointers = await store.pointers(environment);
  if (!pointers.ok) return pointers;
  const set = await ownersSet(bundle, pointers.value, { name, owners });
  if (!set.ok) return set;
  if (set.value === null) return ok(false);
  if (dryRun) return ok(true);
  const at = iso(nowMs());
  const appended = await store.appendOwners({ environment, by, at, note, owners: set.value });
  if (!appended.ok) return appended;
  return appended.value === 'overtaken' ? ok('overtaken') : ok(true);
}

async function tryChange(
  ports: PublishingPorts,
  asked: RequestedChange,
): Promise<Result<Changed | 'overtaken', Refusal>> {
  const { environment, name, aim, by, note } = asked;
  const facts = await readFacts(ports.store, ports.bundle, environment);
  if (!facts.ok) return facts;
  const before = await currentOf(facts.value, aim.artifact, name);
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
  const at = iso(ports.nowMs());
  const { edition } = facts.value.pointers;
  const appended = await ports.store.append({ environment, edition, by, at, note, publications, owners: owners.value });
  if (!appended.ok) return appended;
  return appended.value === 'overtaken' ? ok('overtaken') : changed;
}

/** The replaced bundled versions are stored with the new ones: after the next deploy they would exist nowhere else. */
async function storeVersions({ files, bundle }: PublishingPorts, plan: Plan): Promise<Result<void, Refusal>> {
  const replaced = await Promise.all(plan.publications.map(({ name }) => bundle.mapping(name)));
  const bundled = plan.publications.flatMap(({ beforeSha256 }, index) => {
    const version = replaced[index];
    return version && version.sha256 === beforeSha256 ? [version] : [];
  });
  const stored = await Promise.all([...plan.versions, ...bundled].map((version) => pinVersion(files, version)));
  return stored.find((each) => !each.ok) ?? ok(undefined);
}

async function changedBy(
  { files }: PublishingPorts,
  facts: Facts,
  { publications, versions }: Plan,
  before: Current<unknown> | undefined,
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

/* What a name pointed at before, and the differences between two of its versions. Changes nothing. */

function historyOf(ports: Omit<PublishingPorts, 'nowMs'>) {
  const { bundle, store } = ports;
  const currentNamed = async (environment: Environment, name: string): Promise<Result<CurrentMapping, Refusal>> => {
    const pointers = await store.pointers(environment);
    if (!pointers.ok) return pointers;
    const current = await currentMapping(bundle, pointers.value, name);
    return current ? ok(current) : err(unknownName(bundle, pointers.value, 'mapping', name));
  };
  return {
    /** Newest first, a page at a time. @param before the revision of the last one seen. */
    async publications(
      environment: Environment,
      artifact: Artifact,
      name: string,
      before: number | null,
    ): Promise<Result<{ publications: Publication[]; next: number | null }, Refusal>> {
      const page = { environment, artifact, name, before, limit: PUBLICATIONS_PAGE_MAX };
      const publications = await store.history(page);
      if (!publications.ok) return publications;
      const last = publications.value.at(-1);
      if (last) {
        const isFull = publications.value.length === PUBLICATIONS_PAGE_MAX;
        return ok({ publications: publications.value, next: isFull ? last.edition : null });
      }
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      // A bundled name that was never published has an empty history; a name that is neither has none.
      const known = namesOf(bundle, pointers.value, artifact);
      if (before === null && !known.includes(name)) return err(unknownName(bundle, pointers.value, artifact, name));
      return ok({ publications: [], next: null });
    },
    /** The owners of a mapping, and who set them when, newest first. */
    async owners(
      environment: Environment,
      name: string,
    ): Promise<Result<{ owners: Owners | null; changes: OwnersChange[] }, Refusal>> {
      const current = await currentNamed(environment, name);
      if (!current.ok) return current;
      const changes = await store.ownersHistory(environment, { name, limit: PUBLICATIONS_PAGE_MAX });
      return changes.ok ? ok({ owners: current.value.owners, changes: changes.value }) : changes;
    },
    /** One version of a name, given as `versions` of compare. */
    async version(
      environment: Environment,
      name: string,
      version: string,
    ): Promise<Result<{ sha256: string; text: string }, Refusal>> {
      const current = await currentNamed(environment, name);
      return current.ok ? versionNamed(ports, environment, current.value, version) : current;
    },
    /**
     * @param versions each a sha256 the name points or pointed at, `bundled`, `current`, or `previous` (which the
     * current one replaced).
     */
    async compare(
      environment: Environment,
      name: string,
      versions: { from: string; to: string },
    ): Promise<Result<{ from: string; to: string; differences: Difference[] }, Refusal>> {
      const current = await currentNamed(environment, name);
      if (!current.ok) return current;
      const from = await versionNamed(ports, environment, current.value, versions.from);
      if (!from.ok) return from;
      const to = await versionNamed(ports, environment, current.value, versions.to);
      if (!to.ok) return to;
      const differences = versionDifferences(contentOf(from.value.text), contentOf(to.value.text));
      return ok({ from: from.value.sha256, to: to.value.sha256, differences });
    },
  };
}

async function versionNamed(
  { bundle, store, files }: Omit<PublishingPorts, 'nowMs'>,
  environment: Environment,
  current: CurrentMapping,
  version: string,
): Promise<Result<{ sha256: string; text: string }, Refusal>> {
  const { name } = current;
  const sha256 = sha256Of(current, version);
  if (sha256 === null) return err({ code: 'unknown_version', name, version: version.slice(0, 80) });
  const isKnown = [current.sha256, current.bundledSha256, current.publication?.beforeSha256].includes(sha256);
  if (!isKnown) {
    // Versions are named by their content: without this check, one of another name or environment could be read by
    // guessing.
    const kept = await store.find({ environment, artifact: 'mapping', name, version: { sha256 } });
    if (!kept.ok) return kept;
    if (!kept.value) return err({ code: 'unknown_version', name, version: version.slice(0, 80) });
  }
  const text = await versionText({ bundle, files }, name, sha256);
  return text.ok ? ok({ sha256, text: text.value }) : text;
}

function sha256Of({ sha256, bundledSha256, publication }: CurrentMapping, version: string): string | null {
  switch (version) {
    case 'current':
      return sha256;
    case 'previous':
      return publication?.beforeSha256 ?? null;
    case TO_BUNDLED:
      return bundledSha256;
    default:
      return version;
  }
}
