/**
 * The sandbox's own routes under `/_sandbox`: journal, orders, state, faults, settings, reset. Not part of the service.
 *
 * They need no key: a sandbox holds made-up values only. These calls are not in the journal.
 */

import { parseJson } from '../upstream/contracts/json.ts';
import { type FaultRule, faultRules } from './faults/faults.ts';
import { type Answer, errorBody, json, queryValue, type Received } from './http.ts';
import { orderEvents, writeDateTime } from './orders.ts';
import { fieldProblems } from './request.ts';
import { type Steps, settleDue } from './serve.ts';
import { settingsSchema } from './settings.ts';
import type { SqlStore } from './sql-store.ts';

/* The sandbox's state as a few counts, for tests that need "how many" rather than "which". */

function summarise({ sql, settings, timeScale, rules }: SqlStore): Record<string, unknown> {
  return {
    timeScale,
    settings,
    faultRules: rules.length,
    requests: sql
      .exec(
        `SELECT environment, method, path, status, applied, COUNT(*) AS count FROM (
          SELECT environment, method, status, applied, ${PATH_WITHOUT_IDS} AS path FROM journal
        ) GROUP BY environment, method, path, status, applied ORDER BY count DESC LIMIT 200`,
      )
      .toArray()
      .map((row) => ({ ...row, applied: row.applied === 1 })),
    tokensMinted: sql
      .exec(
        'SELECT environment, account, endpoint, COUNT(*) AS count FROM tokens GROUP BY environment, account, endpoint',
      )
      .toArray(),
    orders: sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM orders').one().count,
    lateEffects: sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM late_effects').one().count,
  };
}

/** Requests about single orders count together: `/v1/{id}` instead of one line per order. */
const ORDERS_PREFIX = "'%/rcsc/order-requests/v1/%'";
const PATH_WITHOUT_IDS = `CASE WHEN path LIKE ${ORDERS_PREFIX}
  THEN substr(path, 1, instr(path, '/rcsc/')) || 'rcsc/order-requests/v1/' ||
    CASE WHEN path LIKE '%/statuses' THEN '{id}/statuses' WHEN path LIKE '%/v1/' THEN '' ELSE '{id}' END
  ELSE path END`;

const PAGE_DEFAULT = 100;
/** Rows of one page. Our choice: a page of short bodies stays near one megabyte. */
const PAGE_MAX = 1_000;

export function control(received: Received, store: SqlStore, tick: Steps['tick']): Answer {
  const nowMs = settleDue(store, tick);
  const action = ACTIONS[`${received.method} ${received.path}`];
  if (action !== undefined) return action(received, store, nowMs);
  const known = Object.keys(ACTIONS).join(', ');
  return json(404, errorBody('path_unknown', `The sandbox's own routes are: ${known}.`));
}

const ACTIONS: Record<string, (received: Received, store: SqlStore, nowMs: number) => Answer> = {
  'GET /_sandbox/journal': readJournal,
  'GET /_sandbox/orders': readOrders,
  'GET /_sandbox/state': (_, store) => json(200, summarise(store)),
  'GET /_sandbox/faults': (_, store) => json(200, rulesWithCounts(store)),
  'PUT /_sandbox/faults': putFaults,
  'DELETE /_sandbox/faults': (_, store) => {
    store.saveRules([]);
    return json(200, rulesWithCounts(store));
  },
  'GET /_sandbox/settings': (_, store) => json(200, { ...store.settings, timeScale: store.timeScale }),
  'PUT /_sandbox/settings': putSettings,
  'POST /_sandbox/reset': (_, store) => {
    store.empty();
    return json(200, { reset: true });
  },
};

function readJournal(received: Received, store: SqlStore): Answer {
  const { after, limit } = pageOf(received);
  const entries = store.entries({
    after,
    limit,
    path: queryValue(received, 'path') ?? null,
    method: queryValue(received, 'method') ?? null,
    withBodies: queryValue(received, 'bodies') !== 'false',
  });
  return json(200, { entries, next: entries.at(-1)?.seq ?? after });
}

function readOrders(received: Received, store: SqlStore, nowMs: number): Answer {
  const { after, limit } = pageOf(received);
  const kept = store.orders(after, limit);
  const orders = kept.map(({ number, order, document, version }) => {
    const { stepOffsetsMs: _, ...head } = order;
    const code = orderEvents(order, nowMs).at(-1)?.code ?? 'received';
    return { number, ...head, createdAt: writeDateTime(order.createdAtMs), version, code, document };
  });
  return json(200, { orders, next: kept.at(-1)?.number ?? after });
}

/** The answer's `next` is the next page's `after`, even when there is no more for now: use it to query again. */
function pageOf(received: Received): { after: number; limit: number } {
  const after = Number(queryValue(received, 'after') ?? 0);
  const limit = Number(queryValue(received, 'limit') ?? PAGE_DEFAULT);
  return {
    after: Number.isSafeInteger(after) && after > 0 ? after : 0,
    limit: Number.isSafeInteger(limit) && limit > 0 ? Math.min(limit, PAGE_MAX) : PAGE_DEFAULT,
  };
}

function putFaults(received: Received, store: SqlStore): Answer {
  const parsed = faultRules.safeParse(parseJson(received.body));
  if (!parsed.success) return invalid('The fault rules cannot be read.', fieldProblems(parsed.error.issues));
  const problems = parsed.data.flatMap((rule, index) => headerProblems(rule, index));
  if (problems.length > 0) return invalid('A header of a fault rule cannot be sent.', problems);
  store.saveRules(parsed.data);
  return json(200, rulesWithCounts(store));
}

/** A header the runtime refuses would otherwise only fail when the rule fires. */
function headerProblems({ fault }: FaultRule, index: number): { path: string; problem: string }[] {
  const headers: Record<string, string> = {};
  if (fault.type === 'status') Object.assign(headers, fault.headers);
  if (fault.type === 'redirect') headers.location = fault.location;
  if (fault.type === 'too_many_requests') headers['retry-after'] = String(fault.retryAfter ?? '');
  try {
    new Headers(headers);
    return [];
  } catch (error) {
    return [{ path: `[${index}].fault`, problem: String(error) }];
  }
}

function putSettings(received: Received, store: SqlStore): Answer {
  const parsed = settingsSchema.safeParse(parseJson(received.body));
  if (!parsed.success) return invalid('The settings cannot be read.', fieldProblems(parsed.error.issues));
  store.saveSettings(parsed.data);
  return json(200, { ...parsed.data, timeScale: store.timeScale });
}

function rulesWithCounts(store: SqlStore): unknown {
  return { rules: store.rules.map((rule) => ({ ...rule, ...store.faultCount(rule.id) })) };
}

function invalid(message: string, fields: { path: string; problem: string }[]): Answer {
  return json(400, errorBody('body_invalid', message, fields));
}
