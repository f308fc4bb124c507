/** The mapping a caller names → the one that is meant, or why it cannot be used. The same answer wherever a mapping is named. Pure. */
import { err, ok, type Result } from '../kernel/result.ts';
import type { Offer, OfferedMapping, Principal } from './ports.ts';
import type { UploadError } from './upload-error.ts';

/** Longest name repeated in an answer, in characters. */
const QUOTED_NAME_CHARACTERS_MAX = 80;

/** @returns names the key may use with every refusal, and no others. */
export function chooseMapping(
  asked: string | null,
  { mappings }: Pick<Principal, 'mappings'>,
  { names, mapping }: Offer,
): Result<OfferedMapping, UploadError> {
  const allowed = names.filter((name) => mappings === null || mappings.includes(name));
  if (!asked) return err({ code: 'mapping_missing', known: allowed });
  if (mapping?.name !== asked) {
    return err({ code: 'unknown_mapping', mapping: asked.slice(0, QUOTED_NAME_CHARACTERS_MAX), known: allowed });
  }
  if (!allowed.includes(asked)) return err({ code: 'mapping_not_allowed', mapping: asked, allowed });
  return ok(mapping);
}
