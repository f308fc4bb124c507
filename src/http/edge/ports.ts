/** What the HTTP edge needs from elsewhere, as interfaces of its own; `index.ts` joins them. */
import type { MiddlewareHandler } from 'hono';
import type { PartnerDirectory } from '../../intake/ports.ts';
import type { Audit } from '../../ops/directory/audit.ts';
import type { OpsDirectory, PartnerList } from '../../ops/directory/directory.ts';
import type { OpsKeys, PartnerKeys } from '../../ops/directory/key-store.ts';
import type { Partners } from '../../ops/directory/partners.ts';
import type { AnswerMappings, PartnerEnvelopes } from '../../ops/directory/settings.ts';
import type { UploadLinks } from '../../ops/directory/upload-links.ts';
import type { OrderFeeds } from '../../ops/feeds/order-feeds.ts';
import type { Gates } from '../../ops/gates.ts';
import type { ActionList } from '../../ops/index/action-list.ts';
import type { Backlog } from '../../ops/index/backlog.ts';
import type { BatchList } from '../../ops/index/batch-list.ts';
import type { Faults } from '../../ops/index/faults.ts';
import type { Issues } from '../../ops/index/issues.ts';
import type { Metrics } from '../../ops/index/metrics.ts';
import type { People } from '../../ops/people/people.ts';
import type { Catalog } from '../../ops/publishing/catalog.ts';
import type { Proposals } from '../../ops/publishing/proposals.ts';
import type { Publishing } from '../../ops/publishing/publishing.ts';
import type { AlertWebhook } from '../../ops/webhooks/alert-webhook.ts';
import type { OperatedWebhooks } from '../../ops/webhooks/webhooks.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import type { ProblemType } from '../contract/problem-types.ts';
import type { HttpBindings } from './context.ts';
import type { ProblemMessages } from './problem.ts';

export interface AppPorts {
  directory: (env: Env) => PartnerDirectory;
  opsDirectory: (env: Env) => OpsDirectory;
  audit: (env: Env) => Audit;
  administered: (env: Env) => Partners;
  partnerKeys: (env: Env) => PartnerKeys;
  opsKeys: (env: Env) => OpsKeys;
  partners: (env: Env) => PartnerList;
  batches: (env: Env) => BatchList;
  actions: (env: Env) => ActionList;
  issues: (env: Env) => Issues;
  metrics: (env: Env) => Metrics;
  backlog: (env: Env) => Backlog;
  faults: (env: Env) => Faults;
  envelopes: (env: Env) => PartnerEnvelopes;
  webhooks: (env: Env) => OperatedWebhooks;
  alertWebhook: (env: Env) => AlertWebhook;
  feeds: (env: Env) => OrderFeeds;
  answerMappings: (env: Env) => AnswerMappings;
  catalog: (env: Env) => Catalog;
  publishing: (env: Env) => Publishing;
  proposals: (env: Env) => Proposals;
  gates: (env: Env) => Gates;
  settings: (env: Env) => UpstreamSettings;
  people: (env: Env) => People;
  uploadLinks: (env: Env) => UploadLinks;
  pages: Pages;
  /** Of the console: lets only people with a session through; then `signIn` and the like know them. */
  visitorNeeded: MiddlewareHandler<HttpBindings>;
}

/** The console's pages, as a port: `http` must not import the console. */
export interface Pages {
  /** Shown where an address has nothing to show. */
  problem(words: ProblemMessages & { requestId: string }): string;
  /** The API in words. @param subject null: all of them. @returns undefined: there is no such subject. */
  docs(subject: string | null): string | undefined;
  problemType(type: ProblemType): string;
  problemTypes(all: readonly ProblemType[]): string;
}
