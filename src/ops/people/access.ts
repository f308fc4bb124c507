/** Cloudflare Access in front: the groups of an identity → the role here. Pure. */
import * as z from 'zod';
import { ENVIRONMENTS } from '../../kernel/names.ts';
import { OPS_ROLES, type OpsPrincipal } from '../directory/directory.ts';

/** In the order of the setting: the first group that somebody is in counts. */
const accessRoles = z.array(
  z.strictObject({
    group: z.string().min(1),
    role: z.enum(OPS_ROLES),
    environments: z.array(z.enum(ENVIRONMENTS)).min(1),
  }),
);

/** What Access says of somebody; anything else it says is not read. */
const accessIdentity = z.object({
  email: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  user_uuid: z.string().min(1).optional(),
  // Names, or objects with an id and a name: identity providers differ.
  groups: z
    .array(z.union([z.string(), z.object({ id: z.string().optional(), name: z.string().optional() })]))
    .default([]),
});

/**
 * @param roles the setting ACCESS_ROLES, JSON. identity as Access gives it.
 * @returns null: no group of theirs has a role, or the setting is wrong: nobody comes in by a mistake.
 */
export function operatorOfAccess(roles: string | undefined, identity: unknown): OpsPrincipal | null {
  const setting = accessRoles.safeParse(jsonOf(roles ?? '[]'));
  const known = accessIdentity.safeParse(identity);
  if (!setting.success || !known.success) return null;
  const { email, name, user_uuid, groups } = known.data;
  const who = email ?? name;
  if (who === undefined) return null;
  const names = new Set(groups.flatMap((group) => (typeof group === 'string' ? [group] : [group.id, group.name])));
  const found = setting.data.find(({ group }) => names.has(group));
  if (found === undefined) return null;
  return { keyId: `access_${user_uuid ?? who}`, name: who, role: found.role, environments: found.environments };
}

/** @param roles as above. @returns what is wrong with the setting, for whoever wrote it. */
export function accessRoleProblems(roles: string): string[] {
  const setting = accessRoles.safeParse(jsonOf(roles));
  return setting.success
    ? []
    : setting.error.issues.map(({ path, message }) => `${path.join('.') || 'all'}: ${message}`);
}

/** @returns undefined where it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
