/**
 * What people sign in with, in D1: a one-time link, a password, passkeys. Each answers who it is, or null: what was wrong is
 * nobody's business. Who is wrong too often is slowed down elsewhere (`tries.ts`).
 */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { auditStatement } from '../directory/audit.ts';
import { CHALLENGE_LIFETIME_MS, PASSKEYS_MAX, PERSON_NAME_CHARACTERS_MAX } from './limits.ts';
import { hashPassword, isPassword } from './password.ts';

/** Where passkeys are made for, and used at. @property rpId its host, without the port. */
export interface PasskeySite {
  rpId: string;
  origin: string;
}

export interface Passkey {
  credentialId: string;
  name: string;
  addedAt: string;
  usedAt: string | null;
}

/** @property name for the audit. */
export interface Known {
  personId: string;
  name: string;
}

interface PasskeyRow {
  credential_id: string;
  person_id: string;
  name: string;
  public_key: string;
  counter: number;
  transports: string;
  created_at_ms: number;
  used_at_ms: number | null;
}

export type Credentials = ReturnType<typeof credentialsOf>;

const LIVE_LINK = 'link_sha256 = ? AND used_at_ms IS NULL AND ends_at_ms > ?';

export function credentialsOf(database: D1Database, nowMs: () => number) {
  const personOf = (sql: string, ...values: unknown[]): Promise<(Known & { password: string | null }) | null> =>
    database
      .prepare(`SELECT person_id AS personId, name, password FROM person WHERE ${sql} AND removed_at_ms IS NULL`)
      .bind(...values)
      .first();
  const audit = ({ personId, name }: Known, action: string, detail: object = {}) =>
    auditStatement(
      database,
      {
        ...{ atMs: nowMs(), environment: null, actor: name, action, about: `person/${name}`, why: '' },
        detail: { by: personId, ...detail },
      },
      true,
    );
  const passkeyRows = async (personId: string): Promise<PasskeyRow[]> => {
    const sql = 'SELECT * FROM passkey WHERE person_id = ? ORDER BY created_at_ms';
    return (await database.prepare(sql).bind(personId).all<PasskeyRow>()).results;
  };
  return {
    /* One-time links. */

    /** Whose link it is. It can still be opened afterwards. */
    linkHolder: (token: string): Promise<Known | null> =>
      personOf(`person_id = (SELECT person_id FROM sign_in_link WHERE ${LIVE_LINK})`, sha256Hex(token), nowMs()),
    /** Of any number of calls at once, one gets the person. */
    useLink: async (token: string): Promise<Known | null> => {
      const used = await database
        .prepare(`UPDATE sign_in_link SET used_at_ms = ? WHERE ${LIVE_LINK} RETURNING person_id`)
        .bind(nowMs(), sha256Hex(token), nowMs())
        .first<string>('person_id');
      return used === null ? null : personOf('person_id = ?', used);
    },

    /* Passwords. */

    /** Takes as long whether there is such a person or not. */
    byPassword: async (name: string, password: string): Promise<Known | null> => {
      const person = await personOf('name = ?', name);
      return (await isPassword(password, person?.password ?? null)) ? person : null;
    },
    hasPassword: async (personId: string): Promise<boolean> =>
      ((await personOf('person_id = ?', personId))?.password ?? null) !== null,
    isPasswordOf: async (personId: string, password: string): Promise<boolean> =>
      isPassword(password, (await personOf('person_id = ?', personId))?.password ?? null),
    setPassword: async (known: Known, password: string): Promise<void> => {
      await database.batch([
        database
          .prepare('UPDATE person SET password = ? WHERE person_id = ? AND removed_at_ms IS NULL')
          .bind(await hashPassword(password), known.personId),
        audit(known, 'person.password'),
      ]);
    },

    /* Passkeys. */

    passkeys: async (personId: string): Promise<Passkey[]> =>
      (await passkeyRows(personId)).map(({ credential_id, name, created_at_ms, used_at_ms }) => ({
        credentialId: credential_id,
        name,
        addedAt: iso(created_at_ms),
        usedAt: isoOrNull(used_at_ms),
      })),
    /** What the browser needs to make one. */
    registration: async ({ rpId }: PasskeySite, { personId, name }: Known, challenge: string) =>
      generateRegistrationOptions({
        rpName: 'Transload',
        rpID: rpId,
        userName: name,
        userDisplayName: name,
        userID: new Uint8Array(new TextEncoder().encode(personId)),
        challenge: bytesOf(challenge),
        excludeCredentials: (await passkeyRows(personId)).map(({ credential_id }) => ({ id: credential_id })),
        // Signing in names nobody first, and a passkey is all that is asked for: the device must know who holds it.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      }),
    /** @returns false: what the browser sent is no passkey of this site for this challenge, or there are too many. */
    addPasskey: async (
      { rpId, origin }: PasskeySite,
      known: Known,
      { challenge, answer, name }: { challenge: string; answer: unknown; name: string },
    ): Promise<boolean> => {
      const { personId } = known;
      if ((await passkeyRows(personId)).length >= PASSKEYS_MAX) return false;
      const verified = await orNull(() =>
        verifyRegistrationResponse({
          response: answer as RegistrationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpId,
        }),
      );
      if (!verified?.verified) return false;
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      const shown = name.trim().slice(0, PERSON_NAME_CHARACTERS_MAX) || 'Passkey';
      const [inserted] = await database.batch([
        database
          .prepare(`INSERT OR IGNORE INTO passkey VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`)
          .bind(id, personId, shown, textOf(publicKey), counter, JSON.stringify(transports), nowMs()),
        audit(known, 'person.passkey.add', { passkey: shown }),
      ]);
      return (inserted?.meta.changes ?? 0) > 0;
    },
    removePasskey: async (known: Known, credentialId: string): Promise<void> => {
      await database.batch([
        database
          .prepare('DELETE FROM passkey WHERE credential_id = ? AND person_id = ?')
          .bind(credentialId, known.personId),
        audit(known, 'person.passkey.remove'),
      ]);
    },
    /** What the browser needs to sign in with one. */
    authentication: ({ rpId }: PasskeySite, challenge: string) =>
      generateAuthenticationOptions({ rpID: rpId, challenge: bytesOf(challenge), userVerification: 'required' }),
    byPasskey: async (
      { rpId, origin }: PasskeySite,
      { challenge, answer }: { challenge: string; answer: unknown },
    ): Promise<Known | null> => {
      const { id = '' } = (answer ?? {}) as Partial<AuthenticationResponseJSON>;
      const row = await database
        .prepare('SELECT * FROM passkey WHERE credential_id = ?')
        .bind(String(id))
        .first<PasskeyRow>();
      if (row === null) return null;
      const { credential_id, public_key, counter } = row;
      const verified = await orNull(() =>
        verifyAuthenticationResponse({
          response: answer as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: rpId,
          credential: { id: credential_id, publicKey: bytesOf(public_key), counter },
        }),
      );
      if (!verified?.verified || !(await isFirstAnswer(database, challenge, nowMs()))) return null;
      await database
        .prepare('UPDATE passkey SET counter = ?, used_at_ms = ? WHERE credential_id = ?')
        .bind(verified.authenticationInfo.newCounter, nowMs(), credential_id)
        .run();
      return personOf('person_id = ?', row.person_id);
    },
  };
}

/** An answer that was overheard is worth nothing: of each challenge one is taken. */
async function isFirstAnswer(database: D1Database, challenge: string, now: number): Promise<boolean> {
  const [, inserted] = await database.batch([
    database.prepare('DELETE FROM passkey_challenge WHERE ends_at_ms <= ?').bind(now),
    database
      .prepare('INSERT OR IGNORE INTO passkey_challenge VALUES (?, ?)')
      .bind(challenge, now + CHALLENGE_LIFETIME_MS),
  ]);
  return (inserted?.meta.changes ?? 0) > 0;
}

/** The library throws where what a browser sent is wrong in any way. */
async function orNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch (thrown) {
    log('warn', 'passkey_refused', { detail: messageOf(thrown) });
    return null;
  }
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64url, 'base64url'));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
