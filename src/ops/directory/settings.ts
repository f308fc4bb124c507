/** Settings with all their revisions in D1, append-only: the newest counts, and it says who set it, when and why. */

import { DEFAULT_RULES, type EnvelopeRules } from '../../batch/envelopes/validate.ts';
import type { EditedMapping } from '../../feed/feed-status.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AnswerMapping, answerMapping, DEFAULT_ANSWER_MAPPING } from '../../upstream/statuses/answer-mapping.ts';
import { type ChangeAuthor, type DirectoryUnavailable, directoryReached } from './directory.ts';

/** `changed_meanwhile`: somebody else made the same revision. */
export type RevisionRefusal = DirectoryUnavailable | { code: 'changed_meanwhile' };

interface Revision<Value> {
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

type Row = { edition: number; value: string; key_name: string; changed_at: string; note: string };

function editionsIn<Value>(database: D1Database, { table, keys, column, usual, parse }: RevisionTable<Value>) {
  const newest = `SELECT edition, ${column} AS value, key_name, changed_at, note FROM ${table}
                  WHERE ${keys[0]} = ? AND ${keys[1]} = ? ORDER BY edition DESC LIMIT 1`;
  const read = async (key: readonly [string, string]): Promise<Revision<Value>> => {
    const row = await database
      .prepare(newest)
      .bind(...key)
      .first<Row>();
    if (row === null) return { edition: 0, value: usual, changedBy: null, changedAt: null, note: '' };
    const { edition, value, key_name: changedBy, changed_at: changedAt, note } = row;
    return { edition, value: parse(value), changedBy, changedAt, note };
  };
  return {
    read: (key: readonly [string, string]): Promise<Result<Revision<Value>, RevisionRefusal>> =>
      directoryReached(async () => ok(await read(key))),
    set: (
      key: readonly [string, string],
      value: Value,
      { keyId, author, note, atMs }: ChangeAuthor,
    ): Promise<Result<Revision<Value>, RevisionRefusal>> =>
      directoryReached<Revision<Value>, RevisionRefusal>(async () => {
        const edition = (await read(key)).edition + 1;
        const changedAt = new Date(atMs).toISOString();
        const inserted = await database
          .prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
          .bind(...key, edition, JSON.stringify(value), keyId, author, changedAt, note)
          .run();
        if (inserted.meta.changes === 0) return err({ code: 'changed_meanwhile' });
        return ok({ edition, value, changedBy: author, changedAt, note });
      }),
  };
}

/* How answers of the order-status endpoints are read in an environment, in D1: read, set, and who set what when. */

export type AgreedMapping = Omit<Revision<AnswerMapping>, 'value'> & EditedMapping;

interface MappingChange extends ChangeAuthor {
  mapping: AnswerMapping;
}

export interface AnswerMappings {
  read(environment: Environment): Promise<Result<AgreedMapping, RevisionRefusal>>;
  set(environment: Environment, change: MappingChange): Promise<Result<AgreedMapping, RevisionRefusal>>;
}

/** The only one there is. */
const NAME = 'order-status';

const ANSWER_MAPPINGS: RevisionTable<AnswerMapping> = {
  table: 'answer_mapping',
  keys: ['environment', 'name'],
  column: 'mapping',
  usual: DEFAULT_ANSWER_MAPPING,
  parse: (json) => answerMapping.parse(JSON.parse(json)),
};

export function answerMappings(database: D1Database): AnswerMappings {
  const editions = editionsIn(database, ANSWER_MAPPINGS);
  return {
    async read(environment) {
      return agreedMapping(await editions.read([environment, NAME]));
    },
    async set(environment, { mapping, ...author }) {
      return agreedMapping(await editions.set([environment, NAME], mapping, author));
    },
  };
}

function agreedMapping(
  found: Result<Revision<AnswerMapping>, RevisionRefusal>,
): Result<AgreedMapping, RevisionRefusal> {
  if (!found.ok) return found;
  const { value: mapping, ...edition } = found.value;
  return ok({ ...edition, mapping });
}

/* What is agreed with partners about envelopes, in D1: read, set, and who set what when. */

export type AgreedEnvelopes = Omit<Revision<EnvelopeRules>, 'value'> & { rules: EnvelopeRules };

interface EnvelopeChange extends ChangeAuthor {
  rules: EnvelopeRules;
}

export interface PartnerEnvelopes {
  read(environment: Environment, partner: string): Promise<Result<AgreedEnvelopes, RevisionRefusal>>;
  set(
    environment: Environment,
    partner: string,
    change: EnvelopeChange,
  ): Promise<Result<AgreedEnvelopes, RevisionRefusal>>;
}

const ENVELOPES: RevisionTable<EnvelopeRules> = {
  table: 'partner_envelope',
  keys: ['partner', 'environment'],
  column: 'rules',
  usual: DEFAULT_RULES,
  parse: (json) => JSON.parse(json) as EnvelopeRules,
};

export function partnerEnvelopes(database: D1Database): PartnerEnvelopes {
  const editions = editionsIn(database, ENVELOPES);
  return {
    async read(environment, partner) {
      return agreed(await editions.read([partner, environment]));
    },
    async set(environment, partner, { rules, ...author }) {
      return agreed(await editions.set([partner, environment], rules, author));
    },
  };
}

function agreed(found: Result<Revision<EnvelopeRules>, RevisionRefusal>): Result<AgreedEnvelopes, RevisionRefusal> {
  if (!found.ok) return found;
  const { value: rules, ...edition } = found.value;
  return ok({ ...edition, rules });
}
