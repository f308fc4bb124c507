/** The Worker's entry: joins the ports. Flow: intake → batch → formats → mapping → tracking → upstream → report. */
import { env as bindings, waitUntil } from 'cloudflare:workers';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../mappings/bundled.ts';
import { minuteTotalsMs } from './batch/core/minutes.ts';
import { consoleApp } from './console/app.ts';
import { consolePages } from './console/pages.ts';
import { visitorNeeded } from './console/session/session.ts';
import { transloadApp } from './http/app.ts';
import type { AppPorts } from './http/edge/ports.ts';
import { alertsNow } from './http/ops/health.ts';
import { clockOf } from './kernel/clock.ts';
import { countLogged } from './kernel/log.ts';
import type { Environment } from './kernel/names.ts';
import { inJurisdiction } from './kernel/namespaces.ts';
import { auditOf, auditRetentionMs } from './ops/directory/audit.ts';
import { opsDirectory, partnerDirectory, partnerList } from './ops/directory/directory.ts';
import { opsKeysOf, partnerKeysOf } from './ops/directory/key-store.ts';
import { partnersOf } from './ops/directory/partners.ts';
import { answerMappings, partnerEnvelopes } from './ops/directory/settings.ts';
import { uploadLinksOf } from './ops/directory/upload-links.ts';
import { FeedRows } from './ops/feeds/feed-rows.ts';
import { orderFeedsOf } from './ops/feeds/order-feeds.ts';
import { gatesOf } from './ops/gates.ts';
import { actionList } from './ops/index/action-list.ts';
import { backlogIn } from './ops/index/backlog.ts';
import { batchList } from './ops/index/batch-list.ts';
import { faultCounter, faultsIn, sweepFaults } from './ops/index/faults.ts';
import { issuesIn, sweepIssues } from './ops/index/issues.ts';
import { metricsIn, sweepTotals } from './ops/index/metrics.ts';
import { credentialsOf } from './ops/people/credentials.ts';
import { peopleOf } from './ops/people/people.ts';
import { sessionsOf } from './ops/people/sessions.ts';
import { triesOf } from './ops/people/tries.ts';
import { bundleOf } from './ops/publishing/bundle.ts';
import { mappingCatalog } from './ops/publishing/catalog.ts';
import { proposalsOf } from './ops/publishing/proposals.ts';
import { publicationStore } from './ops/publishing/publication-store.ts';
import { publishingOf } from './ops/publishing/publishing.ts';
import { sweepAudit, watchFeeds, watchRegisters } from './ops/watch.ts';
import { alertWebhookOf, watchAlerts } from './ops/webhooks/alert-webhook.ts';
import { operatedWebhooks, watchWebhooks, webhooksPorts } from './ops/webhooks/webhooks.ts';
import { upstreamOf } from './upstream/settings.ts';

export { Batch } from './batch/object/batch.ts';
export { ReplayAction } from './batch/object/replay-action.ts';
export { OrderFeed } from './feed/order-feed.ts';
export { IntakeRegister } from './intake/register.ts';
export { Load } from './tracking/load.ts';
export { Order } from './tracking/order.ts';
export { UpstreamGate } from './upstream/gate/gate.ts';
export { Webhooks } from './webhooks/webhooks.ts';

countLogged(faultCounter({ database: () => bindings.DIRECTORY, later: waitUntil, nowMs: () => Date.now() }));

const bundle = bundleOf({ documents: BUNDLED_DOCUMENTS, codeLists: BUNDLED_CODE_LISTS });
const mappingPorts = (env: Env) => ({
  bundle,
  store: publicationStore(env.DIRECTORY),
  files: env.FILES,
  nowMs: () => Date.now(),
});

const feedPorts = (env: Env) => ({
  rows: new FeedRows(env.DIRECTORY),
  mappings: answerMappings(env.DIRECTORY),
  feed: (name: string) => env.ORDER_FEED.getByName(name),
});

const directories = {
  directory: (env: Env) => partnerDirectory(env.DIRECTORY, () => Date.now(), waitUntil),
  opsDirectory: (env: Env) => opsDirectory(env.DIRECTORY, () => Date.now(), waitUntil),
};

const signInPorts = {
  directory: directories.directory,
  sessions: (env: Env) =>
    sessionsOf(
      env.DIRECTORY,
      (keyId) => directories.directory(env).ofKey(keyId),
      () => Date.now(),
    ),
  credentials: (env: Env) => credentialsOf(env.DIRECTORY, () => Date.now()),
  uploadLinks: (env: Env) => uploadLinksOf(env.DIRECTORY, () => Date.now()),
  tries: (env: Env) => triesOf(env.DIRECTORY, () => Date.now()),
};

const appPorts: AppPorts = {
  ...directories,
  audit: (env) => auditOf(env.DIRECTORY),
  administered: (env) => partnersOf(env.DIRECTORY, () => Date.now()),
  partnerKeys: (env) => partnerKeysOf(env.DIRECTORY, () => Date.now()),
  opsKeys: (env) => opsKeysOf(env.DIRECTORY, () => Date.now()),
  uploadLinks: signInPorts.uploadLinks,
  people: (env) => peopleOf(env.DIRECTORY, () => Date.now()),
  visitorNeeded: visitorNeeded(signInPorts),
  partners: (env) => partnerList(env.DIRECTORY),
  batches: (env) => batchList(env.DIRECTORY),
  actions: (env) => actionList(env.DIRECTORY),
  issues: (env) => issuesIn(env.DIRECTORY),
  metrics: (env) => metricsIn(env.DIRECTORY),
  backlog: (env) => backlogIn(env.DIRECTORY),
  faults: (env) => faultsIn(env.DIRECTORY),
  envelopes: (env) => partnerEnvelopes(env.DIRECTORY),
  webhooks: (env) => operatedWebhooks(webhooksPorts(env)),
  alertWebhook: alertWebhookOf,
  feeds: (env) => orderFeedsOf({ ...feedPorts(env), channels: upstreamOf(env).channels }),
  answerMappings: (env) => answerMappings(env.DIRECTORY),
  catalog: (env) => mappingCatalog(mappingPorts(env)),
  publishing: (env) => publishingOf(mappingPorts(env)),
  proposals: (env) => proposalsOf(env.DIRECTORY, () => Date.now()),
  gates: (env) => gatesOf(upstreamOf(env), (name) => env.UPSTREAM_GATE.getByName(name)),
  settings: (env) => upstreamOf(env),
  pages: consolePages,
};

const app = transloadApp(appPorts);

app.route('/console', consoleApp({ fetchApp: app.fetch, ...signInPorts }));

const seenAlerts = async (env: Env, environment: Environment) => {
  const found = await alertsNow(env, appPorts, environment);
  return found.ok ? found.value : null;
};

export default {
  fetch: app.fetch,
  scheduled: async ({ scheduledTime }, bound) => {
    const env = inJurisdiction(bound);
    const run = Math.floor(scheduledTime / 60_000);
    await watchRegisters(env.DIRECTORY, (name) => env.INTAKE_REGISTER.getByName(name), run);
    await watchWebhooks(env, run);
    await watchFeeds(feedPorts(env), run);
    await watchAlerts(alertWebhookOf(env), clockOf(env), (environment) => seenAlerts(env, environment));
    await sweepAudit(auditOf(env.DIRECTORY), Date.now() - auditRetentionMs(env.AUDIT_DAYS));
    await sweepTotals(env.DIRECTORY, scheduledTime, minuteTotalsMs(env.MINUTE_TOTALS_DAYS));
    await sweepIssues(env.DIRECTORY, scheduledTime);
    await sweepFaults(env.DIRECTORY, scheduledTime);
  },
} satisfies ExportedHandler<Env>;
