/** The bridge on this machine: its directory filled with keys, its channels pointing at a local sandbox, its own process. */
import type { Environment } from '../../src/kernel/names.ts';
import { ACCOUNTS } from '../../src/sandbox/settings.ts';
import { executeOnDirectory, migrateDirectory } from './directory.ts';
import { type MadeKey, makePartnerKey, type NewPartnerKey } from './partner-keys.ts';
import type { RunningWorker } from './running.ts';
import { startWorker } from './start-worker.ts';

/**
 * One channel per environment on the sandbox's first account; `-bearer` ones also send a token with every event.
 * @param permits rate and burst of every channel, where they are not to be the usual ones.
 */
function sandboxChannels(sandboxUrl: string, permits: ChannelPermits = {}): { settings: string; secrets: string } {
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
  await migrateDirectory({ persistTo });
  await executeOnDirectory({ persistTo }, made.map(({ sql }) => sql).join('') + moreSql);
  return made;
}

export interface BridgeOptions {
  sandboxUrl: string;
  persistTo: string;
  timeScale?: number;
  port?: number;
  /** Taken when it is free. */
  preferredPort?: number;
  config?: string;
  permits?: ChannelPermits;
  /** Where the kill harness listens (kernel/failpoint). */
  failpointUrl?: string;
}

export interface ChannelPermits {
  ratePerSecond?: number;
  burst?: number;
}

/** More than anybody sends: the sandbox is ours, and needs no rate. Only a channel on loopback may have one as high. */
export const NO_RATE: Required<ChannelPermits> = { ratePerSecond: 100_000, burst: 2_000 };

export function startBridge(options: BridgeOptions): Promise<RunningWorker> {
  const channels = sandboxChannels(options.sandboxUrl, options.permits);
  return startWorker({
    config: options.config ?? 'wrangler.toml',
    vars: {
      TIME_SCALE: String(options.timeScale ?? 1),
      CHANNELS: channels.settings,
      SETTLED_OBJECTS: 'go',
      // A secret elsewhere. wrangler reads only those from a file that the configuration requires, and this one is not required.
      WEBHOOK_KEY: 'of-this-machine-alone-nothing-elsewhere-is-signed-with-it',
    },
    secrets: { CHANNEL_SECRETS: channels.secrets },
    persistTo: options.persistTo,
    ...(options.failpointUrl === undefined ? {} : { define: { FAILPOINT_URL: JSON.stringify(options.failpointUrl) } }),
    readyPath: '/healthz',
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.preferredPort === undefined ? {} : { preferredPort: options.preferredPort }),
  });
}
