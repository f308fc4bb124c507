/** What a Batch answers to those who operate the bridge: what of it did not arrive, and replays of it. */
import { DurableObject } from 'cloudflare:workers';
import type { Result } from '../../kernel/result.ts';
import {
  beginReplay,
  planReplay,
  type ReplayAsked,
  type ReplayPlan,
  type ReplayProgress,
  type ReplayRefusal,
  type ReplayWanted,
  stepReplay,
  stopReplay,
} from '../actions/replay.ts';
import type { Letter, LetterFilter, LetterMark, LetterWhole } from '../core/letters.ts';
import { lettersOf, letterWhole } from '../report/letters-of.ts';
import type { BatchRow } from '../report/summary.ts';
import type { ActionPort } from './action-port.ts';

export abstract class OperatedBatch extends DurableObject<Env> {
  /** A member of the instance, so that no stub can call it. */
  protected abstract readonly operated: () => ActionPort;

  abstract rows(after: number, limit: number, states: readonly string[] | null): Promise<BatchRow[]>;

  /** What of it did not arrive, behind a place, in record order. */
  async letters(filter: LetterFilter, after: LetterMark, limit: number): Promise<Letter[]> {
    return lettersOf(this.operated(), filter, after, limit);
  }

  /** One request, or a row that never became one, with what was asked of the batch. */
  async letter(place: LetterMark): Promise<LetterWhole | undefined> {
    return letterWhole(this.operated(), place, (after) => this.rows(after, 1, null));
  }

  /** What a replay would send again. */
  async planReplay(wanted: ReplayWanted): Promise<ReplayPlan> {
    return planReplay(this.operated(), wanted);
  }

  /** Fixes what a replay is about. Idempotent by its id. @returns how many requests. */
  async beginReplay(asked: ReplayAsked): Promise<Result<number, ReplayRefusal>> {
    return beginReplay(this.operated(), asked);
  }

  /** Sends the next ones of a replay again. Idempotent by the step's number. */
  async stepReplay(actionId: string, step: number, limit: number): Promise<ReplayProgress> {
    const progress = await stepReplay(this.operated(), actionId, step, limit);
    await this.ctx.storage.setAlarm(Date.now());
    return progress;
  }

  /** What a replay has not sent yet stays as it ended. Idempotent. */
  async stopReplay(actionId: string): Promise<ReplayProgress> {
    return stopReplay(this.operated(), actionId);
  }
}
