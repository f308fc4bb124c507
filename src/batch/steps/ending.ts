/**
 * The ends of retentions: of the loads that a batch visited, of its bytes, and of the batch. Every step can be repeated
 * after a crash.
 */

import type { RequestOutcome } from '../../delivery/outcome.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { FILES_DELETED_AT_ONCE, INDEX_RETRY_MS, LOADS_ENDED_AT_ONCE, MESSAGES_AT_ONCE } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchPrefix, contentKey, loadName, orderName, type PartnerScope, sourceKey } from '../../kernel/names.ts';
import { loadNumberOf, orderRefOf } from '../../mapping/request.ts';
import { isWhollyWithdrawn } from '../actions/cancel.ts';
import {
  afterLoadsEnded,
  type BatchCheckpoint,
  batchRetentionStep,
  type Contents,
  type LoadsEnd,
} from '../core/progress.ts';
import { batchState, total } from '../core/tally.ts';
import type { ActionPort } from '../object/ports.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { MessageStore } from '../store/message-store.ts';
import { callEach, isOrderSubject } from './dispatch.ts';
import { beginUnread } from './messages.ts';

/** A load or an order that goes with its partner. @returns false: something of it is under way. */
interface ErasedSubject {
  erase(batches: null): Promise<boolean>;
}

interface EndingPort {
  files: Pick<R2Bucket, 'list' | 'delete'>;
  clock: Clock;
  load(name: string): ErasedSubject & { endIfOver(): Promise<void> };
  order(name: string): ErasedSubject;
  /** Removes it from the index of batches. @param issues that are forgotten. @returns whether that is done. */
  unlist(issues: readonly string[]): Promise<boolean>;
  /** Deletes all the object stores, and its alarm. */
  empty(): Promise<void>;
}

/** @returns ms until the next call; null: the batch is deleted. */
export async function retentionStep(
  port: Pick<ActionPort, 'created' | 'keep' | 'register' | 'messages' | 'store'>,
  ending: EndingPort,
): Promise<number | null> {
  const { files, clock, load, unlist, empty } = ending;
  const { created: born, keep, register, messages } = port;
  const { ticket, progress } = born();
  const step = batchRetentionStep(progress, clock);
  switch (step.step) {
    case 'lives':
      return 0; // a retry has reopened it
    case 'wait':
      return Math.max(0, step.untilMs - clock.nowMs());
    case 'end_loads': {
      const loadsEnd = await endLoads(port, load, step.from);
      keep({ loadsEnd });
      return loadsEnd.pass > step.from.pass ? retentionStep(port, ending) : 0;
    }
    case 'erase_subjects': {
      const after = await eraseSubjects(port, ending, step.after);
      if (after === 'missed') return scaledMs(INDEX_RETRY_MS, clock);
      keep({ erasing: { ...step.erasing, after } });
      return 0;
    }
    case 'delete_bytes':
      keep({ isClosed: true }); // a message that came now would lose its bytes
      await deleteBytes(port, files);
      keep({ bytesDeletedAtMs: clock.nowMs() });
      return 0;
    case 'end': {
      const known = register(); // its name comes from what is deleted
      keep({ isClosed: true });
      await deleteMessages(files, ticket, messages);
      await deleteFiles(files, batchPrefix(ticket, ticket.batchId));
      if (!(await unlist(progress.erasing?.issues ?? []))) return scaledMs(INDEX_RETRY_MS, clock);
      if (batchRetentionStep(born().progress, clock).step !== 'end') return 0; // a retry came in between
      await empty();
      await known.forgetBatch(ticket.batchId).catch((thrown: unknown) => {
        // The register will ask, and learn that there is no such batch.
        log('warn', 'batch_not_forgotten', { batchId: ticket.batchId, detail: messageOf(thrown) });
      });
      return null;
    }
  }
}

/**
 * Calls the loads of the next requests, each of which ends if its retention is over: at delivery none had to arm an alarm
 * for that. One that cannot be reached holds up no other; it is called again in a later pass.
 */
async function endLoads(
  { store, created: born }: Pick<ActionPort, 'store' | 'created'>,
  load: EndingPort['load'],
  from: LoadsEnd,
): Promise<LoadsEnd> {
  const { ticket, progress } = born();
  const page = store.requestsWithin(from.after, progress.handedOver, LOADS_ENDED_AT_ONCE);
  const ofLoads = page.filter(({ subject }) => !isOrderSubject(subject));
  const names = new Set(ofLoads.map(({ scac, subject }) => loadName(ticket, scac, loadNumberOf(subject))));
  let missed = 0;
  await callEach([...names], async (name) => {
    try {
      await load(name).endIfOver();
    } catch (thrown) {
      missed += 1;
      log('warn', 'load_not_ended', { batchId: ticket.batchId, detail: messageOf(thrown) });
    }
  });
  const last = page.length < LOADS_ENDED_AT_ONCE ? undefined : page.at(-1);
  return afterLoadsEnded(from, last && { record: last.record, request: last.request }, missed);
}

/** The loads and orders of the next requests go whole. @returns where the next step begins; null: there are no more. */
async function eraseSubjects(
  { store }: Pick<ActionPort, 'store'>,
  { load, order }: Pick<EndingPort, 'load' | 'order'>,
  after: BatchCheckpoint,
): Promise<BatchCheckpoint | null | 'missed'> {
  const page = store.requestsWithin(after, LAST, LOADS_ENDED_AT_ONCE);
  const scope = store.ticket();
  if (scope === undefined) return null;
  const named = new Map<string, ErasedSubject>();
  for (const { subject, scac } of page) {
    const isOrder = isOrderSubject(subject);
    const name = isOrder ? orderName(scope, orderRefOf(subject)) : loadName(scope, scac, loadNumberOf(subject));
    named.set(name, isOrder ? order(name) : load(name));
  }
  let areGone = true;
  await callEach([...named.values()], async (each) => {
    try {
      if (!(await each.erase(null))) areGone = false;
    } catch (thrown) {
      areGone = false;
      log('warn', 'subject_not_erased', { batchId: scope.batchId, detail: messageOf(thrown) });
    }
  });
  if (!areGone) return 'missed';
  const last = page.length < LOADS_ENDED_AT_ONCE ? undefined : page.at(-1);
  return last === undefined ? null : { record: last.record, request: last.request };
}

const LAST: BatchCheckpoint = { record: Number.POSITIVE_INFINITY, request: 0 };

/** All that its rows were read from. */
export async function deleteBytes(
  { created, messages }: Pick<ActionPort, 'created' | 'messages'>,
  files: EndingPort['files'],
): Promise<void> {
  const { ticket, progress } = created();
  await files.delete(bytesOf(ticket, progress.content ?? null));
  await deleteMessages(files, ticket, messages);
}

/** Those after the first one, which is stored as its batch is. */
async function deleteMessages(files: EndingPort['files'], scope: PartnerScope, messages: MessageStore): Promise<void> {
  for (let after = 0; ; ) {
    const page = messages.after(after, MESSAGES_AT_ONCE);
    const keys = page.flatMap(({ uploadId, content }) => bytesOf({ ...scope, batchId: uploadId }, content));
    for (let from = 0; from < keys.length; from += FILES_DELETED_AT_ONCE) {
      await files.delete(keys.slice(from, from + FILES_DELETED_AT_ONCE));
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.message;
  }
}

/** The partner's bytes, and what they were unpacked to. */
function bytesOf(scope: PartnerScope & { batchId: string }, content: Contents | null): string[] {
  const { batchId } = scope;
  const files = content?.files ?? [];
  return [
    sourceKey(scope, batchId),
    contentKey(scope, batchId),
    ...files.map((_, index) => contentKey(scope, batchId, index + 1)),
  ];
}

/** Deletes every stored file under a prefix. */
export async function deleteFiles(files: Pick<R2Bucket, 'list' | 'delete'>, prefix: string): Promise<void> {
  for (;;) {
    const { objects } = await files.list({ prefix, limit: FILES_DELETED_AT_ONCE });
    if (objects.length === 0) return;
    await files.delete(objects.map(({ key }) => key));
  }
}

/* Outcomes → counts and rows, and the end of a batch once nothing is open. Every step can be repeated. */

/** One commit; nothing is awaited. */
export function moveOutcomes(
  { store, claims, created: born }: Pick<ActionPort, 'store' | 'claims' | 'created'>,
  outcomes: readonly RequestOutcome[],
): void {
  store.commit(() => {
    const delivered = store.move(outcomes);
    if (delivered.length > 0) claims.delivered(born().ticket.batchId, delivered);
  });
}

/** @returns true when the batch has just settled: every visit has ended, so that each subject with something left to do has armed its alarm. */
export function settleIfDone(store: BatchStore, nowMs: number): boolean {
  beginUnread(store);
  const progress = store.progress();
  if (!progress) return false;
  const state = batchState(progress, store.tally());
  if (state === progress.state) return false;
  if (state === 'settled' && store.requestsAfter(progress.handedOver, 1).length > 0) return false;
  store.keepProgress({ ...progress, state, settledAtMs: state === 'settled' ? nowMs : null });
  return state === 'settled';
}

/** Notifies the register of the end, until it knows. */
export async function notifyRegister({ created: born, store, register, keep }: ActionPort): Promise<void> {
  const { ticket, progress } = born();
  if (progress.reported || (progress.state !== 'settled' && progress.state !== 'unreadable')) return;
  const isWithdrawnWhole = isWhollyWithdrawn(progress, store.tally());
  if (isWithdrawnWhole) keep({ claimsNothing: true });
  const claimsNothing = isWithdrawnWhole || progress.state === 'unreadable';
  const { state, opening = 0 } = progress;
  await register().closeBatch(ticket.batchId, {
    state,
    claimsNothing,
    tookNothing: ticket.message !== true && total(store.tally().requests) === 0, // messages are reported one by one
    opening,
  });
  if ((born().progress.opening ?? 0) === opening) keep({ reported: true });
}
