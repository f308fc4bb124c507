/** The console's pages, as the HTTP edge needs them. */
import type { BatchSummary } from '../batch/report/summary.ts';
import type { Pages } from '../http/edge/ports.ts';
import { batchPage, defaultStates, doneRows, progressText } from './batch-page.tsx';
import { problemPage } from './frame.tsx';
import { CONSOLE_CSS, LIVE_JS } from './style.ts';

export const consolePages: Pages = {
  batch: batchPage,
  problem: problemPage,
  defaultStates,
  progress: (summary: BatchSummary) => ({
    state: summary.state,
    rows: summary.rows,
    done: doneRows(summary),
    text: progressText(summary),
    counts: Object.fromEntries(
      Object.entries(summary.rowStates).map(([state, count]) => [state, (count ?? 0).toLocaleString('en-US')]),
    ),
  }),
  css: CONSOLE_CSS,
  liveJs: LIVE_JS,
};
