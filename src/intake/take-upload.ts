/**
 * Steps of an upload: admitted → key reserved → bytes stored and hashed → mapping version pinned → envelopes of EDI
 * validated → claimed, which creates the batch → receipt.
 * A receipt is given only when bytes, claim and batch are durable; until then a repeat is safe.
 */
import type { BatchTicket, RowsReplaced } from '../batch/core/ticket.ts';
import { type ClaimedInterchange, validatedInterchanges } from '../batch/envelopes/interchanges.ts';
import { DEFAULT_RULES, type RefusedInterchange } from '../batch/envelopes/validate.ts';
import { pinVersion, pinVersionOnce, storedSource } from '../batch/files/pinned.ts';
import { bytesInMemory } from '../formats/slices.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { newBatchId } from '../kernel/ids.ts';
import { SHORT_MESSAGE_BYTES_MAX, UPLOAD_IN_FLIGHT_RETRY_SECONDS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { registerName, sourceKey } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { displayName } from '../kernel/text.ts';
import type { Channel } from '../upstream/channels.ts';
import { type Admission, admit, lookProblem, type UploadRequest } from './admit.ts';
import { NoRoom } from './no-room.ts';
import { type OpenedForm, openForm, withFields } from './open-form.ts';
import type { MappingCatalog, Principal } from './ports.ts';
import type { MessageLocation } from './rolling-batches.ts';
import { forgetBytes, type StoredUpload, storeUpload } from './store-upload.ts';
import type { UploadError } from './upload-error.ts';

/* An upload's requests to the register, and the answers. */

export interface ClaimRequest {
  ticket: BatchTicket;
  /** Interchanges of the file that may come only once; absent: none. */
  interchanges?: readonly ClaimedInterchange[];
  /** Of a short message: its batch need not read them from storage then. */
  bytes?: Uint8Array;
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
  /** All that the partner has here goes, or went while this was on its way. */
  | { outcome: 'being_erased' }
  /** One of its interchanges was received before. */
  | { outcome: 'interchange_repeated'; refusal: RefusedInterchange }
  /** So much of the partner is under way that no more is taken now. @property rows those of large files. */
  | { outcome: 'too_much_under_way'; files: number; bytes: number; rows: number }
  /** `sha256`: of the key's file. */
  | { outcome: 'key_reused'; batchId: string; sha256: string };

export type Reservation =
  /** The upload goes on: the key is new, or belongs to a known upload. */
  | { outcome: 'free' }
  /** An upload under this key is under way, until this time at most. */
  | { outcome: 'in_flight'; untilMs: number };

export interface IntakePorts {
  files: Pick<R2Bucket, 'put' | 'get' | 'delete' | 'head' | 'createMultipartUpload'>;
  register: (name: string) => UploadRegister;
  catalog: MappingCatalog;
  channels: ReadonlyMap<string, Channel>;
  /** Counts a dry run that only the form names: one in the address is counted before its body is read. */
  isTrialFree: () => Promise<boolean>;
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

/** An admitted upload, under the id that its batch gets if it is new. */
interface Upload {
  batchId: string;
  receivedAtMs: number;
  /** `scacs`: those that its channel can send for. */
  principal: Principal;
  admission: Admission;
  isMessage: boolean;
  /** Of a message that came alone; null: only as they are stored. */
  inMemory: Uint8Array | null;
  /** null: the body is the file itself. */
  form: OpenedForm | null;
  again: RowsReplaced | null;
  register: UploadRegister;
}

/** @param message its bytes; null: the upload is a file, which is the same batch however often it comes. */
export async function takeUpload(
  ports: IntakePorts,
  principal: Principal,
  asked: UploadRequest,
  body: ReadableStream<Uint8Array> | null,
  message: Uint8Array | null = null,
): Promise<Result<Receipt, UploadError>> {
  const opened = body === null ? ok(null) : await openForm(asked, body);
  if (!opened.ok) return opened;
  const form = opened.value;
  const admitted = await admitUpload(ports, principal, withFields(asked, form));
  if (!admitted.ok) form?.close();
  if (!admitted.ok) return admitted;
  if (!body) return err({ code: 'empty' });
  const isTrialOfForm = asked.dryRun === null && admitted.value.admission.dryRun;
  if (isTrialOfForm && !(await ports.isTrialFree())) {
    form?.close();
    return err({ code: 'too_many_requests' });
  }
  const inMemory = form === null ? message : null;
  const disagreement = inMemory === null ? undefined : lookProblem(inMemory, admitted.value.admission.mapping);
  if (disagreement) return err(disagreement);
  const receivedAtMs = ports.nowMs();
  const name = registerName(admitted.value.principal);
  const full = message === null ? noRoom.lately(name, receivedAtMs) : undefined;
  if (full) form?.close();
  if (full) return err(full);
  const upload: Upload = {
    ...admitted.value,
    batchId: newBatchId(receivedAtMs),
    receivedAtMs,
    isMessage: message !== null,
    inMemory,
    form,
    again: asked.again ?? null,
    register: ports.register(name),
  };
  const reserved = await reserve(upload);
  if (!reserved.ok) return reserved;
  const receipt = await storeAndClaim(ports.files, upload, body);
  if (receipt.ok) return receipt;
  await release(upload);
  if (receipt.error.code === 'too_much_under_way') noRoom.note(name, receipt.error, ports.nowMs());
  return receipt;
}

const noRoom = new NoRoom();

/** Bytes that no claim names are deleted again. */
async function storeAndClaim(
  files: IntakePorts['files'],
  upload: Upload,
  body: ReadableStream<Uint8Array>,
): Promise<Result<Receipt, UploadError>> {
  const { principal, batchId, admission } = upload;
  const key = sourceKey(principal, batchId);
  const stored = await storeUpload(files, key, body, admission, upload.form);
  if (!stored.ok) return stored;
  const pin = upload.isMessage ? pinVersionOnce : pinVersion;
  const pinned = await pin(files, admission.mapping);
  const ticket = ticketOf(upload, stored.value);
  const interchanges = pinned.ok ? await interchangesOf(files, ticket, upload) : pinned;
  if (!interchanges.ok) {
    await forgetBytes(files, key);
    return interchanges;
  }
  await failpoint('bytes_stored');
  const claimed = await claim(upload, ticket, interchanges.value);
  if (!claimed.ok) return claimed; // it may have been stored all the same, so the bytes stay; a repeat finds out
  if (claimed.value.outcome !== 'claimed') await forgetBytes(files, key);
  return receiptOf(ticket, claimed.value);
}

/** A key may name only what its channel can send for. */
async function admitUpload(
  ports: IntakePorts,
  caller: Principal,
  request: Result<UploadRequest, UploadError>,
): Promise<Result<Pick<Upload, 'principal' | 'admission'>, UploadError>> {
  if (!request.ok) return request;
  const asked = request.value;
  const channel = ports.channels.get(caller.channel);
  if (!channel || channel.environment !== caller.environment) {
    return err({ code: 'channel_missing', channel: caller.channel });
  }
  const principal = { ...caller, scacs: caller.scacs.filter((scac) => channel.scacs.includes(scac)) };
  if (principal.scacs.length === 0) return err({ code: 'no_scac_usable', channel: channel.name });
  const offer = await ports.catalog.offer(principal, asked.mapping);
  if (!offer.ok) return offer;
  const admission = admit(asked, principal, offer.value);
  return admission.ok ? ok({ principal, admission: admission.value }) : admission;
}

/** A repeat that comes while the first one is under way need not send its bytes. */
async function reserve({ register, admission, batchId, receivedAtMs }: Upload): Promise<Result<null, UploadError>> {
  const { idempotencyKey } = admission;
  if (idempotencyKey === null) return ok(null);
  const reserved = await answered(register.reserve(idempotencyKey, batchId, receivedAtMs));
  if (!reserved.ok) return reserved;
  if (reserved.value.outcome === 'free') return ok(null);
  const leftSeconds = Math.max(Math.ceil((reserved.value.untilMs - receivedAtMs) / 1_000), 1);
  return err({ code: 'key_in_flight', retryAfterSeconds: Math.min(leftSeconds, UPLOAD_IN_FLIGHT_RETRY_SECONDS) });
}

/** A reservation that cannot be released expires; the sender must see the upload's own error. */
async function release({ register, admission, batchId }: Upload): Promise<void> {
  if (admission.idempotencyKey === null) return;
  try {
    await register.release(admission.idempotencyKey, batchId);
  } catch (thrown) {
    log('warn', 'reservation_not_released', { detail: messageOf(thrown) });
  }
}

function ticketOf(upload: Upload, { sha256, bytes, fileName }: StoredUpload): BatchTicket {
  const { batchId, receivedAtMs, principal, isMessage, again } = upload;
  const { mapping, scac, dryRun, force, fileName: named } = upload.admission;
  return {
    batchId,
    environment: principal.environment,
    partner: principal.partner,
    mapping: mapping.name,
    mappingSha256: mapping.sha256,
    claimedAs: mapping.claimedAs,
    scac,
    allowedScacs: principal.scacs,
    channel: principal.channel,
    format: mapping.format,
    fileName: named ?? displayName(fileName),
    bytes,
    sha256,
    receivedAtMs,
    dryRun,
    uploadedBy: principal.keyId,
    ...(force ? { forced: true } : {}),
    ...(isMessage ? { message: true as const } : {}),
    ...(principal.envelopes === DEFAULT_RULES ? {} : { envelopes: principal.envelopes }),
    ...(principal.orderPair === null ? {} : { orderPair: principal.orderPair }),
    ...(again === null ? {} : { again }),
  };
}

/** Those that may come only once, valid under the partner's rules; none of a compressed upload: its Batch checks. */
async function interchangesOf(
  files: Pick<R2Bucket, 'get'>,
  ticket: BatchTicket,
  { admission: { mapping }, principal: { envelopes, environment }, inMemory }: Upload,
): Promise<Result<ClaimedInterchange[], UploadError>> {
  try {
    const source = inMemory === null ? storedSource(files, ticket, null) : bytesInMemory(inMemory);
    return await validatedInterchanges([source], mapping.format, envelopes, environment);
  } catch (thrown) {
    log('error', 'upload_not_read_back', { batchId: ticket.batchId, detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}

function claim(
  { register, admission, principal, isMessage, inMemory }: Upload,
  ticket: BatchTicket,
  interchanges: readonly ClaimedInterchange[],
): Promise<Result<Claim, UploadError>> {
  const { idempotencyKey, force } = admission;
  const { sha256, mapping, scac, dryRun } = ticket;
  const kinds = [...(force ? ['force'] : []), ...(isMessage ? ['message'] : [])];
  const fingerprint = JSON.stringify([sha256, mapping, scac, dryRun, ...kinds]);
  const asked = { ticket, interchanges, idempotencyKey, fingerprint, who: principal.keyId };
  const isShort = inMemory !== null && inMemory.byteLength <= SHORT_MESSAGE_BYTES_MAX;
  return answered(register.claim(isShort ? { ...asked, bytes: inMemory } : asked));
}

function receiptOf(
  { batchId, sha256, bytes, receivedAtMs }: BatchTicket,
  claimed: Claim,
): Result<Receipt, UploadError> {
  switch (claimed.outcome) {
    case 'claimed':
      return ok({ ...(claimed.placed ?? { batchId, message: null }), sha256, bytes, receivedAtMs, replayed: false });
    case 'replayed': {
      const { message = null, receivedAtMs: firstMs } = claimed;
      return ok({ batchId: claimed.batchId, message, receivedAtMs: firstMs, sha256, bytes, replayed: true });
    }
    case 'key_reused':
      return err({ code: 'key_reused', batchId: claimed.batchId, sha256: claimed.sha256, sentSha256: sha256 });
    case 'too_much_under_way':
      return err({ code: 'too_much_under_way', files: claimed.files, bytes: claimed.bytes, rows: claimed.rows });
    case 'interchange_repeated':
      return err(claimed.refusal);
    case 'force_needs_key':
      return err({ code: 'force_needs_key', batchId: claimed.batchId });
    case 'being_erased':
      return err({ code: 'being_erased' });
  }
}

async function answered<T>(call: Promise<T>): Promise<Result<T, UploadError>> {
  try {
    return ok(await call);
  } catch (thrown) {
    log('error', 'register_failed', { detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}
