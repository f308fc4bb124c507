/**
 * The `Store` of `serve.ts` over the object's SQL. Rules and settings are kept in memory beside their rows, because
 * every request reads them. Loads and stores; decides nothing.
 */
import type { Effect, PollPair, StoredOrder, StoredToken } from './decision.ts';
import { type FaultCount, type FaultRule, faultRules } from './faults/faults.ts';
import type { JournalEntry } from './journal.ts';
import { insertEntry } from './journal-table.ts';
import {
  cancelOrder,
  insertOrder,
  pairKey,
  selectByPair,
  selectByRef,
  selectDocument,
  selectOrder,
  updateOrder,
} from './orders/table.ts';
import type { Store } from './serve.ts';
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from './settings.ts';
import { createTables, emptyTables } from './tables.ts';

/** Effects of one wake-up; a page, so that nothing grows without bound. The rest is taken by the next request. */
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

  ordersByRef(owner: Pick<PollPair, 'environment' | 'account'>, orderRef: string): StoredOrder[] {
    return selectByRef(this.sql, owner, orderRef);
  }

  ordersOfPair(pair: PollPair): StoredOrder[] {
    return selectByPair(this.sql, pair);
  }

  cursorMs(pair: PollPair): number {
    const [row] = this.sql.exec<{ at_ms: number }>('SELECT at_ms FROM cursors WHERE pair = ?', pairKey(pair));
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
        this.sql.exec('INSERT OR REPLACE INTO cursors VALUES (?, ?)', pairKey(effect.pair), effect.toMs);
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

/** A create that takes effect late begins its life then. */
function placedAt(order: StoredOrder, nowMs: number): StoredOrder {
  return { ...order, createdAtMs: nowMs, actions: [{ action: 'create', atMs: nowMs }] };
}
