/**
 * Starts the sandbox on bare workerd, without `wrangler dev` and its proxy: dropped connections reach the client as such, no
 * GET is sent again behind the client's back, and it answers several times as many requests per second.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { keptBundle } from './kept-folders.ts';
import { choosePort, launch, type RunningWorker } from './running.ts';
import { newStateFolder } from './state-folder.ts';

const CONFIG = 'wrangler.sandbox.toml';

export async function startBareSandbox(
  options: { timeScale?: number; persistTo?: string; preferredPort?: number } = {},
): Promise<RunningWorker> {
  const bundle = await keptBundle(CONFIG);
  const folder = newStateFolder('transload-bare-');
  const persistTo = options.persistTo ?? join(folder, 'state');
  mkdirSync(persistTo, { recursive: true });
  const port = await choosePort(options.preferredPort);
  copyFileSync(join(bundle, 'index.js'), join(folder, 'index.js'));
  const configPath = join(folder, 'sandbox.capnp');
  writeFileSync(configPath, workerdConfig({ port, persistTo, timeScale: options.timeScale ?? 1 }));
  return launch({
    command: join(PROJECT_ROOT, 'node_modules/.bin/workerd'),
    args: ['serve', configPath],
    cwd: folder,
    port,
    persistTo,
    logPath: join(folder, 'workerd.log'),
    readyPath: '/_sandbox/healthz',
    startTimeoutMs: 30_000,
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  });
}

/** The same bindings as the wrangler configuration; DEV_PROXY is 0, for there is none. */
function workerdConfig({ port, persistTo, timeScale }: { port: number; persistTo: string; timeScale: number }): string {
  const toml = readFileSync(join(PROJECT_ROOT, CONFIG), 'utf8');
  const date = /^compatibility_date = "(.+)"$/m.exec(toml)?.[1] ?? '';
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "sandbox", worker = .sandbox),
    (name = "disk", disk = (path = ${JSON.stringify(persistTo)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "sandbox")],
);
const sandbox :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "index.js")],
  compatibilityDate = "${date}",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "SandboxState", uniqueKey = "sandbox-state", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "SANDBOX", durableObjectNamespace = "SandboxState"),
    (name = "TIME_SCALE", text = "${timeScale}"),
    (name = "DEV_PROXY", text = "0"),
  ],
);
`;
}
