/** A claimed message → its batch, which is told of it: another one, should that refuse it. Every step can be repeated. */

import type { MessagePart } from '../batch/core/message.ts';
import type { BatchTicket } from '../batch/core/ticket.ts';
import type { Appended } from '../batch/steps/messages.ts';
import { MESSAGES_PLACED_AT_ONCE, PLACES_TRIED_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName } from '../kernel/names.ts';
import { closeRoll, keepPlaced, type MessagePlace, messageAt, moveMessage, unplacedMessages } from './rolls.ts';

export interface PlacingPort {
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;
  batch(name: string): { append(part: MessagePart, birth: BatchTicket | null): Promise<Appended> };
}

/** @returns where the message stands once its batch has it. Throws when that cannot be reached. */
export async function placeAtBatch({ storage, batch }: PlacingPort, uploadId: string): Promise<MessagePlace> {
  const { sql } = storage;
  for (let tries = 0; tries <= PLACES_TRIED_MAX; tries += 1) {
    const at = messageAt(sql, uploadId);
    if (at === undefined) throw new Error(`message ${uploadId} is not known`);
    const { batchId, message, ticket } = at;
    if (ticket === null) return { batchId, message };
    const birth = unbornTicket(sql, batchId);
    const { fileName, bytes, sha256, receivedAtMs, uploadedBy = null } = ticket;
    const part = { message, uploadId, fileName, bytes, sha256, receivedAtMs, uploadedBy };
    const appended = await batch(batchName(ticket, batchId)).append(part, birth);
    if (appended.outcome === 'refused') {
      storage.transactionSync(() => moveMessage(sql, { batchId, message }, ticket));
      continue;
    }
    if (birth !== null) sql.exec('UPDATE batch SET created = 1 WHERE batch_id = ?', batchId);
    if (appended.isFull) closeRoll(sql, batchId);
    keepPlaced(sql, uploadId, batchId);
  }
  throw new Error(`no batch takes message ${uploadId}`);
}

/** Those whose claim is older than their place. One that cannot be placed costs no other its turn. @returns whether none is left. */
export async function placeUnplaced(port: PlacingPort): Promise<boolean> {
  const { sql } = port.storage;
  for (const uploadId of unplacedMessages(sql, MESSAGES_PLACED_AT_ONCE)) {
    try {
      await placeAtBatch(port, uploadId);
    } catch (thrown) {
      log('error', 'message_not_placed', { detail: messageOf(thrown) });
    }
  }
  return unplacedMessages(sql, 1).length === 0;
}

/** The ticket of a batch that may not exist yet; null: it does, or has. */
function unbornTicket(sql: SqlStorage, batchId: string): BatchTicket | null {
  const query = 'SELECT ticket FROM batch WHERE batch_id = ? AND created = 0';
  const row = sql.exec<{ ticket: string }>(query, batchId).toArray()[0];
  return row ? (JSON.parse(row.ticket) as BatchTicket) : null;
}
