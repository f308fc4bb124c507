/**
 * `/v1/messages`: one document per call, whose sender waits for the outcome or for the acknowledgment in its own
 * format.
 * Messages of a day share a batch, but each is answered by itself: a sender that waits gets 200 once every row of it is
 * decided, or the acknowledgment once every row is validated; otherwise 202 and the address of the answer.
 */

import { type Context, Hono } from 'hono';
import { refusalAcknowledgment } from '../../batch/acknowledgment/refusal.ts';
import { looksLike } from '../../formats/magic.ts';
import { hasEnvelopes } from '../../formats/reader.ts';
import { type Receipt, takeUpload } from '../../intake/take-upload.ts';
import { describeUploadError, isEnvelopeRefusal, type UploadError } from '../../intake/upload-error.ts';
import { iso } from '../../kernel/clock.ts';
import {
  ACKNOWLEDGMENT_WAIT_MS,
  MESSAGE_BYTES_MAX,
  MESSAGE_LOOK_MS,
  MESSAGE_WAIT_MS_MAX,
} from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import type { Answered } from '../contract/contract.ts';
import { readBody } from '../edge/body.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import { isForLater } from '../edge/later.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { acceptedTypes, preferredWaitMs } from '../edge/query.ts';
import { dryRunAsTrial } from '../edge/rates.ts';
import { batchLinks, messageLinks, type Reader } from '../edge/reader.ts';
import { acknowledgedAtOnce, isValidated, wantsAcknowledgment } from '../views/acknowledgment.ts';
import type { FoundMessage } from '../views/batch-lookup.ts';
import { addMessageViews, messageView } from '../views/message-views.ts';
import { intakePorts, isOfOther, refusedUpload, uploadRequest } from './upload.ts';

export function messageRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.post('/', dryRunAsTrial, (context) => take(context, ports));
  addMessageViews(routes, '/:id/:message');
  return routes;
}

async function take(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const { req } = context;
  const wantsEdi = wantsAcknowledgment(acceptedTypes(req.header('Accept') ?? null));
  const waitMs = preferredWaitMs(req.header('Prefer') ?? null, MESSAGE_WAIT_MS_MAX);
  const body = await readBody(req.raw.body as ReadableStream<Uint8Array> | null, MESSAGE_BYTES_MAX);
  if (!body.ok) {
    const { error } = body;
    return refusedUpload(
      context,
      error.code === 'too_large'
        ? { code: 'message_too_large', bytesMax: error.bytesMax }
        : { ...error, declaredBytes: null },
    );
  }
  const bytes = body.value;
  const asked = { ...uploadRequest(context), contentLength: String(bytes.byteLength) };
  const stream = bytes.byteLength === 0 ? null : new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const taken = await takeUpload(intakePorts(context, ports), context.get('principal'), asked, stream, bytes);
  if (!taken.ok) return wantsEdi ? refusedInEdi(context, taken.error, bytes) : refusedUpload(context, taken.error);
  if (await isOfOther(context, taken.value)) return takenElsewhere(context);
  if (taken.value.replayed) context.header('Idempotency-Replayed', 'true');
  context.header('Location', linksOf(context.get('reader'), taken.value).self);
  const answer = wantsEdi
    ? acknowledged(context, taken.value, waitMs ?? ACKNOWLEDGMENT_WAIT_MS)
    : outcome(context, taken.value, waitMs ?? 0);
  return orReceipt(context, taken.value, answer);
}

/** Without a word of what became of it, nor its address: this key does not see it. */
const takenElsewhere = (context: Context): Response =>
  problem(context, {
    status: 409,
    code: 'file_taken_elsewhere',
    title: 'Taken in before',
    detail:
      'This message was taken in before: it came under the same Idempotency-Key with another key or link of yours. Nothing of it is sent twice.',
    fix: 'Ask whoever sent it, or the operator, what became of it. To send it as a message of its own, use another Idempotency-Key.',
  });

/** The document was accepted: if only the answer fails for the moment, its sender must not think that it was not. */
async function orReceipt(
  context: Context<HttpBindings>,
  receipt: Receipt,
  answer: Promise<Response>,
): Promise<Response> {
  try {
    return await answer;
  } catch (thrown) {
    if (!isForLater(thrown)) throw thrown;
    log('warn', 'outcome_not_told', { batchId: receipt.batchId, detail: messageOf(thrown) });
    return accepted(context, receipt);
  }
}

/** An interchange that is refused as a whole is answered in its own format, under the matching HTTP status. */
async function refusedInEdi(context: Context<HttpBindings>, error: UploadError, bytes: Uint8Array): Promise<Response> {
  const look = looksLike(bytes);
  if (!isEnvelopeRefusal(error) || !hasEnvelopes(look)) return refusedUpload(context, error);
  const register = context.env.INTAKE_REGISTER.getByName(registerName(context.get('principal')));
  const controls = (count: number) => register.ownControlsOnce(context.get('requestId'), count);
  const { envelopes: rules, environment } = context.get('principal');
  const refused = { bytes, format: look, rules, environment, refusal: error };
  const text = await refusalAcknowledgment(refused, controls, Date.now());
  if (text === undefined) return refusedUpload(context, error);
  const { status } = describeUploadError(error);
  return context.body(text, status as 403 | 409 | 422, {
    'Content-Type': look === 'x12' ? 'application/EDI-X12' : 'application/EDIFACT',
  });
}

/** The acknowledgment in the format of the document; for formats without one, the outcome. */
async function acknowledged(context: Context<HttpBindings>, receipt: Receipt, waitMs: number): Promise<Response> {
  const found = await until(context, receipt, waitMs, ({ summary }) => isValidated(summary));
  if (found === undefined || !isValidated(found.summary)) return accepted(context, receipt);
  const text = found.summary.state === 'unreadable' ? undefined : await acknowledgedAtOnce(context, found);
  return text ?? outcomeOf(context, found);
}

async function outcome(context: Context<HttpBindings>, receipt: Receipt, waitMs: number): Promise<Response> {
  if (waitMs === 0) return accepted(context, receipt);
  context.header('Preference-Applied', `wait=${waitMs / 1_000}`);
  const isOver = ({ summary: { state } }: FoundMessage): boolean => state === 'settled' || state === 'unreadable';
  const found = await until(context, receipt, waitMs, isOver);
  return found !== undefined && isOver(found) ? outcomeOf(context, found) : accepted(context, receipt);
}

function accepted(
  context: Context<HttpBindings>,
  { batchId, message, sha256, bytes, receivedAtMs, replayed }: Receipt,
): Response {
  const receivedAt = iso(receivedAtMs);
  const links = linksOf(context.get('reader'), { batchId, message });
  const receipt = { batchId, message, sha256, bytes, receivedAt, replayed, links };
  return context.json(receipt satisfies Answered<'POST /v1/messages'>, 202);
}

/** The key may have been used for a file before. */
const linksOf = (reader: Reader, { batchId, message }: Pick<Receipt, 'batchId' | 'message'>) =>
  message === null ? batchLinks(reader, batchId) : messageLinks(reader, batchId, message);

/** 422 for a document of which nothing could be used: systems that check only the status must not take it as done. */
async function outcomeOf(context: Context<HttpBindings>, found: FoundMessage): Promise<Response> {
  const { state, rows, rowStates } = found.summary;
  const isRefused = state === 'unreadable' || (rows > 0 && rowStates.invalid === rows);
  return context.json(await messageView(context.get('reader'), found), isRefused ? 422 : 200);
}

/** @returns the message when the awaited state is reached, or when the time is over. */
async function until(
  context: Context<HttpBindings>,
  { batchId, message }: Receipt,
  waitMs: number,
  hasCome: (found: FoundMessage) => boolean,
): Promise<FoundMessage | undefined> {
  if (message === null) return undefined;
  const stub = context.env.BATCH.getByName(batchName(context.get('principal'), batchId));
  const endMs = Date.now() + waitMs;
  for (let pauseMs = MESSAGE_LOOK_MS.first; ; pauseMs = Math.min(pauseMs * 2, MESSAGE_LOOK_MS.longest)) {
    const summary = await stub.message(message);
    const found = summary === undefined ? undefined : { stub, summary };
    const leftMs = endMs - Date.now();
    if ((found !== undefined && hasCome(found)) || leftMs <= 0) return found;
    await scheduler.wait(Math.min(pauseMs, leftMs));
  }
}
