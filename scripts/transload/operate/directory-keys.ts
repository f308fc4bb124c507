/** Keys and invitations in the database itself, by wrangler: before there is a key to make them with, and when none is left. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NotRun } from '../../frame/command.ts';
import { PROJECT_ROOT } from '../../frame/kept-file.ts';
import { type DirectoryPlace, executeOnDirectory, queryDirectory } from '../../local/directory.ts';
import { readKeyCommand } from '../../local/key-arguments.ts';
import { makeOpsKey, revokeOpsKeySql } from '../../local/ops-keys.ts';
import { makePartnerKey, revokeKeySql } from '../../local/partner-keys.ts';
import { makePerson } from '../../local/people.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import type { KeyCommandOptions } from './keys.ts';

const notRevoked = ({ command, keyId }: { command: 'revoke' | 'ops revoke'; keyId: string }): string =>
  command === 'revoke'
    ? `No key of a partner was revoked: there is no ${keyId} here, or it was revoked before. For the key of an operator: key ops revoke.`
    : `No key of an operator was revoked: there is no ${keyId} here, or it was revoked before. For the key of a partner: key revoke.`;

export async function runOnDirectory(
  { output, errors }: Surroundings,
  command: string,
  options: KeyCommandOptions,
): Promise<ExitCode> {
  if (!existsSync(join(PROJECT_ROOT, 'wrangler.toml'))) {
    throw new NotRun('--remote and --persist-to work in a checkout alone: npm run key -- …');
  }
  const { persistTo, remote, keyId, ...others } = options;
  const asked = readKeyCommand(command.split(' '), { ...others, 'key-id': keyId }, Date.now());
  const place: DirectoryPlace = remote !== undefined ? { remote } : { persistTo: persistTo ?? '' };
  switch (asked.command) {
    case 'revoke':
    case 'ops revoke': {
      const sql = asked.command === 'revoke' ? revokeKeySql(asked.keyId) : revokeOpsKeySql(asked.keyId);
      const revoked = await queryDirectory(place, sql);
      if (revoked.length === 0) throw new NotRun(notRevoked(asked));
      errors.write(`Key ${asked.keyId} is revoked; its next request is refused.\n`);
      break;
    }
    case 'invite': {
      const { sql, link } = makePerson(asked.wanted);
      await executeOnDirectory(place, sql);
      output.write(`${asked.url}${link}\n`);
      errors.write(
        `A link for ${asked.holder}. It signs in once, within three days: hand it over safely. Whoever has that name already keeps their role.\n`,
      );
      break;
    }
    case 'create':
    case 'ops create': {
      const made = asked.command === 'create' ? makePartnerKey(asked.wanted) : makeOpsKey(asked.wanted);
      await executeOnDirectory(place, made.sql);
      output.write(`${made.key}\n`);
      errors.write(`Key ${made.keyId} of ${asked.holder}. It is shown this once: hand it over safely.\n`);
    }
  }
  return EXIT_CODES.done.code;
}
