/** What a gate stores across restarts: the token, breakers that are not closed, who released what. SQL only. */

import type { Migrations } from '../../kernel/migrate.ts';
import type { Channel } from '../channels.ts';
import type { Breaker, Scope } from './breaker.ts';
import { openToken, type SealedToken } from './sealed-token.ts';
import type { CachedToken } from './token-lifetime.ts';

/* A gate's health, for operators. Plain values without secrets. */

export interface GateHealth {
  channel: string;
  ratePerSecond: number;
  burst: number;
  permitsLeft: number;
  permitsOut: number;
  /** Of the channel and of partners. */
  breakers: Breaker[];
  auth: Breaker | null;
  parkedScacs: Breaker[];
  /** The vehicle and location APIs that fail; working ones are left out. */
  failingReads: FailingRead[];
  token: { fingerprint: string; mintedAtMs: number; expiresAtMs: number } | null;
  /** Newest first. */
  audit: GateAudit[];
}

/** A read-only API fails: this stops no delivery, and is reported because lookups wait for it. */
export interface FailingRead {
  api: 'fleet' | 'locations';
  sinceMs: number;
  lastMs: number;
  status: number | null;
  detail: string;
}

/** What an operator wants released. */
export interface Release {
  scope: Scope;
  keyId: string;
  author: string;
  reason: string;
}

export function sorted(breakers: readonly Breaker[]): Pick<GateHealth, 'breakers' | 'auth' | 'parkedScacs'> {
  return {
    breakers: breakers.filter(({ scope }) => scope === 'channel' || scope.startsWith('partner:')),
    auth: breakers.find(({ scope }) => scope === 'auth') ?? null,
    parkedScacs: breakers.filter(({ scope }) => scope.startsWith('scac:')),
  };
}

/** A release by an operator: who, when, why, and the breaker before. */
interface GateAudit {
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

  token(channel: Channel): CachedToken | undefined {
    const row = this.#sql.exec<{ held: string }>('SELECT held FROM token').toArray()[0];
    return row && openToken(JSON.parse(row.held), channel);
  }

  keepToken(sealed: SealedToken): void {
    this.#sql.exec('INSERT OR REPLACE INTO token (id, held) VALUES (1, ?)', JSON.stringify(sealed));
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

  /** @param breaker undefined if it has closed. */
  keepBreaker(scope: Scope, breaker: Breaker | undefined): void {
    if (breaker === undefined) this.#sql.exec('DELETE FROM breaker WHERE scope = ?', scope);
    else this.#sql.exec('INSERT OR REPLACE INTO breaker (scope, kept) VALUES (?, ?)', scope, JSON.stringify(breaker));
  }

  failingReads(): FailingRead[] {
    const rows = this.#sql.exec<{ kept: string }>('SELECT kept FROM failing_read ORDER BY api').toArray();
    return rows.map(({ kept }) => JSON.parse(kept) as FailingRead);
  }

  keepFailingRead(read: FailingRead): void {
    this.#sql.exec('INSERT OR REPLACE INTO failing_read (api, kept) VALUES (?, ?)', read.api, JSON.stringify(read));
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

  /** Newest first. */
  audits(limit: number): GateAudit[] {
    const sql = `SELECT at_ms AS atMs, key_id AS keyId, author, reason, scope, before
                 FROM audit ORDER BY id DESC LIMIT ?`;
    type Row = { [Key in keyof GateAudit]: Key extends 'before' ? string : GateAudit[Key] };
    const rows = this.#sql.exec<Row>(sql, limit).toArray();
    return rows.map((row) => ({ ...row, before: JSON.parse(row.before) as Breaker }));
  }
}

/* What an UpstreamGate stores, as migration steps. A released step is never changed; new ones are added below it. */

const TABLES = `
CREATE TABLE IF NOT EXISTS channel (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS token (id INTEGER PRIMARY KEY CHECK (id = 1), held TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS breaker (scope TEXT PRIMARY KEY, kept TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failing_read (api TEXT PRIMARY KEY, kept TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, key_id TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL,
  scope TEXT NOT NULL, before TEXT NOT NULL
);
`;

export const GATE_MIGRATIONS: Migrations = {
  of: 'UpstreamGate',
  steps: [{ number: 1, run: (sql) => sql.exec(TABLES) }],
};
