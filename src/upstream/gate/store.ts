/** What a gate keeps across its lives: the token, breakers that are not closed, who released what. SQL only. */
import type { Breaker, Scope } from './breaker.ts';
import type { FailingRead } from './health.ts';
import type { HeldToken } from './token-life.ts';

/** A release by an operator: who, when, why, and what stood before. */
export interface GateAudit {
  atMs: number;
  keyId: string;
  author: string;
  reason: string;
  scope: Scope;
  before: Breaker;
}

export class GateStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  token(): HeldToken | undefined {
    const row = this.#sql.exec<{ held: string }>('SELECT held FROM token').toArray()[0];
    return row ? (JSON.parse(row.held) as HeldToken) : undefined;
  }

  keepToken(held: HeldToken): void {
    this.#sql.exec(
      'INSERT INTO token (id, held) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET held = excluded.held',
      JSON.stringify(held),
    );
  }

  /** Whose gate this is. */
  channel(): string | undefined {
    return this.#sql.exec<{ name: string }>('SELECT name FROM channel').toArray()[0]?.name;
  }

  keepChannel(name: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO channel (id, name) VALUES (1, ?)', name);
  }

  breakers(): Breaker[] {
    const rows = this.#sql.exec<{ kept: string }>('SELECT kept FROM breaker ORDER BY scope').toArray();
    return rows.map(({ kept }) => JSON.parse(kept) as Breaker);
  }

  /** @param breaker undefined where it has closed. */
  keepBreaker(scope: Scope, breaker: Breaker | undefined): void {
    if (breaker === undefined) this.#sql.exec('DELETE FROM breaker WHERE scope = ?', scope);
    else {
      this.#sql.exec(
        'INSERT INTO breaker (scope, kept) VALUES (?, ?) ON CONFLICT (scope) DO UPDATE SET kept = excluded.kept',
        scope,
        JSON.stringify(breaker),
      );
    }
  }

  failingReads(): FailingRead[] {
    const rows = this.#sql.exec<{ kept: string }>('SELECT kept FROM failing_read ORDER BY api').toArray();
    return rows.map(({ kept }) => JSON.parse(kept) as FailingRead);
  }

  keepFailingRead(read: FailingRead): void {
    const sql =
      'INSERT INTO failing_read (api, kept) VALUES (?, ?) ON CONFLICT (api) DO UPDATE SET kept = excluded.kept';
    this.#sql.exec(sql, read.api, JSON.stringify(read));
  }

  dropFailingRead(api: FailingRead['api']): void {
    this.#sql.exec('DELETE FROM failing_read WHERE api = ?', api);
  }

  audit({ atMs, keyId, author, reason, scope, before }: GateAudit): void {
    this.#sql.exec(
      'INSERT INTO audit (at_ms, key_id, author, reason, scope, before) VALUES (?, ?, ?, ?, ?, ?)',
      atMs,
      keyId,
      author,
      reason,
      scope,
      JSON.stringify(before),
    );
  }

  /** The newest first. */
  audits(limit: number): GateAudit[] {
    type Row = { at_ms: number; key_id: string; author: string; reason: string; scope: Scope; before: string };
    return this.#sql
      .exec<Row>('SELECT * FROM audit ORDER BY id DESC LIMIT ?', limit)
      .toArray()
      .map(({ at_ms, key_id, author, reason, scope, before }) => ({
        atMs: at_ms,
        keyId: key_id,
        author,
        reason,
        scope,
        before: JSON.parse(before) as Breaker,
      }));
  }
}
