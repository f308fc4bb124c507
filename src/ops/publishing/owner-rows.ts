/** Owners of mappings as rows of D1. Append-only: of each name the newest edition counts. */
import type { Environment } from '../../kernel/names.ts';
import type { Author, NewOwners, Owners, OwnersChange } from './publication.ts';
import type { Prepare } from './publication-rows.ts';

interface OwnerRow {
  name: string;
  edition: number;
  owners: string;
  key_id: string;
  key_name: string;
  changed_at: string;
  note: string;
}

export interface OwnersStatement {
  environment: Environment;
  by: Author;
  at: string;
  note: string;
  owners: NewOwners;
}

export const insertOwners = (prepare: Prepare, { environment, by, at, note, owners }: OwnersStatement) =>
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

/** Of every name the newest: SQLite takes the other columns from the row of the maximum. */
export const selectOwners = (prepare: Prepare, environment: Environment): D1PreparedStatement =>
  prepare(
    'SELECT name, MAX(edition) AS edition, owners FROM mapping_owner WHERE environment = ? GROUP BY name',
    environment,
  );

export const ownersByName = (rows: readonly Pick<OwnerRow, 'name' | 'edition' | 'owners'>[]) =>
  new Map(rows.map(({ name, edition, owners }) => [name, { edition, owners: JSON.parse(owners) as Owners }]));

/** Newest first. */
export async function readOwnersHistory(
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
