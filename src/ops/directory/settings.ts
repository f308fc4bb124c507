/** Settings with all their revisions in D1, append-only: the newest counts, and it says who set it, when and why. */

import { DEFAULT_RULES, type EnvelopeRules } from '../../batch/envelopes/validate.ts';
import { iso } from '../../kernel/clock.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AnswerMapping, answerMapping, DEFAULT_ANSWER_MAPPING } from '../../upstream/statuses/answer-mapping.ts';
import { type ChangeAuthor, type DirectoryUnavailable, directoryReached } from './directory.ts';

/** Somebody else made the same revision. @property edition the newest, which the caller has not seen; 0: there is none. */
export interface ChangedMeanwhile {
  code: 'changed_meanwhile';
  edition?: number;
}

export type RevisionRefusal = DirectoryUnavailable | ChangedMeanwhile;

/** The editions that a caller may have seen; null: any. */
export type SeenRevisions = readonly string[] | null;

export const isSeen = (edition: number, seen: SeenRevisions): boolean =>
  seen === null || seen.includes(String(edition));

/** The edition was made by somebody else in the moment between reading and writing. */
export const madeMeanwhile = (edition: number, seen: SeenRevisions): ChangedMeanwhile =>
  seen === null ? { code: 'changed_meanwhile' } : { code: 'changed_meanwhile', edition };

export interface Revision<Value> {
  /** 0: none was ever set, and the value is the default. */
  edition: number;
  value: Value;
  changedBy: string | null;
  changedAt: string | null;
  note: string;
}

/** A table of two key columns, `edition`, a column of JSON, then `key_id`, `key_name`, `changed_at` and `note`. */
interface RevisionTable<Value> {
  table: string;
  keys: readonly [string, string];
  column: string;
  usual: Value;
  parse(json: string): Value;
}

function revisionsIn<Value>(database: D1Database, { table, keys, column, usual, parse }: RevisionTable<Value>) {
  const newest = `SELECT edition, ${column} AS value, key_name AS changedBy, changed_at AS changedAt, note FROM ${table}
                  WHERE ${keys[0]} = ? AND ${keys[1]} = ? ORDER BY edition DESC LIMIT 1`;
  const read = async (key: readonly [string, string]): Promise<Revision<Value>> => {
    const row = await database
      .prepare(newest)
      .bind(...key)
      .first<Revision<string>>();
    if (row === null) return { edition: 0, value: usual, changedBy: null, changedAt: null, note: '' };
    return { ...row, value: parse(row.value) };
  };
  const newestOf = newest.replace('LIMIT 1', 'LIMIT ?');
  return {
    /** Newest first. */
    history: (key: readonly [string, string], limit: number): Promise<Result<Revision<Value>[], RevisionRefusal>> =>
      directoryReached(async () => {
        const found = await database
          .prepare(newestOf)
          .bind(...key, limit)
          .all<Revision<string>>();
        return ok(found.results.map((row) => ({ ...row, value: parse(row.value) })));
      }),
    read: (key: readonly [string, string]): Promise<Result<Revision<Value>, RevisionRefusal>> =>
      directoryReached(async () => ok(await read(key))),
    set: (
      key: readonly [string, string],
      value: Value,
      { keyId, author, note, atMs }: ChangeAuthor,
      seen: SeenRevisions,
    ): Promise<Result<Revision<Value>, RevisionRefusal>> =>
      directoryReached<Revision<Value>, RevisionRefusal>(async () => {
        const now = (await read(key)).edition;
        if (!isSeen(now, seen)) return err({ code: 'changed_meanwhile', edition: now });
        const edition = now + 1;
        const changedAt = iso(atMs);
        const inserted = await database
          .prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
          .bind(...key, edition, JSON.stringify(value), keyId, author, changedAt, note)
          .run();
        if (inserted.meta.changes === 0) return err(madeMeanwhile(edition, seen));
        return ok({ edition, value, changedBy: author, changedAt, note });
      }),
  };
}

/* How answers of the order-status endpoints are read in an environment. */

/** The only one there is. */
const NAME = 'order-status';

const ANSWER_MAPPINGS: RevisionTable<AnswerMapping> = {
  table: 'answer_mapping',
  keys: ['environment', 'name'],
  column: 'mapping',
  usual: DEFAULT_ANSWER_MAPPING,
  parse: (json) => answerMapping.parse(JSON.parse(json)),
};

export type AnswerMappings = ReturnType<typeof answerMappings>;

export function answerMappings(database: D1Database) {
  const { read, history, set } = revisionsIn(database, ANSWER_MAPPINGS);
  return {
    history: (environment: Environment, limit: number) => history([environment, NAME], limit),
    read: (environment: Environment) => read([environment, NAME]),
    set: (environment: Environment, mapping: AnswerMapping, by: ChangeAuthor, seen: SeenRevisions) =>
      set([environment, NAME], mapping, by, seen),
  };
}

/* What is agreed with partners about envelopes. */

const ENVELOPES: RevisionTable<EnvelopeRules> = {
  table: 'partner_envelope',
  keys: ['partner', 'environment'],
  column: 'rules',
  usual: DEFAULT_RULES,
  parse: (json) => JSON.parse(json) as EnvelopeRules,
};

export type PartnerEnvelopes = ReturnType<typeof partnerEnvelopes>;

export function partnerEnvelopes(database: D1Database) {
  const { read, history, set } = revisionsIn(database, ENVELOPES);
  return {
    history: ({ partner, environment }: PartnerScope, limit: number) => history([partner, environment], limit),
    read: ({ partner, environment }: PartnerScope) => read([partner, environment]),
    set: ({ partner, environment }: PartnerScope, rules: EnvelopeRules, by: ChangeAuthor, seen: SeenRevisions) =>
      set([partner, environment], rules, by, seen),
  };
}
