/** Which blocks of inputs are done. */
import { join } from 'node:path';
import { type Progress, progressFile } from '../local/progress.ts';

/** `broken`: inputs that broke a promise, as `x12 17`. */
export type FuzzProgress = Progress<string>;

export const FOLDER = join(import.meta.dirname, '..', '..', '.fuzz');
export const FUZZ_PROGRESS = progressFile<string>('.fuzz', ['src/formats', 'src/kernel', 'scripts/fuzz', 'mappings']);
