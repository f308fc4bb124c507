/** A sandbox and a bridge on bare workerd that holds its callers to limits, as the platform's `ratelimits` do. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { NO_RATE, prepareDirectory, sandboxChannels } from '../local/bridge.ts';
import { keptBundle } from '../local/kept-folders.ts';
import type { NewPartnerKey } from '../local/partner-keys.ts';
import type { RunningWorker } from '../local/running.ts';
import { startBareBridge } from '../local/start-bare-bridge.ts';
import { startBareSandbox } from '../local/start-bare-sandbox.ts';
import { newStateFolder } from '../local/state-folder.ts';

/** Of a minute, but what is under way; as in `wrangler.toml`. */
export interface Limits {
  requestsOfKey: number;
  trialsOfKey: number;
  wrongKeysOfAddress: number;
  newSubjects: number;
  filesUnderWay: number;
}

/**
 * Bare workerd has no limiters. In front of it stands nobody either, so that callers say their own address: on the platform
 * `CF-Connecting-IP` is what the platform says.
 */
const limitersScript = ({ requestsOfKey, trialsOfKey, wrongKeysOfAddress }: Limits): string => `
import bridge from './index.js';
export * from './index.js';
const limiter = (most) => {
  let startedMs = 0;
  let counts = new Map();
  return {
    async limit({ key }) {
      if (Date.now() - startedMs >= 60_000) [startedMs, counts] = [Date.now(), new Map()];
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { success: count <= most };
    },
  };
};
const limiters = {
  REQUESTS_OF_KEY: limiter(${requestsOfKey}),
  TRIALS_OF_KEY: limiter(${trialsOfKey}),
  WRONG_KEYS_OF_ADDRESS: limiter(${wrongKeysOfAddress}),
};
export default { ...bridge, fetch: (request, env, context) => bridge.fetch(request, { ...env, ...limiters }, context) };
`;

/** What every start has: a directory with the partners in it. */
interface Prepared {
  folder: string;
  /** Of the partners, in their order. */
  keys: readonly string[];
}

export interface LimitedBridge extends Prepared {
  running: RunningWorker;
  sandbox: RunningWorker;
}

export async function prepared(partners: readonly NewPartnerKey[]): Promise<Prepared> {
  const folder = newStateFolder('transload-hostile-');
  const made = await prepareDirectory(join(folder, 'directory'), partners);
  return { folder, keys: made.map(({ key }) => key) };
}

export async function withLimitedBridge<T>(
  from: Prepared,
  limits: Limits,
  run: (bridge: LimitedBridge) => Promise<T>,
): Promise<T> {
  const folder = newStateFolder('transload-hostile-run-');
  const persistTo = join(folder, 'bridge');
  const sandbox = await startBareSandbox({ persistTo: join(folder, 'sandbox') });
  try {
    cpSync(join(from.folder, 'directory'), persistTo, { recursive: true });
    const channels = sandboxChannels(sandbox.baseUrl, NO_RATE);
    const running = await startBareBridge({
      root: PROJECT_ROOT,
      bundle: await keptBundle('wrangler.toml'),
      persistTo,
      vars: {
        CHANNELS: channels.settings,
        CHANNEL_SECRETS: channels.secrets,
        SETTLED_OBJECTS: 'go',
        REQUESTS_PER_MINUTE: String(limits.requestsOfKey),
        TRIALS_PER_MINUTE: String(limits.trialsOfKey),
        NEW_SUBJECTS_PER_MINUTE: String(limits.newSubjects),
        FILES_UNDER_WAY: String(limits.filesUnderWay),
      },
      scripts: { 'limited.js': limitersScript(limits) },
    });
    try {
      return await run({ ...from, running, sandbox });
    } finally {
      await running.kill();
    }
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
