/** A Batch tells what is news of it. Every step can be repeated: a repeat bears the same name. */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { NEWS_EVENTS_AT_ONCE, NEWS_PATIENCE_MS, NEWS_PAUSE_MS } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { dueNews, messageNews, newsEvent, noteNews } from '../core/news.ts';
import type { BatchNewsType, NewsPort } from '../core/news-event.ts';
import type { NewsMarks } from '../core/progress.ts';
import type { ActionPort } from '../object/action-port.ts';
import type { BatchSummary } from '../report/summary.ts';

export interface TellingPort {
  webhooks(): NewsPort<BatchNewsType>;
  summary(): Promise<BatchSummary | undefined>;
  clock: Clock;
}

type Told = Pick<ActionPort, 'born' | 'store' | 'keep' | 'messages'>;

/** One commit with what it was noted of; nothing is awaited. @returns whether there is anything to tell. */
export function hasNews({ store, keep }: Pick<Told, 'store' | 'keep'>, nowMs: number): boolean {
  const ticket = store.ticket();
  const progress = store.progress();
  if (!ticket || !progress) return false; // its life has ended, and reports come late
  const marks = progress.news ?? {};
  const news = noteNews({ ticket, progress, tally: store.tally() }, marks, nowMs);
  if (news !== marks) keep({ news });
  return dueNews(news, progress).length > 0;
}

/** @param againMs null: nothing is left to do. @param newsMs null: all is told. @returns ms to the sooner one. */
export const sooner = (againMs: number | null, newsMs: number | null): number | null =>
  againMs === null || newsMs === null ? againMs : Math.min(againMs, newsMs);

/** When something that could not be told is tried again, kept by the process alone: a new one tries at once. */
export class Telling {
  readonly #told: () => Told;
  readonly #port: TellingPort;
  #notBeforeMs = 0;

  constructor(told: () => Told, port: TellingPort) {
    this.#told = told;
    this.#port = port;
  }

  /** Never throws: who is not told keeps nothing from going on. @returns ms until it is to be tried again; null: all is told. */
  async step(): Promise<number | null> {
    const told = this.#told();
    const { clock } = this.#port;
    const isDue = hasNews(told, clock.nowMs());
    const messages = told.messages.unannounced(NEWS_EVENTS_AT_ONCE);
    if (!isDue && messages.length === 0) return null;
    const restMs = this.#notBeforeMs - clock.nowMs();
    if (restMs > 0) return restMs;
    try {
      await this.#tell(told);
      return (await this.#announce(told)) ? 0 : null;
    } catch (thrown) {
      const { batchId } = told.born().ticket;
      log('warn', 'news_not_told', { batchId, detail: messageOf(thrown) });
      const pauseMs = scaledMs(NEWS_PAUSE_MS, clock);
      this.#notBeforeMs = clock.nowMs() + pauseMs;
      return pauseMs;
    }
  }

  async #tell({ born, keep }: Told): Promise<void> {
    const { progress } = born();
    const marks: NewsMarks = progress.news ?? {};
    const due = dueNews(marks, progress);
    const summary = await this.#port.summary();
    if (due.length === 0 || summary === undefined) return;
    const events = due.flatMap((kind) => {
      const mark = marks[kind];
      return mark === undefined ? [] : [newsEvent(kind, mark, summary)];
    });
    await this.#port.webhooks().tell(events);
    const now: NewsMarks = { ...born().progress.news };
    for (const kind of due) {
      const mark = now[kind];
      if (mark !== undefined && mark.number === marks[kind]?.number)
        Object.assign(now, { [kind]: { ...mark, isTold: true } });
    }
    keep({ news: now });
  }

  /** @returns whether there may be more. */
  async #announce({ born, messages }: Told): Promise<boolean> {
    const read = messages.unannounced(NEWS_EVENTS_AT_ONCE);
    if (read.length === 0) return false;
    const { ticket } = born();
    const nowMs = this.#port.clock.nowMs();
    await this.#port.webhooks().tell(read.map((message) => messageNews(ticket, message, nowMs)));
    for (const { message } of read) messages.keepAnnounced(message);
    return read.length === NEWS_EVENTS_AT_ONCE;
  }
}

/** Whether its register may know the end though it could not be told elsewhere: behind that, nobody asks a batch that lost its alarm. */
export const isPatienceOver = (settledAtMs: number | null, clock: Clock): boolean =>
  settledAtMs === null || clock.nowMs() - settledAtMs >= scaledMs(NEWS_PATIENCE_MS, clock);
