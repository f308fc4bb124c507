/** The console's pages, as the HTTP edge needs them. */
import type { BatchSummary } from '../batch/report/summary.ts';
import type { Pages } from '../http/edge/ports.ts';
import { batchPage, defaultStates, doneRows, progressText } from './batch-page.tsx';
import { feedsPage } from './feeds-page.tsx';
import { problemPage } from './frame.tsx';
import { loadChoicePage, loadPage } from './load-page.tsx';
import { orderPage } from './order-page.tsx';
import { ordersPage } from './orders-page.tsx';
import { CONSOLE_CSS, LIVE_JS } from './style.ts';

export const consolePages: Pages = {
  batch: batchPage,
  load: loadPage,
  loadChoice: loadChoicePage,
  order: orderPage,
  orders: ordersPage,
  feeds: feedsPage,
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
