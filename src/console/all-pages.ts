/** Every page of the console. */
import { batchListPages } from './pages/batches.tsx';
import { feedPages } from './pages/feeds.tsx';
import { homePages } from './pages/home.tsx';
import { loadPages } from './pages/loads.tsx';
import { orderPages } from './pages/order.tsx';
import { orderListPages } from './pages/orders.tsx';
import { settingPages } from './pages/settings.tsx';
import { webhookPages } from './pages/webhooks.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [
  homePages,
  batchListPages,
  loadPages,
  orderListPages,
  orderPages,
  feedPages,
  webhookPages,
  settingPages,
];
