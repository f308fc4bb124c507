/**
 * The object's storage: journal, orders, tokens, and what is due. Rules and settings are also held in memory, because
 * every request reads them. Loads and stores; decides nothing.
 */

import type { Effect, JournalEntry, Look, OrderAction, PollFeedKey, StoredOrder, StoredToken } from './decision.ts';
import { type FaultCount, type FaultRule, faultRules } from './faults/faults.ts';
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from './settings.ts';

interface NumberedEntry extends JournalEntry {
  seq: number;
}

interface JournalQuery {
  after: number;
  limit: number;
  /** Exact, or a prefix when it ends in a star. */
  path: string | null;
  method: string | null;
  withBodies: boolean;
}

interface SandboxOrder {
  number: number;
  order: StoredOrder;
  document: unknown;
  /** 1 after the create, one more with every update. */
  version: number;
}

/** Ends a page of long bodies before it outgrows an RPC message (about 32 MiB). */
const PAGE_CHARS_MAX = 8 * 1024 * 1024;

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

const JOURNAL_COLUMNS = `seq, received_at_ms AS receivedAtMs, environment, method, path, query, headers, body,
  body_bytes AS bodyBytes, status, manner, applied, applied_at_ms AS appliedAtMs, fault`;
type JournalRow = Omit<NumberedEntry, 'headers' | 'applied'> & { headers: string; applied: number };

type OrderRow = { number: number; head: string; document: string; version: number };

/** Effects of one wake-up; bounded, so that nothing grows without limit. The rest is left for the next request. */
const DUE_MAX = 1_000;

export class SqlStore implements Look {
  readonly sql: SqlStorage;
  readonly timeScale: number;
  settings: Settings = DEFAULT_SETTINGS;
  rules: readonly FaultRule[] = [];

  constructor(sql: SqlStorage, timeScale: number) {
    this.sql = sql;
    this.timeScale = timeScale;
    for (const [name, columns] of Object.entries(TABLES)) sql.exec(`CREATE TABLE IF NOT EXISTS ${name} ${columns}`);
    sql.exec('CREATE INDEX IF NOT EXISTS orders_by_pair ON orders (pair)');
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

  /** Numbers start again at 1 afterwards. */
  empty(): void {
    for (const name of Object.keys(TABLES)) this.sql.exec(`DELETE FROM ${name}`);
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
    return this.#heads('SELECT head FROM orders WHERE id = ?', id)[0];
  }

  document(id: string): unknown {
    const [row] = this.sql.exec<{ document: string }>('SELECT document FROM orders WHERE id = ?', id);
    return row === undefined ? undefined : JSON.parse(row.document);
  }

  ordersByRef(owner: Pick<PollFeedKey, 'environment' | 'account'>, orderRef: string): StoredOrder[] {
    return this.#heads(
      'SELECT head FROM order_refs JOIN orders ON number = order_number WHERE owner = ? AND ref = ? ORDER BY number',
      ownerKey(owner),
      orderRef,
    );
  }

  ordersOfFeedKey(pair: PollFeedKey): StoredOrder[] {
    return this.#heads('SELECT head FROM orders WHERE pair = ? ORDER BY number', feedKeyText(pair));
  }

  /** @param after Number of the last order already seen; 0 for the first page. */
  orders(after: number, limit: number): SandboxOrder[] {
    const page = 'SELECT number, head, document, version FROM orders WHERE number > ? ORDER BY number LIMIT ?';
    return [...this.sql.exec<OrderRow>(page, after, limit)].map(({ number, head, document, version }) => {
      return { number, order: JSON.parse(head) as StoredOrder, document: JSON.parse(document), version };
    });
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
        this.#insertOrder(placedAt(effect.order, nowMs), effect.refs, effect.document);
        return;
      case 'order_updated':
        this.#updateOrder(effect.id, nowMs, effect);
        return;
      case 'order_cancelled':
        this.#cancelOrder(effect.id, nowMs);
        return;
      case 'cursor_moved':
        this.sql.exec('INSERT OR REPLACE INTO cursors VALUES (?, ?)', feedKeyText(effect.pair), effect.toMs);
    }
  }

  /** One insert per request, no index besides the row number. @returns the entry's number; numbers rise by one. */
  addEntry(entry: JournalEntry): number {
    const row = this.sql
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

  entries({ after, limit, path, method, withBodies }: JournalQuery): NumberedEntry[] {
    const conditions: [text: string, ...bindings: (string | number)[]][] = [['seq > ?', after]];
    if (method !== null) conditions.push(['method = ?', method]);
    if (path?.endsWith('*')) conditions.push(['substr(path, 1, ?) = ?', path.length - 1, path.slice(0, -1)]);
    else if (path !== null) conditions.push(['path = ?', path]);
    const where = conditions.map(([text]) => text).join(' AND ');
    const bindings = conditions.flatMap(([, ...values]) => values);
    const page = `SELECT ${JOURNAL_COLUMNS} FROM journal WHERE ${where} ORDER BY seq LIMIT ?`;
    const entries: NumberedEntry[] = [];
    let chars = 0;
    for (const row of this.sql.exec<JournalRow>(page, ...bindings, limit)) {
      const body = withBodies ? row.body : '';
      chars += body.length + row.headers.length;
      if (chars > PAGE_CHARS_MAX && entries.length > 0) break;
      entries.push({ ...row, headers: JSON.parse(row.headers), body, applied: row.applied === 1 });
    }
    return entries;
  }

  markApplied(seq: number, nowMs: number): void {
    this.sql.exec('UPDATE journal SET applied = 1, applied_at_ms = ? WHERE seq = ?', nowMs, seq);
  }

  postpone(seq: number, dueMs: number, effects: Effect[]): void {
    this.sql.exec('INSERT INTO late_effects VALUES (?, ?, ?)', seq, dueMs, JSON.stringify(effects));
  }

  /** Removes and returns what is due, oldest first. */
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

  #insertOrder(order: StoredOrder, refs: string[], document: string): void {
    const insert = 'INSERT INTO orders (id, pair, head, document, version) VALUES (?, ?, ?, ?, 1) RETURNING number';
    const values = [order.id, feedKeyText(order), JSON.stringify(order), document];
    const { number } = this.sql.exec<{ number: number }>(insert, ...values).one();
    this.#insertRefs(order, number, refs);
  }

  /** The new document replaces the old one; references of older versions keep finding the order. */
  #updateOrder(id: string, nowMs: number, changed: { refs: string[]; document: string }): void {
    const order = this.order(id);
    if (order === undefined) return; // a late update of an order whose create never took effect
    const update = 'UPDATE orders SET head = ?, document = ?, version = version + 1 WHERE id = ? RETURNING number';
    const head = JSON.stringify(withAction(order, 'update', nowMs));
    const { number } = this.sql.exec<{ number: number }>(update, head, changed.document, id).one();
    this.#insertRefs(order, number, changed.refs);
  }

  #cancelOrder(id: string, nowMs: number): void {
    const order = this.order(id);
    if (order === undefined || order.cancelledAtMs !== null) return;
    const cancelled = { ...withAction(order, 'cancel', nowMs), cancelledAtMs: nowMs };
    this.sql.exec('UPDATE orders SET head = ? WHERE id = ?', JSON.stringify(cancelled), id);
  }

  #insertRefs(order: StoredOrder, number: number, refs: string[]): void {
    const insert = 'INSERT OR IGNORE INTO order_refs VALUES (?, ?, ?)';
    for (const ref of refs) this.sql.exec(insert, ownerKey(order), ref, number);
  }

  #heads(query: string, ...bindings: string[]): StoredOrder[] {
    return [...this.sql.exec<{ head: string }>(query, ...bindings)].map(({ head }) => JSON.parse(head) as StoredOrder);
  }
}

/** A JSON array, so that no value can inject a separator. */
function feedKeyText({ environment, account, partnerId, clientId }: PollFeedKey): string {
  return JSON.stringify([environment, account, partnerId, clientId]);
}

function ownerKey({ environment, account }: Pick<PollFeedKey, 'environment' | 'account'>): string {
  return JSON.stringify([environment, account]);
}

function withAction(order: StoredOrder, action: OrderAction, atMs: number): StoredOrder {
  return { ...order, actions: [...order.actions, { action, atMs }] };
}

/** The steps of an order whose create takes effect late start then. */
function placedAt(order: StoredOrder, nowMs: number): StoredOrder {
  return { ...order, createdAtMs: nowMs, actions: [{ action: 'create', atMs: nowMs }] };
}
