/**
 * Publications in D1: where names point, what they pointed at before, and the texts as written.
 *
 * Append-only. Nothing is remembered between calls: a name may be published anew at any time, by any isolate.
 */
import { log, messageOf } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { insertOwners, type OwnersStatement, ownersByName, readOwnersHistory, selectOwners } from './owner-rows.ts';
import type { Artifact, Change, OwnersChange, Pointers, Publication } from './publication.ts';
import { COLUMNS, type Prepare, type PublicationRow, publicationOf, statementsOf } from './publication-rows.ts';
import type { CodeListSummary, MappingSummary } from './summary.ts';

/** The database cannot be read or written; whatever was asked for may well be there. */
export interface Unavailable {
  code: 'catalog_unavailable';
}

export interface PublicationStore {
  pointers(environment: Environment): Promise<Result<Pointers, Unavailable>>;
  /** @returns what the published names point at as written, by name; names that stand for the bundle are left out. */
  written(
    environment: Environment,
    artifact: Artifact,
    names: Iterable<string>,
  ): Promise<Result<Map<string, string>, Unavailable>>;
  /** Newest first. @param before the edition of the last one seen. */
  history(asked: {
    environment: Environment;
    artifact: Artifact;
    name: string;
    before: number | null;
    limit: number;
  }): Promise<Result<Publication[], Unavailable>>;
  /** The newest publication of a name with that version, or the one of that edition, with its text. */
  find(asked: {
    environment: Environment;
    artifact: Artifact;
    name: string;
    version: { sha256: string } | { edition: number };
  }): Promise<Result<(Publication & { written: string }) | undefined, Unavailable>>;
  /** Whole or not at all. @returns `overtaken` when another change came first: then this one was decided on old facts. */
  append(change: Change): Promise<Result<'appended' | 'overtaken', Unavailable>>;
  /** @returns `overtaken` when somebody else set them first. */
  appendOwners(change: OwnersStatement): Promise<Result<'appended' | 'overtaken', Unavailable>>;
  /** Who said when whom a mapping is for, newest first. */
  ownersHistory(
    environment: Environment,
    asked: { name: string; limit: number },
  ): Promise<Result<OwnersChange[], Unavailable>>;
}

const CURRENT =
  'publication_current c JOIN publication p ' +
  'ON p.environment = c.environment AND p.edition = c.edition AND p.ordinal = c.ordinal';

export function publicationStore(database: D1Database): PublicationStore {
  const prepare: Prepare = (sql, ...values) => database.prepare(sql).bind(...values);
  return {
    pointers: (environment) => reached(() => readPointers(database, prepare, environment)),
    written: (environment, artifact, names) =>
      reached(async () => {
        const sql =
          `SELECT p.name, p.written FROM ${CURRENT} WHERE c.environment = ? AND c.artifact = ? ` +
          'AND c.name IN (SELECT value FROM json_each(?))';
        const asked = prepare(sql, environment, artifact, JSON.stringify([...names]));
        const { results } = await asked.all<{ name: string; written: string }>();
        return new Map(results.map((row) => [row.name, row.written]));
      }),
    history: ({ environment, artifact, name, before, limit }) =>
      reached(async () => {
        const sql =
          `SELECT ${COLUMNS} FROM publication p WHERE p.environment = ?1 AND p.artifact = ?2 AND p.name = ?3 ` +
          'AND (?4 IS NULL OR p.edition < ?4) ORDER BY p.edition DESC LIMIT ?5';
        const { results } = await prepare(sql, environment, artifact, name, before, limit).all<PublicationRow>();
        return results.map((row) => publicationOf(row));
      }),
    find: ({ environment, artifact, name, version }) =>
      reached(async () => {
        const [column, value] = 'sha256' in version ? ['sha256', version.sha256] : ['edition', version.edition];
        const sql =
          `SELECT ${COLUMNS}, p.written FROM publication p WHERE p.environment = ? AND p.artifact = ? AND p.name = ? ` +
          `AND p.${column} = ? ORDER BY p.edition DESC LIMIT 1`;
        const asked = prepare(sql, environment, artifact, name, value);
        const row = await asked.first<PublicationRow & { written: string }>();
        return row ? { ...publicationOf(row), written: row.written } : undefined;
      }),
    append: (change) => reached(() => appendWhole(database, statementsOf(prepare, change))),
    appendOwners: (change) => reached(() => appendWhole(database, [insertOwners(prepare, change)])),
    ownersHistory: (environment, asked) => reached(() => readOwnersHistory(prepare, environment, asked)),
  };
}

/** One batch is one transaction: edition, pointers and owners belong together. */
async function readPointers(database: D1Database, prepare: Prepare, environment: Environment): Promise<Pointers> {
  const [edition, current, owners] = await database.batch<PublicationRow & { edition: number; owners: string }>([
    prepare('SELECT MAX(edition) AS edition FROM publication WHERE environment = ?', environment),
    prepare(`SELECT ${COLUMNS} FROM ${CURRENT} WHERE c.environment = ? ORDER BY c.name`, environment),
    selectOwners(prepare, environment),
  ]);
  const rows = current?.results ?? [];
  const of = <Summary>(artifact: Artifact) =>
    new Map(rows.filter((row) => row.artifact === artifact).map((row) => [row.name, publicationOf<Summary>(row)]));
  return {
    edition: edition?.results[0]?.edition ?? 0,
    mappings: of<MappingSummary>('mapping'),
    codeLists: of<CodeListSummary>('code_list'),
    owners: ownersByName(owners?.results ?? []),
  };
}

async function appendWhole(database: D1Database, statements: D1PreparedStatement[]): Promise<'appended' | 'overtaken'> {
  try {
    await database.batch(statements);
    return 'appended';
  } catch (thrown) {
    if (OVERTAKEN.test(messageOf(thrown))) return 'overtaken';
    throw thrown;
  }
}

/** The edition was taken meanwhile. */
const OVERTAKEN = /UNIQUE constraint failed: (?:publication|mapping_owner)\./;

async function reached<T>(ask: () => Promise<T>): Promise<Result<T, Unavailable>> {
  try {
    return ok(await ask());
  } catch (thrown) {
    log('error', 'catalog_unavailable', { detail: messageOf(thrown) });
    return err({ code: 'catalog_unavailable' });
  }
}
