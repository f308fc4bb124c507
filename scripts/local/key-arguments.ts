/** The arguments of the key command → what is to be made or revoked. Pure: nothing is written, the clock is not read. */
import { ENVIRONMENTS, type Environment } from '../../src/kernel/names.ts';
import { OPS_ROLES, type OpsRole } from '../../src/ops/directory/directory.ts';
import { keyEnd, NEVER } from '../../src/ops/directory/issued-keys.ts';
import { SCAC_FORM } from '../../src/upstream/contracts/bodies.ts';
import { NotRun } from '../frame/command.ts';
import type { NewOpsKey } from './ops-keys.ts';
import type { NewPartnerKey } from './partner-keys.ts';
import type { NewPerson } from './people.ts';

export interface KeyOptions {
  partner?: string | undefined;
  name?: string | undefined;
  environment?: string | undefined;
  environments?: string | undefined;
  role?: string | undefined;
  url?: string | undefined;
  channel?: string | undefined;
  scacs?: string | undefined;
  mappings?: string | undefined;
  expires?: string | undefined;
  'key-id'?: string | undefined;
  'persist-to'?: string | undefined;
  remote?: string | undefined;
}

/** @property holder who gets the key, in words. */
type KeyCommand =
  | { command: 'create'; wanted: NewPartnerKey; holder: string }
  | { command: 'ops create'; wanted: NewOpsKey; holder: string }
  | { command: 'invite'; wanted: NewPerson; holder: string; url: string }
  | { command: 'revoke' | 'ops revoke'; keyId: string };

export function readKeyCommand(positionals: readonly string[], options: KeyOptions, nowMs: number): KeyCommand {
  const command = positionals.join(' ');
  switch (command) {
    case 'create':
      return partnerKey(options, nowMs);
    case 'ops create':
      return opsKey(options, nowMs);
    case 'invite':
      return invitation(options);
    case 'revoke':
    case 'ops revoke':
      return { command, keyId: keyIdOf(options) };
    default:
      throw new NotRun(
        command === '' ? 'Say create, revoke, ops create, ops revoke or invite.' : `Unknown command "${command}".`,
      );
  }
}

function partnerKey(options: KeyOptions, nowMs: number): KeyCommand {
  const partner = required(options, 'partner');
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(partner)) {
    throw new NotRun('--partner takes lower-case letters, digits and dashes.');
  }
  const environment = environmentOf(required(options, 'environment'), '--environment');
  const scacs = required(options, 'scacs').split(',');
  const wrong = scacs.find((scac) => !SCAC_FORM.test(scac));
  if (wrong !== undefined) throw new NotRun(`--scacs: "${wrong}" is no SCAC (two to four capital letters).`);
  const wanted: NewPartnerKey = {
    partner,
    displayName: options.name ?? partner,
    environment,
    channel: required(options, 'channel'),
    scacs,
    mappings: options.mappings?.split(',') ?? null,
    expiresAt: expiry(options.expires, nowMs),
  };
  return { command: 'create', wanted, holder: `${partner} (${environment})` };
}

function opsKey(options: KeyOptions, nowMs: number): KeyCommand {
  const wanted: NewOpsKey = { ...operatorOf(options), expiresAt: expiry(options.expires, nowMs) };
  return { command: 'ops create', wanted, holder: holderOf(wanted) };
}

/** @property url of the bridge, as browsers open it: the link begins with it. */
function invitation(options: KeyOptions): KeyCommand {
  const wanted: NewPerson = operatorOf(options);
  const url = required(options, 'url').replace(/\/+$/, '');
  if (!/^https?:\/\/[^/\s]+$/.test(url))
    throw new NotRun('--url is the address of the bridge, such as https://bridge.example.');
  return { command: 'invite', wanted, holder: holderOf(wanted), url };
}

const holderOf = ({ name, role, environments }: NewPerson): string => `${name} (${role}; ${environments.join(', ')})`;

function operatorOf(options: KeyOptions): NewPerson {
  const name = required(options, 'name').trim();
  if (name === '') throw new NotRun('--name says who it is; it stands in the history of changes.');
  const role = required(options, 'role');
  if (!OPS_ROLES.includes(role as OpsRole)) throw new NotRun(`--role is one of ${OPS_ROLES.join(', ')}.`);
  const asked = required(options, 'environments').split(',');
  const environments = [...new Set(asked.map((each) => environmentOf(each, '--environments')))];
  return { name, role: role as OpsRole, environments };
}

function required(options: KeyOptions, name: keyof KeyOptions): string {
  const value = options[name];
  if (value === undefined) throw new NotRun(`--${name} is missing.`);
  return value;
}

/** It goes into SQL and into words; a key's id has one form. */
function keyIdOf(options: KeyOptions): string {
  const keyId = required(options, 'key-id');
  if (/^[0-9a-f]{16}$/.test(keyId)) return keyId;
  throw new NotRun('--key-id is the 16 hexadecimal digits between the first and the second _ of the key.');
}

function environmentOf(text: string, option: string): Environment {
  const known = ENVIRONMENTS.find((environment) => environment === text);
  if (known === undefined) throw new NotRun(`${option} is test or production.`);
  return known;
}

/** The end of that day, UTC; a year from now where none is named. */
function expiry(day: string | undefined, nowMs: number): string | null {
  const end = keyEnd(day, nowMs);
  if (end.ok) return end.value;
  throw new NotRun(
    end.error === 'in_the_past' ? '--expires is in the past.' : `--expires is a day, YYYY-MM-DD, or "${NEVER}".`,
  );
}
