/**
 * Batches that a register has claimed and not created yet: the process died in between, or their creation fails. Each is
 * tried by itself. What cannot be read or created holds up no other, is in the log with its reason, and is tried again.
 */
import type { BatchTicket } from '../batch/core/ticket.ts';
import { ticketIn } from '../batch/store/documents.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { firstBatchId } from '../kernel/ids.ts';
import { log, messageOf, stackOf } from '../kernel/log.ts';
import { CREATION_PATIENCE_MS } from './limits.ts';

interface UnfinishedPort {
  sql: SqlStorage;
  create(ticket: BatchTicket): Promise<void>;
}

/**
 * Rolling batches are created with their first message. @param batchId that one alone; null: all. since: none before this
 * one. @returns what those met that could not be created.
 */
export async function createUnfinished(
  { sql, create }: UnfinishedPort,
  batchId: string | null = null,
  since = '',
): Promise<unknown[]> {
  type Row = { batch_id: string; ticket: string };
  const query = `SELECT batch_id, ticket FROM batch
                 WHERE created = 0 AND batch_id >= ?2 AND (?1 IS NULL OR batch_id = ?1) ORDER BY seq`;
  const failures: unknown[] = [];
  for (const row of sql.exec<Row>(query, batchId, since).toArray()) {
    try {
      const ticket = ticketIn(row.ticket);
      if (ticket.message !== true) await create(ticket);
    } catch (thrown) {
      log('error', 'batch_not_created', { batchId: row.batch_id, detail: messageOf(thrown), ...stackOf(thrown) });
      failures.push(thrown);
    }
  }
  return failures;
}

/** Batches before this one that are not created hold up their partner's erasure no longer: nothing of them was sent */
export const waitedFor = (clock: Clock): string => firstBatchId(clock.nowMs() - scaledMs(CREATION_PATIENCE_MS, clock));
