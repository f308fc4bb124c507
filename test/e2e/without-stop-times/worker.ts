/** The bridge as a deploy would make it after the stop-times mapping was taken out of the bundle. */
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { consolePages } from '../../../src/console/pages.ts';
import { transloadApp } from '../../../src/http/app.ts';
import { bundledCatalog } from '../../../src/ops/catalog.ts';
import { partnerDirectory } from '../../../src/ops/directory.ts';
import { upstreamOf } from '../../../src/upstream/settings.ts';

export { Batch, IntakeRegister, Load, Order, UpstreamGate } from '../../../src/index.ts';

const documents = new Map([...BUNDLED_DOCUMENTS].filter(([name]) => name !== 'transit-stop-times-csv'));

const app = transloadApp({
  directory: (env) => partnerDirectory(env.DIRECTORY, () => Date.now()),
  catalog: bundledCatalog({ documents, codeLists: BUNDLED_CODE_LISTS }),
  settings: (env) => upstreamOf(env),
  pages: consolePages,
});

export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
