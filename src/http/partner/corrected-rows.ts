/**
 * Rows corrected one by one, without a file: `GET …/batches/{id}/correctable` gives the rows with their cells, and
 * `POST …/batches/{id}/corrections` takes changed cells. Both do what a file of corrections does: the corrected rows are
 * mapped as an upload would be, and what is right is sent as one. With `dryRun=true` they are only tried.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { CORRECTABLE } from '../../batch/core/tally.ts';
import type { RowsReplaced } from '../../batch/core/ticket.ts';
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
  ownCells,
  type RowCell,
  type TriedRow,
  withChanges,
} from '../../batch/report/corrected-rows.ts';
import { aroundRecords } from '../../batch/report/correction-file.ts';
import { type FixedPort, fixedCorrections } from '../../batch/report/corrections.ts';
import { notWritableCell } from '../../batch/report/fixed-cells.ts';
import { type OriginalRow, originalRow } from '../../batch/report/original.ts';
import type { BatchRow } from '../../batch/report/summary.ts';
import type { FixedSource } from '../../formats/fixed/declaration.ts';
import { hasEnvelopes } from '../../formats/reader.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import { sheetAsCsv } from '../../formats/xlsx/declaration.ts';
import { takeUpload } from '../../intake/take-upload.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { CORRECTED_ROWS_MAX, PREVIEW_BYTES_MAX } from '../../ops/publishing/limits.ts';
import { readBody } from '../edge/body.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { pageSize, readFlag, wholeNumber } from '../edge/query.ts';
import { batchLinks, below, withParameters } from '../edge/reader.ts';
import { type FoundBatch, findBatch, ofBatch, unknownBatch } from '../views/batch-lookup.ts';
import { filesOf, ownFiles } from '../views/stored-files.ts';
import { previewOf } from './mappings.ts';
import { intakePorts, refusedUpload } from './upload.ts';

export function addCorrectedRows(routes: Hono<HttpBindings>, ports: AppPorts): void {
  routes.get('/:id/correctable', ofBatch(correctable));
  routes.post('/:id/corrections', (context) => correct(context, ports));
}

type Own = Context<HttpBindings>;

/** How the rows of a file are shown as cells, and written as a file again. */
interface Table {
  mapping: CompiledMapping;
  rowOf(row: BatchRow, original: OriginalRow): CorrectedRow | null;
  /** @param rows in the order of the file. */
  written(batchId: string, rows: readonly CorrectedRow[]): Uint8Array | Promise<Uint8Array>;
  /** A cell that cannot be written as it is now. */
  notWritable?: (row: CorrectedRow) => RowCell | undefined;
  /** Its rows have no room to say which they replace. */
  isMute?: true;
}

/** @returns why rows of this batch cannot be corrected one by one, for whoever sent it. */
async function tableOf(context: Own, batch: FoundBatch): Promise<Result<Table, string>> {
  const { summary } = batch;
  if (summary.bytesDeletedAt !== null) return err('The file is kept no longer, so its rows cannot be shown.');
  if (summary.messages !== null)
    return err('These rows came as messages: correct them where they are made, and send them again.');
  const mapping = underPolicy(await pinnedMapping(context.env.FILES, summary.mappingSha256), summary.envelopes);
  const { source, group } = mapping;
  if (source.format === 'x12' || source.format === 'edifact')
    return err('An EDI file is corrected in the system that makes it: only that can give it new control numbers.');
  if (source.format === 'xml')
    return err(
      'The rows of an XML file are corrected in a file: get the rows to correct, change them, and send that file.',
    );
  if (group !== undefined)
    return err(
      'Several rows of this file make one order, so they are corrected together: get the rows to correct as a file.',
    );
  if (source.format === 'json' || source.format === 'ndjson') return ok(ofJson(mapping, source));
  if (source.format === 'fixed') return ok(ofFixed(mapping, source, { context, batch }));
  const asCsv = source.format === 'csv' ? source : sheetAsCsv(source);
  if (!asCsv.header)
    return err('This file has no column names, so a corrected row could not say which one it replaces.');
  return ok({
    mapping,
    rowOf: ({ record }, { cells }) => (cells === null ? null : { record, cells: ownCells(cells) }),
    written: (batchId, rows) => bytesOf(correctedCsv(asCsv, batchId, rows)),
  });
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The lines are written as in a file of corrections: below the lines they belong to, before a trailer that counts them. */
const ofFixed = (
  mapping: CompiledMapping,
  source: FixedSource,
  { context, batch }: { context: Own; batch: FoundBatch },
): Table => ({
  mapping,
  isMute: true,
  rowOf: ({ record }, { text, isCut }) => (isCut ? null : fixedRow(record, text, source)),
  notWritable: ({ cells }) => notWritableCell(cells, source.encoding),
  async written(_, rows) {
    const corrected = new Map(rows.map((row) => [row.record, correctedLine(row, source)]));
    const found = await batch.stub.rowsAt([...corrected.keys()]);
    const port: FixedPort = {
      files: await filesOf(ownFiles(context), batch),
      corrected,
      rows: async (after, limit) => found.filter(({ record }) => record > after).slice(0, limit),
    };
    return wholeBytes(fixedCorrections(port, source));
  },
});

async function wholeBytes(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  return Buffer.concat(read);
}

const ofJson = (mapping: CompiledMapping, source: Parameters<typeof aroundRecords>[0]): Table => ({
  mapping,
  rowOf: ({ record, errors }, { text, isCut }) =>
    isCut
      ? null
      : jsonRow(
          record,
          text,
          errors.flatMap(({ path }) => path.split(', ')),
        ),
  written: (batchId, rows) => bytesOf(correctedJsonFile(batchId, aroundRecords(source), rows)),
});

const correctable = async (context: Own, batch: FoundBatch): Promise<Response> => {
  const { batchId, mapping } = batch.summary;
  const table = await tableOf(context, batch);
  const limit = pageSize(context.req.query('limit'), CORRECTED_ROWS_MAX, CORRECTED_ROWS_MAX);
  const rows = await batch.stub.rows(wholeNumber(context.req.query('after')) ?? 0, limit, CORRECTABLE);
  const open = rows.filter(({ replacedBy }) => replacedBy === null);
  const cells = table.ok ? await cellsOf(context, batch, table.value, open) : new Map<number, CorrectedRow>();
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const at = below(batchLinks(context.get('reader'), batchId).self, 'correctable');
  return context.json({
    batchId,
    mapping,
    /** Why none of them can be corrected here; null: they can. */
    why: table.ok ? null : table.error,
    /** Whether `…/corrections` gives them as a file. */
    hasFile: batch.summary.bytesDeletedAt === null && !hasEnvelopes(batch.summary.format),
    rows: open.map((row) => correctableRow(row, cells.get(row.record) ?? null)),
    next: last === undefined ? null : withParameters(at, { after: String(last.record), limit: String(limit) }),
  });
};

const correctableRow = ({ record, position, state, errors, requests }: BatchRow, row: CorrectedRow | null) => {
  const told = requests.find((request) => request.state === state);
  return {
    record,
    line: position.line,
    place: position.place ?? null,
    file: position.file ?? null,
    state,
    cells: row?.cells ?? null,
    errors: errors.map((each) => located(each, row)),
    /** Of a row that was refused: the answer. */
    answer: told?.answer ?? null,
    reason: told?.reason ?? null,
  };
};

const located = (each: BatchRow['errors'][number], row: CorrectedRow | null) => ({
  ...each,
  /** Places of the cells at fault in `cells`, from 0; none: no single cell is. */
  cells: cellsAtFault(each.path, row?.cells.map(({ column }) => column) ?? []),
});

/** By record. A row that is too long to be read here has none. */
async function cellsOf(
  context: Own,
  batch: FoundBatch,
  { mapping, rowOf }: Table,
  rows: readonly BatchRow[],
): Promise<Map<number, CorrectedRow>> {
  const files = (await filesOf(ownFiles(context), batch)).map((file) => ({ ...file, source: withStart(file.source) }));
  const found = new Map<number, CorrectedRow>();
  for (const row of rows) {
    const file = files.find(({ name }) => name === row.position.file);
    const original = file === undefined ? null : await originalRow(file.source, mapping, row.position);
    const shown = original === null ? null : rowOf(row, original);
    if (shown !== null) found.set(row.record, shown);
  }
  return found;
}

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

const correctedForm = z.strictObject({
  rows: z
    .array(z.strictObject({ record: z.int().min(1), cells: z.record(z.string(), z.string()) }))
    .min(1)
    .max(CORRECTED_ROWS_MAX),
});

async function correct(context: Own, ports: AppPorts): Promise<Response> {
  const dryRun = readFlag(context.req.query(), 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const table = await tableOf(context, batch);
  if (!table.ok) return notHere(context, table.error);
  const asked = await readForm(context);
  if (asked === undefined) return unreadable(context);
  const rows = await batch.stub.rowsAt(asked.map(({ record }) => record));
  const open = rows.filter(({ state, replacedBy }) => CORRECTABLE.includes(state) && replacedBy === null);
  const cells = await cellsOf(context, batch, table.value, open);
  const changed: CorrectedRow[] = [];
  for (const { record, cells: changes } of asked.toSorted((one, other) => one.record - other.record)) {
    const row = cells.get(record);
    const made = row === undefined ? { unknown: `row ${record}` } : withChanges(row, changes);
    if ('unknown' in made) return unknownCell(context, made.unknown);
    const notWritable = table.value.notWritable?.(made);
    if (notWritable !== undefined) return notWritableIn(context, notWritable, record);
    changed.push(made);
  }
  const { batchId, mapping } = batch.summary;
  const preview = await previewOf(context, ports, mapping, await table.value.written(batchId, changed));
  if (!preview.ok) return refusedUpload(context, preview.error);
  const { records, fileProblems } = preview.value;
  const tried = changed.map((row, at): TriedRow & { errors: ReturnType<typeof located>[] } => {
    const errors = [...(records[at]?.errors ?? []), ...fileProblems];
    return { record: row.record, isReady: errors.length === 0, errors: errors.map((each) => located(each, row)) };
  });
  const ready = changed.filter((_, at) => tried[at]?.isReady);
  const counts = { ready: ready.length, left: changed.length - ready.length };
  if (dryRun.value) return context.json({ dryRun: true, mapping, ...counts, rows: tried });
  if (ready.length === 0) return nothingReady(context);
  return send(context, ports, {
    batch,
    bytes: await table.value.written(batchId, ready),
    replaces: table.value.isMute ? { batchId, records: ready.map(({ record }) => record) } : null,
    told: { ...counts, rows: tried },
  });
}

async function readForm(context: Own): Promise<z.infer<typeof correctedForm>['rows'] | undefined> {
  const body = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, PREVIEW_BYTES_MAX);
  if (!body.ok) return undefined;
  try {
    const read = correctedForm.safeParse(JSON.parse(new TextDecoder().decode(body.value)));
    return read.success ? read.data.rows : undefined;
  } catch {
    return undefined;
  }
}

async function send(
  context: Own,
  ports: AppPorts,
  {
    batch,
    bytes,
    replaces,
    told,
  }: { batch: FoundBatch; bytes: Uint8Array; replaces: RowsReplaced | null; told: object },
): Promise<Response> {
  const { mapping, scac, fileName, batchId: corrected } = batch.summary;
  const taken = await takeUpload(
    intakePorts(context, ports),
    context.get('principal'),
    {
      ...{ mapping, scac, dryRun: null, force: null, parameters: [], contentType: null, idempotencyKey: null },
      contentLength: String(bytes.byteLength),
      fileName: `corrections of ${fileName ?? corrected}`,
      ...(replaces === null ? {} : { again: replaces }),
    },
    new Response(bytes as BodyInit).body as ReadableStream<Uint8Array>,
  );
  if (!taken.ok) return refusedUpload(context, taken.error);
  const { batchId, replayed } = taken.value;
  const links = batchLinks(context.get('reader'), batchId);
  context.header('Location', links.self);
  return context.json({ dryRun: false, batchId, corrects: corrected, replayed, mapping, ...told, links }, 202);
}

const notHere = (context: Own, why: string): Response =>
  problem(context, {
    status: 404,
    code: 'corrections_not_offered',
    title: 'Not corrected row by row',
    detail: why,
    fix: 'GET …/corrections gives the rows as a file where the format allows it.',
  });

const unreadable = (context: Own): Response =>
  problem(context, {
    status: 400,
    code: 'corrections_invalid',
    title: 'Corrections not readable',
    detail: 'The body is not of the form {"rows":[{"record":7,"cells":{"Column":"text"}}]}.',
    fix: `Send at least one row and at most ${CORRECTED_ROWS_MAX}, with the changed cells as texts by column.`,
  });

const unknownCell = (context: Own, what: string): Response =>
  problem(context, {
    status: 422,
    code: 'cell_unknown',
    title: 'No such cell to correct',
    detail: `"${what.slice(0, 80)}" is no column of the row, or no row that can be corrected. Nothing was sent.`,
    fix: 'GET …/correctable lists the rows and their columns; a row that was corrected before is not among them.',
  });

const notWritableIn = (context: Own, { column, text, charactersMax = 0 }: RowCell, record: number): Response =>
  problem(context, {
    status: 422,
    code: 'cell_not_writable',
    title: 'Does not fit into its field',
    detail: `"${text.slice(0, 80)}" cannot be written into "${column}" of row ${record}: the field has ${charactersMax} characters, in the characters of the file. Nothing was sent.`,
    fix: 'Write it shorter, without line breaks, and with letters that the file can hold.',
  });

const nothingReady = (context: Own): Response =>
  problem(context, {
    status: 422,
    code: 'nothing_ready',
    title: 'No row is ready',
    detail: 'Each of the rows still has something wrong. Nothing was sent.',
    fix: 'Ask with dryRun=true for what is wrong with each, change that, and send them again.',
  });
