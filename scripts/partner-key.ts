/**
 * Makes or revokes a partner's key.
 *
 *   npm run key -- create --partner acme --name "Acme Freight" --environment test --channel sandbox-test --scacs ACME
 *   npm run key -- revoke --key-id 0123456789abcdef
 *
 * Works on the deployed database with --remote, on a local one with --persist-to DIR.
 */
import { parseArgs } from 'node:util';
import { ENVIRONMENTS, type Environment } from '../src/kernel/names.ts';
import { SCAC_FORM } from '../src/upstream/contracts/bodies.ts';
import { type DirectoryPlace, executeOnDirectory } from './local/directory.ts';
import { makePartnerKey, revokeKeySql } from './local/partner-keys.ts';

const USAGE = `Usage:
  npm run key -- create --partner NAME --name "DISPLAY NAME" --environment test|production --channel CHANNEL
                        --scacs ABCD,EFGH [--mappings a,b] [--expires YYYY-MM-DD] (--remote | --persist-to DIR)
  npm run key -- revoke --key-id ID (--remote | --persist-to DIR)
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    partner: { type: 'string' },
    name: { type: 'string' },
    environment: { type: 'string' },
    channel: { type: 'string' },
    scacs: { type: 'string' },
    mappings: { type: 'string' },
    expires: { type: 'string' },
    'key-id': { type: 'string' },
    'persist-to': { type: 'string' },
    remote: { type: 'boolean', default: false },
  },
});

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n\n${USAGE}`);
  process.exit(2);
}

const required = (name: 'partner' | 'environment' | 'channel' | 'scacs' | 'key-id'): string =>
  values[name] ?? refuse(`--${name} is missing.`);

function place(): DirectoryPlace {
  if (values.remote) return { remote: true };
  const persistTo = values['persist-to'];
  return persistTo === undefined ? refuse('Say --remote or --persist-to DIR.') : { persistTo };
}

/** The end of that day, UTC. */
function expiry(day: string | undefined): string | null {
  if (day === undefined) return null;
  const at = Date.parse(`${day}T23:59:59Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(at)) refuse('--expires is a day, YYYY-MM-DD.');
  return new Date(at).toISOString();
}

async function create(): Promise<void> {
  const partner = required('partner');
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(partner)) refuse('--partner takes lower-case letters, digits and dashes.');
  const environment = required('environment');
  if (!ENVIRONMENTS.includes(environment as Environment)) refuse('--environment is test or production.');
  const scacs = required('scacs').split(',');
  const wrong = scacs.find((scac) => !SCAC_FORM.test(scac));
  if (wrong !== undefined) refuse(`--scacs: "${wrong}" is no SCAC (two to four capital letters).`);
  const made = makePartnerKey({
    partner,
    displayName: values.name ?? partner,
    environment: environment as Environment,
    channel: required('channel'),
    scacs,
    mappings: values.mappings?.split(',') ?? null,
    expiresAt: expiry(values.expires),
  });
  await executeOnDirectory(place(), made.sql);
  process.stdout.write(`${made.key}\n`);
  process.stderr.write(
    `Key ${made.keyId} of ${partner} (${environment}). It is shown this once: hand it over safely.\n`,
  );
}

async function revoke(): Promise<void> {
  const keyId = required('key-id');
  await executeOnDirectory(place(), revokeKeySql(keyId));
  process.stderr.write(`Key ${keyId} is revoked; its next request is refused.\n`);
}

const [command] = positionals;
if (command === 'create') await create();
else if (command === 'revoke') await revoke();
else refuse(command === undefined ? 'Say create or revoke.' : `Unknown command "${command}".`);
