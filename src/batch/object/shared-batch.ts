/** What a Batch shows of itself, and of each of the messages where several share it; and how one more of them comes in. */
import { FAULTY_MESSAGES_SHOWN } from '../../kernel/limits.ts';
import type { OrderPair } from '../../kernel/names.ts';
import type { MessagePart, StoredMessage } from '../core/message.ts';
import type { MadeOrder, MadeOrderMark, StoredRecord } from '../core/row.ts';
import { type ScacRule, scacRule } from '../core/run.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { fileNames, type MessageSummary, messageSummaryOf } from '../report/message-summary.ts';
import { type BatchRow, type BatchSummary, rowOf, summaryOf } from '../report/summary.ts';
import { type Appended, appendMessage, bornWith } from '../steps/messages.ts';
import type { RecordedLookUp } from '../store/look-up-store.ts';
import type { ActionPort } from './action-port.ts';
import { OperatedBatch } from './operated-batch.ts';

export interface MadeUnder {
  rule: ScacRule;
  orderPair: OrderPair | null;
}

export abstract class SharedBatch extends OperatedBatch {
  /**
   * One more message: durable, and in line to be read, when this returns.
   * @param birth given where the batch may not exist yet: it is born with this message then.
   */
  async append(part: MessagePart, birth: BatchTicket | null): Promise<Appended> {
    const port = this.operated();
    const { store, messages } = port;
    if (!store.ticket()) {
      if (birth === null) return { outcome: 'refused' };
      store.keepTicket(birth);
      store.keepProgress(bornWith(messages, part));
    }
    const appended = await appendMessage(port, messages, part);
    if (appended.outcome === 'taken') await this.ctx.storage.setAlarm(Date.now());
    return appended;
  }

  /** @returns undefined for a batch that was never created. */
  async summary(): Promise<BatchSummary | undefined> {
    return summaryIn(this.operated());
  }

  /** Rows after record `after`, up to `last`, in input order, of the given states or of all. */
  override async rows(
    after: number,
    limit: number,
    states: readonly string[] | null,
    last: number | null = null,
  ): Promise<BatchRow[]> {
    const { store, actions } = this.operated();
    const records = store.records(after, limit, states, last);
    const carrier = (row: StoredRecord): number => row.group_record ?? row.record;
    const carriers = [...new Set(records.map(carrier))];
    const requests = Map.groupBy(store.requestsOf(carriers), ({ record }) => record);
    const earlier = Map.groupBy(actions.earlier(carriers), ({ record }) => record);
    const fileOf = fileNames(this.operated(), records);
    return records.map((row) => {
      const more = { file: fileOf(row.record), earlier: earlier.get(carrier(row)) ?? [] };
      return rowOf(row, requests.get(carrier(row)) ?? [], more);
    });
  }

  /** The orders that its rows create, in their order: new ones, and those that are new or changed. */
  async madeOrders(after: MadeOrderMark, limit: number): Promise<MadeOrder[]> {
    return this.operated().store.madeOrders(after, limit);
  }

  /** What its rows were made under beside mapping and bytes. @returns undefined for a batch that was never created. */
  async madeUnder(): Promise<MadeUnder | undefined> {
    const ticket = this.operated().store.ticket();
    return ticket && { rule: scacRule(ticket), orderPair: ticket.orderPair ?? null };
  }

  /** What was looked up, in the order of keys, behind one of them. @param message 0: the batch is of one upload. */
  async lookUps(message: number, after: string, limit: number): Promise<(RecordedLookUp & { key: string })[]> {
    return this.operated().lookUps.recorded(message, after, limit);
  }

  /** One of its messages alone. @returns undefined where there is none of this number. */
  async message(message: number): Promise<MessageSummary | undefined> {
    return this.operated().store.ticket() ? messageSummaryOf(this.operated(), message) : undefined;
  }

  /** Messages behind one of them, by number. */
  async messagesByNumber(after: number, limit: number): Promise<StoredMessage[]> {
    return this.operated().store.ticket() ? this.operated().messages.after(after, limit) : [];
  }

  /** Messages in the order in which they were read, behind one of them. */
  async messagesInOrder(after: { recordsBefore: number; message: number }, limit: number): Promise<StoredMessage[]> {
    return this.operated().messages.inOrder(after, limit);
  }
}

/** @returns undefined for a batch that was never created. */
export function summaryIn({ store, messages }: Pick<ActionPort, 'store' | 'messages'>): BatchSummary | undefined {
  const ticket = store.ticket();
  const progress = store.progress();
  if (!ticket || !progress) return undefined;
  const isShared = progress.message !== undefined;
  const shared = isShared ? { ...messages.counts(), faulty: messages.faulty(FAULTY_MESSAGES_SHOWN) } : null;
  return summaryOf(ticket, progress, store.tally(), { trouble: store.trouble(), shared });
}
