/** Tables of a ReplayAction, step by step. A released step is never changed; add a new one below it. */
import type { Migrations } from '../../kernel/migrate.ts';

/** As in release 0.1: one value, and no tables. */
export const REPLAY_MIGRATIONS: Migrations = {
  of: 'ReplayAction',
  steps: [{ number: 1, run: () => undefined }],
};
