/** Publishes a Batch's notifications. Every step can be repeated: a repeat has the same key. */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { NOTIFICATION_PATIENCE_MS, NOTIFICATION_PAUSE_MS, NOTIFICATIONS_AT_ONCE } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import {
  type BatchNotificationType,
  dueNotifications,
  messageNotifications,
  type NotificationPort,
  noteNotifications,
  notificationOf,
} from '../core/batch-events.ts';
import type { NotificationCheckpoints } from '../core/progress.ts';
import type { ActionPort } from '../object/ports.ts';
import type { BatchSummary } from '../report/summary.ts';

interface NotifierPort {
  webhooks(): NotificationPort<BatchNotificationType>;
  summary(): Promise<BatchSummary | undefined>;
  clock: Clock;
}

type NotifiedProgress = Pick<ActionPort, 'created' | 'store' | 'keep' | 'messages'>;

/** One commit with the change itself; nothing is awaited. @returns whether there is anything to publish. */
export function hasNotifications({ store, keep }: Pick<NotifiedProgress, 'store' | 'keep'>, nowMs: number): boolean {
  const ticket = store.ticket();
  const progress = store.progress();
  if (!ticket || !progress) return false; // past its retention; a report came late
  const marks = progress.news ?? {};
  const news = noteNotifications({ ticket, progress, tally: store.tally() }, marks, nowMs);
  if (news !== marks) keep({ news });
  return dueNotifications(news, progress).length > 0;
}

/** @param againMs null: nothing is left to do. @param newsMs null: all is published. @returns ms to the sooner one. */
export const sooner = (againMs: number | null, newsMs: number | null): number | null =>
  againMs === null || newsMs === null ? againMs : Math.min(againMs, newsMs);

/** When to retry a failed notification, kept in memory only: a new process tries at once. */
export class Notifier {
  readonly #notified: () => NotifiedProgress;
  readonly #port: NotifierPort;
  #notBeforeMs = 0;

  constructor(told: () => NotifiedProgress, port: NotifierPort) {
    this.#notified = told;
    this.#port = port;
  }

  /**
   * Never throws: a failed notification holds up nothing else. @returns ms until the next try; null: all is published.
   */
  async step(): Promise<number | null> {
    const told = this.#notified();
    const { clock } = this.#port;
    const isDue = hasNotifications(told, clock.nowMs());
    const messages = told.messages.unannounced(NOTIFICATIONS_AT_ONCE);
    if (!isDue && messages.length === 0) return null;
    const restMs = this.#notBeforeMs - clock.nowMs();
    if (restMs > 0) return restMs;
    try {
      await this.#notify(told);
      return (await this.#publish(told)) ? 0 : null;
    } catch (thrown) {
      const { batchId } = told.created().ticket;
      log('warn', 'news_not_told', { batchId, detail: messageOf(thrown) });
      const pauseMs = scaledMs(NOTIFICATION_PAUSE_MS, clock);
      this.#notBeforeMs = clock.nowMs() + pauseMs;
      return pauseMs;
    }
  }

  async #notify({ created: born, keep }: NotifiedProgress): Promise<void> {
    const { progress } = born();
    const marks: NotificationCheckpoints = progress.news ?? {};
    const due = dueNotifications(marks, progress);
    const summary = await this.#port.summary();
    if (due.length === 0 || summary === undefined) return;
    const events = due.flatMap((kind) => {
      const mark = marks[kind];
      return mark === undefined ? [] : [notificationOf(kind, mark, summary)];
    });
    await this.#port.webhooks().notify(events);
    const now: NotificationCheckpoints = { ...born().progress.news };
    for (const kind of due) {
      const mark = now[kind];
      if (mark !== undefined && mark.number === marks[kind]?.number)
        Object.assign(now, { [kind]: { ...mark, isTold: true } });
    }
    keep({ news: now });
  }

  /** @returns whether there may be more. */
  async #publish({ created: born, messages }: NotifiedProgress): Promise<boolean> {
    const read = messages.unannounced(NOTIFICATIONS_AT_ONCE);
    if (read.length === 0) return false;
    const { ticket } = born();
    const nowMs = this.#port.clock.nowMs();
    await this.#port.webhooks().notify(read.map((message) => messageNotifications(ticket, message, nowMs)));
    for (const { message } of read) messages.storePublished(message);
    return read.length === NOTIFICATIONS_AT_ONCE;
  }
}

/**
 * Whether to notify the register of the end although other notifications failed: after that, nobody checks a batch that
 * lost its alarm.
 */
export const isPatienceOver = (settledAtMs: number | null, clock: Clock): boolean =>
  settledAtMs === null || clock.nowMs() - settledAtMs >= scaledMs(NOTIFICATION_PATIENCE_MS, clock);
