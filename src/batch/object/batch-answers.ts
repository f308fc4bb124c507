/** What a Batch answers: to its readers, to operators, to later batches; and how one more message comes in. */

import { DurableObject } from 'cloudflare:workers';
import { BATCH_ISSUES_MAX, DEAD_LETTER_ACTIONS_MAX, FAULTY_MESSAGES_SHOWN } from '../../kernel/limits.ts';
import type { OrderFeedKey } from '../../kernel/names.ts';
import { inJurisdiction } from '../../kernel/namespaces.ts';
import type { Result } from '../../kernel/result.ts';
import { UsageMeter } from '../../kernel/usage.ts';
import type { SetsPage, SetsPosition } from '../acknowledgment/file.ts';
import { type ErasablePart, erasablePart, eraseBatch } from '../actions/erase.ts';
import { type ReplacingRow, type ResolvedRow, resolveRows } from '../actions/replaced-rows.ts';
import {
  beginReplay,
  planReplay,
  type ReplayedFrom,
  type ReplayOutcome,
  type ReplayPlan,
  type ReplayProgress,
  type ReplayRefusal,
  type ReplayRequest,
  type ReplayWanted,
  replayOutcome,
  stepReplay,
  stopReplay,
} from '../actions/replay.ts';
import { type BatchCost, costOf } from '../core/cost.ts';
import {
  DEAD_LETTER_STATES,
  type DeadLetter,
  type DeadLetterCheckpoint,
  type DeadLetterFilter,
  mayHaveDeadLetters,
  TROUBLED_STATES,
  type WholeDeadLetter,
} from '../core/dead-letters.ts';
import type { BatchIssue } from '../core/issue.ts';
import type { AlikeRows } from '../core/mapped-again.ts';
import type { MinuteTotals } from '../core/minutes.ts';
import type { MessagePart, StoredMessage } from '../core/progress.ts';
import { classifyRow, type Replaced } from '../core/replacing.ts';
import type { MadeOrder, MadeOrderCursor, StoredRecord } from '../core/row.ts';
import type { RowsQuery } from '../core/row-filter.ts';
import { type ScacRule, scacRule } from '../core/run.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { emptyReadMemory, keepArrived } from '../files/pinned.ts';
import { fileNames, type MessageSummary, messageSummaryOf } from '../report/message-summary.ts';
import { type BatchRow, type BatchSummary, rowOf, summaryOf } from '../report/summary.ts';
import { type IndexParts, NO_PARTS } from '../steps/index-parts.ts';
import type { RecordedLookup } from '../steps/lookup.ts';
import { type Appended, appendMessage, createdWith } from '../steps/messages.ts';
import type { ErasedSubject } from '../store/erased.ts';
import type { ActionPort } from './ports.ts';

/* Dead letters of a batch: a page of them, or one in full. */

/** After `after`, in record order. A dry run sent nothing, so it has none. */
function deadLettersOf(
  { store, letters }: ActionPort,
  filter: DeadLetterFilter,
  after: DeadLetterCheckpoint,
  limit: number,
): DeadLetter[] {
  const ticket = store.ticket();
  if (!ticket || ticket.dryRun || !mayHaveDeadLetters(store.tally(), filter.states)) return [];
  const { batchId, message } = ticket;
  const fileName = message === true ? null : ticket.fileName;
  return letters.page({ batchId, fileName }, filter, after, limit);
}

const ANY = { states: DEAD_LETTER_STATES, reasons: null, statuses: null, kinds: null, subject: null };

/** @param rowsAfter reads rows as the batch shows them. @returns undefined when there is no such request or row. */
async function wholeDeadLetter(
  port: ActionPort,
  { record, request }: DeadLetterCheckpoint,
  rowsAfter: (record: number) => Promise<BatchRow[]>,
): Promise<WholeDeadLetter | undefined> {
  const [row] = await rowsAfter(record - 1);
  if (row?.record !== record) return undefined;
  const stored = port.store.request(record, request);
  if (stored === undefined && request !== 0) return undefined;
  const before = { record, request: request - 1 };
  const [letter] = deadLettersOf(port, { ...ANY, places: [{ record, request }] }, before, 1);
  if (letter === undefined && request === 0) return undefined;
  return {
    letter: letter ?? null,
    row,
    subject: stored?.subject ?? null,
    scac: stored?.scac ?? null,
    actions: port.letters.actions(DEAD_LETTER_ACTIONS_MAX),
  };
}

/** Records as the batch shows them. */
function shownRows(port: ActionPort, records: readonly StoredRecord[]): BatchRow[] {
  const carrier = (row: StoredRecord): number => row.group_record ?? row.record;
  const carriers = [...new Set(records.map(carrier))];
  const requests = Map.groupBy(port.store.requestsOf(carriers), ({ record }) => record);
  const earlier = Map.groupBy(port.actions.earlier(carriers), ({ record }) => record);
  const fileOf = fileNames(port, records);
  return records.map((row) => {
    const more = { file: fileOf(row.record), earlier: earlier.get(carrier(row)) ?? [] };
    return rowOf(row, requests.get(carrier(row)) ?? [], more);
  });
}

/** @property lookedTo set where the search stopped before it was through. */
interface FoundRows {
  rows: BatchRow[];
  lookedTo: number | null;
}

export interface MadeUnder {
  rule: ScacRule;
  orderPair: OrderFeedKey | null;
}

export abstract class BatchAnswers extends DurableObject<Env> {
  protected readonly meter: UsageMeter;
  protected readonly storage: DurableObjectStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    const meter = new UsageMeter();
    super(ctx, meter.environment(inJurisdiction(env)));
    this.meter = meter;
    this.storage = meter.storage(ctx.storage);
  }

  /** A member of the instance, so that no stub can call it. */
  protected abstract readonly port: () => ActionPort;
  /** Once the rows of release 0.1 are where they are looked for. */
  protected abstract readonly withRows: () => Promise<ActionPort>;
  /** Something has come in: looks at it at once. */
  protected abstract readonly wakeNow: () => Promise<void>;
  protected readonly memory = emptyReadMemory();

  /* To operators: its dead letters, and replays of it. */

  /** Its dead letters after a position, in record order. */
  async deadLetters(filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): Promise<DeadLetter[]> {
    return deadLettersOf(await this.withRows(), filter, after, limit);
  }

  /** One request, or a row that never became one, with the actions on the batch. */
  async deadLetter(place: DeadLetterCheckpoint): Promise<WholeDeadLetter | undefined> {
    return wholeDeadLetter(await this.withRows(), place, (after) => this.rows(after, 1, null));
  }

  /** What of it failed alike, most rows first; of a dry run, what would. */
  async issues(limit: number): Promise<BatchIssue[]> {
    return (await this.withRows()).letters.issues(limit);
  }

  /**
   * Rows of an issue that may be mapped again. @returns undefined for a batch that was never created, or sent nothing: a
   * dry run.
   */
  async alikeRows(key: string, limit: number): Promise<AlikeRows | undefined> {
    const { store, letters } = await this.withRows();
    const ticket = store.ticket();
    return ticket === undefined || ticket.dryRun ? undefined : { sender: ticket, ...letters.alikeRows(key, limit) };
  }

  /** What of it is about a load or an order, and may be erased. @returns undefined: there is no such batch. */
  async erasable(of: ErasedSubject): Promise<ErasablePart | undefined> {
    return erasablePart(await this.withRows(), of);
  }

  /** Begins to erase all of it, with its loads and orders. Idempotent. */
  async eraseWhole(): Promise<'begun' | 'under_way' | 'gone'> {
    const begun = eraseBatch(await this.withRows());
    if (begun === 'begun') await this.wakeNow();
    return begun;
  }

  /** What a replay would resend. */
  async planReplay(wanted: ReplayWanted): Promise<ReplayPlan & ReplayedFrom> {
    return planReplay(await this.withRows(), wanted);
  }

  /** Fixes the requests of a replay. Idempotent by its id. @returns how many. */
  async beginReplay(asked: ReplayRequest): Promise<Result<number, ReplayRefusal>> {
    return beginReplay(await this.withRows(), asked);
  }

  /** Resends the next ones of a replay. Idempotent by the step's number. */
  async stepReplay(actionId: string, step: number, limit: number): Promise<ReplayProgress> {
    const progress = await stepReplay(await this.withRows(), actionId, step, limit);
    await this.storage.setAlarm(Date.now());
    return progress;
  }

  /** What became of the requests that a replay resent, by state. */
  async replayOutcome(actionId: string): Promise<ReplayOutcome> {
    return replayOutcome(await this.withRows(), actionId);
  }

  /** Requests that a replay has not resent yet stay as they ended. Idempotent. */
  async stopReplay(actionId: string): Promise<ReplayProgress> {
    return stopReplay(this.port(), actionId);
  }

  /* To whoever reads it or sends it messages. */

  /**
   * One more message: stored and enqueued for reading when this returns.
   * @param birth set when the batch may not exist yet: it is then created with this message.
   * @param bytes of a short message, so that they need not be read from storage.
   */
  async append(part: MessagePart, birth: BatchTicket | null, bytes?: Uint8Array): Promise<Appended> {
    const port = await this.withRows();
    const { store, messages } = port;
    const isKnown = store.ticket() !== undefined && messages.isKnown(part); // offered once more: its alarm was set with it
    if (!store.ticket()) {
      if (birth === null) return { outcome: 'refused' };
      store.create(birth, () => createdWith(messages, part));
    }
    const appended = await appendMessage(port, messages, part);
    if (appended.outcome === 'taken' && bytes !== undefined)
      keepArrived(this.memory, port.created().ticket, part.uploadId, bytes);
    if (appended.outcome === 'taken' && !isKnown) await this.wakeNow();
    return appended;
  }

  /** @returns undefined for a batch that was never created. */
  async summary(): Promise<BatchSummary | undefined> {
    return summaryIn(this.port());
  }

  /** What it took so far, with what its loads and orders reported. @returns null: it began before this was counted. */
  async cost(): Promise<BatchCost | null> {
    return costIn(this.port());
  }

  /** Rows after record `after`, up to `last`, in input order, of the given states or of all. */
  async rows(
    after: number,
    limit: number,
    states: readonly string[] | null,
    last: number | null = null,
  ): Promise<BatchRow[]> {
    const port = await this.withRows();
    return shownRows(port, port.store.records(after, limit, states, last));
  }

  /** Looks for rows, forward or back. */
  async findRows(asked: RowsQuery): Promise<FoundRows> {
    const port = await this.withRows();
    const { records, lookedTo } = port.store.find(asked);
    return { rows: shownRows(port, records), lookedTo };
  }

  /** Rows by their numbers. */
  async rowsAt(numbers: readonly number[]): Promise<BatchRow[]> {
    const port = await this.withRows();
    return shownRows(port, port.store.recordsAt(numbers));
  }

  /** Rows by their numbers, each with all rows of its group. */
  async groupsAt(numbers: readonly number[]): Promise<BatchRow[]> {
    const port = await this.withRows();
    return shownRows(port, port.store.recordsAt([...new Set(numbers.flatMap(port.store.groupOf))]));
  }

  /** The channel that its requests are sent over, and their SCACs. @returns undefined if it was never created. */
  async route(): Promise<{ channel: string; scacs: readonly string[] } | undefined> {
    const ticket = this.port().store.ticket();
    return ticket && { channel: ticket.channel, scacs: ticket.allowedScacs };
  }

  /** What became of the sets of a message, or of its upload (0), as it is kept; null: it is not. */
  async setOutcomes(message: number, after: SetsPosition | null): Promise<SetsPage | null> {
    return (await this.withRows()).store.setOutcomes(message, after);
  }

  /** How many of its requests were delivered, and how many refused, by the minute. */
  async minutes(): Promise<MinuteTotals> {
    return this.port().store.minutes();
  }

  /** The orders that its rows create or upsert, in row order. */
  async madeOrders(after: MadeOrderCursor, limit: number): Promise<MadeOrder[]> {
    return (await this.withRows()).store.madeOrders(after, limit);
  }

  /** What its rows were made from besides mapping and bytes. @returns undefined for a batch that was never created. */
  async madeUnder(): Promise<MadeUnder | undefined> {
    const ticket = this.port().store.ticket();
    return ticket && { rule: scacRule(ticket), orderPair: ticket.orderPair ?? null };
  }

  /** Recorded lookups, sorted by key, after one of them. @param message 0: the batch is of one upload. */
  async lookUps(message: number, after: string, limit: number): Promise<(RecordedLookup & { key: string })[]> {
    return this.port().lookUps.recorded(message, after, limit);
  }

  /** One of its messages alone. @returns undefined if there is none of this number. */
  async message(message: number): Promise<MessageSummary | undefined> {
    const port = await this.withRows();
    return port.store.ticket() ? messageSummaryOf(port, message) : undefined;
  }

  /** Messages after one of them, by number. */
  async messagesByNumber(after: number, limit: number): Promise<StoredMessage[]> {
    return this.port().store.ticket() ? this.port().messages.after(after, limit) : [];
  }

  /** Messages in reading order, after one of them. */
  async messagesInOrder(after: { recordsBefore: number; message: number }, limit: number): Promise<StoredMessage[]> {
    return this.port().messages.inOrder(after, limit);
  }

  /* To later batches of its partner whose rows replace its own. */

  /** Classifies own rows that rows of a later batch would replace. @param claim whether to record the replacement. */
  async classifyRows(asked: readonly ReplacingRow[], claim: boolean): Promise<Replaced[]> {
    const { store, actions } = await this.withRows();
    return asked.map(({ record, by }) => {
      const state = actions.isChosen(record) ? 'queued' : store.recordState(record);
      const judged = classifyRow(state, store.replacedInGroup(record, by), by);
      if (claim && judged.outcome === 'free') store.writeReplacedBy(record, by);
      return judged;
    });
  }

  /** Rows of a later batch were delivered in place of own ones. Idempotent. */
  async resolveRows(asked: readonly ResolvedRow[]): Promise<void> {
    const port = await this.withRows();
    if (!port.store.ticket()) return; // past its retention
    resolveRows(port, asked);
    await this.storage.setAlarm(Date.now()); // to pass it on where these replaced others, and for the index
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

export function costIn({ store, messages }: Pick<ActionPort, 'store' | 'messages'>): BatchCost | null {
  const used = store.usage();
  const isShared = store.progress()?.message !== undefined;
  return used === null ? null : costOf(used, isShared ? messages.counts().messages : 1);
}

/** What lists across batches have of it beside its row. A dry run sent nothing, so nothing of it failed. */
export function partsIn({ store, letters }: Pick<ActionPort, 'store' | 'letters'>): IndexParts {
  if (store.ticket()?.dryRun !== false) return NO_PARTS;
  const hasFailed = mayHaveDeadLetters(store.tally(), TROUBLED_STATES);
  return { issues: hasFailed ? letters.issues(BATCH_ISSUES_MAX) : [], minutes: store.minutes() };
}
