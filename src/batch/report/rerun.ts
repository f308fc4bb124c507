/**
 * A batch mapped again from its stored bytes, its mapping version and its recorded lookups: the same requests, byte for
 * byte. Under another version: the differences, row by row. Stores and sends nothing. Pure but for the ports passed in.
 */
import type { StoredBytes } from '../../formats/slices.ts';
import type { OrderFeedKey } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import { answered, type CompiledMapping } from '../../mapping/compile/compile.ts';
import { mapSlices } from '../../mapping/compile/map-file.ts';
import { type Json, type JsonDifference, jsonDifferences } from '../../mapping/document/canonical.ts';
import type { Answers } from '../../mapping/lookups/lookup.ts';
import type { MappedRequest } from '../../mapping/request.ts';
import { type MappedRow, rowsOf, type ScacRule, withOrderFeedKeys } from '../core/run.ts';
import { rowsInOrder } from './report.ts';
import type { BatchRow } from './summary.ts';

export interface RerunFile {
  source: StoredBytes;
  /** Why it could not be read (it has no rows then). */
  problems: readonly Problem[];
  /** The recorded answers to its lookups. */
  answers: Answers;
}

export interface RerunPort {
  files: readonly RerunFile[];
  mapping: CompiledMapping;
  rule: ScacRule;
  orderPair: OrderFeedKey | null;
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<readonly BatchRow[]>;
}

/** What a row becomes: requests, or the paths of its errors. */
interface RowMade {
  requests: readonly (MappedRequest & { scac: string })[];
  errors: readonly Pick<Problem, 'code' | 'path' | 'value'>[];
}

/** `apart`: it replaces a row of an earlier batch, and its outcome did not depend on the mapping alone. */
export type RerunRow =
  | { record: number; line: number; compared: 'same' | 'apart' }
  | {
      record: number;
      line: number;
      compared: 'different';
      before: RowMade | null;
      after: RowMade | null;
      differences: JsonDifference[];
    };

export async function* rerun(port: RerunPort): AsyncGenerator<RerunRow> {
  const stored = rowsInOrder(port.rows);
  let before = (await stored.next()).value;
  for await (const after of madeAgain(port)) {
    while (before !== undefined && before.record < after.position.record) {
      yield compared(before, null);
      before = (await stored.next()).value;
    }
    if (before?.record !== after.position.record) yield compared(null, after);
    else {
      yield compared(before, after);
      before = (await stored.next()).value;
    }
  }
  for (; before !== undefined; before = (await stored.next()).value) yield compared(before, null);
}

/** Records are numbered across all files. */
async function* madeAgain({ files, mapping, rule, orderPair }: RerunPort): AsyncGenerator<MappedRow> {
  let recordsBefore = 0;
  for (const { source, problems, answers } of files) {
    if (problems.length > 0) continue;
    const given = mapping.enrichment === null ? mapping : answered(mapping, answers);
    let last = 0;
    for await (const step of mapSlices(given, { source, reader: mapping.reader })) {
      if (step.outcome !== 'records') continue;
      for (const row of withOrderFeedKeys(rowsOf(step.records, rule, mapping), orderPair)) {
        last = Math.max(last, row.position.record);
        const { position, group } = row;
        const record = position.record + recordsBefore;
        yield { ...row, position: { ...position, record }, group: group === null ? null : group + recordsBefore };
      }
    }
    recordsBefore += last;
  }
}

function compared(...[before, after]: [BatchRow, MappedRow | null] | [null, MappedRow]): RerunRow {
  const { record, line } = before === null ? after.position : before.position;
  const [was, is] = [before && madeBefore(before), after && madeAfter(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return { record, line, compared: 'same' };
  if (before !== null && before.replaces !== null && was?.requests.length === 0) {
    return { record, line, compared: 'apart' };
  }
  const differences = jsonDifferences(was as unknown as Json, is as unknown as Json, []);
  return { record, line, compared: 'different', before: was, after: is, differences };
}

/** A row of a group has the requests of the one that carries them. */
const madeBefore = ({ group, requests, errors }: BatchRow): RowMade => ({
  requests:
    group === null ? requests.map(({ kind, subject, scac, body }) => ({ kind, subject, scac, body }) as never) : [],
  errors: errors.map(({ code, path, value }) => ({ code, path, value })),
});

const madeAfter = ({ requests, problems }: MappedRow): RowMade => ({
  requests: requests.map(({ kind, subject, scac, body }) => ({ kind, subject, scac, body }) as never),
  errors: problems.map(({ code, path, value }) => ({ code, path, value })),
});
