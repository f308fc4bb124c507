/** What cancelling and retrying need of their Batch, so that their steps stand in files of their own. */
import type { RequestOutcome } from '../delivery/outcome.ts';
import type { ActionStore } from './action-store.ts';
import type { BatchRegister } from './batch.ts';
import type { BatchStore } from './batch-store.ts';
import type { Subjects } from './hand-over.ts';
import type { LetterStore } from './letter-store.ts';
import type { LookUpStore } from './look-up-store.ts';
import type { MessageStore } from './message-store.ts';
import type { BatchProgress } from './progress.ts';
import type { ReplayStore } from './replay-store.ts';
import type { BatchTicket } from './ticket.ts';

export interface ActionPort {
  store: BatchStore;
  born(): { ticket: BatchTicket; progress: BatchProgress };
  actions: ActionStore;
  letters: LetterStore;
  replays: ReplayStore;
  messages: MessageStore;
  lookUps: LookUpStore;
  subjects: Subjects;
  register(): BatchRegister;
  /** Changes requests as a subject's report does; counts and rows follow. */
  move(outcomes: readonly RequestOutcome[]): void;
  /** Changes what is named and leaves the rest as it stands now: reports may have come in meanwhile. */
  keep(change: { [Key in keyof BatchProgress]?: BatchProgress[Key] | undefined }): void;
  nowMs(): number;
}
