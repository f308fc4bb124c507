/** Every page of the console. */
import { actionPages } from './pages/action-list.tsx';
import { batchPages } from './pages/batch/batch.tsx';
import { fixPages } from './pages/batch/fix-rows.tsx';
import { messagePages } from './pages/batch/messages.tsx';
import { rerunPages } from './pages/batch/rerun.tsx';
import { batchListPages } from './pages/batches.tsx';
import { alertWebhookPages } from './pages/connections/alert-webhook.tsx';
import { channelPages } from './pages/connections/channels.tsx';
import { feedPages } from './pages/connections/feeds.tsx';
import { settingPages } from './pages/connections/settings.tsx';
import { webhookPages } from './pages/connections/webhooks.tsx';
import { deadLetterPages } from './pages/holds/dead-letters.tsx';
import { holdPages } from './pages/holds/holds.tsx';
import { homePages } from './pages/home.tsx';
import { issuePages } from './pages/issues/issues.tsx';
import { codeListPages } from './pages/mappings/code-lists.tsx';
import { mappingPages } from './pages/mappings/mappings.tsx';
import { loadPages } from './pages/orders/loads.tsx';
import { orderPages } from './pages/orders/order.tsx';
import { orderListPages } from './pages/orders/orders.tsx';
import { ownPages } from './pages/own/own.tsx';
import { auditPages } from './pages/people/audit.tsx';
import { partnerPages } from './pages/people/partners.tsx';
import { peoplePages } from './pages/people/people.tsx';
import { uploadLinkPages } from './pages/people/upload-links.tsx';
import { recordPages } from './pages/records.tsx';
import { searchPages } from './pages/search.tsx';
import { uploadPages } from './pages/upload/upload.tsx';
import { proposalPages } from './pages/workbench/proposals.tsx';
import { workbenchPages } from './pages/workbench/workbench.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [
  homePages,
  uploadPages,
  batchListPages,
  issuePages,
  batchPages,
  fixPages,
  messagePages,
  searchPages,
  mappingPages,
  codeListPages,
  workbenchPages,
  proposalPages,
  holdPages,
  deadLetterPages,
  actionPages,
  rerunPages,
  loadPages,
  orderListPages,
  orderPages,
  feedPages,
  webhookPages,
  alertWebhookPages,
  ownPages,
  settingPages,
  partnerPages,
  uploadLinkPages,
  channelPages,
  auditPages,
  peoplePages,
  recordPages,
];
