/**
 * The acknowledgment of a batch or a message in its own format: what was accepted and what was refused, set by set,
 * before anything is delivered.
 */
import type { Context } from 'hono';
import {
  type AcknowledgmentKind,
  type AcknowledgmentPort,
  acknowledgmentText,
  kindsFor,
  outcomesReadAgain,
  outcomesStored,
  type SetsPage,
  type SetsPosition,
  type StoredFiles,
} from '../../batch/acknowledgment/file.ts';
import type { BatchState } from '../../batch/core/ticket.ts';
import { pinnedMapping } from '../../batch/files/pinned.ts';
import type { BatchSummary } from '../../batch/report/summary.ts';
import { DEFAULT_POLICY } from '../../formats/segments/parts.ts';
import { RECEIPT_RETRY_SECONDS } from '../../kernel/limits.ts';
import { registerName } from '../../kernel/names.ts';
import type { HttpBindings } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import { batchLinks, below, messageLinks } from '../edge/reader.ts';
import type { FoundBatch, FoundMessage } from './batch-lookup.ts';
import { filesOf, messageFiles, type NamedFile, ownFiles } from './stored-files.ts';

/** RFC 1767 names both types; some systems send the longer one of the first. */
const EDI_TYPES: readonly string[] = ['application/edi-x12', 'application/edifact', 'application/edi-consent'];

/** Whether the sender wants an acknowledgment rather than JSON. @param types in the order of preference. */
export function wantsAcknowledgment(types: readonly string[]): boolean {
  const first = types.find((type) => EDI_TYPES.includes(type) || type === 'application/json' || type === '*/*');
  return first !== undefined && EDI_TYPES.includes(first);
}

/** @returns whether every row has been validated. */
export const isValidated = ({ state }: { state: BatchState }): boolean => state !== 'reading';

/** What can be acknowledged: an upload, or a single message. */
interface Acknowledged extends Pick<BatchSummary, 'state' | 'mappingSha256' | 'envelopes' | 'receivedAt' | 'problems'> {
  /** Its address, and the file name of its acknowledgment. */
  self: string;
  stem: string;
  /** Whose control numbers ours answer. */
  uploadId: string;
  stub: FoundBatch['stub'];
  /** 0: the batch is of one upload. */
  message: number;
  files: () => Promise<NamedFile[]>;
  rows: StoredFiles['rows'];
}

/** `GET …/acknowledgment?kind=997`: the default kind of its format if none is named. */
export async function acknowledgment(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { stub, summary } = batch;
  const { batchId } = summary;
  if (summary.messages !== null) return eachItsOwn(context, batchId);
  if (summary.sentAgainFrom !== null) return withTheFirst(context, summary.sentAgainFrom);
  return offered(context, {
    ...{ ...summary, self: batchLinks(context.get('reader'), batchId).self, stem: batchId, uploadId: batchId },
    ...{ stub, message: 0 },
    files: () => filesOf(ownFiles(context), batch),
    rows: (after, limit) => stub.rows(after, limit, null),
  });
}

/** For a message: only its own interchanges. */
export const messageAcknowledgment = (context: Context<HttpBindings>, found: FoundMessage): Promise<Response> =>
  offered(context, messageAcknowledged(context, found));

/** In the default kind. @returns undefined for a format that has none. */
export async function acknowledgedAtOnce(
  context: Context<HttpBindings>,
  found: FoundMessage,
): Promise<Response | undefined> {
  const { source } = await pinnedMapping(context.env.FILES, found.summary.mappingSha256);
  const [kind] = kindsFor(source);
  return kind === undefined ? undefined : acknowledge(context, messageAcknowledged(context, found), kind);
}

function messageAcknowledged(context: Context<HttpBindings>, { stub, summary }: FoundMessage): Acknowledged {
  const { batchId, message, after: before, last } = summary;
  return {
    ...{ ...summary, self: messageLinks(context.get('reader'), batchId, message).self, stem: `${batchId}-${message}` },
    stub,
    files: async () => messageFiles(ownFiles(context), summary),
    rows: (after, limit) => stub.rows(Math.max(after, before), limit, null, last),
  };
}

async function offered(context: Context<HttpBindings>, asked: Acknowledged): Promise<Response> {
  const { source } = await pinnedMapping(context.env.FILES, asked.mappingSha256);
  const kinds = kindsFor(source);
  const named = context.req.query('kind')?.toUpperCase() ?? kinds[0];
  const kind = kinds.find((known) => known === named);
  if (kind === undefined) return notOffered(context, kinds, source.format);
  if (!isValidated(asked)) return notYet(context, asked);
  if (asked.state === 'unreadable') return unreadable(context, asked);
  return acknowledge(context, asked, kind);
}

/** @param kind one that the format has. */
async function acknowledge(
  context: Context<HttpBindings>,
  acknowledged: Acknowledged,
  kind: AcknowledgmentKind,
): Promise<Response> {
  const { uploadId, stem, receivedAt } = acknowledged;
  const register = context.env.INTAKE_REGISTER.getByName(registerName(context.get('reader')));
  const port: AcknowledgmentPort = {
    kind,
    outcomes: await outcomesOf(context, acknowledged),
    control: (interchange) => register.ownControl(uploadId, interchange),
    atMs: Date.parse(receivedAt),
  };
  const text = await unlessEmpty(acknowledgmentText(port));
  // Such as a 997, which is not acknowledged.
  if (text === null) return context.body(null, 204);
  return context.body(text, 200, {
    // No charset: each interchange declares its own, and those of one answer may differ.
    'Content-Type': kind === 'CONTRL' ? 'application/EDIFACT' : 'application/EDI-X12',
    'Content-Disposition': `attachment; filename="${stem}-${kind}.${kind === 'CONTRL' ? 'edi' : 'x12'}"`,
  });
}

/** As they were kept when the file was read; where none are, from the stored bytes and the rows. */
async function outcomesOf(
  context: Context<HttpBindings>,
  { stub, message, mappingSha256, envelopes, files, rows }: Acknowledged,
): Promise<AcknowledgmentPort['outcomes']> {
  const pageAt = (after: SetsPosition | null): Promise<SetsPage | null> => stub.setOutcomes(message, after);
  const first = await pageAt(null);
  if (first !== null) return outcomesStored(first, pageAt);
  return outcomesReadAgain({
    policy: envelopes ?? DEFAULT_POLICY,
    mapping: await pinnedMapping(context.env.FILES, mappingSha256),
    sources: (await files()).flatMap(({ source, problems }) => (problems.length === 0 ? source : [])),
    rows,
  });
}

/** @returns null if it is empty; otherwise the same stream. */
async function unlessEmpty(bytes: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array> | null> {
  const reader = bytes.getReader();
  let next = await reader.read();
  if (next.done) return null;
  return new ReadableStream({
    async pull(controller) {
      if (next.done) return controller.close();
      controller.enqueue(next.value);
      next = await reader.read();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const eachItsOwn = (context: Context<HttpBindings>, batchId: string): Response =>
  problem(context, {
    status: 404,
    code: 'acknowledgment_not_offered',
    title: 'No such acknowledgment',
    detail: 'This batch is shared by several messages, each of which has an acknowledgment of its own.',
    fix: `GET ${messageLinks(context.get('reader'), batchId, 1).acknowledgment} gives that of the first one; rows and reports name the message of each row.`,
  });

/** An interchange is acknowledged once, as it came. */
const withTheFirst = (context: Context<HttpBindings>, first: string): Response =>
  problem(context, {
    status: 404,
    code: 'acknowledgment_not_offered',
    title: 'No such acknowledgment',
    detail:
      'These sets were corrected or sent again here, under the control numbers of the interchange they came in, which was acknowledged as it came.',
    fix: `GET ${below(batchLinks(context.get('reader'), first).self, 'acknowledgment')} gives that one.`,
  });

const notOffered = (context: Context, kinds: readonly AcknowledgmentKind[], format: string): Response =>
  problem(context, {
    status: 404,
    code: 'acknowledgment_not_offered',
    title: 'No such acknowledgment',
    detail:
      kinds.length === 0
        ? `Files in ${format} have no acknowledgment of their own.`
        : `For ${format} there is ${kinds.join(' and ')}.`,
    fix:
      kinds.length === 0
        ? 'GET report.json or report.csv says the same of every row.'
        : `Name one of them: kind=${kinds[0]}.`,
  });

function notYet(context: Context, { self }: Acknowledged): Response {
  return problem(context, {
    status: 409,
    code: 'acknowledgment_not_ready',
    title: 'Not read to its end yet',
    detail: 'The file is still being read; what becomes of its last sets is not known.',
    fix: `Ask again: GET ${below(self, 'acknowledgment')}.`,
    retryAfterSeconds: RECEIPT_RETRY_SECONDS,
  });
}

const unreadable = (context: Context, { self, problems }: Acknowledged): Response =>
  problem(context, {
    status: 409,
    code: 'acknowledgment_impossible',
    title: 'Nothing to acknowledge',
    detail: `No interchange could be read, so nobody can be answered. ${problems[0]?.message ?? ''}`.trim(),
    fix: `GET ${self} says what is wrong with the file; correct it and send it again.`,
  });
