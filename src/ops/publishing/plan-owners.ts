/** Whom a mapping is to be for → the owners to be written, or why not. Pure but for the bundle. */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Bundle } from './bundle.ts';
import type { Aim } from './plan-change.ts';
import type { NewOwners, Owners, Pointers } from './publication.ts';
import type { Refusal } from './refusal.ts';
import { mappingNames, type Standing, standingMapping } from './standing.ts';

/**
 * Only a new name is given owners by what is published under it: an update with another list would hand a live mapping to others
 * unseen. What is shipped stays everybody's: a private version of it would take the shared one away from the others.
 *
 * @returns null: nothing changes.
 */
export function ownersOfChange(
  pointers: Pointers,
  before: Standing<unknown> | undefined,
  { name, aim, owners, dryRun }: { name: string; aim: Aim; owners: Owners | null; dryRun: boolean },
): Result<NewOwners | null, Refusal> {
  if (aim.artifact !== 'mapping' || !('written' in aim)) return ok(null);
  const known = pointers.owners.get(name);
  if (before === undefined) {
    if (owners !== null) return ok({ name, edition: known?.edition ?? 0, owners });
    return dryRun ? ok(null) : err({ code: 'owners_missing', name }); // a document may be checked before that is known
  }
  if (owners === null) return ok(null);
  const isShipped = before.bundledSha256 !== null && known === undefined;
  if (isShipped && owners !== 'everybody') return err({ code: 'mapping_shipped', name });
  const present = isShipped ? 'everybody' : (known?.owners ?? null);
  return present !== null && isSame(present, owners) ? ok(null) : err({ code: 'owners_differ', name });
}

/** @returns null: they are that already. */
export async function ownersSet(
  bundle: Bundle,
  pointers: Pointers,
  { name, owners }: { name: string; owners: Owners },
): Promise<Result<NewOwners | null, Refusal>> {
  const standing = await standingMapping(bundle, pointers, name);
  if (!standing) return err({ code: 'unknown_mapping', name, known: mappingNames(bundle, pointers) });
  if (standing.owners !== null && isSame(standing.owners, owners)) return ok(null);
  const known = pointers.owners.get(name);
  const isShipped = standing.bundledSha256 !== null && (known === undefined || standing.publication === null);
  return isShipped ? err({ code: 'mapping_shipped', name }) : ok({ name, edition: known?.edition ?? 0, owners });
}

const isSame = (one: Owners, other: Owners): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

const sorted = (owners: Owners): Owners => (owners === 'everybody' ? owners : [...owners].sort());
