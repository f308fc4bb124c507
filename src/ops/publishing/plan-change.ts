/** What a caller asks for (a text, an earlier version, some changed words) → the plan of that change. */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Bundle } from './bundle.ts';
import { type CodeListEdit, editCodeList } from './edit-code-list.ts';
import { type Current, currentCodeList, currentMapping, type Facts, unknownName } from './names.ts';
import { disproved, type Plan, planCodeList, planMapping, proveVersion, type Wanted } from './plan.ts';
import type { Artifact, NewOwners, Owners, Pointers } from './publication.ts';
import type { PublicationStore } from './publication-store.ts';
import type { Refusal } from './refusal.ts';
import { storedVersion } from './version-content.ts';

/**
 * What a name is to become: a text, an earlier version (a sha256, or `bundled`), or the current list with some words
 * changed.
 */
export type Aim =
  | { artifact: Artifact; written: string }
  | { artifact: Artifact; to: string }
  | { artifact: 'code_list'; edit: CodeListEdit };

interface PlanPorts {
  store: PublicationStore;
  files: Pick<R2Bucket, 'get'>;
}

/** Back to the bundle, now and after every deploy. */
export const TO_BUNDLED = 'bundled';

type Before = Current<unknown> | undefined;

export const currentOf = (facts: Facts, artifact: Artifact, name: string): Promise<Before> =>
  artifact === 'mapping'
    ? currentMapping(facts.bundle, facts.pointers, name)
    : currentCodeList(facts.bundle, facts.pointers, name);

/** @returns a plan without publications when nothing would change. */
export async function planChange(
  ports: PlanPorts,
  facts: Facts,
  name: string,
  aim: Aim,
): Promise<Result<Plan, Refusal>> {
  const before = await currentOf(facts, aim.artifact, name);
  const wanted = await wantedOf(ports, facts, { name, aim, before });
  if (!wanted.ok) return wanted;
  const plan = await planWanted(ports, facts, { wanted: wanted.value, aim, before });
  if (!plan.ok || !before) return plan;
  const same = await isSame(ports, facts, { plan: plan.value, aim, before });
  if (!same.ok) return same;
  return same.value ? ok({ publications: [], versions: [] }) : plan;
}

interface TargetQuery {
  name: string;
  aim: Aim;
  before: Before;
}

async function wantedOf(
  { store }: PlanPorts,
  facts: Facts,
  { name, aim, before }: TargetQuery,
): Promise<Result<Wanted, Refusal>> {
  const { artifact } = aim;
  if ('written' in aim) return ok({ name, written: aim.written, isBundled: false, action: 'publish' });
  if (!before) return err(unknownName(facts.bundle, facts.pointers, artifact, name));
  if ('to' in aim) return earlier(store, facts, { artifact, before, to: aim.to });
  const current = await writtenNow(store, facts, artifact, before);
  if (!current.ok) return current;
  const list = facts.lists.get(name);
  if (!list) throw new Error(`code list ${name} stands, but cannot be read`);
  const edited = editCodeList(current.value, list, aim.edit);
  if (!edited.ok) return err({ code: 'code_list_invalid', name, problems: edited.error });
  return ok({ name, written: edited.value, isBundled: false, action: 'publish' });
}

const bundledText = ({ bundle }: Facts, artifact: Artifact, name: string): string | undefined =>
  (artifact === 'mapping' ? bundle.texts.documents : bundle.texts.codeLists).get(name);

/**
 * A sha256 pins that exact version, even when it is the bundled one; `bundled` follows the bundle from deploy to
 * deploy.
 */
async function earlier(
  store: PublicationStore,
  facts: Facts,
  { artifact, before, to }: { artifact: Artifact; before: Current<unknown>; to: string },
): Promise<Result<Wanted, Refusal>> {
  const { name, bundledSha256 } = before;
  const bundled = bundledText(facts, artifact, name);
  if (to === TO_BUNDLED) {
    if (bundled === undefined) return err({ code: 'unknown_version', name, version: to });
    return ok({ name, written: bundled, isBundled: true, action: 'rollback' });
  }
  const { environment } = facts;
  const kept = await store.find({ environment, artifact, name, version: { sha256: to } });
  if (!kept.ok) return kept;
  const written = kept.value?.written ?? (to === bundledSha256 ? bundled : undefined);
  if (written === undefined) return err({ code: 'unknown_version', name, version: to.slice(0, 80) });
  return ok({ name, written, isBundled: false, action: 'rollback' });
}

async function planWanted(
  ports: PlanPorts,
  facts: Facts,
  { wanted, aim, before }: { wanted: Wanted; aim: Aim; before: Before },
): Promise<Result<Plan, Refusal>> {
  if (aim.artifact === 'code_list') return planCodeList(facts, wanted, ports.store);
  if ('to' in aim && before) return planRollback(ports, facts, { wanted, to: aim.to, before });
  return planMapping(facts, wanted, before);
}

/** The exact version of then, with its code lists; not its text with the lists of today. */
async function planRollback(
  { files }: PlanPorts,
  facts: Facts,
  { wanted, to, before }: { wanted: Wanted; to: string; before: Current<unknown> },
): Promise<Result<Plan, Refusal>> {
  const { name, written, isBundled, action } = wanted;
  const bundled = await facts.bundle.mapping(name);
  const isOfBundle = to === TO_BUNDLED || to === bundled?.sha256;
  const sha256 = isOfBundle ? (bundled?.sha256 ?? '') : to;
  const text = isOfBundle ? ok(bundled?.text ?? '') : await storedVersion(files, to);
  if (!text.ok) return text;
  const proven = await proveVersion(name, text.value);
  if (!proven.ok) return err(disproved(name, proven.error));
  const { sha256: beforeSha256 } = before;
  const summary = proven.value;
  const publication = { name, sha256, written, isBundled, summary, action, beforeSha256, becauseOf: null };
  return ok({
    publications: [{ artifact: 'mapping', ...publication }],
    versions: [{ sha256, text: text.value }],
  });
}

/**
 * Whether nothing would change: the same version and text, no other mapping affected, and for a return to the bundle no
 * publication to leave.
 */
async function isSame(
  { store }: PlanPorts,
  facts: Facts,
  { plan, aim, before }: { plan: Plan; aim: Aim; before: Current<unknown> },
): Promise<Result<boolean, Refusal>> {
  const [first, ...others] = plan.publications;
  if (!first || others.length > 0 || first.sha256 !== before.sha256) return ok(false);
  if (first.isBundled) return ok(before.publication === null);
  if (first.action === 'rollback') return ok(before.publication !== null);
  const current = await writtenNow(store, facts, aim.artifact, before);
  return current.ok ? ok(current.value === first.written) : current;
}

async function writtenNow(
  store: PublicationStore,
  facts: Facts,
  artifact: Artifact,
  { name, publication }: Current<unknown>,
): Promise<Result<string, Refusal>> {
  if (publication === null) return ok(bundledText(facts, artifact, name) ?? '');
  const { environment } = facts;
  const kept = await store.find({ environment, artifact, name, version: { edition: publication.edition } });
  return kept.ok ? ok(kept.value?.written ?? '') : kept;
}

/* The owners a mapping is to have → the owners to write, or why not. */

/**
 * Only a new name gets its owners from a publish: an update with another list would silently give a live mapping to
 * others. Bundled mappings stay everybody's: a private version of one would take the shared one away from the others.
 *
 * @returns null: nothing changes.
 */
export function ownersOfChange(
  pointers: Pointers,
  before: Current<unknown> | undefined,
  { name, aim, owners, dryRun }: { name: string; aim: Aim; owners: Owners | null; dryRun: boolean },
): Result<NewOwners | null, Refusal> {
  if (aim.artifact !== 'mapping' || !('written' in aim)) return ok(null);
  const known = pointers.owners.get(name);
  if (before === undefined) {
    if (owners !== null) return ok({ name, edition: known?.edition ?? 0, owners });
    return dryRun ? ok(null) : err({ code: 'owners_missing', name }); // a document may be checked before its owners are known
  }
  if (owners === null) return ok(null);
  const isShipped = before.bundledSha256 !== null && known === undefined;
  if (isShipped && owners !== 'everybody') return err({ code: 'mapping_shipped', name });
  const present = isShipped ? 'everybody' : (known?.owners ?? null);
  return present !== null && areSameOwners(present, owners) ? ok(null) : err({ code: 'owners_differ', name });
}

/** @returns null: they are already the owners. */
export async function ownersSet(
  bundle: Bundle,
  pointers: Pointers,
  { name, owners }: { name: string; owners: Owners },
): Promise<Result<NewOwners | null, Refusal>> {
  const standing = await currentMapping(bundle, pointers, name);
  if (!standing) return err(unknownName(bundle, pointers, 'mapping', name));
  if (standing.owners !== null && areSameOwners(standing.owners, owners)) return ok(null);
  const known = pointers.owners.get(name);
  const isShipped = standing.bundledSha256 !== null && (known === undefined || standing.publication === null);
  return isShipped ? err({ code: 'mapping_shipped', name }) : ok({ name, edition: known?.edition ?? 0, owners });
}

const areSameOwners = (one: Owners, other: Owners): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

const sorted = (owners: Owners): Owners => (owners === 'everybody' ? owners : [...owners].sort());
