/** All that is stored, in every store, for tests of what must be nowhere. */
import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { unzipSync } from 'node:zlib';
import { type StoredText, textIn } from '../../src/kernel/packed-text.ts';

/** @property at store, object or key, table and column. */
interface StoredPiece {
  at: string;
  text: string;
}

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite*'`;

/** Where a text is stored, once for each time. */
export async function placesOf(...texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { at, text } of await everything())
    for (const each of texts) for (let times = text.split(each).length; times > 1; times -= 1) found.push(at);
  return found;
}

async function everything(): Promise<StoredPiece[]> {
  return [...(await ofObjects()), ...(await ofFiles()), ...(await ofKeys()), ...(await ofDirectory())];
}

const isObjects = (binding: unknown): binding is DurableObjectNamespace =>
  binding?.constructor.name === 'DurableObjectNamespace';
const isKeys = (binding: unknown): binding is KVNamespace => binding?.constructor.name === 'KvNamespace';

async function ofObjects(): Promise<StoredPiece[]> {
  const found: StoredPiece[] = [];
  for (const [binding, namespace] of Object.entries(env).filter((each) => isObjects(each[1])))
    for (const id of await listDurableObjectIds(namespace as DurableObjectNamespace))
      found.push(
        ...(await runInDurableObject((namespace as DurableObjectNamespace).get(id), (_, { storage: { sql } }) =>
          tablesOf(`${binding} ${id.name ?? id}`, sql),
        )),
      );
  return found;
}

function tablesOf(object: string, sql: SqlStorage): StoredPiece[] {
  const names = sql.exec<{ name: string }>(TABLES).toArray();
  return names.flatMap(({ name }) =>
    sql
      .exec(`SELECT * FROM "${name}"`)
      .toArray()
      .flatMap((row) => piecesOf(`${object} ${name}`, row)),
  );
}

const piecesOf = (at: string, row: Record<string, unknown>): StoredPiece[] =>
  Object.entries(row).flatMap(([column, cell]) =>
    typeof cell === 'string' || cell instanceof ArrayBuffer ? [{ at: `${at}.${column}`, text: unpacked(cell) }] : [],
  );

function unpacked(cell: StoredText): string {
  for (const read of [() => textIn(cell), () => unzipSync(cell as ArrayBuffer).toString()])
    try {
      return read();
    } catch {} // not packed like that
  return new TextDecoder().decode(cell as ArrayBuffer);
}

async function ofFiles(): Promise<StoredPiece[]> {
  const { objects, truncated } = await env.FILES.list();
  if (truncated) throw new Error('more files than a test may leave');
  return Promise.all(
    objects.map(async ({ key }) => ({
      at: `FILES ${key}`,
      text: key + unpacked((await (await env.FILES.get(key))?.arrayBuffer()) ?? ''),
    })),
  );
}

async function ofKeys(): Promise<StoredPiece[]> {
  const found: StoredPiece[] = [];
  for (const [binding, keys] of Object.entries(env).filter((each) => isKeys(each[1])))
    for (const { name } of (await (keys as KVNamespace).list()).keys)
      found.push({ at: `${binding} ${name}`, text: name + (await (keys as KVNamespace).get(name)) });
  return found;
}

async function ofDirectory(): Promise<StoredPiece[]> {
  const tables = await env.DIRECTORY.prepare(TABLES).all<{ name: string }>();
  const found: StoredPiece[] = [];
  for (const { name } of tables.results) {
    const rows = await env.DIRECTORY.prepare(`SELECT * FROM "${name}"`).all();
    found.push(...rows.results.flatMap((row) => piecesOf(`DIRECTORY ${name}`, row)));
  }
  return found;
}
