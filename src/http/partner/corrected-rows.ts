/**
 * Rows corrected one by one, without a file: `GET …/batches/{id}/correctable` gives the rows with their cells, and
 * `POST …/batches/{id}/corrections` takes changed cells. Both do what a file of corrections does: the corrected rows are
 * mapped as an upload would be, and what is right is sent as one. With `dryRun=true` they are only tried.
 */
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import { scacRule } from '../../batch/core/run.ts';
import type { RowsReplaced } from '../../batch/core/ticket.ts';
import { DEFAULT_RULES } from '../../batch/envelopes/validate.ts';
import {
  type CorrectedRow,
  cellsAtFault,
  type NotWritable,
  type RowCell,
  withChanges,
} from '../../batch/report/corrected-rows.ts';
import { decidingRequest } from '../../batch/report/report-csv.ts';
import type { BatchRow, BatchSummary } from '../../batch/report/summary.ts';
import { type Trial, triedRows, tryRows, type WrittenRows } from '../../batch/report/trial.ts';
import { hasEnvelopes } from '../../formats/reader.ts';
import { takeUpload } from '../../intake/take-upload.ts';
import type { UploadError } from '../../intake/upload-error.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { CORRECTED_ROWS_MAX, PREVIEW_BYTES_MAX } from '../../ops/publishing/limits.ts';
import { lookedUpFor } from '../../ops/publishing/preview.ts';
import { readBody } from '../edge/body.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { onlyKnown, pageSize, readFlag, wholeNumber } from '../edge/query.ts';
import { batchLinks, below, withParameters } from '../edge/reader.ts';
import { type FoundBatch, findBatch, ofBatch, unknownBatch } from '../views/batch-lookup.ts';
import { type Grid, gridOf, openRows, openRowsAfter, type ShownRow } from './correction-grid.ts';
import { usableMapping } from './mappings.ts';
import { intakePorts, isOfOther, refusedUpload } from './upload.ts';

export function addCorrectedRows(routes: Hono<HttpBindings>, ports: AppPorts): void {
  routes.get('/:id/correctable', ofBatch(correctable));
  routes.post('/:id/corrections', (context) => correct(context, ports));
}

type Own = Context<HttpBindings>;

const correctable = async (context: Own, batch: FoundBatch): Promise<Response> => {
  const { batchId, mapping } = batch.summary;
  const grid = await gridOf(context, batch);
  const limit = pageSize(context.req.query('limit'), CORRECTED_ROWS_MAX, CORRECTED_ROWS_MAX);
  const after = wholeNumber(context.req.query('after')) ?? 0;
  const { rows, last } = await openRowsAfter(grid.ok ? grid.value : null, batch, after, limit);
  const at = below(batchLinks(context.get('reader'), batchId).self, 'correctable');
  return context.json({
    batchId,
    mapping,
    /** Why none of them can be corrected here; null: they can. */
    why: grid.ok ? null : grid.error,
    /** Whether `…/corrections` gives them as a file. */
    hasFile: hasCorrectionFile(batch.summary),
    rows: rows.map(({ row, shown }) => correctableRow(row, shown)),
    next: last === null ? null : withParameters(at, { after: String(last), limit: String(limit) }),
  });
};

/** Sets have none, and several XML documents cannot be written as one. */
function hasCorrectionFile({ bytesDeletedAt, format, files, messages }: BatchSummary): boolean {
  if (bytesDeletedAt !== null || hasEnvelopes(format)) return false;
  return format !== 'xml' || ((files?.length ?? 1) === 1 && (messages ?? 1) === 1);
}

const correctableRow = ({ record, group, position, state, errors, requests }: BatchRow, shown: ShownRow | null) => {
  const told = decidingRequest({ state, requests });
  const cells = shown !== null && 'cells' in shown ? shown.cells : null;
  return {
    record,
    group,
    line: position.line,
    place: position.place ?? null,
    file: position.file ?? null,
    state,
    cells,
    why: shown !== null && 'why' in shown ? shown.why : null,
    errors: errors.map((each) => located(each, cells)),
    /** Of a row that was refused: the answer. */
    answer: told?.answer ?? null,
    reason: told?.reason ?? null,
  };
};

const located = (each: BatchRow['errors'][number], cells: readonly RowCell[] | null) => ({
  ...each,
  /** Places of the cells at fault in `cells`, from 0; none: no single cell is. */
  cells: cellsAtFault(each.path, cells?.map(({ column }) => column) ?? []),
});

const correctedForm = z.strictObject({
  rows: z
    .array(z.strictObject({ record: z.int().min(1), cells: z.record(z.string(), z.string()) }))
    .min(1)
    .max(CORRECTED_ROWS_MAX),
});

async function correct(context: Own, ports: AppPorts): Promise<Response> {
  const known = onlyKnown(context.req.query(), ['dryRun']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(context.req.query(), 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const grid = await gridOf(context, batch);
  if (!grid.ok) return notHere(context, grid.error);
  const asked = await readForm(context);
  if (!asked.ok) return asked.error;
  const changed = await changedRows(context, batch, grid.value, asked.value);
  if (!changed.ok) return changed.error;
  const { mapping } = batch.summary;
  const written = await grid.value.written(changed.value);
  if (!written.ok) return notWritableIn(context, written.error);
  const tried = await triedIn(context, ports, batch, written.value);
  if (!tried.ok) return refusedUpload(context, tried.error);
  const rows = triedRows(tried.value, changed.value, grid.value.mapping.group?.by ?? []);
  const ready = new Set(rows.flatMap(({ record, isReady }) => (isReady ? [record] : [])));
  const told = {
    ...{ ready: ready.size, left: rows.length - ready.size },
    rows: rows.map(({ errors, ...row }) => ({
      ...row,
      errors: errors.map((each) =>
        located(each, changed.value.find(({ record }) => record === row.record)?.cells ?? []),
      ),
    })),
  };
  if (dryRun.value) return context.json({ dryRun: true, mapping, ...told });
  if (ready.size === 0) return nothingReady(context);
  const isAll = ready.size === rows.length;
  const sent = isAll ? written : await grid.value.written(changed.value.filter(({ record }) => ready.has(record)));
  if (!sent.ok) return notWritableIn(context, sent.error);
  const { bytes, records } = sent.value;
  return send(context, ports, { batch, bytes, replaces: grid.value.isMute ? records : null, told });
}

/** The rows that were asked for, with their changes, and the others of their groups as they are. */
async function changedRows(
  context: Own,
  batch: FoundBatch,
  grid: Grid,
  asked: readonly CellChanges[],
): Promise<Result<(CorrectedRow & { group: number | null })[], Response>> {
  const changes = new Map(asked.map(({ record, cells }) => [record, cells]));
  const open = await openRows(grid, batch, [...changes.keys()]);
  const missing = [...changes.keys()].find((wanted) => !open.some(({ row }) => row.record === wanted));
  if (missing !== undefined) return err(unknownCell(context, `row ${missing}`));
  const changed: (CorrectedRow & { group: number | null })[] = [];
  for (const { row, shown } of open.toSorted((one, other) => one.row.record - other.row.record)) {
    const { record, group } = row;
    const made = 'cells' in shown ? withChanges(shown, changes.get(record) ?? {}) : { unknown: `row ${record}` };
    if ('unknown' in made) return err(unknownCell(context, made.unknown));
    changed.push({ ...made, group });
  }
  return ok(changed);
}

/** Under the mapping that an upload would have by now. */
async function triedIn(
  context: Own,
  ports: AppPorts,
  { summary: { mapping: name, scac } }: FoundBatch,
  written: WrittenRows,
): Promise<Result<Trial, UploadError>> {
  const usable = await usableMapping(context, ports, name);
  if (!usable.ok) return usable;
  const { mapping, ask } = usable.value;
  const rule = scacRule({ scac, allowedScacs: context.get('principal').scacs });
  const answered = await lookedUpFor(mapping, (collecting) => tryRows(collecting, rule, written), ask);
  return ok(await tryRows(answered, rule, written));
}

type CellChanges = z.infer<typeof correctedForm>['rows'][number];

async function readForm(context: Own): Promise<Result<CellChanges[], Response>> {
  const body = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, PREVIEW_BYTES_MAX);
  if (!body.ok) {
    const { error } = body;
    return err(
      error.code === 'too_large' ? tooLarge(context) : refusedUpload(context, { ...error, declaredBytes: null }),
    );
  }
  try {
    const read = correctedForm.safeParse(JSON.parse(new TextDecoder().decode(body.value)));
    return read.success ? ok(read.data.rows) : err(unreadable(context));
  } catch {
    return err(unreadable(context));
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
  }: { batch: FoundBatch; bytes: Uint8Array; replaces: RowsReplaced['records'] | null; told: object },
): Promise<Response> {
  const { mapping, scac, fileName, batchId: corrected } = batch.summary;
  const principal = context.get('principal');
  const taken = await takeUpload(
    intakePorts(context, ports),
    // Sets that are corrected come again under the control numbers of their interchange, on purpose.
    { ...principal, envelopes: { ...(principal.envelopes ?? DEFAULT_RULES), controlNumbers: 'any' } },
    {
      ...{ mapping, scac, dryRun: null, force: null, parameters: [], contentType: null, idempotencyKey: null },
      contentLength: String(bytes.byteLength),
      fileName: `corrections of ${fileName ?? corrected}`,
      ...(replaces === null ? {} : { again: { batchId: corrected, records: replaces, corrected: true } }),
    },
    new Response(bytes as BodyInit).body as ReadableStream<Uint8Array>,
  );
  if (!taken.ok) return refusedUpload(context, taken.error);
  if (await isOfOther(context, taken.value)) return takenElsewhere(context);
  const { batchId, replayed } = taken.value;
  const links = batchLinks(context.get('reader'), batchId);
  context.header('Location', links.self);
  return context.json({ dryRun: false, batchId, corrects: corrected, replayed, mapping, ...told, links }, 202);
}

/** Without a word of the batch that they are: this key does not see it. */
const takenElsewhere = (context: Context): Response =>
  problem(context, {
    status: 409,
    code: 'file_taken_elsewhere',
    title: 'Taken in before',
    detail:
      'These corrections were taken in before: they came with another key or link of yours. Nothing of them is sent twice.',
    fix: 'Ask whoever sent them, or the operator, what became of them. GET …/correctable lists the rows that are still to be corrected.',
  });

const notHere = (context: Own, why: string): Response =>
  problem(context, {
    status: 404,
    code: 'corrections_not_offered',
    title: 'Not corrected row by row',
    detail: why,
    fix: 'GET …/corrections gives the rows as a file where the format allows it.',
  });

const tooLarge = (context: Own): Response =>
  problem(context, {
    status: 413,
    code: 'too_large',
    title: 'Too many corrections at once',
    detail: `Corrections have at most ${PREVIEW_BYTES_MAX} bytes.`,
    fix: 'Send fewer rows at a time.',
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

const notWritableIn = (context: Own, { record, cell: { column, text }, why }: NotWritable): Response =>
  problem(context, {
    status: 422,
    code: 'cell_not_writable',
    title: 'Does not fit into its field',
    detail: `"${text.slice(0, 80)}" cannot be written into "${column}" of row ${record}: ${why}. Nothing was sent.`,
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
