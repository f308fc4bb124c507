/** A whole sandbox in memory for unit tests: the real store over Node's SQLite, a clock that is set by hand, counted ids. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { control } from '../../../src/sandbox/control.ts';
import type { Delivery } from '../../../src/sandbox/faults/faults.ts';
import type { Answer, Received } from '../../../src/sandbox/http.ts';
import { serve } from '../../../src/sandbox/serve.ts';
import { SqlStore } from '../../../src/sandbox/sql-store.ts';

export const KEY = { 'Ocp-Apim-Subscription-Key': 'sandbox-test-key' };
export const JSON_HEADERS = {
  ...KEY,
  carrierSCAC: 'DEMO',
  Accept: 'application/json',
  'Content-Type': 'application/json',
};
export const MILESTONES = '/test/rcsc/events/v1/loads/milestone-requests';
export const ORDERS = '/test/rcsc/order-requests/v1/';
export const HISTORY = '/test/rcsc/order-status/v1/orders';
export const NOW_MS = Date.UTC(2026, 2, 1, 12);

export const TIME = { dateTime: '2026-03-01T06:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };
export const MILESTONE = { eventCode: 'X1', loadNumber: 'L-1', time: TIME };

export class MemorySandbox {
  nowMs = NOW_MS;
  #ids = 0;
  readonly store: SqlStore;

  constructor(timeScale = 1) {
    this.store = new SqlStore(sqlInMemory(), timeScale);
  }

  send(method: string, target: string, headers: Record<string, string> = JSON_HEADERS, body?: unknown): Delivery {
    return serve(request(method, target, headers, body), this.store, { tick: this.#tick, newId: () => this.#newId() });
  }

  request(method: string, target: string, body?: unknown): Answer {
    return control(request(method, target, {}, body), this.store, this.#tick);
  }

  create(order: Record<string, unknown> = { orderRef: 'PO-1' }): string {
    const { id } = JSON.parse(this.send('POST', ORDERS, JSON_HEADERS, order).answer.body);
    return id;
  }

  /** As the object's clock: no two requests share an instant. */
  #tick = (): number => {
    this.nowMs += 1;
    return this.nowMs;
  };

  #newId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
  }
}

export function request(method: string, target: string, headers: Record<string, string>, body?: unknown): Received {
  const [path = '', query = ''] = target.split('?');
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method,
    path,
    query: [...new URLSearchParams(query)],
    headers: Object.fromEntries(lowered),
    body: text,
    bodyBytes: Buffer.byteLength(text),
  };
}

export function codeOf({ body }: Answer): string {
  return JSON.parse(body).error.code;
}

/** As much of the object's SQL as the sandbox uses. */
function sqlInMemory(): SqlStorage {
  const database = new DatabaseSync(':memory:');
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    const rows = database.prepare(query).all(...bindings);
    return Object.assign(rows, {
      toArray: () => rows,
      one: () => {
        if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`);
        return rows[0];
      },
    });
  };
  return { exec } as unknown as SqlStorage;
}
