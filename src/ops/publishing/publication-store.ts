/**
 * Publications in D1: what names point at, what they pointed at before, and the texts as written.
 * Append-only. Nothing is cached between calls: any isolate may publish a name at any time.
 */

import { log, messageOf } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type {
  Artifact,
  Author,
  Change,
  CodeListSummary,
  MappingSummary,
  NewOwners,
  NewPublication,
  Owners,
  OwnersChange,
  Pointers,
  Publication,
} from './publication.ts';

/* Publications as rows of D1: the columns read, the statements that append, and the conversion of a row. */

type PublicationRow = Omit<Publication, 'isBundled' | 'summary' | 'by'> & {
  artifact: Artifact;
  isBundled: number;
  summary: string;
  keyId: string;
  keyName: string;
};

const COLUMNS =
  'p.artifact, p.name, p.edition, p.sha256, p.is_bundled AS isBundled, p.summary, p.action, ' +
  'p.before_sha256 AS beforeSha256, p.because_of AS becauseOf, p.key_id AS keyId, p.key_name AS keyName, ' +
  'p.published_at AS at, p.note';

type Prepare = (sql: string, ...values: unknown[]) => D1PreparedStatement;

/** The row, the pointer to it, and the owners of the name. */
const statementsOf = (prepare: Prepare, { owners, ...change }: Change): D1PreparedStatement[] => [
  ...(owners === null ? [] : [insertOwners(prepare, { ...change, owners })]),
  ...change.publications.flatMap((publication, ordinal) => [
    insert(prepare, change, publication, ordinal),
    point(prepare, change, publication, ordinal),
  ]),
];

type OfChange = Omit<Change, 'owners'>;

function insert(prepare: Prepare, change: OfChange, publication: NewPublication, ordinal: number): D1PreparedStatement {
  const { environment, edition, by, at, note } = change;
  const { artifact, name, sha256, written, isBundled, summary, action, beforeSha256, becauseOf } = publication;
  return prepare(
    'INSERT INTO publication (environment, edition, ordinal, artifact, name, sha256, written, is_bundled, summary, action, ' +
      'before_sha256, because_of, key_id, key_name, published_at, note) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    environment,
    edition + 1,
    ordinal,
    artifact,
    name,
    sha256,
    written,
    isBundled ? 1 : 0,
    JSON.stringify(summary),
    action,
    beforeSha256,
    becauseOf,
    by.keyId,
    by.name,
    at,
    note,
  );
}

/** A name that goes back to the bundle has no pointer, so that the bundle of the next deploy replaces it. */
function point(
  prepare: Prepare,
  { environment, edition }: OfChange,
  { artifact, name, isBundled }: NewPublication,
  ordinal: number,
): D1PreparedStatement {
  if (isBundled) {
    const sql = 'DELETE FROM publication_current WHERE environment = ? AND artifact = ? AND name = ?';
    return prepare(sql, environment, artifact, name);
  }
  return prepare(
    'INSERT INTO publication_current (environment, artifact, name, edition, ordinal) VALUES (?, ?, ?, ?, ?) ' +
      'ON CONFLICT (environment, artifact, name) DO UPDATE SET edition = excluded.edition, ordinal = excluded.ordinal',
    environment,
    artifact,
    name,
    edition + 1,
    ordinal,
  );
}

const publicationOf = <Summary>({ artifact: _, keyId, keyName, ...row }: PublicationRow): Publication<Summary> => ({
  ...row,
  isBundled: row.isBundled === 1,
  summary: JSON.parse(row.summary) as Summary,
  by: { keyId, name: keyName },
});

/* Owners of mappings as rows of D1. Append-only: the newest revision of each name counts. */

interface OwnerRow {
  name: string;
  edition: number;
  owners: string;
  key_id: string;
  key_name: string;
  changed_at: string;
  note: string;
}

interface OwnersStatement {
  environment: Environment;
  by: Author;
  at: string;
  note: string;
  owners: NewOwners;
}

const insertOwners = (prepare: Prepare, { environment, by, at, note, owners }: OwnersStatement) =>
  prepare(
    'INSERT INTO mapping_owner (environment, name, edition, owners, key_id, key_name, changed_at, note) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    environment,
    owners.name,
    owners.edition + 1,
    JSON.stringify(owners.owners),
    by.keyId,
    by.name,
    at,
    note,
  );

/** The newest of every name: SQLite takes the other columns from the row of the maximum. */
const selectOwners = (prepare: Prepare, environment: Environment): D1PreparedStatement =>
  prepare(
    'SELECT name, MAX(edition) AS edition, owners FROM mapping_owner WHERE environment = ? GROUP BY name',
    environment,
  );

const ownersByName = (rows: readonly Pick<OwnerRow, 'name' | 'edition' | 'owners'>[]) =>
  new Map(rows.map(({ name, edition, owners }) => [name, { edition, owners: JSON.parse(owners) as Owners }]));

/** Newest first. */
async function readOwnersHistory(
  prepare: Prepare,
  environment: Environment,
  { name, limit }: { name: string; limit: number },
): Promise<OwnersChange[]> {
  const sql = 'SELECT * FROM mapping_owner WHERE environment = ? AND name = ? ORDER BY edition DESC LIMIT ?';
  const { results } = await prepare(sql, environment, name, limit).all<OwnerRow>();
  return results.map(({ edition, owners, key_id: keyId, key_name, changed_at: at, note }) => ({
    edition,
    owners: JSON.parse(owners) as Owners,
    by: { keyId, name: key_name },
    at,
    note,
  }));
}

/** The database cannot be read or written; what was requested may still exist. */
export interface Unavailable {
  code: 'catalog_unavailable';
}

export interface PublicationStore {
  pointers(environment: Environment): Promise<Result<Pointers, Unavailable>>;
  /** @returns what the published names point at as written, by name; names that point at the bundle are left out. */
  written(
    environment: Environment,
    artifact: Artifact,
    names: Iterable<string>,
  ): Promise<Result<Map<string, string>, Unavailable>>;
  /** Newest first. @param before the revision of the last one seen. */
  history(asked: {
    environment: Environment;
    artifact: Artifact;
    name: string;
    before: number | null;
    limit: number;
  }): Promise<Result<Publication[], Unavailable>>;
  /** The newest publication of a name with that version, or the one of that revision, with its text. */
  find(asked: {
    environment: Environment;
    artifact: Artifact;
    name: string;
    version: { sha256: string } | { edition: number };
  }): Promise<Result<(Publication & { written: string }) | undefined, Unavailable>>;
  /** All or nothing. @returns `overtaken` when another change came first: then this one was decided on old facts. */
  append(change: Change): Promise<Result<'appended' | 'overtaken', Unavailable>>;
  /** @returns `overtaken` when somebody else set them first. */
  appendOwners(change: OwnersStatement): Promise<Result<'appended' | 'overtaken', Unavailable>>;
  /** Who set the owners of a mapping when, newest first. */
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

/** One D1 batch is one transaction: revision, pointers and owners belong together. */
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

/** Another change took the revision meanwhile. */
const OVERTAKEN = /UNIQUE constraint failed: (?:publication|mapping_owner)\./;

async function reached<T>(query: () => Promise<T>): Promise<Result<T, Unavailable>> {
  try {
    return ok(await query());
  } catch (thrown) {
    log('error', 'catalog_unavailable', { detail: messageOf(thrown) });
    return err({ code: 'catalog_unavailable' });
  }
}
