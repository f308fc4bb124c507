/** What of a batch can still be taken back when it is cancelled. Pure. */
import type { RequestState } from './states.ts';

/**
 * `queued` has not left; `waiting` is known not to be applied, whatever was tried. What is being sent, unclear or held follows
 * its course: it may have arrived, and calling it withdrawn would be a lie.
 */
export const WITHDRAWABLE_STATES: readonly RequestState[] = ['queued', 'waiting'];

export const isWithdrawable = (state: RequestState): boolean => WITHDRAWABLE_STATES.includes(state);
