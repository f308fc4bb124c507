/** How answers of the order-status endpoints are read in an environment, in D1: read, set, and who set what when. */
import { type AnswerMapping, answerMapping, DEFAULT_ANSWER_MAPPING } from '../feed/answer-mapping.ts';
import type { EditedMapping } from '../feed/settings.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';

/** @property edition 0: nothing was ever set, and it is the usual one. */
export interface AgreedMapping extends EditedMapping {
  changedBy: string | null;
  changedAt: string | null;
  note: string;
}

export interface MappingChange {
  mapping: AnswerMapping;
  keyId: string;
  author: string;
  note: string;
  atMs: number;
}

/** `changed_meanwhile`: somebody else set it from the same edition. */
export type AnswerMappingRefusal = { code: 'directory_unavailable' | 'changed_meanwhile' };

export interface AnswerMappings {
  read(environment: Environment): Promise<Result<AgreedMapping, AnswerMappingRefusal>>;
  set(environment: Environment, change: MappingChange): Promise<Result<AgreedMapping, AnswerMappingRefusal>>;
}

/** The one there is. */
const NAME = 'order-status';

type Row = { edition: number; mapping: string; key_name: string; changed_at: string; note: string };

export function answerMappings(database: D1Database): AnswerMappings {
  const newest = (environment: Environment): Promise<Row | null> =>
    database
      .prepare(
        `SELECT edition, mapping, key_name, changed_at, note FROM answer_mapping
         WHERE environment = ? AND name = ? ORDER BY edition DESC LIMIT 1`,
      )
      .bind(environment, NAME)
      .first<Row>();
  return {
    read: (environment) => reached(async () => ok(agreed(await newest(environment)))),
    set: (environment, { mapping, keyId, author, note, atMs }) =>
      reached(async () => {
        const edition = ((await newest(environment))?.edition ?? 0) + 1;
        const changedAt = new Date(atMs).toISOString();
        const inserted = await database
          .prepare('INSERT OR IGNORE INTO answer_mapping VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
          .bind(environment, NAME, edition, JSON.stringify(mapping), keyId, author, changedAt, note)
          .run();
        if (inserted.meta.changes === 0) return err({ code: 'changed_meanwhile' });
        return ok({ edition, mapping, changedBy: author, changedAt, note });
      }),
  };
}

function agreed(row: Row | null): AgreedMapping {
  if (row === null) {
    return { edition: 0, mapping: DEFAULT_ANSWER_MAPPING, changedBy: null, changedAt: null, note: '' };
  }
  const mapping = answerMapping.parse(JSON.parse(row.mapping));
  return { edition: row.edition, mapping, changedBy: row.key_name, changedAt: row.changed_at, note: row.note };
}

async function reached<T>(
  work: () => Promise<Result<T, AnswerMappingRefusal>>,
): Promise<Result<T, AnswerMappingRefusal>> {
  try {
    return await work();
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return err({ code: 'directory_unavailable' });
  }
}
