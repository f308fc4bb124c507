/** What the routes of partners' keys and of operators' keys share: bodies, the id of a new key, entries of the audit. */
import * as z from 'zod';
import { sha256Hex } from '../../kernel/secret.ts';
import type { AuditFacts } from '../../ops/directory/audit.ts';
import { KEY_OVERLAP_HOURS } from '../../ops/directory/limits.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { OpsContext } from '../edge/context.ts';
import { actionOf } from './audit.ts';
import { why } from './request.ts';

export const rotateBody = z.strictObject({
  overlapHours: z.int().min(0).max(KEY_OVERLAP_HOURS.most).default(KEY_OVERLAP_HOURS.usual),
  expires: z.string().optional(),
  why,
});
export const revokeBody = z.strictObject({ why });

/**
 * Random bytes for a new key. With an Idempotency-Key its id follows from that, so that a double click makes one key;
 * the secret is always random. @param by the id of whoever asks.
 */
export function keyBytes(context: OpsContext, by = context.get('operator').keyId): Uint8Array<ArrayBuffer> {
  const random = crypto.getRandomValues(new Uint8Array(40));
  const click = context.req.header('Idempotency-Key');
  if (click === undefined) return random;
  const digest = sha256Hex(JSON.stringify([by, click]));
  for (let at = 0; at < 8; at += 1) random[at] = Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16);
  return random;
}

/**
 * The entry that is written with the change itself. The wrapper of all routes then writes none.
 * @param about left out: what the address names.
 */
export function auditFacts(
  context: OpsContext,
  { why: cause, environment, about, detail = {} }: Pick<AuditFacts, 'why' | 'environment'> & Partial<AuditFacts>,
): AuditFacts {
  const { keyId: by, name: actor } = context.get('operator');
  const named = actionOf(context.req.method, context.req.path);
  noteForAudit(context, { isWritten: true });
  return {
    ...{ environment, actor, why: cause, atMs: Date.now() },
    action: named?.action ?? context.req.method,
    about: about ?? named?.about ?? context.req.path,
    detail: { by, ...detail },
  };
}
