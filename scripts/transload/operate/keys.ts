/** `keys`: by the API as an administrator, or in a checkout in the database itself. */
import { randomUUID } from 'node:crypto';
import { NotRun, whole } from '../../frame/command.ts';
import { type Bridge, openBridge } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { paintFor, table } from '../terminal.ts';

export interface KeyCommandOptions extends BridgeOptions {
  partner?: string;
  name?: string;
  environments?: string;
  role?: string;
  channel?: string;
  scacs?: string;
  mappings?: string;
  expires?: string;
  keyId?: string;
  overlapHours?: string;
  why?: string;
  persistTo?: string;
  /** The name of a deployment. */
  remote?: string;
  json?: boolean;
}

interface MadeKey {
  key: string;
  keyId: string;
  expiresAt: string | null;
}

interface ListedKey extends Omit<MadeKey, 'key'> {
  state: string;
  createdAt: string;
  lastUsedAt: string | null;
  scacs?: readonly string[];
  name?: string;
  role?: string;
}

type Action = (surroundings: Surroundings, options: KeyCommandOptions) => Promise<ExitCode>;

/** With --remote or --persist-to it is a matter of the database; the bridge is not asked. */
const inDirectory = async (
  surroundings: Surroundings,
  command: string,
  options: KeyCommandOptions,
): Promise<ExitCode> => (await import('./directory-keys.ts')).runOnDirectory(surroundings, command, options);

const isDirect = ({ remote, persistTo }: KeyCommandOptions): boolean => remote !== undefined || persistTo !== undefined;

const orDirectly =
  (
    command: string,
    byBridge: (bridge: Bridge, options: KeyCommandOptions, surroundings: Surroundings) => Promise<void>,
  ): Action =>
  async (surroundings, options) => {
    if (isDirect(options)) return inDirectory(surroundings, command, options);
    await byBridge(openBridge(options, surroundings), options, surroundings);
    return EXIT_CODES.done.code;
  };

const OPS_KEYS = '/v1/ops/operator-keys';
const keysOf = ({ partner = '' }: KeyCommandOptions): string => `/v1/ops/partners/${encodeURIComponent(partner)}/keys`;
const keyPath = (keys: string, { keyId = '' }: KeyCommandOptions): string => `${keys}/${encodeURIComponent(keyId)}`;
const split = (text: string | undefined): string[] | undefined => text?.split(',');
const given = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** The key alone to standard output, so that it can go into a file unseen. */
function shown(surroundings: Surroundings, made: MadeKey, { json }: KeyCommandOptions): void {
  if (json) {
    printJson(surroundings, made);
    return;
  }
  surroundings.output.write(`${made.key}\n`);
  const end = made.expiresAt === null ? 'has no end' : `ends ${made.expiresAt.slice(0, 10)}`;
  surroundings.errors.write(`Key ${made.keyId} ${end}. It is shown this once: hand it over safely.\n`);
}

export const makeKey = orDirectly('create', async (bridge, options, surroundings) => {
  const { scacs, mappings, expires, why = '' } = options;
  const body = given({ scacs: split(scacs), mappings: split(mappings), expires, why });
  shown(
    surroundings,
    await bridge.json<MadeKey>({ method: 'POST', path: keysOf(options), body, headers: click() }),
    options,
  );
});

export const makeOpsKey = orDirectly('ops create', async (bridge, options, surroundings) => {
  const { name, role, environments, expires, why = '' } = options;
  const body = given({ name, role, environments: split(environments), expires, why });
  shown(surroundings, await bridge.json<MadeKey>({ method: 'POST', path: OPS_KEYS, body, headers: click() }), options);
});

/** A repeat of the same call makes no second key. */
const click = () => ({ 'Idempotency-Key': randomUUID() });

const rotateBelow =
  (keysOfHolder: (options: KeyCommandOptions) => string): Action =>
  async (surroundings, options) => {
    const { overlapHours, expires, why = '' } = options;
    const body = given({ overlapHours: overlapHours === undefined ? undefined : whole(overlapHours), expires, why });
    const path = `${keyPath(keysOfHolder(options), options)}/rotate`;
    const bridge = openBridge(options, surroundings);
    shown(surroundings, await bridge.json<MadeKey>({ method: 'POST', path, body, headers: click() }), options);
    return EXIT_CODES.done.code;
  };

export const rotateKey = rotateBelow(keysOf);
export const rotateOpsKey = rotateBelow(() => OPS_KEYS);

async function end(
  bridge: Bridge,
  path: string,
  options: KeyCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const ended = await bridge.json<unknown>({
    method: 'POST',
    path: `${path}/revoke`,
    body: { why: options.why ?? '' },
  });
  if (options.json) printJson(surroundings, ended);
  else surroundings.output.write(`Key ${options.keyId} is revoked; its next request is refused.\n`);
}

export const revokeKey = orDirectly('revoke', (bridge, options, surroundings) => {
  if (options.partner === undefined) throw new NotRun('Say whose key: --partner NAME.');
  return end(bridge, keyPath(keysOf(options), options), options, surroundings);
});

export const revokeOpsKey = orDirectly('ops revoke', (bridge, options, surroundings) =>
  end(bridge, keyPath(OPS_KEYS, options), options, surroundings),
);

export const inviteInDirectory: Action = (surroundings, options) => {
  if (!isDirect(options))
    throw new NotRun('Say --remote NAME or --persist-to DIR. With the bridge, invite in the console: People.');
  return inDirectory(surroundings, 'invite', options);
};

export async function listKeys(
  surroundings: Surroundings,
  partner: string | undefined,
  options: KeyCommandOptions,
): Promise<ExitCode> {
  const path = partner === undefined ? OPS_KEYS : keysOf({ partner });
  const found = await openBridge(options, surroundings).json<{ keys: ListedKey[] }>({ path });
  if (options.json) printJson(surroundings, found);
  else {
    const rows = found.keys.map((key) => [
      key.keyId,
      key.name ?? (key.scacs ?? []).join(','),
      key.role ?? '',
      key.state,
      day(key.expiresAt) || 'never',
      day(key.lastUsedAt) || 'never',
    ]);
    const { output, environment } = surroundings;
    const heading = ['KEY', partner === undefined ? 'NAME' : 'SCACS', 'ROLE', 'STATE', 'ENDS', 'LAST USED'];
    output.write(table(heading, rows, paintFor(output, environment)));
  }
  return EXIT_CODES.done.code;
}

const day = (at: string | null): string => at?.slice(0, 10) ?? '';
