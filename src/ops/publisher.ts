/**
 * Changes what a name stands for: publish, roll back, edit a code list. Reads the facts, has a plan made, stores the
 * versions, then moves the names in one transaction.
 *
 * A change that was overtaken by another is planned again on the new facts. A dry run stops before anything is written.
 */
import { pinVersion } from '../intake/pin-version.ts';
import { CHANGE_TRIES_MAX } from '../kernel/limits.ts';
import type { Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Bundle } from './bundle.ts';
import { readFacts } from './facts.ts';
import type { Plan } from './plan.ts';
import { type Aim, planChange, standingOf } from './plan-change.ts';
import type { Author } from './publication.ts';
import type { PublicationStore } from './publication-store.ts';
import type { Refusal } from './refusal.ts';

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
  /** The name must stand for one of these versions; null: for whatever it does. */
  ifMatch: readonly string[] | null;
}

/** What a change came to, or, in a dry run, would come to. */
export interface Changed {
  sha256: string;
  beforeSha256: string | null;
  /** False: the name stands for exactly that already. */
  changed: boolean;
  /** Mappings that an edited code list takes along. */
  mappings: { name: string; beforeSha256: string | null; sha256: string }[];
  /** The text of the new version of a mapping; the code list as it would be written. */
  text: string;
}

export interface Publisher {
  change(asked: AskedChange): Promise<Result<Changed, Refusal>>;
}

export function publisherOf(ports: PublisherPorts): Publisher {
  return {
    async change(asked) {
      for (let tries = 0; tries < CHANGE_TRIES_MAX; tries += 1) {
        const changed = await tryChange(ports, asked);
        if (!changed.ok || changed.value !== 'overtaken') return changed as Result<Changed, Refusal>;
      }
      return err({ code: 'changed_meanwhile', name: asked.name });
    },
  };
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
  const { publications } = plan.value;
  if (publications.length === 0 || asked.dryRun) return ok(changedBy(plan.value, before?.sha256 ?? null));
  const stored = await storeVersions(ports, plan.value);
  if (!stored.ok) return stored;
  const at = new Date(ports.nowMs()).toISOString();
  const { edition } = facts.value.pointers;
  const appended = await ports.store.append({ environment, edition, by, at, note, publications });
  if (!appended.ok) return appended;
  return ok(appended.value === 'overtaken' ? 'overtaken' : changedBy(plan.value, before?.sha256 ?? null));
}

async function storeVersions({ files }: PublisherPorts, { versions }: Plan): Promise<Result<void, Refusal>> {
  const stored = await Promise.all(versions.map((version) => pinVersion(files, version)));
  return stored.find((each) => !each.ok) ?? ok(undefined);
}

function changedBy({ publications, versions }: Plan, beforeSha256: string | null): Changed {
  const [first, ...others] = publications;
  return {
    sha256: first?.sha256 ?? beforeSha256 ?? '',
    beforeSha256,
    changed: first !== undefined,
    mappings: others.map(({ name, beforeSha256: before, sha256 }) => ({ name, beforeSha256: before, sha256 })),
    text: first?.artifact === 'code_list' ? first.written : (versions[0]?.text ?? ''),
  };
}
