/**
 * Rows that failed, mapped again as they were sent, under the version that their mapping has by now: which of them have
 * become requests. Whole groups or nothing of them. Pure but for the bytes passed in.
 */
import { bytesInMemory } from '../../formats/slices.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { mapSlices } from '../../mapping/compile/map-file.ts';
import type { MappedRequest } from '../../mapping/request.ts';
import type { RowLocation } from './row.ts';
import { type MappedRow, rowsOf, type ScacRule } from './run.ts';
import type { BatchTicket, RowsReplaced } from './ticket.ts';

/** Who sent the rows, and what the key could do. */
export type RowsSender = Pick<
  BatchTicket,
  'environment' | 'partner' | 'channel' | 'scac' | 'allowedScacs' | 'envelopes' | 'orderPair' | 'uploadedBy'
>;

/** Rows of a batch that failed alike, with the other rows of their groups. */
export interface AlikeRows {
  sender: RowsSender;
  /** In order. @property replacedBy a row that came in place of this one, and was not delivered so far. */
  rows: { record: number; replacedBy: RowLocation | null }[];
  /** Rows that may have arrived, or are on their way again: they are not among them. */
  leftOut: number;
  /** There are more. */
  isCut: boolean;
}

export interface MappedAgain {
  /** Numbers of the records in their own batch, in order. */
  sendable: number[];
  requests: Partial<Record<MappedRequest['kind'], number>>;
  /** What the first ones become. */
  examples: { record: number; requests: MappedRequest[] }[];
  /** Rows that are wrong still, and why; without a problem, the mapping skips them. */
  wrong: { record: number; problem: Problem | null }[];
}

/** Whole groups or nothing of them: a row that only comes along passes its group over. */
export function rowsAgain(rows: readonly MappedRow[], { batchId, records }: RowsReplaced): MappedRow[] {
  const numberOf = ({ position }: MappedRow): number | null => records[position.record - 1] ?? null;
  const passedOver = new Set(rows.filter((row) => numberOf(row) === null).map(leadOf));
  return rows.map((row) => {
    const record = numberOf(row);
    if (record !== null && !passedOver.has(leadOf(row)))
      return { ...row, replaces: { batch: batchId, record: String(record) } };
    return { position: row.position, state: 'skipped', problems: [], requests: [], group: null };
  });
}

const leadOf = ({ group, position }: MappedRow): number => group ?? position.record;

/** Rows shown of what they become. Ours: enough to see whether it is meant so. */
const EXAMPLES = 3;

/**
 * @param bytes a file of these records, in their order; null: one that only comes along. @returns null: the file does not
 * read as these records any more.
 */
export async function mappedAgain(
  mapping: CompiledMapping,
  rule: ScacRule,
  { records, bytes }: { records: readonly (number | null)[]; bytes: Uint8Array },
): Promise<MappedAgain | null> {
  const read: MappedRow[] = [];
  for await (const step of mapSlices(mapping, { source: bytesInMemory(bytes), reader: mapping.reader })) {
    if (step.outcome !== 'records') return null;
    read.push(...rowsOf(step.records, rule, mapping));
  }
  if (read.length !== records.length) return null;
  const rows = rowsAgain(read, { batchId: '', records });
  const isWrong = (row: MappedRow): boolean => row.state !== null || row.problems.length > 0;
  const wrongLeads = new Set(rows.filter(isWrong).map(leadOf));
  const found: MappedAgain = { sendable: [], requests: {}, examples: [], wrong: [] };
  for (const row of rows.toSorted((one, other) => one.position.record - other.position.record)) {
    const record = records[row.position.record - 1] ?? null;
    if (record === null) continue;
    if (wrongLeads.has(leadOf(row))) {
      if (isWrong(row)) found.wrong.push({ record, problem: row.problems[0] ?? null });
      continue;
    }
    found.sendable.push(record);
    for (const { kind } of row.requests) found.requests[kind] = (found.requests[kind] ?? 0) + 1;
    if (row.requests.length > 0 && found.examples.length < EXAMPLES)
      found.examples.push({ record, requests: row.requests });
  }
  return found;
}
