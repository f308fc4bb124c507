/**
 * The `Store` of `serve.ts` over the object's SQL. Rules and settings are also held in memory, because every request
 * reads them. Loads and stores; decides nothing.
 */

import type { Effect, PollFeedKey, StoredOrder, StoredToken } from './decision.ts';
import { type FaultCount, type FaultRule, faultRules } from './faults/faults.ts';
import {
  cancelOrder,
  feedKeyText,
  insertOrder,
  selectByFeedKey,
  selectByRef,
  selectDocument,
  selectOrder,
  updateOrder,
} from './orders/table.ts';
import type { JournalEntry, Store } from './serve.ts';
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from './settings.ts';

/* Stores and loads journal rows in the object's SQL. One insert per request, no index besides the row number. */

export interface NumberedEntry extends JournalEntry {
  seq: number;
}

export interface JournalQuery {
  after: number;
  limit: number;
  /** Exact, or a prefix when it ends in a star. */
  path: string | null;
  method: string | null;
  withBodies: boolean;
}

/** Ends a page of long bodies before it outgrows an RPC message (about 32 MiB). */
const PAGE_CHARS_MAX = 8 * 1024 * 1024;

export function insertEntry(sql: SqlStorage, entry: JournalEntry): number {
  const row = sql
    .exec<{ seq: number }>(
      `INSERT INTO journal (received_at_ms, environment, method, path, query, headers, body, body_bytes, status, manner,
        applied, applied_at_ms, fault) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
      entry.receivedAtMs,
      entry.environment,
      entry.method,
      entry.path,
      entry.query,
      JSON.stringify(entry.headers),
      entry.body,
      entry.bodyBytes,
      entry.status,
      entry.manner,
      entry.applied ? 1 : 0,
      entry.appliedAtMs,
      entry.fault,
    )
    .one();
  return row.seq;
}

export function selectEntries(sql: SqlStorage, query: JournalQuery): NumberedEntry[] {
  const { after, limit, path, method } = query;
  const conditions: [text: string, ...bindings: (string | number)[]][] = [['seq > ?', after]];
  if (method !== null) conditions.push(['method = ?', method]);
  if (path?.endsWith('*')) conditions.push(['substr(path, 1, ?) = ?', path.length - 1, path.slice(0, -1)]);
  else if (path !== null) conditions.push(['path = ?', path]);
  const where = conditions.map(([text]) => text).join(' AND ');
  const bindings = conditions.flatMap(([, ...values]) => values);
  const rows = sql.exec<Row>(`SELECT * FROM journal WHERE ${where} ORDER BY seq LIMIT ?`, ...bindings, limit);
  const entries: NumberedEntry[] = [];
  let chars = 0;
  for (const row of rows) {
    const entry = readRow(row, query.withBodies);
    chars += entry.body.length + row.headers.length;
    if (chars > PAGE_CHARS_MAX && entries.length > 0) break;
    entries.push(entry);
  }
  return entries;
}

type Row = {
  seq: number;
  received_at_ms: number;
  environment: string | null;
  method: string;
  path: string;
  query: string;
  headers: string;
  body: string;
  body_bytes: number;
  status: number | null;
  manner: string;
  applied: number;
  applied_at_ms: number | null;
  fault: string | null;
};

function readRow(row: Row, withBody: boolean): NumberedEntry {
  return {
    seq: row.seq,
    receivedAtMs: row.received_at_ms,
    environment: row.environment,
    method: row.method,
    path: row.path,
    query: row.query,
    headers: JSON.parse(row.headers) as Record<string, string>,
    body: withBody ? row.body : '',
    bodyBytes: row.body_bytes,
    status: row.status,
    manner: row.manner,
    applied: row.applied === 1,
    appliedAtMs: row.applied_at_ms,
    fault: row.fault,
  };
}

/** The tables of the sandbox's one object. Created on every start if missing, emptied by `POST /_sandbox/reset`. */
const TABLES: Record<string, string> = {
  journal: `(seq INTEGER PRIMARY KEY, received_at_ms INTEGER NOT NULL, environment TEXT, method TEXT NOT NULL,
    path TEXT NOT NULL, query TEXT NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, body_bytes INTEGER NOT NULL,
    status INTEGER, manner TEXT NOT NULL, applied INTEGER NOT NULL, applied_at_ms INTEGER, fault TEXT)`,
  /** `settings` and `faults`, each a JSON text. */
  documents: '(name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID',
  fault_counts: '(rule_id TEXT PRIMARY KEY, matched INTEGER NOT NULL, fired INTEGER NOT NULL) WITHOUT ROWID',
  tokens: `(hash TEXT PRIMARY KEY, environment TEXT NOT NULL, account TEXT NOT NULL, endpoint INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL) WITHOUT ROWID`,
  /** `pair` and `head` are JSON; `head` is the StoredOrder. */
  orders: `(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, pair TEXT NOT NULL, head TEXT NOT NULL,
    document TEXT NOT NULL, version INTEGER NOT NULL)`,
  order_refs: `(owner TEXT NOT NULL, ref TEXT NOT NULL, order_number INTEGER NOT NULL,
    PRIMARY KEY (owner, ref, order_number)) WITHOUT ROWID`,
  cursors: '(pair TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID',
  late_effects: '(seq INTEGER PRIMARY KEY, due_ms INTEGER NOT NULL, effects TEXT NOT NULL)',
};

export function createTables(sql: SqlStorage): void {
  for (const [name, columns] of Object.entries(TABLES)) sql.exec(`CREATE TABLE IF NOT EXISTS ${name} ${columns}`);
  sql.exec('CREATE INDEX IF NOT EXISTS orders_by_pair ON orders (pair)');
}

/** Numbers start again at 1 afterwards. */
export function emptyTables(sql: SqlStorage): void {
  for (const name of Object.keys(TABLES)) sql.exec(`DELETE FROM ${name}`);
}

/** Effects of one wake-up; bounded, so that nothing grows without limit. The rest is left for the next request. */
const DUE_MAX = 1_000;

export class SqlStore implements Store {
  readonly sql: SqlStorage;
  readonly timeScale: number;
  settings: Settings = DEFAULT_SETTINGS;
  rules: readonly FaultRule[] = [];

  constructor(sql: SqlStorage, timeScale: number) {
    this.sql = sql;
    this.timeScale = timeScale;
    createTables(sql);
    const settings = this.#document('settings');
    if (settings !== null) this.settings = settingsSchema.parse(settings);
    const rules = this.#document('faults');
    if (rules !== null) this.rules = faultRules.parse(rules);
  }

  saveSettings(settings: Settings): void {
    this.settings = settings;
    this.#saveDocument('settings', settings);
  }

  /** New rules start counting at zero. */
  saveRules(rules: readonly FaultRule[]): void {
    this.rules = rules;
    this.#saveDocument('faults', rules);
    this.sql.exec('DELETE FROM fault_counts');
  }

  empty(): void {
    emptyTables(this.sql);
    this.settings = DEFAULT_SETTINGS;
    this.rules = [];
  }

  token(hash: string): StoredToken | undefined {
    type Row = { environment: StoredToken['environment']; account: string; expires_at_ms: number };
    const [row] = this.sql.exec<Row>('SELECT environment, account, expires_at_ms FROM tokens WHERE hash = ?', hash);
    if (row === undefined) return undefined;
    return { environment: row.environment, account: row.account, expiresAtMs: row.expires_at_ms };
  }

  order(id: string): StoredOrder | undefined {
    return selectOrder(this.sql, id);
  }

  document(id: string): unknown {
    return selectDocument(this.sql, id);
  }

  ordersByRef(owner: Pick<PollFeedKey, 'environment' | 'account'>, orderRef: string): StoredOrder[] {
    return selectByRef(this.sql, owner, orderRef);
  }

  ordersOfFeedKey(pair: PollFeedKey): StoredOrder[] {
    return selectByFeedKey(this.sql, pair);
  }

  cursorMs(pair: PollFeedKey): number {
    const [row] = this.sql.exec<{ at_ms: number }>('SELECT at_ms FROM cursors WHERE pair = ?', feedKeyText(pair));
    return row?.at_ms ?? 0;
  }

  faultCount(ruleId: string): FaultCount {
    const [row] = this.sql.exec<{ matched: number; fired: number }>(
      'SELECT matched, fired FROM fault_counts WHERE rule_id = ?',
      ruleId,
    );
    return row ?? { matched: 0, fired: 0 };
  }

  saveFaultCount(ruleId: string, { matched, fired }: FaultCount): void {
    this.sql.exec('INSERT OR REPLACE INTO fault_counts VALUES (?, ?, ?)', ruleId, matched, fired);
  }

  carryOut(effect: Effect, nowMs: number): void {
    switch (effect.kind) {
      case 'token_minted': {
        const { environment, account, expiresAtMs } = effect.token;
        const values = [effect.hash, environment, account, effect.endpoint, expiresAtMs];
        this.sql.exec('INSERT INTO tokens VALUES (?, ?, ?, ?, ?)', ...values);
        return;
      }
      case 'token_expired':
        this.sql.exec('UPDATE tokens SET expires_at_ms = ? WHERE hash = ?', nowMs, effect.hash);
        return;
      case 'event_recorded':
        return; // its journal row is the record
      case 'order_created':
        insertOrder(this.sql, placedAt(effect.order, nowMs), effect.refs, effect.document);
        return;
      case 'order_updated':
        updateOrder(this.sql, effect.id, nowMs, effect);
        return;
      case 'order_cancelled':
        cancelOrder(this.sql, effect.id, nowMs);
        return;
      case 'cursor_moved':
        this.sql.exec('INSERT OR REPLACE INTO cursors VALUES (?, ?)', feedKeyText(effect.pair), effect.toMs);
    }
  }

  addEntry(entry: JournalEntry): number {
    return insertEntry(this.sql, entry);
  }

  markApplied(seq: number, nowMs: number): void {
    this.sql.exec('UPDATE journal SET applied = 1, applied_at_ms = ? WHERE seq = ?', nowMs, seq);
  }

  postpone(seq: number, dueMs: number, effects: Effect[]): void {
    this.sql.exec('INSERT INTO late_effects VALUES (?, ?, ?)', seq, dueMs, JSON.stringify(effects));
  }

  takeDue(nowMs: number): { seq: number; effects: Effect[] }[] {
    const rows = this.sql
      .exec<{ seq: number; effects: string }>(
        'SELECT seq, effects FROM late_effects WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT ?',
        nowMs,
        DUE_MAX,
      )
      .toArray();
    for (const { seq } of rows) this.sql.exec('DELETE FROM late_effects WHERE seq = ?', seq);
    return rows.map(({ seq, effects }) => ({ seq, effects: JSON.parse(effects) as Effect[] }));
  }

  #document(name: string): unknown {
    const [row] = this.sql.exec<{ body: string }>('SELECT body FROM documents WHERE name = ?', name);
    return row === undefined ? null : JSON.parse(row.body);
  }

  #saveDocument(name: string, body: unknown): void {
    this.sql.exec('INSERT OR REPLACE INTO documents VALUES (?, ?)', name, JSON.stringify(body));
  }
}

/** The steps of an order whose create takes effect late start then. */
function placedAt(order: StoredOrder, nowMs: number): StoredOrder {
  return { ...order, createdAtMs: nowMs, actions: [{ action: 'create', atMs: nowMs }] };
}
