/**
 * The audit in D1: what operators did, one row each. A change of the directory writes its row in the same transaction;
 * what an object did is written once it has done it.
 */

import * as z from 'zod';
import { DAY_MS, iso } from '../../kernel/clock.ts';
import { documentIn } from '../../kernel/forms.ts';
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { wholeSetting } from '../../kernel/setting.ts';
import { type DirectoryUnavailable, directoryReached } from './directory.ts';
import { AUDIT_RETENTION_DAYS, AUDIT_SWEPT_AT_ONCE } from './limits.ts';

/**
 * @property environment null: it concerns both. action: such as `mapping.publish`. about: such as `partner/acme`.
 * why: '' where none was given. detail: what helps to find the thing again; never a secret, never a document.
 */
export interface AuditFacts {
  atMs: number;
  environment: Environment | null;
  actor: string;
  action: string;
  about: string;
  why: string;
  detail: Readonly<Record<string, unknown>>;
}

export interface AuditEntry extends Omit<AuditFacts, 'atMs'> {
  id: number;
  at: string;
}

/** What a request says of itself while it is answered. @property isWritten its entry was written with the change itself. */
export interface AuditNotes {
  environment?: Environment | null;
  why?: string;
  about?: string;
  detail?: Readonly<Record<string, unknown>>;
  isWritten?: boolean;
}

const DETAIL_FORM = 1;
const DETAIL = { of: 'detail of the audit', known: DETAIL_FORM, schema: z.looseObject({}) };

/**
 * The statement that writes a row, to go into the batch of the change.
 * @param ifChanged only if the statement before it in the batch changed a row.
 */
export function auditStatement(
  database: D1Database,
  { atMs, environment, actor, action, about, why, detail }: AuditFacts,
  ifChanged = false,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
       SELECT ?, ?, ?, ?, ?, ?, ? ${ifChanged ? 'WHERE changes() > 0' : ''}`,
    )
    .bind(atMs, environment, actor, action, about, why, JSON.stringify({ form: DETAIL_FORM, ...detail }));
}

/** The position after one entry of the list, newest first. */
export interface AuditCursor {
  atMs: number;
  id: number;
}

/**
 * null: any. @property actor a part of the name, in any case. action: one, or all of a kind (`mapping`). before: older
 * than this entry.
 */
export interface AuditQuery {
  environment: Environment;
  actor: string | null;
  action: string | null;
  about: string | null;
  fromMs: number | null;
  toMs: number | null;
  before: AuditCursor | null;
  limit: number;
}

type Answer<T> = Promise<Result<T, DirectoryUnavailable>>;
type Row = Omit<AuditFacts, 'detail' | 'atMs'> & { id: number; at_ms: number; detail: string };

export type Audit = ReturnType<typeof auditOf>;

export function auditOf(database: D1Database) {
  return {
    write: (facts: AuditFacts): Answer<null> =>
      directoryReached(async () => {
        await auditStatement(database, facts).run();
        return ok(null);
      }),
    /** Newest first: of this environment, and what concerns both. */
    list: (asked: AuditQuery): Answer<AuditEntry[]> =>
      directoryReached(async () => {
        const { clauses, values } = clausesOf(asked);
        const sql = `SELECT * FROM audit_entry WHERE ${clauses.join(' AND ')} ORDER BY at_ms DESC, id DESC LIMIT ?`;
        const bound = database.prepare(sql).bind(...values, asked.limit);
        return ok((await bound.all<Row>()).results.map(entryOf));
      }),
    /** Deletes what has reached the end of its life, so many rows a run. @returns how many. */
    sweep: (beforeMs: number): Answer<number> =>
      directoryReached(async () => {
        const sql = `DELETE FROM audit_entry WHERE id IN (
                       SELECT id FROM audit_entry WHERE at_ms < ? ORDER BY at_ms LIMIT ?)`;
        const swept = await database.prepare(sql).bind(beforeMs, AUDIT_SWEPT_AT_ONCE).run();
        return ok(swept.meta.changes);
      }),
  };
}

function entryOf({ id, at_ms, environment, actor, action, about, why, detail }: Row): AuditEntry {
  const { form: _, ...facts } = documentIn(DETAIL, JSON.parse(detail));
  return { ...{ id, environment, actor, action, about, why }, at: iso(at_ms), detail: facts };
}

function clausesOf({ environment, actor, action, about, fromMs, toMs, before }: AuditQuery) {
  const clauses = ['(environment = ? OR environment IS NULL)'];
  const values: unknown[] = [environment];
  const only = (clause: string, ...bound: unknown[]): void => {
    clauses.push(clause);
    values.push(...bound);
  };
  if (actor !== null) only('instr(lower(actor), lower(?)) > 0', actor);
  if (action !== null) only(`(action = ? OR substr(action, 1, length(?) + 1) = ? || '.')`, action, action, action);
  if (about !== null) only('about = ?', about);
  if (fromMs !== null) only('at_ms >= ?', fromMs);
  if (toMs !== null) only('at_ms < ?', toMs);
  if (before !== null) only('(at_ms, id) < (?, ?)', before.atMs, before.id);
  return { clauses, values };
}

/** A hundred years have five digits. */
const DAYS_DIGITS_MAX = 5;

/** @param text the setting AUDIT_DAYS: a whole number of days from 1 on. Anything else means the usual. */
export function auditRetentionMs(text = ''): number {
  return wholeSetting(text, AUDIT_RETENTION_DAYS, DAYS_DIGITS_MAX) * DAY_MS;
}
