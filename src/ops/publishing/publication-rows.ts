/** Publications as rows of D1: the columns that are read, the statements that append, and a row as the publication it keeps. */
import { insertOwners } from './owner-rows.ts';
import type { Action, Artifact, Change, NewPublication, Publication } from './publication.ts';

export interface PublicationRow {
  artifact: Artifact;
  name: string;
  edition: number;
  sha256: string;
  is_bundled: number;
  summary: string;
  action: Action;
  before_sha256: string | null;
  because_of: string | null;
  key_id: string;
  key_name: string;
  published_at: string;
  note: string;
}

export const COLUMNS =
  'p.artifact, p.name, p.edition, p.sha256, p.is_bundled, p.summary, p.action, p.before_sha256, ' +
  'p.because_of, p.key_id, p.key_name, p.published_at, p.note';

export type Prepare = (sql: string, ...values: unknown[]) => D1PreparedStatement;

/** The row, and the pointer to it; and whom the name is for. */
export const statementsOf = (prepare: Prepare, { owners, ...change }: Change): D1PreparedStatement[] => [
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

/** A name that goes back to the bundle has no pointer, so that the bundle of the next deploy takes its place. */
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

export const publicationOf = <Summary>(row: PublicationRow): Publication<Summary> => ({
  name: row.name,
  edition: row.edition,
  sha256: row.sha256,
  isBundled: row.is_bundled === 1,
  summary: JSON.parse(row.summary) as Summary,
  action: row.action,
  beforeSha256: row.before_sha256,
  becauseOf: row.because_of,
  by: { keyId: row.key_id, name: row.key_name },
  at: row.published_at,
  note: row.note,
});
