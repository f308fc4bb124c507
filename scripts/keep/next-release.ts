/**
 * The bridge as its next release might be: every class has one step more, which adds a column (a replay, which has no tables:
 * a member). Answers at `/trial/{class}/{object}` what it then reads of what was stored before; all else as the bridge does.
 */
import { Batch as BatchNow } from '../../src/batch/object/batch.ts';
import { ReplayAction as ReplayActionNow } from '../../src/batch/object/replay-action.ts';
import { BATCH_MIGRATIONS } from '../../src/batch/store/batch-migrations.ts';
import { REPLAY_MIGRATIONS } from '../../src/batch/store/replay-migrations.ts';
import { FEED_MIGRATIONS } from '../../src/feed/feed-tables.ts';
import { OrderFeed as OrderFeedNow } from '../../src/feed/order-feed.ts';
import bridge from '../../src/index.ts';
import { IntakeRegister as IntakeRegisterNow } from '../../src/intake/register.ts';
import { REGISTER_MIGRATIONS } from '../../src/intake/register-migrations.ts';
import { JOURNAL, JOURNAL_TABLE } from '../../src/kernel/journal-table.ts';
import type { Migrations, Step } from '../../src/kernel/migrate.ts';
import { Load as LoadNow } from '../../src/tracking/load.ts';
import { Order as OrderNow } from '../../src/tracking/order.ts';
import { LOAD_MIGRATIONS, ORDER_MIGRATIONS } from '../../src/tracking/store/migrations.ts';
import { UpstreamGate as UpstreamGateNow } from '../../src/upstream/gate/gate.ts';
import { GATE_MIGRATIONS } from '../../src/upstream/gate/store.ts';
import { WEBHOOK_MIGRATIONS } from '../../src/webhooks/store.ts';
import { Webhooks as WebhooksNow } from '../../src/webhooks/webhooks.ts';

const OLD = 'from before';

/** Behind those that are shipped, and for new objects. */
function alsoRun({ steps, fresh }: Migrations, run: Step['run']): void {
  (steps as Step[]).push({ number: steps.length + 1, run });
  if (fresh === undefined) return;
  const shipped = fresh.run;
  fresh.run = (sql, kv) => {
    shipped?.(sql, kv);
    run(sql, kv);
  };
}

const columnOf = (migrations: Migrations, table: string): void =>
  alsoRun(migrations, (sql) => sql.exec(`ALTER TABLE ${table} ADD COLUMN trial TEXT NOT NULL DEFAULT '${OLD}'`));

/** A new load or order makes its table with the column; its entries still say the version that is shipped. */
function journalColumnOf({ steps, fresh }: Migrations): void {
  const column = `trial TEXT NOT NULL DEFAULT '${OLD}'`;
  const hasColumn = (sql: SqlStorage): boolean =>
    sql.exec(`SELECT 1 FROM sqlite_master WHERE name = '${JOURNAL}' AND sql LIKE '%trial%'`).toArray().length > 0;
  (steps as Step[]).push({
    number: steps.length + 1,
    run: (sql) => void (hasColumn(sql) || sql.exec(`ALTER TABLE ${JOURNAL} ADD COLUMN ${column}`)),
  });
  if (fresh !== undefined) fresh.run = (sql) => sql.exec(JOURNAL_TABLE.replace(/\)$/, `, ${column})`));
}

columnOf(REGISTER_MIGRATIONS, 'batch');
columnOf(BATCH_MIGRATIONS, 'kept');
journalColumnOf(LOAD_MIGRATIONS);
journalColumnOf(ORDER_MIGRATIONS);
columnOf(FEED_MIGRATIONS, 'gap');
columnOf(WEBHOOK_MIGRATIONS, 'target');
columnOf(GATE_MIGRATIONS, 'token');
alsoRun(REPLAY_MIGRATIONS, (_, kv) => kv.put('run', { ...(kv.get('run') as object), trial: OLD }));

/** @returns how many rows have which value. */
const trialOf = ({ storage }: DurableObjectState, table: string): unknown[] =>
  storage.sql.exec(`SELECT trial, count(*) AS rows FROM ${table} GROUP BY trial`).toArray();

export class IntakeRegister extends IntakeRegisterNow {
  async trial(): Promise<unknown> {
    await this.knows('');
    return trialOf(this.ctx, 'batch');
  }
}
export class Batch extends BatchNow {
  async trial(): Promise<unknown> {
    await this.summary();
    return trialOf(this.ctx, 'kept');
  }
}
export class Load extends LoadNow {
  async trial(): Promise<unknown> {
    await this.timeline();
    return trialOf(this.ctx, JOURNAL);
  }
}
export class Order extends OrderNow {
  async trial(): Promise<unknown> {
    await this.accepted();
    return trialOf(this.ctx, JOURNAL);
  }
}
export class OrderFeed extends OrderFeedNow {
  async trial(): Promise<unknown> {
    await this.status();
    return trialOf(this.ctx, 'gap');
  }
}
export class Webhooks extends WebhooksNow {
  async trial(): Promise<unknown> {
    await this.current();
    return trialOf(this.ctx, 'target');
  }
}
export class UpstreamGate extends UpstreamGateNow {
  async trial(): Promise<unknown> {
    await this.health('sandbox-test-bearer');
    return trialOf(this.ctx, 'token');
  }
}
export class ReplayAction extends ReplayActionNow {
  async trial(): Promise<unknown> {
    const run = (await this.view()) as { trial?: string } | undefined;
    return [{ trial: run?.trial, rows: 1 }];
  }
}

const BINDINGS = {
  IntakeRegister: 'INTAKE_REGISTER',
  Batch: 'BATCH',
  Load: 'LOAD',
  Order: 'ORDER',
  OrderFeed: 'ORDER_FEED',
  Webhooks: 'WEBHOOKS',
  UpstreamGate: 'UPSTREAM_GATE',
  ReplayAction: 'REPLAY',
} as const;

export default {
  ...bridge,
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const [, first, of = '', id = ''] = new URL(request.url).pathname.split('/');
    if (first !== 'trial') return bridge.fetch(request, env, context);
    const binding = BINDINGS[of as keyof typeof BINDINGS];
    if (binding === undefined) return new Response('', { status: 404 });
    const namespace = env[binding] as DurableObjectNamespace;
    const stub = namespace.get(namespace.idFromString(id)) as unknown as { trial(): Promise<unknown> };
    return Response.json(await stub.trial());
  },
};
