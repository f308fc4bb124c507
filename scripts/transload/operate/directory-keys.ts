/** Keys and invitations in the database itself, by wrangler: before there is a key to make them with, and when none is left. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NotRun } from '../../frame/command.ts';
import { PROJECT_ROOT } from '../../frame/kept-file.ts';
import { type DirectoryPlace, executeOnDirectory, queryDirectory } from '../../local/directory.ts';
import { readKeyCommand } from '../../local/key-arguments.ts';
import { makeOpsKey, revokeOpsKeySql } from '../../local/ops-keys.ts';
import { auditSql, makePartnerKey, revokeKeySql } from '../../local/partner-keys.ts';
import { makePerson } from '../../local/people.ts';
import { printJson } from '../definitions.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import type { KeyCommandOptions } from './keys.ts';

const notRevoked = ({ command, keyId }: { command: 'revoke' | 'ops revoke'; keyId: string }): string =>
  command === 'revoke'
    ? `No key of a partner was revoked: there is no ${keyId} here, or it was revoked before. For the key of an operator: key ops revoke.`
    : `No key of an operator was revoked: there is no ${keyId} here, or it was revoked before. For the key of a partner: key revoke.`;

const OF_OPERATORS = { name: 'operator_key', about: 'operator-keys' } as const;

const audited = (
  { name, about }: { name: string; about: string },
  what: 'make' | 'revoke',
  { environment, why, keyId }: { environment: string | null; why: string; keyId: string },
): string => auditSql({ environment, action: `${name}.${what}`, about, why, detail: { keyId } });

export async function runOnDirectory(
  surroundings: Surroundings,
  command: string,
  options: KeyCommandOptions,
): Promise<ExitCode> {
  const { output, errors } = surroundings;
  if (!existsSync(join(PROJECT_ROOT, 'wrangler.toml'))) {
    throw new NotRun('--remote and --persist-to work in a checkout alone: npm run key -- …');
  }
  const { persistTo, remote, keyId, why = '', ...others } = options;
  const asked = readKeyCommand(command.split(' '), { ...others, 'key-id': keyId }, Date.now());
  const place: DirectoryPlace = remote !== undefined ? { remote } : { persistTo: persistTo ?? '' };
  switch (asked.command) {
    case 'revoke':
    case 'ops revoke': {
      const sql = asked.command === 'revoke' ? revokeKeySql(asked.keyId) : revokeOpsKeySql(asked.keyId);
      const [revoked] = (await queryDirectory(place, sql)) as Partial<Record<'partner' | 'environment', string>>[];
      if (revoked === undefined) throw new NotRun(notRevoked(asked));
      const { partner, environment = null } = revoked;
      const ofKey = partner === undefined ? OF_OPERATORS : { name: 'key', about: `partner/${partner}` };
      await executeOnDirectory(place, audited(ofKey, 'revoke', { environment, why, keyId: asked.keyId }));
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
      const isOfPartner = asked.command === 'create';
      const made = isOfPartner ? makePartnerKey(asked.wanted) : makeOpsKey(asked.wanted);
      const ofKey = isOfPartner ? { name: 'key', about: `partner/${asked.wanted.partner}` } : OF_OPERATORS;
      const environment = isOfPartner ? asked.wanted.environment : null;
      await executeOnDirectory(place, made.sql + audited(ofKey, 'make', { environment, why, keyId: made.keyId }));
      if (options.json) printJson(surroundings, { key: made.key, keyId: made.keyId });
      else output.write(`${made.key}\n`);
      errors.write(`Key ${made.keyId} of ${asked.holder}. It is shown this once: hand it over safely.\n`);
    }
  }
  return EXIT_CODES.done.code;
}
