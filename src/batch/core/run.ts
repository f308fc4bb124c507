/**
 * One slice of a batch's bytes → rows and requests. Pure: the object reads the bytes and stores the result.
 * Replaying a slice gives the same rows under the same numbers, because records are numbered by the bytes.
 */

import type { Checkpoint } from '../../formats/reader.ts';
import type { ReadRecord, ReplacedRow } from '../../formats/record-reader.ts';
import type { ReadPart } from '../../formats/segments/tree.ts';
import type { OrderFeedKey } from '../../kernel/names.ts';
import type { Position, Problem } from '../../kernel/problem.ts';
import {
  type BoundMapping,
  type CompiledMapping,
  type LocatedRecord,
  mapRecord,
} from '../../mapping/compile/compile.ts';
import {
  addRow,
  beginGroup,
  type Grouped,
  type GroupingInput,
  type GroupReader,
  groupAdjacent,
  locateRow,
  NO_KEY,
  newGroup,
  type RecordsEnd,
  type RowGroup,
  unplaced,
} from '../../mapping/groups/grouping.ts';
import { mapGrouped, spoiltBy } from '../../mapping/groups/map-group.ts';
import type { LookedUp } from '../../mapping/lookups/lookup.ts';
import type { MappedRecord, MappedRequest } from '../../mapping/request.ts';
import { withOrderFeedKey } from '../../upstream/contracts/order-pair.ts';
import type { RowLocation } from './row.ts';
import type { BatchTicket } from './ticket.ts';

/*
 * The rows of one slice → groups. Adjacent groups are mapped as they close. Rows of groups that may be anywhere become
 * pending, and are mapped once the file has ended.
 */

/** A row that waits for the end of its file. */
interface PendingRow {
  key: string;
  record: ReadRecord;
}

export interface PendingSize {
  rows: number;
  characters: number;
}

/** What is known of a pending group besides its rows. */
interface PendingCheckpoint {
  key: string;
  /** It has more rows than a group may have. */
  tooLarge: boolean;
  /** Number of a record that cannot be located and may belong to it. */
  doubtfulRecord: number | null;
}

export interface GroupedSlice {
  placed: LocatedRecord[];
  /** Adjacent: the group not closed yet. Anywhere: the last rows, which may still belong to the next group. */
  open: RowGroup | null;
  closedKeys: string[];
  staged: PendingRow[];
  marks: PendingCheckpoint[];
}

export function groupSlice(
  mapping: BoundMapping,
  reader: GroupReader,
  input: GroupingInput & { pendingSize(key: string): PendingSize },
): GroupedSlice {
  if (reader.order === 'anywhere') return stageSlice(mapping, reader, input);
  const { grouped, open, closedKeys } = groupAdjacent(reader, input);
  return { placed: grouped.flatMap((each) => mapGrouped(mapping, each)), open, closedKeys, staged: [], marks: [] };
}

function stageSlice(
  mapping: BoundMapping,
  reader: GroupReader,
  { open, records, end, pendingSize }: GroupingInput & { pendingSize(key: string): PendingSize },
): GroupedSlice {
  const staging = new Staging(mapping, pendingSize);
  let last = open && { ...open, rows: [...open.rows] };
  for (const record of records) {
    const located = locateRow(reader, record, last);
    if (located.place === 'skipped') {
      staging.pass({ outcome: 'skipped', record });
      continue;
    }
    if (located.place === 'doubtful') last ??= newGroup(NO_KEY);
    else if (last?.key !== located.key) {
      const next = beginGroup(reader, last, located.key);
      staging.take(last);
      last = next;
    } else if (located.row.problem === undefined) {
      staging.take(last); // only rows since the last well-formed one can turn out to belong elsewhere
      last = newGroup(located.key);
    }
    if (last !== null) addRow(last, located.row);
  }
  if (end !== 'more') {
    staging.take(last);
    last = null;
  }
  return {
    placed: staging.placed,
    open: last,
    closedKeys: [],
    staged: staging.rows,
    marks: [...staging.marks.values()],
  };
}

/** Collects the pending rows of a slice; a full group accepts no more rows and reports each. */
class Staging {
  readonly placed: LocatedRecord[] = [];
  readonly rows: PendingRow[] = [];
  readonly marks = new Map<string, PendingCheckpoint>();
  readonly #mapping: BoundMapping;
  readonly #pendingSize: (key: string) => PendingSize;
  /** How full the groups of this slice are. */
  readonly #sizes = new Map<string, RowGroup>();

  constructor(mapping: BoundMapping, pendingSize: (key: string) => PendingSize) {
    this.#mapping = mapping;
    this.#pendingSize = pendingSize;
  }

  pass(grouped: Grouped): void {
    this.placed.push(...mapGrouped(this.#mapping, grouped));
  }

  take(group: RowGroup | null): void {
    if (group === null) return;
    if (group.key === NO_KEY) {
      for (const grouped of unplaced(group.rows)) this.pass(grouped);
      return;
    }
    const size = this.#sizes.get(group.key) ?? sized(group.key, this.#pendingSize(group.key));
    this.#sizes.set(group.key, size);
    for (const record of group.rows) {
      addRow(size, record);
      if (!size.tooLarge && !group.tooLarge) this.rows.push({ key: group.key, record });
      else this.pass({ outcome: 'group', group: { ...newGroup(group.key), rows: [record], tooLarge: true } });
    }
    this.#mark(group, size.tooLarge || group.tooLarge);
  }

  #mark({ key, doubtfulRecord }: RowGroup, tooLarge: boolean): void {
    if (doubtfulRecord === null && !tooLarge) return;
    const known = this.marks.get(key);
    this.marks.set(key, {
      key,
      tooLarge: tooLarge || known?.tooLarge === true,
      doubtfulRecord: known?.doubtfulRecord ?? doubtfulRecord,
    });
  }
}

/** A group of the size of its pending rows; their contents are not needed to know whether another fits. */
const sized = (key: string, { rows, characters }: PendingSize): RowGroup => ({
  ...newGroup(key),
  rows: new Array(rows),
  characters,
});

/** A complete group. */
export interface PendingGroup extends PendingCheckpoint {
  rows: ReadRecord[];
}

/** @param cutOff the file breaks off, so any of its groups may lack rows. */
export function locatePending(
  mapping: BoundMapping,
  groups: readonly PendingGroup[],
  cutOff: boolean,
): LocatedRecord[] {
  return groups.flatMap(({ key, rows, tooLarge, doubtfulRecord }) =>
    mapGrouped(mapping, { outcome: 'group', group: { ...newGroup(key), rows, tooLarge, doubtfulRecord, cutOff } }),
  );
}

/** SCACs the upload's key may send for. */
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
  /** Set when the record has no request; a record with requests can have problems, too. */
  state: 'invalid' | 'skipped' | 'duplicate' | null;
  problems: Problem[];
  requests: (MappedRequest & { scac: string })[];
  /** Number of the record that carries the requests of its group; null: it has no group, or carries them itself. */
  group: number | null;
  /** The row of an earlier batch that it replaces, as the file says. */
  replaces?: ReplacedRow;
  /** The row that is resolved once this one is delivered. */
  standsFor?: RowLocation;
  /** Its lookups; absent: none. */
  lookedUp?: readonly LookedUp[];
}

export type SliceRun =
  /** `endProblem`: the file breaks off after these rows, which stay valid. */
  | {
      outcome: 'rows';
      rows: MappedRow[];
      checkpoint: Checkpoint;
      finished: boolean;
      endProblem: Problem | null;
      /** The file's columns, as the reader names them. */
      columns: readonly string[];
      /** What the rows were read from, in order; undefined: the format has no envelopes, or rows form groups. */
      parts?: readonly ReadPart[] | undefined;
      groups: Omit<GroupedSlice, 'placed'>;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Problem[] };

/** State from earlier slices of the file. */
interface SliceBefore {
  open: RowGroup | null;
  wasClosed(key: string): boolean;
  /** Size of the pending rows of a group that may be anywhere. */
  pendingSize(key: string): PendingSize;
}

const NOTHING_BEFORE: SliceBefore = {
  open: null,
  wasClosed: () => false,
  pendingSize: () => ({ rows: 0, characters: 0 }),
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
  const parts = mapping.group === undefined ? read.parts : undefined;
  const bound = mapping.bind(columns);
  if (!bound.ok) return { outcome: 'unreadable', problems: bound.error };
  const end = !finished ? 'more' : endProblem === null ? 'whole' : 'cut';
  const { placed: located, ...groups } = locateAll(bound.value, read.records, end, before);
  const sources = [...(before.open?.rows ?? []), ...read.records];
  const rows = withReplaced(rowsOf(located, rule, mapping), sources);
  return { outcome: 'rows', rows, checkpoint, finished, endProblem, columns, parts, groups };
}

function locateAll(
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

/** Adds to each row which one it replaces, if its records say so. */
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

/**
 * @returns the rows, with the order-feed key in every order created without one and next to every change; null: no
 * feed.
 */
export function withOrderFeedKeys(rows: readonly MappedRow[], pair: OrderFeedKey | null): readonly MappedRow[] {
  if (pair === null) return rows;
  return rows.map((row) => ({ ...row, requests: row.requests.map((request) => paired(request, pair)) }));
}

export function paired(request: MappedRow['requests'][number], pair: OrderFeedKey): MappedRow['requests'][number] {
  switch (request.kind) {
    case 'order.create':
      return { ...request, body: withOrderFeedKey(request.body, pair) };
    case 'order.update':
    case 'order.upsert':
      return { ...request, body: { ...request.body, pair } };
    default:
      return request;
  }
}

/** Located records → rows, with the problems of their SCACs. */
export function rowsOf(
  located: readonly LocatedRecord[],
  rule: ScacRule,
  mapping: Pick<CompiledMapping, 'scacPath'>,
): MappedRow[] {
  const rows = located.map((record) => mappedRow(record, rule, mapping.scacPath));
  const leads = new Map(rows.map((row) => [row.position.record, row]));
  return rows.map((row) => {
    const lead = row.group === null ? undefined : leads.get(row.group);
    // A group whose carrier code is refused is refused as a whole.
    if (lead === undefined || lead.state !== 'invalid' || row.state === 'invalid') return row;
    return { ...row, state: 'invalid', problems: [spoiltBy([lead.position.record])] };
  });
}

function mappedRow({ position, mapped }: LocatedRecord, rule: ScacRule, scacPath: string | null): MappedRow {
  const { problems, requests } = withScac(mapped, rule, scacPath);
  const isFollower = mapped.group !== undefined && mapped.group !== position.record;
  const group = isFollower ? (mapped.group ?? null) : null;
  const lookedUp = mapped.lookedUp === undefined ? {} : { lookedUp: mapped.lookedUp };
  if (problems.length > 0 && requests.length === 0)
    return { position, state: 'invalid', problems, requests, group, ...lookedUp };
  const nothing = isFollower ? mapped.skipped : requests.length === 0;
  return { position, state: nothing ? 'skipped' : null, problems, requests, group, ...lookedUp };
}

/** A SCAC problem is reported once, however many requests of the record share it, and refuses them all. */
function withScac(
  mapped: MappedRecord,
  rule: ScacRule,
  scacPath: string | null,
): { problems: Problem[]; requests: MappedRow['requests'] } {
  const isOfRecord = mapped.requests.some(({ scac }) => scac !== undefined);
  const path = isOfRecord ? (scacPath ?? UPLOAD_SCAC) : UPLOAD_SCAC;
  const located = mapped.requests.map((request) => ({ ...request, scac: request.scac ?? rule.scac }));
  const scacs = new Set(located.map(({ scac }) => scac));
  const problems = [...scacs].flatMap((scac) => scacProblems(scac, rule, path));
  return {
    problems: [...mapped.errors, ...problems],
    requests:
      problems.length > 0
        ? []
        : located.flatMap(({ scac, ...request }) => (scac === null ? [] : [{ ...request, scac }])),
  };
}

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

/** Each load once: a slice has many points of few loads. */
export function tracedLoads(rows: readonly MappedRow[]): string[] {
  const traces = rows.flatMap(({ requests }) => requests.filter(({ kind }) => kind === 'trace'));
  return [...new Set(traces.map(({ scac, subject }) => JSON.stringify([scac, subject])))];
}
