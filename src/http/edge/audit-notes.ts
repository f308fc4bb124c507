/** What a request of an operator says of itself for the audit, while it is answered. */
import type { AuditNotes } from '../../ops/directory/audit.ts';
import type { OpsContext } from './context.ts';

/** Added to what was noted before. Nothing of it may be secret. */
export function noteForAudit(context: OpsContext, notes: AuditNotes): void {
  const noted = context.get('noted') ?? {};
  const detail = { ...noted.detail, ...notes.detail };
  context.set('noted', { ...noted, ...notes, detail });
}
