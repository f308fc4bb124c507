/**
 * What a key sees of its partner's files: those that it could have sent itself, under its mappings and from keys with no
 * other SCACs than its own. What it does not see is not there for it: it can neither read, retry nor cancel it. Pure.
 */
import type { Principal } from './ports.ts';

/** @property mappings null: all. uploadedBy: of an upload link, which sees its own files alone. */
export interface KeyScope extends Pick<Principal, 'scacs' | 'mappings'> {
  uploadedBy?: string;
}

/** Over the `ticket` of a batch; takes the two parameters of `scopeParameters`, as ?1 and ?2. A link's is within the second. */
export const IS_IN_SCOPE = `(?1 IS NULL OR ticket ->> '$.mapping' IN (SELECT value FROM json_each(?1)))
  AND (?2 IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(ticket, '$.allowedScacs') WHERE value NOT IN (SELECT value FROM json_each(?2, '$.scacs'))))
  AND (?2 ->> '$.uploadedBy' IS NULL OR ticket ->> '$.uploadedBy' = ?2 ->> '$.uploadedBy')`;

/** @param scope null: of an operator, who sees all. */
export function scopeParameters(scope: KeyScope | null): [mappings: string | null, senders: string | null] {
  if (scope === null) return [null, null];
  const { mappings, scacs, uploadedBy } = scope;
  return [mappings && JSON.stringify(mappings), JSON.stringify({ scacs, uploadedBy })];
}
