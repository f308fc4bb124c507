/** What was thrown, for those who have an answer all the same. */
import { isStoredNewer } from '../../kernel/migrate.ts';
import { isOfOtherRelease, isTransient } from '../../kernel/result.ts';

/** Whether it says nothing against what was asked: the platform passes through trouble, or a deploy is under way or was taken back. */
export const isForLater = (thrown: unknown): boolean =>
  isTransient(thrown) || isOfOtherRelease(thrown) || isStoredNewer(thrown);
