/** Every page of the console. */
import { actionPages } from './pages/action-list.tsx';
import { auditPages } from './pages/audit.tsx';
import { batchPages } from './pages/batch.tsx';
import { batchListPages } from './pages/batches.tsx';
import { channelPages } from './pages/channels.tsx';
import { codeListPages } from './pages/code-lists.tsx';
import { deadLetterPages } from './pages/dead-letters.tsx';
import { feedPages } from './pages/feeds.tsx';
import { holdPages } from './pages/holds.tsx';
import { homePages } from './pages/home.tsx';
import { issuePages } from './pages/issues/issues.tsx';
import { loadPages } from './pages/loads.tsx';
import { mappingPages } from './pages/mappings.tsx';
import { messagePages } from './pages/messages.tsx';
import { orderPages } from './pages/order.tsx';
import { orderListPages } from './pages/orders.tsx';
import { partnerPages } from './pages/partners.tsx';
import { peoplePages } from './pages/people.tsx';
import { rerunPages } from './pages/rerun.tsx';
import { searchPages } from './pages/search.tsx';
import { settingPages } from './pages/settings.tsx';
import { webhookPages } from './pages/webhooks.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [
  homePages,
  batchListPages,
  issuePages,
  batchPages,
  messagePages,
  searchPages,
  mappingPages,
  codeListPages,
  holdPages,
  deadLetterPages,
  actionPages,
  rerunPages,
  loadPages,
  orderListPages,
  orderPages,
  feedPages,
  webhookPages,
  settingPages,
  partnerPages,
  channelPages,
  auditPages,
  peoplePages,
];
