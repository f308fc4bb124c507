/** What cancelling and retrying need of their Batch, so that their steps stand in files of their own. */
import type { RequestOutcome } from '../../delivery/outcome.ts';
import type { BatchProgress } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { Subjects } from '../steps/hand-over.ts';
import type { ActionStore } from '../store/action-store.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { ClaimStore } from '../store/claim-store.ts';
import type { LetterStore } from '../store/letter-store.ts';
import type { LookUpStore } from '../store/look-up-store.ts';
import type { MessageStore } from '../store/message-store.ts';
import type { ReplayStore } from '../store/replay-store.ts';
import type { BatchRegister } from './batch-register.ts';

export interface ActionPort {
  store: BatchStore;
  claims: ClaimStore;
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
