/**
 * Sessions of the console in D1. The token is known to the browser alone; what a session may do is read anew with each
 * request, so that a changed role, a removed person or a revoked key counts at once.
 */

import type { Principal } from '../../intake/ports.ts';
import { iso } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { OpsPrincipal, OpsRole } from '../directory/directory.ts';
import {
  BROWSER_CHARACTERS_MAX,
  KNOWN_BROWSER_MS,
  SESSION_IDLE_MS,
  SESSION_LENGTH_MS,
  SESSION_USED_MS,
  SESSIONS_SHOWN_MAX,
} from './limits.ts';

export type SignedInBy = 'link' | 'password' | 'passkey' | 'key';

/** Whose session it is: a person of the directory, or whoever holds a partner's key. */
export type Holder = { kind: 'person'; personId: string } | { kind: 'key'; keyId: string };

interface FoundSession {
  sessionId: string;
  holder: Holder;
  visitor: { kind: 'operator'; operator: OpsPrincipal } | { kind: 'partner'; principal: Principal };
  signedInBy: SignedInBy;
  csrf: string;
  endsAtMs: number;
}

export interface ListedSession {
  sessionId: string;
  signedInBy: SignedInBy;
  browser: string;
  signedInAt: string;
  usedAt: string;
}

/** @property replaced the token that the browser had before: that session ends. browser: what it calls itself. */
interface NewSession {
  holder: Holder;
  by: SignedInBy;
  browser: string;
  replaced: string | null;
}

interface SessionRow {
  session_id: string;
  person_id: string | null;
  partner_key_id: string | null;
  signed_in_by: SignedInBy;
  browser: string;
  csrf: string;
  created_at_ms: number;
  used_at_ms: number;
  name: string | null;
  role: OpsRole | null;
  environments: string | null;
}

export type Sessions = ReturnType<typeof sessionsOf>;

/** 256 bits. */
export const newToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');

const TOKEN_FORM = /^[\w-]{43}$/;

/** @param partnerOf the holder of a key that is alive; null: it was revoked or has ended. */
export function sessionsOf(
  database: D1Database,
  partnerOf: (keyId: string) => Promise<Principal | null>,
  nowMs: () => number,
) {
  const visitorOf = async (row: SessionRow): Promise<FoundSession['visitor'] | null> => {
    const { person_id, partner_key_id, name, role, environments } = row;
    if (partner_key_id !== null) {
      const principal = await partnerOf(partner_key_id);
      return principal === null ? null : { kind: 'partner', principal };
    }
    if (person_id === null || name === null || role === null || environments === null) return null;
    const allowed = JSON.parse(environments) as Environment[];
    return { kind: 'operator', operator: { keyId: person_id, name, role, environments: allowed } };
  };
  return {
    /** @returns the token of a session that did not exist before. */
    begin: async ({ holder, by, browser, replaced }: NewSession): Promise<string> => {
      const now = nowMs();
      const token = newToken();
      const [personId, keyId] = holder.kind === 'person' ? [holder.personId, null] : [null, holder.keyId];
      const [sessionId, csrf] = [crypto.randomUUID(), newToken()];
      const shown = browser.slice(0, BROWSER_CHARACTERS_MAX);
      await database.batch([
        database.prepare('DELETE FROM console_session WHERE created_at_ms <= ?').bind(now - SESSION_LENGTH_MS),
        database.prepare('DELETE FROM console_session WHERE token_sha256 = ?').bind(sha256Hex(replaced ?? '')),
        database
          .prepare('INSERT INTO console_session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
          .bind(sha256Hex(token), sessionId, personId, keyId, by, shown, csrf, now, now),
        database.prepare('UPDATE person SET last_seen_at_ms = ? WHERE person_id = ?').bind(now, personId),
      ]);
      return token;
    },
    /** @returns null: nobody is signed in by it, or not any more. */
    find: async (token: string): Promise<FoundSession | null> => {
      if (!TOKEN_FORM.test(token)) return null;
      const now = nowMs();
      const tokenSha256 = sha256Hex(token);
      const row = await database
        .prepare(
          `SELECT console_session.*, person.name, person.role, person.environments
           FROM console_session LEFT JOIN person
             ON person.person_id = console_session.person_id AND person.removed_at_ms IS NULL
           WHERE token_sha256 = ? AND used_at_ms > ? AND console_session.created_at_ms > ?`,
        )
        .bind(tokenSha256, now - SESSION_IDLE_MS, now - SESSION_LENGTH_MS)
        .first<SessionRow>();
      const visitor = row === null ? null : await visitorOf(row);
      if (row === null || visitor === null) return null;
      if (row.used_at_ms <= now - SESSION_USED_MS) {
        await database
          .prepare('UPDATE console_session SET used_at_ms = ? WHERE token_sha256 = ?')
          .bind(now, tokenSha256)
          .run();
      }
      const { session_id: sessionId, signed_in_by: signedInBy, csrf, created_at_ms } = row;
      return {
        sessionId,
        holder: holderOf(row),
        visitor,
        signedInBy,
        csrf,
        endsAtMs: created_at_ms + SESSION_LENGTH_MS,
      };
    },
    end: async (token: string): Promise<void> => {
      await database.prepare('DELETE FROM console_session WHERE token_sha256 = ?').bind(sha256Hex(token)).run();
    },
    /** Ends one session of a holder. @returns false: it has no such session. */
    endOne: async (holder: Holder, sessionId: string): Promise<boolean> => {
      const { column, value } = columnOf(holder);
      const ended = await database
        .prepare(`DELETE FROM console_session WHERE session_id = ? AND ${column} = ?`)
        .bind(sessionId, value)
        .run();
      return ended.meta.changes > 0;
    },
    /** Ends all sessions of a holder. @param but this one stays. */
    endAll: async (holder: Holder, but = ''): Promise<void> => {
      const { column, value } = columnOf(holder);
      await database
        .prepare(`DELETE FROM console_session WHERE ${column} = ? AND session_id <> ?`)
        .bind(value, but)
        .run();
    },
    /** Those that are alive, the one used last first. */
    list: async (holder: Holder): Promise<ListedSession[]> => {
      const { column, value } = columnOf(holder);
      const now = nowMs();
      const { results } = await database
        .prepare(
          `SELECT * FROM console_session WHERE ${column} = ? AND used_at_ms > ? AND created_at_ms > ?
           ORDER BY used_at_ms DESC, created_at_ms DESC LIMIT ?`,
        )
        .bind(value, now - SESSION_IDLE_MS, now - SESSION_LENGTH_MS, SESSIONS_SHOWN_MAX)
        .all<SessionRow>();
      return results.map(({ session_id, signed_in_by, browser, created_at_ms, used_at_ms }) => ({
        sessionId: session_id,
        signedInBy: signed_in_by,
        browser,
        signedInAt: iso(created_at_ms),
        usedAt: iso(used_at_ms),
      }));
    },
    /** This browser is known as one of the person's from now on. */
    knowBrowser: async (browser: string, personId: string): Promise<void> => {
      const now = nowMs();
      await database.batch([
        database.prepare('DELETE FROM known_browser WHERE seen_at_ms <= ?').bind(now - KNOWN_BROWSER_MS),
        database
          .prepare(
            `INSERT INTO known_browser VALUES (?1, ?2, ?3)
             ON CONFLICT (browser_sha256, person_id) DO UPDATE SET seen_at_ms = ?3`,
          )
          .bind(sha256Hex(browser), personId, now),
      ]);
    },
    /** Whether somebody of this name has signed in with it. */
    isKnown: async (browser: string, name: string): Promise<boolean> =>
      TOKEN_FORM.test(browser) &&
      (await database
        .prepare(
          `SELECT 1 FROM known_browser JOIN person USING (person_id)
           WHERE browser_sha256 = ? AND name = ? AND removed_at_ms IS NULL AND seen_at_ms > ?`,
        )
        .bind(sha256Hex(browser), name, nowMs() - KNOWN_BROWSER_MS)
        .first()) !== null,
  };
}

const holderOf = ({ person_id, partner_key_id }: SessionRow): Holder =>
  person_id === null ? { kind: 'key', keyId: partner_key_id ?? '' } : { kind: 'person', personId: person_id };

const columnOf = (holder: Holder): { column: string; value: string } =>
  holder.kind === 'person'
    ? { column: 'person_id', value: holder.personId }
    : { column: 'partner_key_id', value: holder.keyId };
