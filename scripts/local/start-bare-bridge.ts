/**
 * Starts a bridge on bare workerd: without `wrangler dev`, its proxy and a Node process between it and its callers. KV, R2
 * and D1 are the local stand-ins that wrangler brings along, in the same process as the Worker.
 *
 * The bundle is made before (`keptBundle`), so that a start takes less than a second.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { unstable_readConfig } from 'wrangler';
import { freePort, launch, type RunningWorker } from './running.ts';

export interface BareBridge {
  /** The checkout it is of. */
  root: string;
  /** Its bundle. */
  bundle: string;
  /** Whose bindings it has; relative to the checkout, or absolute. */
  config?: string;
  port?: number;
  /** Over the `[vars]` of its configuration; secrets too. */
  vars: Record<string, string>;
  /** Under it is what `prepareDirectory` wrote; the other stores come beside that. */
  persistTo: string;
  /** Texts of modules by name, the first of which is the entry instead: it imports the Worker from `./index.js`. */
  scripts?: Readonly<Record<string, string>>;
  /** Another release in the same runtime, over the same stores and with the same bindings: it keeps the objects of these classes. */
  beside?: { bundle: string; classes: readonly string[] };
}

/** An object that is awake has three files open: as many as the system allows, then the command. */
const OPEN_FILES_RAISED = 'ulimit -n "$(ulimit -H -n)"; exec "$@"';

export async function startBareBridge({
  root,
  bundle,
  config = 'wrangler.toml',
  vars,
  persistTo,
  scripts = {},
  beside,
  ...options
}: BareBridge): Promise<RunningWorker> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-bare-bridge-'));
  const port = options.port ?? (await freePort());
  const modules = copyBundle(bundle, folder);
  const other = beside && { classes: beside.classes, texts: copyBundle(beside.bundle, join(folder, OTHER)) };
  for (const [name, path] of Object.entries(STAND_IN_FILES))
    copyFileSync(join(standInFolder(), path), join(folder, name));
  for (const store of [...STORES, 'do'] as const) mkdirSync(storePath(persistTo, store), { recursive: true });
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text);
  const configPath = join(folder, 'bridge.capnp');
  const names = [...Object.keys(scripts), 'index.js'];
  const bridge = { scripts: names, texts: modules };
  writeFileSync(configPath, workerdConfig({ root, config, vars, persistTo, port, bridge, ...(other && { other }) }));
  return launch({
    command: '/bin/sh',
    args: [
      '-c',
      OPEN_FILES_RAISED,
      persistTo, // the shell's name for itself: whoever looks for the process of these stores finds it by that
      join(root, 'node_modules/.bin/workerd'),
      'serve',
      '--experimental',
      configPath,
    ],
    cwd: folder,
    port,
    persistTo,
    logPath: join(folder, 'workerd.log'),
    readyPath: '/healthz',
    startTimeoutMs: 30_000,
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  });
}

/** Folder and service of the other release. */
const OTHER = 'other';

/** @returns the names of its texts. */
function copyBundle(bundle: string, folder: string): string[] {
  const texts = readdirSync(bundle).filter((name) => name.endsWith('.yaml'));
  mkdirSync(folder, { recursive: true });
  for (const name of ['index.js', ...texts]) copyFileSync(join(bundle, name), join(folder, name));
  return texts;
}

/** Where `wrangler dev --persist-to` has it, too. */
const storePath = (persistTo: string, store: StandIn | 'do'): string => join(persistTo, 'v3', store);

/** Wrangler's own stand-ins. They are no stable interface: those of a newer wrangler may need another configuration. */
const STAND_INS = {
  kv: { className: 'KVNamespaceObject', entry: 'object-entry.js' },
  r2: { className: 'R2BucketObject', entry: 'object-entry.js' },
  d1: { className: 'D1DatabaseObject', entry: 'd1-entry.js' },
} as const;
type StandIn = keyof typeof STAND_INS;
const STORES = Object.keys(STAND_INS) as StandIn[];

const STAND_IN_FILES: Readonly<Record<string, string>> = {
  'shared.js': 'shared/index.worker.js',
  'zod.js': 'shared/zod.worker.js',
  'object-entry.js': 'shared/object-entry.worker.js',
  'kv.js': 'kv/namespace.worker.js',
  'r2.js': 'r2/bucket.worker.js',
  'd1-entry.js': 'd1/entry.worker.js',
  'd1.js': 'd1/database.worker.js',
};

/** @returns the folder of those files. */
function standInFolder(): string {
  const wrangler = createRequire(import.meta.url).resolve('wrangler');
  return join(dirname(createRequire(wrangler).resolve('miniflare')), 'workers');
}

interface Written extends Pick<BareBridge, 'root' | 'vars' | 'persistTo'> {
  config: string;
  port: number;
  bridge: WrittenModules;
  other?: Pick<WrittenModules, 'texts'> & { classes: readonly string[] };
}

/** Modules of code, the entry first; and of text. */
interface WrittenModules {
  scripts: readonly string[];
  texts: readonly string[];
}

/** What its wrangler configuration says; the package's own type does not resolve. */
interface WorkerConfig {
  compatibility_date: string;
  compatibility_flags: string[];
  vars: Record<string, string>;
  durable_objects: { bindings: { name: string; class_name: string }[] };
  kv_namespaces: { binding: string; id: string }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  d1_databases: { binding: string; database_id: string }[];
}

const configOf = (root: string, config = 'wrangler.toml'): WorkerConfig =>
  unstable_readConfig({ config: resolve(root, config) }, { hideWarnings: true });

/** Names of its bindings by what is behind them; of objects with their class. */
export function bindingsOf(root: string) {
  const config = configOf(root);
  return {
    objects: Object.fromEntries(config.durable_objects.bindings.map(({ name, class_name }) => [name, class_name])),
    kv: config.kv_namespaces.map(({ binding }) => binding),
    r2: config.r2_buckets.map(({ binding }) => binding),
    d1: config.d1_databases.map(({ binding }) => binding),
  };
}

const quoted = (text: string): string => JSON.stringify(text);
const lines = (items: readonly string[]): string => items.map((item) => `\n    ${item},`).join('');

/** The same bindings as the wrangler configuration. */
function workerdConfig({ root, persistTo, port, bridge, other, ...written }: Written): string {
  const config = configOf(root, written.config);
  const vars = { ...config.vars, ...written.vars };
  const besides = other?.classes ?? [];
  const own = config.durable_objects.bindings.map(({ class_name }) => class_name);
  const main = {
    service: 'bridge',
    modules: modulesOf(bridge, ''),
    hosted: own.filter((each) => !besides.includes(each)),
  };
  const workers = [
    workerConfig(config, vars, { ...main, elsewhere: other ? { service: OTHER, classes: besides } : null }),
  ];
  if (other) {
    const modules = modulesOf({ scripts: ['index.js'], texts: other.texts }, `${OTHER}/`);
    const elsewhere = { service: main.service, classes: main.hosted };
    workers.push(workerConfig(config, vars, { service: OTHER, modules, hosted: besides, elsewhere }));
  }
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "bridge", worker = .bridge),${other ? `\n    (name = "${OTHER}", worker = .${OTHER}),` : ''}
    (name = "objects", disk = (path = ${quoted(storePath(persistTo, 'do'))}, writable = true)),
    (name = "internet", network = (allow = ["local"])),${lines(STORES.flatMap((store) => standInServices(store, persistTo)))}
  ],
  extensions = [(modules = [
    (name = "miniflare:shared", esModule = embed "shared.js"),
    (name = "miniflare:zod", esModule = embed "zod.js"),
  ])],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "bridge")],
);
${workers.join('')}`;
}

/** @param folder of the files, with a slash; ''. */
const modulesOf = ({ scripts, texts }: WrittenModules, folder: string): string[] => [
  ...scripts.map((name) => `(name = "${name}", esModule = embed "${folder}${name}")`),
  ...texts.map((name) => `(name = "${name}", text = embed "${folder}${name}")`),
];

interface WrittenWorker {
  service: string;
  modules: readonly string[];
  /** Classes whose objects it keeps. */
  hosted: readonly string[];
  /** Which Worker keeps the others. */
  elsewhere: { service: string; classes: readonly string[] } | null;
}

function workerConfig(
  config: WorkerConfig,
  vars: Readonly<Record<string, string>>,
  { service, modules, hosted, elsewhere }: WrittenWorker,
): string {
  const namespaces = hosted.map(
    (className) => `(className = "${className}", uniqueKey = "transload-${className}", enableSql = true)`,
  );
  const placeOf = (className: string): string =>
    elsewhere?.classes.includes(className)
      ? `(className = "${className}", serviceName = "${elsewhere.service}")`
      : `"${className}"`;
  const bindings = [
    ...Object.entries(vars).map(([name, value]) => `(name = "${name}", text = ${quoted(String(value))})`),
    ...config.durable_objects.bindings.map(
      ({ name, class_name }) => `(name = "${name}", durableObjectNamespace = ${placeOf(class_name)})`,
    ),
    ...config.kv_namespaces.map(({ binding, id }) => `(name = "${binding}", kvNamespace = ${standIn('kv', id)})`),
    ...config.r2_buckets.map(
      ({ binding, bucket_name }) => `(name = "${binding}", r2Bucket = ${standIn('r2', bucket_name)})`,
    ),
    ...config.d1_databases.map(
      ({ binding, database_id }) =>
        `(name = "${binding}", wrapped = (moduleName = "cloudflare-internal:d1-api", ` +
        `innerBindings = [(name = "fetcher", service = ${standIn('d1', database_id)})]))`,
    ),
  ];
  return `const ${service} :Workerd.Worker = (
  modules = [${lines(modules)}
  ],
  compatibilityDate = "${config.compatibility_date}",
  compatibilityFlags = ${JSON.stringify(config.compatibility_flags)},
  durableObjectNamespaces = [${lines(namespaces)}
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${lines(bindings)}
  ],
);
`;
}

/** The binding of a namespace, a bucket or a database: the stand-in in front, told which one is meant. */
const standIn = (store: StandIn, id: string): string =>
  `(name = "${store}-entry", props = (json = ${quoted(JSON.stringify({ MINIFLARE_NAMESPACE: id }))}))`;

/** A store's files, the objects that keep them, and the Worker in front that finds the object. */
function standInServices(store: StandIn, persistTo: string): string[] {
  const { className, entry } = STAND_INS[store];
  const disk = `(name = "${store}-disk", disk = (path = ${quoted(storePath(persistTo, store))}, writable = true))`;
  const objects = `(name = "${store}", worker = (
      modules = [(name = "${store}.js", esModule = embed "${store}.js")],
      compatibilityDate = "2023-07-24",
      compatibilityFlags = ["nodejs_compat", "experimental"],
      durableObjectNamespaces = [(className = "${className}", uniqueKey = "miniflare-${className}")],
      durableObjectStorage = (localDisk = "${store}-disk"),
      bindings = [(name = "MINIFLARE_BLOBS", service = "${store}-disk")],
    ))`;
  const front = `(name = "${store}-entry", worker = (
      modules = [(name = "${entry}", esModule = embed "${entry}")],
      compatibilityDate = "2023-07-24",
      compatibilityFlags = ["enhanced_error_serialization"],
      bindings = [(name = "MINIFLARE_OBJECT", durableObjectNamespace = (serviceName = "${store}", className = "${className}"))],
    ))`;
  return [disk, objects, front];
}
