/** Somebody who operates the bridge, as SQL for the directory, with a link that signs them in once; and signing in without a browser. */
import { createHash } from 'node:crypto';
import type { Environment } from '../../src/kernel/names.ts';
import type { OpsRole } from '../../src/ops/directory/directory.ts';
import { LINK_LIFETIME_MS } from '../../src/ops/people/limits.ts';
import { newPersonId } from '../../src/ops/people/people.ts';
import { newToken } from '../../src/ops/people/sessions.ts';
import { auditSql, sqlValues } from './partner-keys.ts';

export interface NewPerson {
  name: string;
  role: OpsRole;
  environments: readonly Environment[];
}

/** @property link the path of the one-time link. */
export interface MadePerson {
  personId: string;
  link: string;
  sql: string;
}

/** For whoever is there already, it makes a new link and leaves everything else as it is. */
export function makePerson({ name, role, environments }: NewPerson, nowMs = Date.now()): MadePerson {
  const [personId, token] = [newPersonId(), newToken()];
  const linkSha256 = createHash('sha256').update(token).digest('hex');
  const row = sqlValues(personId, name, role, JSON.stringify(environments), 'the command line');
  const [named] = [sqlValues(name)];
  const audit = { environment: null, action: 'person.invite', about: `person/${name}`, why: '', detail: { role } };
  const sql = `
INSERT INTO person (person_id, name, role, environments, invited_by, created_at_ms)
  SELECT ${row}, ${nowMs} WHERE NOT EXISTS (SELECT 1 FROM person WHERE name = ${named} AND removed_at_ms IS NULL);
INSERT INTO sign_in_link (link_sha256, person_id, ends_at_ms)
  SELECT ${sqlValues(linkSha256)}, person_id, ${nowMs + LINK_LIFETIME_MS} FROM person
  WHERE name = ${named} AND removed_at_ms IS NULL;
${auditSql(audit)}`;
  return { personId, link: `/console/sign-in/link/${token}`, sql };
}

/** What a browser would hold after signing in. */
export interface SignedIn {
  name: string;
  value: string;
}

/** @param by a partner's key, or the path of a one-time link. */
export async function signIn(baseUrl: string, by: { key: string } | { link: string }): Promise<SignedIn> {
  const [path, body] = 'key' in by ? ['/console/sign-in/key', new URLSearchParams({ key: by.key })] : [by.link, ''];
  const answer = await fetch(baseUrl + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: baseUrl, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  });
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^(transload-\d+|__Host-transload)=([^;]+)/.exec(cookie) ?? [];
    if (name !== '') return { name, value };
  }
  throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
}
