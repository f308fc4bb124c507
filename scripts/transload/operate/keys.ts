/** `keys`: by the API as an administrator, or in a checkout in the database itself. */
import { randomUUID } from 'node:crypto';
import type { Done } from '../../../src/http/contract/contract.ts';
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

type MadeKey = Pick<Done<'POST /v1/ops/operator-keys'>, 'key' | 'keyId' | 'expiresAt'>;

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

const ofPartner = ({ partner = '' }: KeyCommandOptions) => ({ name: partner });
const keyOf = ({ keyId = '' }: KeyCommandOptions) => ({ keyId });
const split = (text: string | undefined): string[] | undefined => text?.split(',');

/** The key alone to standard output, so that it can go into a file unseen. */
function shown(surroundings: Surroundings, made: MadeKey, { json }: KeyCommandOptions): void {
  if (json) {
    printJson(surroundings, made);
    return;
  }
  surroundings.output.write(`${made.key ?? ''}\n`);
  const end = made.expiresAt === null ? 'has no end' : `ends ${made.expiresAt.slice(0, 10)}`;
  surroundings.errors.write(`Key ${made.keyId} ${end}. It is shown this once: hand it over safely.\n`);
}

export const makeKey = orDirectly('create', async (bridge, options, surroundings) => {
  const { scacs, mappings, expires, why = '' } = options;
  const body = { scacs: split(scacs), mappings: split(mappings), expires, why };
  const asked = { path: ofPartner(options), body, idempotencyKey: randomUUID() };
  shown(surroundings, await bridge.call('POST /v1/ops/partners/{name}/keys', asked), options);
});

export const makeOpsKey = orDirectly('ops create', async (bridge, options, surroundings) => {
  const { name, role, environments, expires, why = '' } = options;
  const body = { name, role, environments: split(environments), expires, why };
  const asked = { body, idempotencyKey: randomUUID() };
  shown(surroundings, await bridge.call('POST /v1/ops/operator-keys', asked), options);
});

const rotation = ({ overlapHours, expires, why = '' }: KeyCommandOptions) => ({
  body: { overlapHours: overlapHours === undefined ? undefined : whole(overlapHours), expires, why },
  idempotencyKey: randomUUID(),
});

export const rotateKey: Action = async (surroundings, options) => {
  const path = { ...ofPartner(options), ...keyOf(options) };
  const asked = { path, ...rotation(options) };
  const bridge = openBridge(options, surroundings);
  shown(surroundings, await bridge.call('POST /v1/ops/partners/{name}/keys/{keyId}/rotate', asked), options);
  return EXIT_CODES.done.code;
};

export const rotateOpsKey: Action = async (surroundings, options) => {
  const asked = { path: keyOf(options), ...rotation(options) };
  const bridge = openBridge(options, surroundings);
  shown(surroundings, await bridge.call('POST /v1/ops/operator-keys/{keyId}/rotate', asked), options);
  return EXIT_CODES.done.code;
};

function ended(key: unknown, options: KeyCommandOptions, surroundings: Surroundings): void {
  if (options.json) printJson(surroundings, key);
  else surroundings.output.write(`Key ${options.keyId} is revoked; its next request is refused.\n`);
}

export const revokeKey = orDirectly('revoke', async (bridge, options, surroundings) => {
  if (options.partner === undefined) throw new NotRun('Say whose key: --partner NAME.');
  const path = { ...ofPartner(options), ...keyOf(options) };
  const asked = { path, body: { why: options.why ?? '' } };
  ended(await bridge.call('POST /v1/ops/partners/{name}/keys/{keyId}/revoke', asked), options, surroundings);
});

export const revokeOpsKey = orDirectly('ops revoke', async (bridge, options, surroundings) => {
  const asked = { path: keyOf(options), body: { why: options.why ?? '' } };
  ended(await bridge.call('POST /v1/ops/operator-keys/{keyId}/revoke', asked), options, surroundings);
});

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
  const bridge = openBridge(options, surroundings);
  const found =
    partner === undefined
      ? await bridge.call('GET /v1/ops/operator-keys')
      : await bridge.call('GET /v1/ops/partners/{name}/keys', { path: { name: partner } });
  if (options.json) printJson(surroundings, found);
  else {
    const rows = found.keys.map((key) => [
      key.keyId,
      'name' in key ? key.name : key.scacs.join(','),
      'role' in key ? key.role : '',
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
