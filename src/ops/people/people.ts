/**
 * Those who operate the bridge, in D1: who they are, which role they have, and the links that let them in the first time.
 * Each change and its entry of the audit are one transaction.
 */
import { iso, isoOrNull } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { auditStatement } from '../directory/audit.ts';
import {
  type DirectoryUnavailable,
  directoryReached,
  mayActAs,
  type OpsPrincipal,
  type OpsRole,
} from '../directory/directory.ts';
import type { ChangedMeanwhile } from '../directory/settings.ts';
import { LINK_LIFETIME_MS, PEOPLE_MAX, PERSON_CHANGE_TRIES } from './limits.ts';
import { newToken } from './sessions.ts';

interface Person {
  personId: string;
  name: string;
  role: OpsRole;
  environments: readonly Environment[];
  invitedBy: string;
  invitedAt: string;
  lastSignedInAt: string | null;
  hasPassword: boolean;
  passkeys: number;
  sessions: number;
  /** Until when the one-time link may be opened; null: there is none that was not opened. */
  linkEndsAt: string | null;
}

/** @property token of the one-time link; shown this once. */
export interface Invited {
  personId: string;
  name: string;
  token: string;
  linkEndsAt: string;
}

interface Invitation {
  name: string;
  role: OpsRole;
  environments: readonly Environment[];
  why: string;
}

interface PersonChange {
  role?: OpsRole | undefined;
  environments?: readonly Environment[] | undefined;
  why: string;
}

export type PeopleRefusal =
  | DirectoryUnavailable
  | ChangedMeanwhile
  | { code: 'person_unknown' | 'own_account' | 'too_many_people' }
  | { code: 'person_exists'; name: string }
  /** It concerns an environment that whoever asks has not. */
  | { code: 'person_beyond'; environments: readonly Environment[] };

interface PersonRow {
  person_id: string;
  name: string;
  role: OpsRole;
  environments: string;
  password: string | null;
  invited_by: string;
  created_at_ms: number;
  last_seen_at_ms: number | null;
}

interface ListedRow extends PersonRow {
  passkeys: number;
  sessions: number;
  link_ends_at_ms: number | null;
}

type Answer<T> = Promise<Result<T, PeopleRefusal>>;
export type People = ReturnType<typeof peopleOf>;

const LISTED = `
  SELECT person.*,
    (SELECT count(*) FROM passkey WHERE passkey.person_id = person.person_id) AS passkeys,
    (SELECT count(*) FROM console_session AS s WHERE s.person_id = person.person_id) AS sessions,
    (SELECT max(ends_at_ms) FROM sign_in_link AS l
     WHERE l.person_id = person.person_id AND used_at_ms IS NULL AND ends_at_ms > ?) AS link_ends_at_ms
  FROM person WHERE removed_at_ms IS NULL`;

export function peopleOf(database: D1Database, nowMs: () => number) {
  const found = async (personId: string, by: OpsPrincipal): Promise<Result<PersonRow, PeopleRefusal>> => {
    const row = await database
      .prepare('SELECT * FROM person WHERE person_id = ? AND removed_at_ms IS NULL')
      .bind(personId)
      .first<PersonRow>();
    if (row === null) return err({ code: 'person_unknown' });
    if (row.person_id === by.keyId) return err({ code: 'own_account' });
    const beyond = beyondThose(environmentsOf(row), by);
    return beyond === null ? ok(row) : err(beyond);
  };
  const audit = (
    by: OpsPrincipal,
    action: string,
    about: { name: string },
    why: string,
    detail: object = {},
    ifChanged = false,
  ) => {
    const entry = { atMs: nowMs(), environment: null, actor: by.name, action, about: `person/${about.name}`, why };
    return auditStatement(database, { ...entry, detail: { by: by.keyId, ...detail } }, ifChanged);
  };
  const link = (personId: string): { token: string; endsAtMs: number; statements: D1PreparedStatement[] } => {
    const [token, endsAtMs] = [newToken(), nowMs() + LINK_LIFETIME_MS];
    const statements = [
      database.prepare('DELETE FROM sign_in_link WHERE person_id = ?').bind(personId),
      database.prepare('INSERT INTO sign_in_link VALUES (?, ?, ?, NULL)').bind(sha256Hex(token), personId, endsAtMs),
    ];
    return { token, endsAtMs, statements };
  };
  return {
    list: (): Answer<Person[]> =>
      directoryReached(async () => {
        const { results } = await database.prepare(`${LISTED} ORDER BY name`).bind(nowMs()).all<ListedRow>();
        return ok(results.map(personOf));
      }),
    invite: ({ name, role, environments, why }: Invitation, by: OpsPrincipal): Answer<Invited> =>
      directoryReached<Invited, PeopleRefusal>(async () => {
        const beyond = beyondThose(environments, by);
        if (beyond !== null) return err(beyond);
        const count = 'SELECT count(*) AS people FROM person WHERE removed_at_ms IS NULL';
        if (((await database.prepare(count).first<number>('people')) ?? 0) >= PEOPLE_MAX)
          return err({ code: 'too_many_people' });
        const personId = newPersonId();
        const { token, endsAtMs, statements } = link(personId);
        const insert = database
          .prepare(
            `INSERT INTO person (person_id, name, role, environments, invited_by, created_at_ms)
             VALUES (?, ?, ?, ?, ?, ?)`,
          )
          .bind(personId, name, role, JSON.stringify(environments), by.name, nowMs());
        const there = await database.prepare(`${LISTED} AND name = ?`).bind(nowMs(), name).first();
        if (there !== null) return err({ code: 'person_exists', name });
        await database.batch([
          insert,
          ...statements,
          audit(by, 'person.invite', { name }, why, { personId, role, environments }),
        ]);
        return ok({ personId, name, token, linkEndsAt: iso(endsAtMs) });
      }),
    /**
     * A link that was not opened yet opens no more than what it was made for. What is left out stays as it is at the moment
     * of the change: where somebody else changed it since it was read, it is read again.
     */
    change: (personId: string, { role, environments, why }: PersonChange, by: OpsPrincipal): Answer<Person> =>
      directoryReached<Person, PeopleRefusal>(async () => {
        for (let tries = 0; tries < PERSON_CHANGE_TRIES; tries += 1) {
          const person = await found(personId, by);
          if (!person.ok) return person;
          const { role: roleBefore, environments: listBefore } = person.value;
          const before = { role: roleBefore, environments: environmentsOf(person.value) };
          const after = { role: role ?? before.role, environments: environments ?? before.environments };
          const beyond = beyondThose(after.environments, by);
          if (beyond !== null) return err(beyond);
          const update = `UPDATE person SET role = ?, environments = ?
                          WHERE person_id = ? AND role = ? AND environments = ? AND removed_at_ms IS NULL`;
          // Whoever was shown the link may have no part in what it would open from now on
          const unopened = 'DELETE FROM sign_in_link WHERE person_id = ? AND used_at_ms IS NULL AND changes() > 0';
          const [changed] = await database.batch([
            database
              .prepare(update)
              .bind(after.role, JSON.stringify(after.environments), personId, roleBefore, listBefore),
            audit(by, 'person.change', person.value, why, { personId, before, after }, true),
            ...(isMore(before, after) ? [database.prepare(unopened).bind(personId)] : []),
          ]);
          if (changed?.meta.changes === 0) continue;
          const row = await database.prepare(`${LISTED} AND person_id = ?`).bind(nowMs(), personId).first<ListedRow>();
          return row === null ? err({ code: 'person_unknown' }) : ok(personOf(row));
        }
        return err({ code: 'changed_meanwhile' });
      }),
    /** Whoever is removed is signed out everywhere. */
    remove: (personId: string, why: string, by: OpsPrincipal): Answer<null> =>
      directoryReached<null, PeopleRefusal>(async () => {
        const person = await found(personId, by);
        if (!person.ok) return person;
        await database.batch([
          database
            .prepare('UPDATE person SET removed_at_ms = ?, password = NULL WHERE person_id = ?')
            .bind(nowMs(), personId),
          ...forgetting(database, personId),
          database.prepare('DELETE FROM sign_in_link WHERE person_id = ?').bind(personId),
          audit(by, 'person.remove', person.value, why, { personId }),
        ]);
        return ok(null);
      }),
    /** @param isReset the password, the passkeys and all sessions of the person end: a device was lost. */
    newLink: (
      personId: string,
      { why, isReset }: { why: string; isReset: boolean },
      by: OpsPrincipal,
    ): Answer<Invited> =>
      directoryReached<Invited, PeopleRefusal>(async () => {
        const person = await found(personId, by);
        if (!person.ok) return person;
        const { token, endsAtMs, statements } = link(personId);
        const reset = isReset
          ? [
              database.prepare('UPDATE person SET password = NULL WHERE person_id = ?').bind(personId),
              ...forgetting(database, personId),
            ]
          : [];
        await database.batch([
          ...statements,
          ...reset,
          audit(by, 'person.link', person.value, why, { personId, isReset }),
        ]);
        return ok({ personId, name: person.value.name, token, linkEndsAt: iso(endsAtMs) });
      }),
  };
}

const forgetting = (database: D1Database, personId: string): D1PreparedStatement[] =>
  ['passkey', 'known_browser', 'console_session'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE person_id = ?`).bind(personId),
  );

/** Nobody gives to others, or changes of them, what they may not touch themselves. */
function beyondThose(wanted: readonly Environment[], by: OpsPrincipal): PeopleRefusal | null {
  const beyond = wanted.filter((name) => !by.environments.includes(name));
  return beyond.length === 0 ? null : { code: 'person_beyond', environments: beyond };
}

type Rights = Pick<Person, 'role' | 'environments'>;

const isMore = (before: Rights, after: Rights): boolean =>
  !mayActAs(before.role, after.role) || after.environments.some((name) => !before.environments.includes(name));

/** Never an id of a key: those are hexadecimal. */
export const newPersonId = (): string => `u_${crypto.randomUUID().replaceAll('-', '')}`;

const environmentsOf = ({ environments }: PersonRow): Environment[] => JSON.parse(environments) as Environment[];

const personOf = (row: ListedRow): Person => ({
  personId: row.person_id,
  name: row.name,
  role: row.role,
  environments: environmentsOf(row),
  invitedBy: row.invited_by,
  invitedAt: iso(row.created_at_ms),
  lastSignedInAt: isoOrNull(row.last_seen_at_ms),
  hasPassword: row.password !== null,
  passkeys: row.passkeys,
  sessions: row.sessions,
  linkEndsAt: isoOrNull(row.link_ends_at_ms),
});
