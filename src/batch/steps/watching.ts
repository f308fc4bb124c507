/** A Batch's look at its loads and orders: wakes those that are overdue. Every step can be repeated. */
import type { Clock } from '../../kernel/clock.ts';
import { scaledMs } from '../../kernel/clock.ts';
import { WATCH_BATCH_MS, WATCH_PAUSE_MS_MAX, WATCH_REQUESTS_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { loadName, orderName } from '../../kernel/names.ts';
import { loadNumberOf, orderRefOf } from '../../mapping/request.ts';
import type { BatchProgress } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { afterPoke, firstPass, isMoving, lookAt, type WatchedRequest, type WatchPass } from '../core/watch.ts';
import type { ActionPort } from '../object/action-port.ts';
import type { WatchStore } from '../store/watch-store.ts';
import { callEach, isOrderSubject, type Subjects } from './hand-over.ts';

interface WatchPort {
  watch: WatchStore;
  subjects: Subjects<'poke'>;
  clock: Clock;
}

/** @returns ms to the next look. */
export async function watchStep(
  { born, store, subjects }: Pick<ActionPort, 'born' | 'store' | 'subjects'>,
  watch: WatchStore,
  clock: Clock,
): Promise<number> {
  const port = { watch, subjects, clock };
  const { ticket, progress } = born();
  const pass = passOf(port, progress);
  if (clock.nowMs() < pass.lookAtMs) return pass.lookAtMs - clock.nowMs();
  if (!isMoving(store.tally())) return scaledMs(WATCH_PAUSE_MS_MAX, clock);
  const page = watch.requests(pass.at, progress.handedOver, WATCH_REQUESTS_MAX);
  const look = lookAt(page, pass, progress.handedOverAtMs ?? ticket.receivedAtMs, clock);
  await callEach(look.overdue, (request) => wake(port, ticket, request));
  watch.keepPass(look.pass);
  return Math.max(0, look.pass.lookAtMs - clock.nowMs());
}

/** A retry opens again what was final. */
function passOf({ watch, clock }: WatchPort, progress: BatchProgress): WatchPass {
  const retriedAtMs = progress.retriedAtMs ?? null;
  const kept = watch.pass();
  if (kept !== undefined && kept.retriedAtMs === retriedAtMs) return kept;
  const fresh = firstPass(clock.nowMs() + scaledMs(WATCH_BATCH_MS, clock), retriedAtMs);
  watch.keepPass(fresh);
  return fresh;
}

/** One that cannot be reached costs no other its turn; its own comes again. */
async function wake(
  { watch, subjects, clock }: WatchPort,
  ticket: BatchTicket,
  request: WatchedRequest,
): Promise<void> {
  const { subject, scac } = request;
  let wakesAtMs: number | null = null;
  try {
    wakesAtMs = isOrderSubject(subject)
      ? await subjects.order(orderName(ticket, orderRefOf(subject))).poke()
      : await subjects.load(loadName(ticket, scac, loadNumberOf(subject))).poke();
  } catch (thrown) {
    log('warn', 'subject_not_reached', { batchId: ticket.batchId, detail: messageOf(thrown) });
  }
  watch.keepPoked(request, afterPoke(request, wakesAtMs, clock));
}
