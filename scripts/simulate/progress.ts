/** Which blocks of seeds are done. */
import { type Progress, progressFile } from '../local/progress.ts';

/** `broken`: seeds that broke an invariant. */
export type SeedProgress = Progress<number>;

export const SEED_PROGRESS = progressFile<number>('.simulate', ['src', 'scripts/simulate', 'mappings']);
