/**
 * How the rows of a batch are shown as cells and written as a file again, format by format. Whole groups or nothing of
 * them: a row that cannot be shown keeps the others of its group from being sent.
 */
import type { Context } from 'hono';
import { CORRECTABLE } from '../../batch/core/tally.ts';
import { type CellChange, correctedSets, type SegmentRow, segmentRows } from '../../batch/envelopes/corrected-sets.ts';
import { underPolicy } from '../../batch/envelopes/validate.ts';
import { pinnedMapping } from '../../batch/files/pinned.ts';
import {
  type CorrectedRow,
  cellsAtFault,
  correctedCsv,
  correctedJsonFile,
  correctedLine,
  fixedRow,
  jsonRow,
  type NotWritable,
  ownCells,
  unquotableIn,
} from '../../batch/report/corrected-rows.ts';
import { aroundRecords } from '../../batch/report/correction-file.ts';
import { type FixedPort, fixedCorrections } from '../../batch/report/corrections.ts';
import { notWritableCell } from '../../batch/report/fixed-cells.ts';
import { type OriginalRow, originalRow } from '../../batch/report/original.ts';
import type { BatchRow } from '../../batch/report/summary.ts';
import { leadOf, type WrittenRows } from '../../batch/report/trial.ts';
import type { FixedSource } from '../../formats/fixed/declaration.ts';
import type { SegmentSource } from '../../formats/reader.ts';
import { DEFAULT_POLICY } from '../../formats/segments/parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import { sheetAsCsv } from '../../formats/xlsx/declaration.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { CORRECTED_ROWS_MAX, SETS_FILE_BYTES_MAX } from '../../ops/publishing/limits.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { FoundBatch } from '../views/batch-lookup.ts';
import { filesOf, ownFiles } from '../views/stored-files.ts';

type Own = Context<HttpBindings>;

/** A row as cells, or why it has none here, for whoever sent it; also why some of it cannot be corrected here. */
export type ShownRow = (CorrectedRow & { why?: string }) | { why: string };

export interface Grid {
  mapping: CompiledMapping;
  rowsOf(rows: readonly BatchRow[]): Promise<Map<number, ShownRow>>;
  /** @param rows in the order of the file. @returns the first cell that cannot be written as it is now. */
  written(rows: readonly CorrectedRow[]): Promise<Result<WrittenRows, NotWritable>>;
  /** Its rows have no room to say which they replace. */
  isMute?: true;
}

/** @returns why rows of this batch cannot be corrected one by one, for whoever sent it. */
export async function gridOf(context: Own, batch: FoundBatch): Promise<Result<Grid, string>> {
  const { summary } = batch;
  if (summary.dryRun)
    return err('This was a dry run: nothing of it was sent. Correct the rows in your file, and send the file.');
  if (summary.bytesDeletedAt !== null) return err('The file is kept no longer, so its rows cannot be shown.');
  if (summary.messages !== null)
    return err('These rows came as messages: correct them where they are made, and send them again.');
  const mapping = underPolicy(await pinnedMapping(context.env.FILES, summary.mappingSha256), summary.envelopes);
  const { source } = mapping;
  const { batchId } = summary;
  const from: GridFrom = { context, batch, mapping };
  switch (source.format) {
    case 'x12':
    case 'edifact':
      return ofSets(from, source);
    case 'xml':
      return err(
        (summary.files?.length ?? 1) === 1
          ? 'The rows of an XML file are corrected in a file: get the rows to correct, change them, and send that file.'
          : 'The rows of several XML documents are corrected in the documents themselves: each row names its document and line. Send a document with the corrected records alone.',
      );
    case 'json':
    case 'ndjson':
      return ok({
        mapping,
        rowsOf: eachByItself(from, ({ record, errors }, { text }) =>
          jsonRow(
            record,
            text,
            errors.flatMap(({ path }) => path.split(', ')),
          ),
        ),
        written: async (rows) => allOf(rows, correctedJsonFile(batchId, aroundRecords(source), rows)),
      });
    case 'fixed':
      return ok(ofFixed(from, source));
    case 'csv':
    case 'xlsx': {
      const asCsv = source.format === 'csv' ? source : sheetAsCsv(source);
      if (!asCsv.header)
        return err('This file has no column names, so a corrected row could not say which one it replaces.');
      return ok({
        mapping,
        rowsOf: eachByItself(from, ({ record }, { cells }) =>
          cells === null ? null : { record, cells: ownCells(cells) },
        ),
        async written(rows) {
          const unfit = unquotableIn(rows, asCsv);
          return unfit === undefined ? allOf(rows, correctedCsv(asCsv, batchId, rows)) : err(unfit);
        },
      });
    }
  }
}

interface GridFrom {
  context: Own;
  batch: FoundBatch;
  mapping: CompiledMapping;
}

const allOf = (rows: readonly CorrectedRow[], text: string): Result<WrittenRows, never> =>
  ok({ bytes: new Uint8Array(new TextEncoder().encode(text)), records: rows.map(({ record }) => record) });

/** The lines are written as in a file of corrections: below the lines they belong to, before a trailer that counts them. */
const ofFixed = (from: GridFrom, source: FixedSource): Grid => ({
  mapping: from.mapping,
  isMute: true,
  rowsOf: eachByItself(from, ({ record }, { text }) => fixedRow(record, text, source)),
  async written(rows) {
    for (const { record, cells } of rows) {
      const cell = notWritableCell(cells, source.encoding);
      if (cell !== undefined)
        return err({
          record,
          cell,
          why: `the field has ${cell.charactersMax} characters, in the characters of the file`,
        });
    }
    const corrected = new Map(rows.map((row) => [row.record, correctedLine(row, source)]));
    const found = await from.batch.stub.rowsAt([...corrected.keys()]);
    const port: FixedPort = {
      files: await filesOf(ownFiles(from.context), from.batch),
      corrected,
      rows: async (after, limit) => found.filter(({ record }) => record > after).slice(0, limit),
    };
    return ok({ bytes: await wholeBytes(fixedCorrections(port, source)), records: rows.map(({ record }) => record) });
  },
});

const IN_ITS_SYSTEM = 'Correct it in the system that makes the file, and send that in a new interchange.';
const SET_REFUSED = `Its whole set was refused, not one text in it. ${IN_ITS_SYSTEM}`;
const NO_CELL = `What is missing cannot be added here. ${IN_ITS_SYSTEM}`;

/**
 * The sets of corrected rows are cut out of their interchange, in its envelopes and under its control numbers; other records
 * of these sets only come along.
 */
async function ofSets({ context, batch, mapping }: GridFrom, declared: SegmentSource): Promise<Result<Grid, string>> {
  const [file, ...others] = await filesOf(ownFiles(context), batch);
  if (file === undefined || others.length > 0)
    return err('The rows of several EDI files in one archive cannot be corrected here: send each file by itself.');
  if (file.source.bytes > SETS_FILE_BYTES_MAX)
    return err(
      `An EDI file of more than ${SETS_FILE_BYTES_MAX / 1024 / 1024} MiB is corrected in the system that makes it.`,
    );
  const from = { source: file.source, declared, policy: batch.summary.envelopes ?? DEFAULT_POLICY };
  const known = new Map<number, SegmentRow>();
  return ok({
    mapping,
    isMute: true,
    async rowsOf(rows) {
      const pathsOf = ({ errors }: BatchRow): string[] => errors.flatMap(({ path }) => path.split(', '));
      const read = await segmentRows(from, mapping.shape, new Map(rows.map((row) => [row.record, pathsOf(row)])));
      for (const [record, row] of read) known.set(record, row);
      return new Map(rows.map((row): [number, ShownRow] => [row.record, shownSetRow(row, read.get(row.record))]));
    },
    async written(rows) {
      const changes = rows.flatMap(({ record, cells }) => {
        const row = known.get(record);
        return (row?.cells ?? []).flatMap((cell, at): CellChange[] => {
          const text = (cells[at]?.text ?? cell.text).trim();
          return row === undefined || text === cell.text ? [] : [{ record, cell, writing: row.writing, text }];
        });
      });
      const written = await correctedSets(from, new Set(rows.map(({ record }) => record)), changes);
      if (written.ok) return written;
      const { change, why } = written.error;
      return err({ record: change.record, cell: { column: change.cell.column, text: change.text }, why });
    },
  });
}

function shownSetRow({ record, errors }: BatchRow, row: SegmentRow | undefined): ShownRow {
  if (row === undefined) return { why: SET_REFUSED };
  const cells = row.cells.map(({ column, text }) => ({ column, text }));
  const columns = cells.map(({ column }) => column);
  const isMissing = errors.some(({ path }) => cellsAtFault(path, columns).length === 0);
  return { record, cells, ...(isMissing ? { why: NO_CELL } : {}) };
}

async function wholeBytes(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  return new Uint8Array(Buffer.concat(read));
}

const TOO_LONG = 'This row is too long to be shown here. Change it in your file, and send that.';
const UNDIVIDED = 'This row cannot be divided into cells. Change it in your file, and send that.';

/** Rows that can be read each by itself, from its own bytes. @param shown null: it cannot be divided into cells. */
const eachByItself =
  (
    { context, batch, mapping }: GridFrom,
    shown: (row: BatchRow, original: OriginalRow) => CorrectedRow | null,
  ): Grid['rowsOf'] =>
  async (rows) => {
    const files = (await filesOf(ownFiles(context), batch)).map((file) => ({
      ...file,
      source: withStart(file.source),
    }));
    const found = new Map<number, ShownRow>();
    for (const row of rows) {
      const file = files.find(({ name }) => name === row.position.file);
      const original = file === undefined ? null : await originalRow(file.source, mapping, row.position);
      const cells = original === null || original.isCut ? null : shown(row, original);
      found.set(row.record, cells ?? { why: original?.isCut ? TOO_LONG : UNDIVIDED });
    }
    return found;
  };

/** The beginning of a file says its columns: it is read once for all rows. */
function withStart(source: StoredBytes): StoredBytes {
  const known = new Map<number, Promise<Uint8Array>>();
  return {
    bytes: source.bytes,
    read(offset, length) {
      if (offset > 0) return source.read(offset, length);
      const read = known.get(length) ?? source.read(offset, length);
      known.set(length, read);
      return read;
    },
  };
}

/* Rows of one order that stand over several lines. */

const UNCERTAIN: readonly string[] = ['group_uncertain', 'group_reopened', 'group_too_large', 'group_key_missing'];
const WHOLE_IN_FILE = 'Change it in your file, and send all rows of the order again.';

/** @returns why a group cannot be sent from here; null: it can. @param rows all of it. */
function whyNot({ group }: CompiledMapping, rows: readonly BatchRow[]): string | null {
  if (group === undefined) return null;
  if (rows.length > CORRECTED_ROWS_MAX)
    return `Its order has ${rows.length} rows, more than the ${CORRECTED_ROWS_MAX} that can be corrected here. ${WHOLE_IN_FILE}`;
  if (rows.length > 1) return null;
  if (rows[0]?.errors.some(({ code }) => UNCERTAIN.includes(code)))
    return `Which other rows belong to its order is not certain. ${WHOLE_IN_FILE}`;
  if (group.invalidRow === 'row') return `The other rows of its order may have been sent without it. ${WHOLE_IN_FILE}`;
  return null;
}

const isOpen = ({ state, replacedBy }: BatchRow): boolean => CORRECTABLE.includes(state) && replacedBy === null;

/** Rows that can be corrected still, as cells, with the other rows of their groups; no more groups than have so many rows. */
export async function openRows(
  grid: Grid,
  { stub }: FoundBatch,
  records: readonly number[],
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<{ row: BatchRow; shown: ShownRow }[]> {
  const rows = (await stub.groupsAt(records)).filter(isOpen);
  const groups = firstOf([...Map.groupBy(rows, leadOf).values()], rowsMax);
  const reasons = groups.map((group) => whyNot(grid.mapping, group));
  const cells = await grid.rowsOf(groups.flatMap((group, at) => (reasons[at] === null ? group : [])));
  return groups.flatMap((group, at) => {
    const without = group.find(({ record }) => !('cells' in (cells.get(record) ?? UNSHOWN)));
    const why = reasons[at] ?? (group.length > 1 && without !== undefined ? notShown(without) : null);
    return group.map((row) => ({ row, shown: why === null ? (cells.get(row.record) ?? UNSHOWN) : { why } }));
  });
}

/** At least one. */
function firstOf<Row>(groups: readonly (readonly Row[])[], rowsMax: number): readonly (readonly Row[])[] {
  let rows = 0;
  const beyond = groups.findIndex((group, at) => {
    rows += group.length;
    return at > 0 && rows > rowsMax;
  });
  return beyond === -1 ? groups : groups.slice(0, beyond);
}

const UNSHOWN: ShownRow = { why: UNDIVIDED };
const notShown = ({ record }: BatchRow): string => `Row ${record} of its order cannot be shown here. ${WHOLE_IN_FILE}`;

/** How often a batch is asked for one page, where what it names is corrected already. Ours: far below what a platform lets one request ask. */
export const OPEN_ROWS_LOOKS_MAX = 100;

/**
 * Rows that can be corrected still, after one of them; a group is listed where its first row is, and whole. A page may be
 * empty and have others behind it.
 * @property last the last one that was looked at; null: there are no more.
 */
export async function openRowsAfter(
  grid: Grid | null,
  batch: FoundBatch,
  after: number,
  limit: number,
): Promise<{ rows: { row: BatchRow; shown: ShownRow | null }[]; last: number | null }> {
  for (let from = after, looks = 1; ; looks += 1) {
    const found = await batch.stub.rows(from, limit, CORRECTABLE);
    const last = found.length === limit ? (found.at(-1)?.record ?? null) : null;
    const first = found.filter((row) => isOpen(row) && (grid === null || row.group === null));
    if (first.length === 0 && last !== null && looks < OPEN_ROWS_LOOKS_MAX) {
      from = last;
      continue;
    }
    if (grid === null) return { rows: first.map((row) => ({ row, shown: null })), last };
    const leads = first.map(({ record }) => record);
    const rows = await openRows(grid, batch, leads, limit);
    const listed = new Set(rows.map(({ row }) => leadOf(row)));
    const left = leads.find((lead) => !listed.has(lead));
    return { rows, last: left === undefined ? last : left - 1 };
  }
}
