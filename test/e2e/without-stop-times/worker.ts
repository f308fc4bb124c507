/** The bridge as a deploy would make it after the stop-times mapping was taken out of the bundle. */
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { consolePages } from '../../../src/console/pages.ts';
import { transloadApp } from '../../../src/http/app.ts';
import { auditOf } from '../../../src/ops/directory/audit.ts';
import { opsDirectory, partnerDirectory, partnerList } from '../../../src/ops/directory/directory.ts';
import { opsKeysOf, partnerKeysOf } from '../../../src/ops/directory/key-store.ts';
import { partnersOf } from '../../../src/ops/directory/partners.ts';
import { answerMappings, partnerEnvelopes } from '../../../src/ops/directory/settings.ts';
import { uploadLinksOf } from '../../../src/ops/directory/upload-links.ts';
import { FeedRows } from '../../../src/ops/feeds/feed-rows.ts';
import { orderFeedsOf } from '../../../src/ops/feeds/order-feeds.ts';
import { gatesOf } from '../../../src/ops/gates.ts';
import { actionList } from '../../../src/ops/index/action-list.ts';
import { backlogIn } from '../../../src/ops/index/backlog.ts';
import { batchList } from '../../../src/ops/index/batch-list.ts';
import { faultsIn } from '../../../src/ops/index/faults.ts';
import { issuesIn } from '../../../src/ops/index/issues.ts';
import { metricsIn } from '../../../src/ops/index/metrics.ts';
import { peopleOf } from '../../../src/ops/people/people.ts';
import { bundleOf } from '../../../src/ops/publishing/bundle.ts';
import { mappingCatalog } from '../../../src/ops/publishing/catalog.ts';
import { proposalsOf } from '../../../src/ops/publishing/proposals.ts';
import { publicationStore } from '../../../src/ops/publishing/publication-store.ts';
import { publishingOf } from '../../../src/ops/publishing/publishing.ts';
import { alertWebhookOf } from '../../../src/ops/webhooks/alert-webhook.ts';
import { operatedWebhooks, webhooksPorts } from '../../../src/ops/webhooks/webhooks.ts';
import { upstreamOf } from '../../../src/upstream/settings.ts';

export {
  Batch,
  IntakeRegister,
  Load,
  Order,
  OrderFeed,
  ReplayAction,
  UpstreamGate,
  Webhooks,
} from '../../../src/index.ts';

const documents = new Map([...BUNDLED_DOCUMENTS].filter(([name]) => name !== 'transit-stop-times-csv'));
const bundle = bundleOf({ documents, codeLists: BUNDLED_CODE_LISTS });
const mappingPorts = (env: Env) => ({
  bundle,
  store: publicationStore(env.DIRECTORY),
  files: env.FILES,
  nowMs: () => Date.now(),
});

const app = transloadApp({
  directory: (env) => partnerDirectory(env.DIRECTORY, () => Date.now()),
  opsDirectory: (env) => opsDirectory(env.DIRECTORY, () => Date.now()),
  audit: (env) => auditOf(env.DIRECTORY),
  administered: (env) => partnersOf(env.DIRECTORY, () => Date.now()),
  partnerKeys: (env) => partnerKeysOf(env.DIRECTORY, () => Date.now()),
  opsKeys: (env) => opsKeysOf(env.DIRECTORY, () => Date.now()),
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
  answerMappings: (env) => answerMappings(env.DIRECTORY),
  feeds: (env) =>
    orderFeedsOf({
      rows: new FeedRows(env.DIRECTORY),
      mappings: answerMappings(env.DIRECTORY),
      channels: upstreamOf(env).channels,
      feed: (name) => env.ORDER_FEED.getByName(name),
    }),
  catalog: (env) => mappingCatalog(mappingPorts(env)),
  publishing: (env) => publishingOf(mappingPorts(env)),
  proposals: (env) => proposalsOf(env.DIRECTORY, () => Date.now()),
  gates: (env) => gatesOf(upstreamOf(env), (name) => env.UPSTREAM_GATE.getByName(name)),
  settings: (env) => upstreamOf(env),
  uploadLinks: (env) => uploadLinksOf(env.DIRECTORY, () => Date.now()),
  people: (env) => peopleOf(env.DIRECTORY, () => Date.now()),
  visitorNeeded: async (_, next) => next(),
  pages: consolePages,
});

export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
