/** One Batch object under test, born from a ticket as the register would give it, with its bytes and mapping stored. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../mappings/bundled.ts';
import type { BatchTicket } from '../../src/batch/core/ticket.ts';
import type { Batch } from '../../src/batch/object/batch.ts';
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import { newBatchId } from '../../src/kernel/ids.ts';
import { batchName, mappingKey, sourceKey } from '../../src/kernel/names.ts';
import { sha256Hex } from '../../src/kernel/secret.ts';
import { bundleOf } from '../../src/ops/publishing/bundle.ts';
import { migratedDirectory } from './directory.ts';
import { PATIENCE } from './loads.ts';

export interface BatchUnderTest {
  ticket: BatchTicket;
  stub(): DurableObjectStub<Batch>;
  summary(): Promise<BatchSummary>;
  rows(): Promise<BatchRow[]>;
  reaches(state: BatchSummary['state']): Promise<BatchSummary>;
  /** One wake-up now, as its alarm would bring later. */
  wake(): Promise<void>;
  sql(statement: string, ...values: SqlStorageValue[]): Promise<void>;
  query(statement: string): Promise<Record<string, SqlStorageValue>[]>;
}

/** @param document a mapping document to use instead of the bundled one of the ticket's name. */
export async function aBatch(
  file: string,
  { document, ...more }: Partial<BatchTicket> & { document?: string } = {},
): Promise<BatchUnderTest> {
  const bytes = new TextEncoder().encode(file);
  const mapping = more.mapping ?? 'carrier-status-csv';
  const ticket: BatchTicket = {
    batchId: newBatchId(Date.now()),
    environment: 'test',
    partner: 'acme',
    mapping,
    mappingSha256: await storeVersion(mapping, document),
    scac: 'DEMO',
    allowedScacs: ['DEMO'],
    channel: 'plain',
    fileName: 'events.csv',
    bytes: bytes.byteLength,
    sha256: await sha256Hex(bytes),
    receivedAtMs: Date.now(),
    dryRun: false,
    ...more,
  };
  await migratedDirectory();
  await env.FILES.put(sourceKey(ticket, ticket.batchId), bytes);
  const stub = () => env.BATCH.getByName(batchName(ticket, ticket.batchId));
  const summary = async () => {
    const found = await stub().summary();
    if (!found) throw new Error('the batch was not created');
    return found;
  };
  return {
    ticket,
    stub,
    summary,
    rows: async () => (await stub().rows(0, 10_000, null)) as BatchRow[],
    reaches: (state) =>
      vi.waitFor(async () => {
        const found = await summary();
        expect(found.state).toBe(state);
        return found;
      }, PATIENCE),
    wake: () => runInDurableObject(stub(), (instance) => instance.alarm()),
    sql: (statement, ...values) =>
      runInDurableObject(stub(), (_, state) => {
        state.storage.sql.exec(statement, ...values);
      }),
    query: (statement) => runInDurableObject(stub(), (_, state) => state.storage.sql.exec(statement).toArray()),
  };
}

/** Stores a mapping version as an upload does. @returns its name. */
async function storeVersion(mapping: string, document: string | undefined): Promise<string> {
  const documents = document === undefined ? BUNDLED_DOCUMENTS : new Map([[mapping, document]]);
  const version = await bundleOf({ documents, codeLists: BUNDLED_CODE_LISTS }).mapping(mapping);
  if (!version) throw new Error(`there is no mapping ${mapping}`);
  await env.FILES.put(mappingKey(version.sha256), version.text);
  return version.sha256;
}

/** Reads the SCAC from each record. */
export const SCAC_PER_ROW = `
mapping: scac-per-row
description: Status rows that name their carrier.
source: { format: csv, delimiter: ",", encoding: utf-8, header: true }
target: milestone
scac: Carrier
zone: { const: America/Chicago }
fields:
  loadNumber: Load
  eventCode: { const: X6 }
  time: { from: When, parse: "yyyy-MM-dd HH:mm" }
examples:
  - input: |
      Load,Carrier,When
      L1,DEMO,2026-03-02 08:15
    records:
      - requests:
          - kind: milestone
            subject: load:L1
            scac: DEMO
            body:
              loadNumber: L1
              eventCode: X6
              time: { dateTime: "2026-03-02T08:15:00.0000000-06:00", timeZoneCode: CST, timeZoneOffset: UTC-6 }
`;
