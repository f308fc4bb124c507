/** What the HTTP edge needs from elsewhere, as interfaces of its own; `index.ts` joins them. */
import type { BatchRow, BatchSummary } from '../batch/summary.ts';
import type { PartnerDirectory } from '../intake/ports.ts';
import type { AnswerMappings } from '../ops/answer-mappings.ts';
import type { Catalog } from '../ops/catalog.ts';
import type { Gates } from '../ops/gates.ts';
import type { OpsDirectory } from '../ops/ops-directory.ts';
import type { OrderFeeds } from '../ops/order-feeds.ts';
import type { PartnerEnvelopes } from '../ops/partner-envelopes.ts';
import type { PartnerList } from '../ops/partner-list.ts';
import type { Publishing } from '../ops/publishing.ts';
import type { OperatedWebhooks } from '../ops/webhooks.ts';
import type { UpstreamSettings } from '../upstream/settings.ts';
import type { AlertsPageView, FeedsPageView, OrderPageView, OrdersPageView } from './console-views.ts';
import type { LoadView } from './load-view.ts';

export interface AppPorts {
  directory: (env: Env) => PartnerDirectory;
  opsDirectory: (env: Env) => OpsDirectory;
  partners: (env: Env) => PartnerList;
  envelopes: (env: Env) => PartnerEnvelopes;
  webhooks: (env: Env) => OperatedWebhooks;
  feeds: (env: Env) => OrderFeeds;
  answerMappings: (env: Env) => AnswerMappings;
  catalog: (env: Env) => Catalog;
  publishing: (env: Env) => Publishing;
  gates: (env: Env) => Gates;
  settings: (env: Env) => UpstreamSettings;
  pages: Pages;
}

/** The console's pages: the console stands to the right of this folder. */
export interface Pages {
  batch(view: {
    summary: BatchSummary;
    rows: BatchRow[];
    shown: readonly string[] | null;
    nextPage: string | null;
  }): string;
  load(view: LoadView): string;
  /** A load number that stands under several SCACs: which one is meant is for the person to say. */
  loadChoice(choice: { loadNumber: string; environment: string; scacs: readonly string[] }): string;
  order(view: OrderPageView): string;
  orders(view: OrdersPageView): string;
  feeds(view: FeedsPageView): string;
  alerts(view: AlertsPageView): string;
  defaultStates(summary: BatchSummary): readonly string[] | null;
  progress(summary: BatchSummary): {
    state: string;
    rows: number;
    done: number;
    text: string;
    counts: Record<string, string>;
  };
  css: string;
  liveJs: string;
}
