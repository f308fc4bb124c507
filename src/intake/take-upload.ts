/**
 * Steps of an upload: admitted → mapping version pinned → bytes stored and hashed → claimed → batch created → receipt.
 * A receipt is given only when bytes, claim and batch are durable; until then a repeat is safe.
 */
import type { BatchTicket } from '../batch/core/ticket.ts';
import { type ClaimedInterchange, validatedInterchanges } from '../batch/envelopes/interchanges.ts';
import { DEFAULT_RULES, type EnvelopeRules, type RefusedInterchange } from '../batch/envelopes/validate.ts';
import { pinVersion, storedSource } from '../batch/files/pinned.ts';
import { type StoredBody, storeParts } from '../batch/files/store-parts.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { newBatchId } from '../kernel/ids.ts';
import { UPLOAD_BYTES_MAX, UPLOAD_IN_FLIGHT_RETRY_SECONDS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { registerName, sourceKey } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { displayName } from '../kernel/text.ts';
import type { Channel } from '../upstream/channels.ts';
import { type Admission, admit, lookProblem, type UploadRequest } from './admit.ts';
import type { MappingCatalog, OfferedMapping, Principal } from './ports.ts';
import type { MessageLocation } from './rolling-batches.ts';
import { forgetBytes, type StoredForm, storeBody, storeForm } from './store-upload.ts';
import type { UploadError } from './upload-error.ts';

/* An upload's requests to the register, and the answers. */

export interface ClaimRequest {
  ticket: BatchTicket;
  /** Interchanges of the file that may come only once; absent: none. */
  interchanges?: readonly ClaimedInterchange[];
  idempotencyKey: string | null;
  /** What the idempotency key identifies: file, mapping name, SCAC, dry run and force. */
  fingerprint: string;
  /** Id of the calling key. */
  who: string;
}

export type Claim =
  /** `placed`: set for a message. */
  | { outcome: 'claimed'; placed?: MessageLocation }
  /** The same bytes under the same mapping version, or the same key, are already this batch or message. */
  | { outcome: 'replayed'; batchId: string; message?: number; receivedAtMs: number }
  | { outcome: 'force_needs_key'; batchId: string }
  /** One of its interchanges was received before. */
  | { outcome: 'interchange_repeated'; refusal: RefusedInterchange }
  /** `sha256`: of the key's file. */
  | { outcome: 'key_reused'; batchId: string; sha256: string };

export type Reservation =
  /** The upload goes on: the key is new, or belongs to a known upload. */
  | { outcome: 'free' }
  /** An upload under this key is under way, until this time at most. */
  | { outcome: 'in_flight'; untilMs: number };

/* Validates the interchanges of a stored upload against the partner's rules, before a receipt is given. */

/** @returns those that may come only once; none of a compressed upload: its Batch checks. */
async function interchangesOf(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { format }: Pick<OfferedMapping, 'format'>,
  rules: EnvelopeRules,
): Promise<Result<ClaimedInterchange[], UploadError>> {
  try {
    return await validatedInterchanges([storedSource(files, ticket, null)], format, rules, ticket.environment);
  } catch (thrown) {
    log('error', 'upload_not_read_back', { batchId: ticket.batchId, detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}

export interface IntakePorts {
  files: Pick<R2Bucket, 'put' | 'get' | 'delete' | 'head' | 'createMultipartUpload'>;
  register: (name: string) => UploadRegister;
  catalog: MappingCatalog;
  channels: ReadonlyMap<string, Channel>;
  nowMs: () => number;
}

interface UploadRegister {
  reserve(idempotencyKey: string, batchId: string, nowMs: number): Promise<Reservation>;
  release(idempotencyKey: string, batchId: string): Promise<void>;
  claim(asked: ClaimRequest): Promise<Claim>;
}

export interface Receipt {
  batchId: string;
  /** Its number in a rolling batch; null: the batch is of this file alone. */
  message: number | null;
  sha256: string;
  bytes: number;
  receivedAtMs: number;
  /** True when these bytes already were this batch. */
  replayed: boolean;
}

/** Set for a document that comes as a message; `head`: its first bytes. */
interface MessageHead {
  head: Uint8Array;
}

/** @param message null: the upload is a file, which is the same batch however often it comes. */
export async function takeUpload(
  ports: IntakePorts,
  principal: Principal,
  asked: UploadRequest,
  body: ReadableStream<Uint8Array> | null,
  message: MessageHead | null = null,
): Promise<Result<Receipt, UploadError>> {
  const channel = ports.channels.get(principal.channel);
  if (!channel || channel.environment !== principal.environment) {
    return err({ code: 'channel_missing', channel: principal.channel });
  }
  // A key may name only what its channel can send for.
  const scacs = principal.scacs.filter((scac) => channel.scacs.includes(scac));
  if (scacs.length === 0) return err({ code: 'no_scac_usable', channel: channel.name });
  const offer = await ports.catalog.offer(principal, asked.mapping);
  if (!offer.ok) return offer;
  const admitted = admit(asked, { ...principal, scacs }, offer.value);
  if (!admitted.ok) return admitted;
  if (!body) return err({ code: 'empty' });
  const disagreement = message === null ? undefined : lookProblem(message.head, admitted.value.mapping);
  if (disagreement) return err(disagreement);
  const { mapping, idempotencyKey } = admitted.value;

  const receivedAtMs = ports.nowMs();
  const batchId = newBatchId(receivedAtMs);
  const key = sourceKey(principal, batchId);
  const register = ports.register(registerName(principal));
  if (idempotencyKey !== null) {
    const reserved = await answered(register.reserve(idempotencyKey, batchId, receivedAtMs));
    if (!reserved.ok) return reserved;
    if (reserved.value.outcome === 'in_flight') return err(inFlight(reserved.value.untilMs - receivedAtMs));
  }
  const kept = await keep(ports.files, key, body, admitted.value);
  if (!kept.ok) {
    if (idempotencyKey !== null) await release(register, idempotencyKey, batchId);
    return kept;
  }

  const stored = kept.value;
  const { scac, dryRun, force } = admitted.value;
  const { sha256, bytes } = stored;
  const ticket: BatchTicket = {
    batchId,
    environment: principal.environment,
    partner: principal.partner,
    mapping: mapping.name,
    mappingSha256: mapping.sha256,
    claimedAs: mapping.claimedAs,
    scac,
    allowedScacs: scacs,
    channel: principal.channel,
    format: mapping.format,
    fileName: admitted.value.fileName ?? displayName(stored.fileName),
    bytes,
    sha256,
    receivedAtMs,
    dryRun,
    uploadedBy: principal.keyId,
    ...(force ? { forced: true } : {}),
    ...(message === null ? {} : { message: true as const }),
    ...(principal.envelopes === DEFAULT_RULES ? {} : { envelopes: principal.envelopes }),
    ...(principal.orderPair === null ? {} : { orderPair: principal.orderPair }),
  };
  const looked = await interchangesOf(ports.files, ticket, mapping, principal.envelopes);
  if (!looked.ok) {
    await forgetBytes(ports.files, key);
    if (idempotencyKey !== null) await release(register, idempotencyKey, batchId);
    return looked;
  }
  const interchanges = looked.value;
  const fingerprint = JSON.stringify([
    sha256,
    mapping.name,
    scac,
    dryRun,
    ...(force ? ['force'] : []),
    ...(message === null ? [] : ['message']),
  ]);
  await failpoint('bytes_stored');
  const claimed = await answered(
    register.claim({ ticket, interchanges, idempotencyKey, fingerprint, who: principal.keyId }),
  );
  if (!claimed.ok) {
    // The claim may have been stored all the same, so its bytes stay; a repeat finds out.
    if (idempotencyKey !== null) await release(register, idempotencyKey, batchId);
    return claimed;
  }
  const claim = claimed.value;
  if (claim.outcome === 'claimed') {
    const placed = claim.placed ?? { batchId, message: null };
    return ok({ ...placed, sha256, bytes, receivedAtMs, replayed: false });
  }
  await forgetBytes(ports.files, key);
  if (claim.outcome === 'key_reused') {
    return err({ code: claim.outcome, batchId: claim.batchId, sha256: claim.sha256, sentSha256: sha256 });
  }
  if (claim.outcome === 'interchange_repeated') {
    if (idempotencyKey !== null) await release(register, idempotencyKey, batchId);
    return err(claim.refusal);
  }
  if (claim.outcome === 'force_needs_key') return err({ code: claim.outcome, batchId: claim.batchId });
  const known = { batchId: claim.batchId, message: claim.message ?? null, receivedAtMs: claim.receivedAtMs };
  return ok({ ...known, sha256, bytes, replayed: true });
}

const inFlight = (leftMs: number): UploadError => ({
  code: 'key_in_flight',
  retryAfterSeconds: Math.min(Math.max(Math.ceil(leftMs / 1_000), 1), UPLOAD_IN_FLIGHT_RETRY_SECONDS),
});

async function answered<T>(call: Promise<T>): Promise<Result<T, UploadError>> {
  try {
    return ok(await call);
  } catch (thrown) {
    log('error', 'register_failed', { detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}

/** A reservation that cannot be released expires; the sender must see the upload's own error. */
async function release(register: UploadRegister, idempotencyKey: string, batchId: string): Promise<void> {
  try {
    await register.release(idempotencyKey, batchId);
  } catch (thrown) {
    log('warn', 'reservation_not_released', { detail: messageOf(thrown) });
  }
}

/** Stores the file, and the version it will be read under. */
async function keep(
  files: IntakePorts['files'],
  key: string,
  body: ReadableStream<Uint8Array>,
  admission: Admission,
): Promise<Result<StoredForm, UploadError>> {
  const stored = await store(files, key, body, admission);
  if (!stored.ok) return stored;
  const pinned = await pinVersion(files, admission.mapping);
  if (pinned.ok) return stored;
  await forgetBytes(files, key);
  return pinned;
}

/** The file's bytes, however they come: inside a form, of declared length, or until they end. */
async function store(
  files: IntakePorts['files'],
  key: string,
  body: ReadableStream<Uint8Array>,
  { form, bytes }: Admission,
): Promise<Result<StoredForm, UploadError>> {
  if (form !== null) return storeForm(files, body, { key, ...form });
  const stored = bytes === null ? await storePiped(files, key, body) : await storeBody(files, key, body, bytes);
  return stored.ok ? ok({ ...stored.value, fileName: null }) : stored;
}

/** Length unknown: bytes are counted as they arrive. */
async function storePiped(
  files: IntakePorts['files'],
  key: string,
  body: ReadableStream<Uint8Array>,
): Promise<Result<StoredBody, UploadError>> {
  const stored = await storeParts(files, { key, bytesMax: UPLOAD_BYTES_MAX }, body);
  if (stored.ok) return stored;
  const { error } = stored;
  return err(error.code === 'body_cut' ? { ...error, declaredBytes: null } : error);
}
