/** The tables of the sandbox's one object. Made anew on every start if missing, emptied by `POST /_sandbox/reset`. */
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
