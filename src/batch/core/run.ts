/**
 * One slice of a batch's bytes → rows and requests. Pure: the object reads the bytes and stores what comes back.
 *
 * Replaying a slice gives the same rows under the same numbers, because records are numbered by the bytes.
 */
import type { Checkpoint } from '../../formats/reader.ts';
import type { ReadRecord } from '../../formats/record-reader.ts';
import type { ReplacedRow } from '../../formats/replaced.ts';
import type { OrderPair } from '../../kernel/names.ts';
import type { Position, Problem } from '../../kernel/problem.ts';
import type { BoundMapping, CompiledMapping } from '../../mapping/compile/compile.ts';
import { mapRecord, type PlacedRecord } from '../../mapping/compile/map-record.ts';
import type { RecordsEnd } from '../../mapping/groups/grouping.ts';
import { spoiltBy } from '../../mapping/groups/map-group.ts';
import type { RowGroup } from '../../mapping/groups/row-group.ts';
import type { LookedUp } from '../../mapping/lookups/look-up.ts';
import type { MappedRecord, MappedRequest } from '../../mapping/request.ts';
import { withOrderPair } from '../../upstream/contracts/order-pair.ts';
import type { RowPlace } from './row.ts';
import { type GroupedSlice, groupSlice, type StagedSize } from './run-groups.ts';
import type { BatchTicket } from './ticket.ts';

/** Who may send for whom, as the upload's key says. */
export interface ScacRule {
  scac: string | null;
  allowed: readonly string[];
}

export const scacRule = ({ scac, allowedScacs }: Pick<BatchTicket, 'scac' | 'allowedScacs'>): ScacRule => ({
  scac,
  allowed: allowedScacs,
});

export interface MappedRow {
  position: Position;
  /** Set when the record has no request; one with requests can have problems, too. */
  state: 'invalid' | 'skipped' | 'duplicate' | null;
  problems: Problem[];
  requests: (MappedRequest & { scac: string })[];
  /** Number of the record that carries the requests of its group; null: it stands alone, or carries them itself. */
  group: number | null;
  /** The row of an earlier batch that it replaces, as the file says. */
  replaces?: ReplacedRow;
  /** The row that needs nobody once this one is delivered. */
  standsFor?: RowPlace;
  /** What was looked up for it; absent: nothing. */
  lookedUp?: readonly LookedUp[];
}

export type SliceRun =
  /** `endProblem`: the file breaks off behind these rows, which stand. */
  | {
      outcome: 'rows';
      rows: MappedRow[];
      checkpoint: Checkpoint;
      finished: boolean;
      endProblem: Problem | null;
      /** Of the file, as the reader names them. */
      columns: readonly string[];
      groups: Omit<GroupedSlice, 'placed'>;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Problem[] };

/** What earlier slices of the file left behind for those that follow. */
export interface SliceBefore {
  open: RowGroup | null;
  wasClosed(key: string): boolean;
  /** What is staged of a group whose rows may stand anywhere. */
  stagedSize(key: string): StagedSize;
}

export const NOTHING_BEFORE: SliceBefore = {
  open: null,
  wasClosed: () => false,
  stagedSize: () => ({ rows: 0, characters: 0 }),
};

const NO_GROUPS: Omit<GroupedSlice, 'placed'> = {
  open: null,
  closedKeys: [],
  staged: [],
  marks: [],
};

/**
 * @param slice `bytes` begin at `checkpoint.byte`; `atEnd` when they reach the end of the file.
 * @returns `more` when no whole record fits and a longer slice may help.
 */
export function runSlice(
  mapping: CompiledMapping,
  rule: ScacRule,
  slice: { bytes: Uint8Array; atEnd: boolean; checkpoint: Checkpoint },
  before: SliceBefore = NOTHING_BEFORE,
): SliceRun {
  const read = mapping.reader.read(slice.checkpoint, slice.bytes, slice.atEnd);
  if (read.outcome !== 'records') return read;
  const { columns, checkpoint, finished, endProblem } = read;
  const bound = mapping.bind(columns);
  if (!bound.ok) return { outcome: 'unreadable', problems: bound.error };
  const end = !finished ? 'more' : endProblem === null ? 'whole' : 'cut';
  const { placed, ...groups } = placeAll(bound.value, read.records, end, before);
  const sources = [...(before.open?.rows ?? []), ...read.records];
  const rows = withReplaced(rowsOf(placed, rule, mapping), sources);
  return { outcome: 'rows', rows, checkpoint, finished, endProblem, columns, groups };
}

function placeAll(
  mapping: BoundMapping,
  records: readonly ReadRecord[],
  end: RecordsEnd,
  before: SliceBefore,
): GroupedSlice {
  if (mapping.group === undefined) {
    return { placed: records.map((record) => mapRecord(mapping.map, record)), ...NO_GROUPS };
  }
  return groupSlice(mapping, mapping.group, { records, end, ...before });
}

/** Says of each row which one it replaces, where the records it was made of say so. */
export function withReplaced(rows: MappedRow[], records: readonly ReadRecord[]): MappedRow[] {
  const replaced = new Map(
    records.flatMap(({ position, replaces }) => (replaces === undefined ? [] : [[position.record, replaces] as const])),
  );
  if (replaced.size === 0) return rows;
  return rows.map((row) => {
    const replaces = replaced.get(row.position.record);
    return replaces === undefined ? row : { ...row, replaces };
  });
}

/** @returns the rows, with whose they are in every order that is made and does not say it, and beside every change; null: nobody asks. */
export function withOrderPairs(rows: readonly MappedRow[], pair: OrderPair | null): readonly MappedRow[] {
  if (pair === null) return rows;
  return rows.map((row) => ({ ...row, requests: row.requests.map((request) => paired(request, pair)) }));
}

export function paired(request: MappedRow['requests'][number], pair: OrderPair): MappedRow['requests'][number] {
  switch (request.kind) {
    case 'order.create':
      return { ...request, body: withOrderPair(request.body, pair) };
    case 'order.update':
    case 'order.upsert':
      return { ...request, body: { ...request.body, pair } };
    default:
      return request;
  }
}

/** Placed records → rows, with what the key's SCACs say about them. */
export function rowsOf(
  placed: readonly PlacedRecord[],
  rule: ScacRule,
  mapping: Pick<CompiledMapping, 'scacPath'>,
): MappedRow[] {
  const rows = placed.map((record) => mappedRow(record, rule, mapping.scacPath));
  const leads = new Map(rows.map((row) => [row.position.record, row]));
  return rows.map((row) => {
    const lead = row.group === null ? undefined : leads.get(row.group);
    // A group whose carrier code is refused is refused as a whole.
    if (lead === undefined || lead.state !== 'invalid' || row.state === 'invalid') return row;
    return { ...row, state: 'invalid', problems: [spoiltBy([lead.position.record])] };
  });
}

function mappedRow({ position, mapped }: PlacedRecord, rule: ScacRule, scacPath: string | null): MappedRow {
  const { problems, requests } = withScac(mapped, rule, scacPath);
  const isFollower = mapped.group !== undefined && mapped.group !== position.record;
  const group = isFollower ? (mapped.group ?? null) : null;
  const lookedUp = mapped.lookedUp === undefined ? {} : { lookedUp: mapped.lookedUp };
  if (problems.length > 0 && requests.length === 0)
    return { position, state: 'invalid', problems, requests, group, ...lookedUp };
  const nothing = isFollower ? mapped.skipped : requests.length === 0;
  return { position, state: nothing ? 'skipped' : null, problems, requests, group, ...lookedUp };
}

/** What is wrong with a SCAC is said once, however many requests of the record share it, and costs them all. */
function withScac(
  mapped: MappedRecord,
  rule: ScacRule,
  scacPath: string | null,
): { problems: Problem[]; requests: MappedRow['requests'] } {
  const isOfRecord = mapped.requests.some(({ scac }) => scac !== undefined);
  const path = isOfRecord ? (scacPath ?? UPLOAD_SCAC) : UPLOAD_SCAC;
  const placed = mapped.requests.map((request) => ({ ...request, scac: request.scac ?? rule.scac }));
  const scacs = new Set(placed.map(({ scac }) => scac));
  const problems = [...scacs].flatMap((scac) => scacProblems(scac, rule, path));
  return {
    problems: [...mapped.errors, ...problems],
    requests:
      problems.length > 0
        ? []
        : placed.flatMap(({ scac, ...request }) => (scac === null ? [] : [{ ...request, scac }])),
  };
}

/** The parameter of the upload. */
const UPLOAD_SCAC = 'scac';

function scacProblems(scac: string | null, rule: ScacRule, path: string): Problem[] {
  if (scac === null) return [scacMissing(rule)];
  return rule.allowed.includes(scac) ? [] : [scacNotAllowed(scac, rule, path)];
}

const scacMissing = (rule: ScacRule): Problem => ({
  code: 'scac_missing',
  path: '',
  value: '',
  message: 'This record names no SCAC, and the upload named none.',
  fix: `Add scac=… to the upload address; your key may use ${rule.allowed.join(', ')}.`,
});

const scacNotAllowed = (scac: string, rule: ScacRule, path: string): Problem => ({
  code: 'scac_not_allowed',
  path,
  value: scac,
  message: `Your key may not send for SCAC ${scac}.`,
  fix: `Use one of ${rule.allowed.join(', ')}, or ask the operator to add ${scac} to your key.`,
});
