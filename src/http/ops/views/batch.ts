/** One batch of the list, for `/v1/ops/batches` and the console's first page. */
import { iso, isoOrNull } from '../../../kernel/clock.ts';
import type { Environment } from '../../../kernel/names.ts';
import type { ListedBatch } from '../../../ops/index/batch-list.ts';
import type { Answered } from '../../contract/contract.ts';
import { batchLinks, below, withParameters } from '../../edge/reader.ts';
import type { SendingStop } from '../../views/stops.ts';

export type BatchLine = Answered<'GET /v1/ops/batches'>['batches'][number];

export function batchLine(row: ListedBatch, stops: SendingStop[]) {
  const reader = { environment: row.environment as Environment, partner: row.partner, isOps: true };
  const links = batchLinks(reader, row.batch_id);
  return {
    batchId: row.batch_id,
    partner: row.partner,
    mapping: row.mapping,
    mappingSha256: row.mapping_sha256,
    scac: row.scac,
    fileName: row.file_name,
    messages: row.messages,
    bytes: row.bytes,
    dryRun: row.is_dry_run === 1,
    cancelled: row.is_cancelled === 1,
    state: row.state,
    receivedAt: iso(row.received_at_ms),
    settledAt: isoOrNull(row.settled_at_ms),
    rows: row.row_count,
    rowStates: JSON.parse(row.row_states) as Record<string, number>,
    held: row.held,
    refused: row.refused,
    needsSomebody: row.needs_somebody === 1,
    stops,
    trouble: row.trouble,
    /** What it took so far, at list price; null: it began before this was counted. */
    dollars: row.dollars,
    /** When the batch reported it: by now it may be some seconds further. */
    asOf: isoOrNull(row.written_at_ms),
    links: {
      ...links,
      ...(row.messages === null ? {} : { messages: below(links.self, 'messages') }),
      mapping: withParameters(`/v1/ops/mappings/${encodeURIComponent(row.mapping)}`, { environment: row.environment }),
      partner: withParameters('/v1/ops/batches', { environment: row.environment, partner: row.partner }),
    },
  };
}
