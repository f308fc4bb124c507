/** The bridge on this machine: its directory filled with keys, its channels pointing at a local sandbox, its own process. */
import type { Environment } from '../../src/kernel/names.ts';
import { ACCOUNTS } from '../../src/sandbox/settings.ts';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { executeOnDirectory, newDirectory } from './directory.ts';
import { keptBundle } from './kept-folders.ts';
import { type MadeKey, makePartnerKey, type NewPartnerKey } from './partner-keys.ts';
import { choosePort, type RunningWorker } from './running.ts';
import { type BareBridge, startBareBridge } from './start-bare-bridge.ts';

/**
 * One channel per environment on the sandbox's first account; `-bearer` ones also send a token with every event.
 * @param permits rate and burst of every channel, where they are not to be the usual ones.
 */
export function sandboxChannels(
  sandboxUrl: string,
  permits: ChannelPermits = {},
): { settings: string; secrets: string } {
  const channels = ACCOUNTS.filter(({ name }) => name === 'demo').flatMap(({ environment, ...account }) =>
    (['key', 'key+bearer'] as const).map((auth) => ({
      name: channelName(environment, auth),
      environment,
      baseUrl: `${sandboxUrl}/${environment}`,
      scacs: ['DEMO', 'ACME', 'CSCT', 'ABCD'],
      auth: { events: auth },
      ...permits,
      secrets: { apiKey: account.apiKey, clientId: account.oauthClientId, clientSecret: account.clientSecret },
    })),
  );
  return {
    settings: JSON.stringify(channels.map(({ secrets: _, ...settings }) => settings)),
    secrets: JSON.stringify(Object.fromEntries(channels.map(({ name, secrets }) => [name, secrets]))),
  };
}

export const channelName = (environment: Environment, auth: 'key' | 'key+bearer'): string =>
  `sandbox-${environment}${auth === 'key' ? '' : '-bearer'}`;

/** Creates the directory in `persistTo` and puts the partners' keys in. @param moreSql what else stands in it. */
export async function prepareDirectory(
  persistTo: string,
  partners: readonly NewPartnerKey[],
  moreSql = '',
): Promise<MadeKey[]> {
  const made = partners.map(makePartnerKey);
  await newDirectory(persistTo);
  await executeOnDirectory({ persistTo }, made.map(({ sql }) => sql).join('') + moreSql);
  return made;
}

interface BridgeOptions {
  sandboxUrl: string;
  persistTo: string;
  timeScale?: number;
  /** Taken when it is free. */
  preferredPort?: number;
  code?: BridgeCode;
  permits?: ChannelPermits;
  /** Where the kill harness listens (kernel/failpoint). */
  failpointUrl?: string;
}

/** What runs; by default this checkout. @property bundle of another release that answers. */
export interface BridgeCode extends Pick<BareBridge, 'beside'> {
  config?: string;
  bundle?: string;
}

export interface ChannelPermits {
  ratePerSecond?: number;
  burst?: number;
}

/** More than anybody sends: the sandbox is ours, and needs no rate. Only a channel on loopback may have one as high. */
export const NO_RATE: Required<ChannelPermits> = { ratePerSecond: 100_000, burst: 2_000 };

/** @returns the folder of the bundle that a bridge is started from. */
export const bridgeBundle = ({ code = {}, failpointUrl }: Pick<BridgeOptions, 'code' | 'failpointUrl'>) =>
  code.bundle ?? keptBundle(code.config ?? CONFIG, failpointUrl === undefined ? {} : FAILPOINT_AT_START);

const CONFIG = 'wrangler.toml';

/** On bare workerd, from a bundle that is made once: what is tested here is the bridge, and not `wrangler dev`. */
export async function startBridge(options: BridgeOptions): Promise<RunningWorker> {
  const channels = sandboxChannels(options.sandboxUrl, options.permits);
  const { config = CONFIG, beside } = options.code ?? {};
  return startBareBridge({
    root: PROJECT_ROOT,
    bundle: await bridgeBundle(options),
    ...(beside && { beside }),
    config,
    port: await choosePort(options.preferredPort),
    vars: {
      TIME_SCALE: String(options.timeScale ?? 1),
      CHANNELS: channels.settings,
      CHANNEL_SECRETS: channels.secrets,
      SETTLED_OBJECTS: 'go',
      WEBHOOK_KEY: 'of-this-machine-alone-nothing-elsewhere-is-signed-with-it',
    },
    persistTo: options.persistTo,
    scripts: entryScripts(options.failpointUrl),
  });
}

/** One bundle for every run that kills: where the harness listens is said when it starts. */
const FAILPOINT_AT_START = { FAILPOINT_URL: 'globalThis.failpointUrl' };

/** Where `wrangler dev` has the minute's call, too. Nothing on this machine makes it by the clock. */
const CRON_PATH = '/cdn-cgi/handler/scheduled';

/** The entry in front of the Worker: whoever asks for the minute's call gets it. */
const entryScripts = (failpointUrl: string | undefined): Record<string, string> => ({
  'entry.js': `import './failpoint.js';
import worker from './index.js';
export * from './index.js';
export default {
  ...worker,
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '${CRON_PATH}') return worker.fetch(request, env, ctx);
    await worker.scheduled({ scheduledTime: Date.now(), cron: '* * * * *', noRetry() {} }, env, ctx);
    return new Response('ok');
  },
};
`,
  'failpoint.js': `globalThis.failpointUrl = ${JSON.stringify(failpointUrl ?? null)};\n`,
});
