/**
 * Makes or revokes a key: a partner's, or (`ops …`) that of a program that operates the bridge. Invites people.
 *
 *   npm run key -- create --partner acme --name "Acme Freight" --environment test --channel sandbox-test --scacs ACME
 *   npm run key -- revoke --key-id 0123456789abcdef
 *   npm run key -- ops create --name "Night shift" --role operator --environments test,production
 *   npm run key -- ops revoke --key-id 0123456789abcdef
 *   npm run key -- invite --name "first admin" --role admin --environments test,production --url https://bridge.example
 *
 * A key lives for a year, unless --expires says when it ends, or "never".
 *
 * Works on the deployed database with --remote, on a local one with --persist-to DIR.
 */
import { parseArgs } from 'node:util';
import { EXIT, isArgumentError, NotRun } from './frame/command.ts';
import { type DirectoryPlace, executeOnDirectory } from './local/directory.ts';
import { type KeyOptions, readKeyCommand } from './local/key-arguments.ts';
import { makeOpsKey, revokeOpsKeySql } from './local/ops-keys.ts';
import { makePartnerKey, revokeKeySql } from './local/partner-keys.ts';
import { makePerson } from './local/people.ts';

const USAGE = `Usage:
  npm run key -- create --partner NAME --name "DISPLAY NAME" --environment test|production --channel CHANNEL
                        --scacs ABCD,EFGH [--mappings a,b] [--expires YYYY-MM-DD|never] (--remote | --persist-to DIR)
  npm run key -- revoke --key-id ID (--remote | --persist-to DIR)
  npm run key -- ops create --name "WHO" --role viewer|operator|admin --environments test,production
                        [--expires YYYY-MM-DD|never] (--remote | --persist-to DIR)
  npm run key -- ops revoke --key-id ID (--remote | --persist-to DIR)
  npm run key -- invite --name "WHO" --role viewer|operator|admin --environments test,production --url https://HOST
                        (--remote | --persist-to DIR)
`;

function place(values: KeyOptions): DirectoryPlace {
  if (values.remote) return { remote: true };
  const persistTo = values['persist-to'];
  if (persistTo === undefined) throw new NotRun('Say --remote or --persist-to DIR.');
  return { persistTo };
}

function readArguments() {
  const options = { type: 'string' } as const;
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      partner: options,
      name: options,
      environment: options,
      environments: options,
      role: options,
      url: options,
      channel: options,
      scacs: options,
      mappings: options,
      expires: options,
      'key-id': options,
      'persist-to': options,
      remote: { type: 'boolean', default: false },
    },
  });
  return { asked: readKeyCommand(positionals, values, Date.now()), where: place(values) };
}

async function run(): Promise<void> {
  const { asked, where } = readArguments();
  switch (asked.command) {
    case 'revoke':
    case 'ops revoke': {
      const sql = asked.command === 'revoke' ? revokeKeySql(asked.keyId) : revokeOpsKeySql(asked.keyId);
      await executeOnDirectory(where, sql);
      process.stderr.write(`Key ${asked.keyId} is revoked; its next request is refused.\n`);
      return;
    }
    case 'invite': {
      const { sql, link } = makePerson(asked.wanted);
      await executeOnDirectory(where, sql);
      process.stdout.write(`${asked.url}${link}\n`);
      process.stderr.write(
        `A link for ${asked.holder}. It signs in once, within three days: hand it over safely. Whoever has that name already keeps their role.\n`,
      );
      return;
    }
    case 'create':
    case 'ops create': {
      const made = asked.command === 'create' ? makePartnerKey(asked.wanted) : makeOpsKey(asked.wanted);
      await executeOnDirectory(where, made.sql);
      process.stdout.write(`${made.key}\n`);
      process.stderr.write(`Key ${made.keyId} of ${asked.holder}. It is shown this once: hand it over safely.\n`);
    }
  }
}

try {
  await run();
} catch (thrown) {
  if (!isArgumentError(thrown) && !(thrown instanceof NotRun)) throw thrown;
  process.stderr.write(`${thrown.message}\n\n${USAGE}`);
  process.exitCode = EXIT.notRun;
}
