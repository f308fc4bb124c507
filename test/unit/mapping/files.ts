/** Small files for tests: a document and an input, and what becomes of every record, briefly. */
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import type { MappedRequest } from '../../../src/mapping/request.ts';
import { type Loose, mappingOf, namesOf } from './documents.ts';

export interface BriefRecord {
  record: number;
  requests: MappedRequest[];
  /** `code path` of each. */
  errors: string[];
  skipped: boolean;
  group: number | undefined;
}

export async function mapInput(changes: Loose, input: string): Promise<BriefRecord[]> {
  const records: BriefRecord[] = [];
  for await (const step of mapFile(mappingOf(changes), bytesInMemory(new TextEncoder().encode(input)))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    for (const { position, mapped } of step.records) {
      const { requests, errors, skipped, group } = mapped;
      records.push({ record: position.record, requests, errors: namesOf(errors), skipped, group });
    }
  }
  return records;
}

export const lines = (...records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** What each record became: its requests as `kind subject`, its errors, `skipped`, or the record it goes with. */
export const briefly = (records: readonly BriefRecord[]): string[] =>
  records.map(({ record, requests, errors, skipped, group }) => {
    if (errors.length > 0) return errors.join(', ');
    if (skipped) return 'skipped';
    if (requests.length === 0) return `with ${group}`;
    return (
      requests.map(({ kind, subject }) => `${kind} ${subject}`).join(', ') + (group === undefined ? '' : ` (${record})`)
    );
  });

/** The bodies of a document that reads JSON lines. */
export async function bodiesOf(changes: Loose, ...records: unknown[]): Promise<unknown[]> {
  const mapped = await mapInput({ source: { format: 'ndjson' }, ...changes }, lines(...records));
  return mapped.flatMap<unknown>(({ requests, errors }) =>
    errors.length > 0 ? [errors] : requests.map(({ body }) => body),
  );
}

/** A document whose records become orders by this tree. */
export const orderDocument = (order: Loose, more: Loose = {}): Loose => ({
  target: 'order.create',
  fields: undefined,
  order: { orderRef: 'no', ...order },
  ...more,
});
