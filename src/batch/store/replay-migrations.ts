/** What a ReplayAction stores, step by step. A step that was released is never changed; a new one is added below it. */
import type { Migrations } from '../../kernel/migrate.ts';

/** As in release 0.1: one value, and no tables. */
export const REPLAY_MIGRATIONS: Migrations = {
  of: 'ReplayAction',
  steps: [{ number: 1, run: () => undefined }],
};
