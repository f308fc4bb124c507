/**
 * The webhook of the operators: an event when an alert is raised, and one when it is over. The same object sends it as
 * sends a partner's, so that signing, repeats, the check of the address and the list of deliveries are the same.
 *
 * What is raised or over is stored before it is told, and marked after: a run that dies in between tells it again with
 * the same id, which the sender knows.
 */
import * as z from 'zod';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { type DocumentForm, documentIn } from '../../kernel/forms.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { ENVIRONMENTS, type Environment, type PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { OPERATOR_EVENTS, type WebhookDelivery } from '../../webhooks/target.ts';
import type { ChangeAuthor } from '../directory/directory.ts';
import type { SeenRevisions } from '../directory/settings.ts';
import { ALERT_OVER_AFTER_MS, ALERTS_RAISED_AT_ONCE } from './limits.ts';
import { alertChanges, alertEvent, type RaisedAlert, type SeenAlert } from './raised-alerts.ts';
import { type WebhookAction, webhookTargetStore } from './target-store.ts';
import {
  operatedWebhooks,
  type ShownTarget,
  type WebhooksEnvironment,
  type WebhooksRefusal,
  webhooksPorts,
} from './webhooks.ts';

/** No partner is called so: their names have letters, digits and dashes. */
const scopeOf = (environment: Environment): PartnerScope => ({ environment, partner: '@operators' });
/** There is one. */
const TARGET = 'alerts';

type Answer<Value> = Promise<Result<Value, WebhooksRefusal>>;

export type AlertWebhook = ReturnType<typeof alertWebhookOf>;

export function alertWebhookOf(env: WebhooksEnvironment) {
  const raised = raisedAlertStore(env.DIRECTORY);
  const store = webhookTargetStore(env.DIRECTORY, 'alert_webhook', raised.withTarget);
  const operated = operatedWebhooks({ ...webhooksPorts(env), store });
  return {
    /** null: none is set. */
    async read(environment: Environment): Answer<ShownTarget | null> {
      const found = await operated.list(scopeOf(environment));
      return found.ok ? ok(found.value[0] ?? null) : found;
    },
    /** Where it accepts nothing, or was switched off for that. */
    failing: operated.failing,
    /** It is told of every alert that stands, once more: its address may be a new one, or was switched off. */
    set: (
      environment: Environment,
      wanted: { url: string; enabled: boolean },
      by: ChangeAuthor,
      seen: SeenRevisions,
    ): Answer<ShownTarget> =>
      operated.set(scopeOf(environment), TARGET, { ...wanted, events: OPERATOR_EVENTS }, by, seen),
    rotate: (environment: Environment, by: ChangeAuthor) => operated.rotate(scopeOf(environment), TARGET, by),
    remove: (environment: Environment, by: ChangeAuthor) => operated.remove(scopeOf(environment), TARGET, by),
    deliveries: (environment: Environment, limit: number): Answer<WebhookDelivery[]> =>
      operated.deliveries(scopeOf(environment), TARGET, { before: null, limit }),
    /** Sends an event that says that it is a test. Refused where nothing is sent. */
    async test(environment: Environment, { author: by, note, atMs }: ChangeAuthor): Answer<ShownTarget> {
      const found = await operated.read(scopeOf(environment), TARGET);
      if (!found.ok) return found;
      const { target, standing } = found.value;
      if (!target.isEnabled || (standing?.disabledReason ?? null) !== null)
        return err({ code: 'webhook_disabled', target: TARGET });
      const data = { environment, by, note };
      const sent = await operated.publish(scopeOf(environment), [{ type: 'alert.test', key: [atMs], atMs, data }]);
      return sent.ok ? found : sent;
    },
    /** @param alerts those that stand now; null: that cannot be said at the moment. */
    async watch(environment: Environment, clock: Clock, alerts: () => Promise<readonly SeenAlert[] | null>) {
      const found = await operated.list(scopeOf(environment));
      if (!found.ok) return;
      if (found.value.length === 0) {
        await operated.publish(scopeOf(environment), []); // one that was deleted while its sender was not reached
        return;
      }
      const seen = await alerts();
      if (seen !== null) await raised.change(environment, seen, clock);
      const due = (await raised.all(environment)).filter(({ state }) => state !== 'notified');
      const events = due.map((each) => alertEvent(environment, each));
      const sent = await operated.publish(scopeOf(environment), events);
      if (sent.ok) await raised.mark(environment, due);
    },
  };
}

/** For the cron. Never throws: the next run does what this one could not. @param alerts null: it cannot be said at the moment. */
export async function watchAlerts(
  webhook: Pick<AlertWebhook, 'watch'>,
  clock: Clock,
  alerts: (environment: Environment) => Promise<readonly SeenAlert[] | null>,
): Promise<void> {
  for (const environment of ENVIRONMENTS)
    try {
      await webhook.watch(environment, clock, () => alerts(environment));
    } catch (thrown) {
      log('error', 'alerts_not_told', { environment, detail: messageOf(thrown) });
    }
}

/* Alerts that were raised, in D1. */

type RaisedRow = Omit<RaisedAlert, 'alert'> & { alert: string };

const ALERT: DocumentForm<SeenAlert> = {
  of: 'raised alert',
  known: 1,
  schema: z.looseObject({
    code: z.string(),
    about: z.string(),
    part: z.string().nullable(),
    since: z.string().nullable(),
    means: z.string(),
    detail: z.string(),
    fix: z.string(),
    links: z.looseObject({ api: z.string(), console: z.string().nullable() }),
  }),
};

function raisedAlertStore(database: D1Database) {
  const all = async (environment: Environment): Promise<RaisedAlert[]> => {
    const sql = `SELECT raised_at_ms AS raisedAtMs, state, round, gone_at_ms AS goneAtMs, alert FROM raised_alert
                 WHERE environment = ? ORDER BY raised_at_ms, code, about, part`;
    const { results } = await database.prepare(sql).bind(environment).all<RaisedRow>();
    return results.map((row) => ({ ...row, alert: documentIn(ALERT, JSON.parse(row.alert)) }));
  };
  const run = async (statements: D1PreparedStatement[]): Promise<void> => {
    if (statements.length > 0) await database.batch(statements);
  };
  /** The next alert of the same is another one. */
  const of = (environment: Environment, change: string, { alert, raisedAtMs }: RaisedAlert): D1PreparedStatement =>
    database
      .prepare(`${change} AND environment = ? AND code = ? AND about = ? AND part = ? AND raised_at_ms = ?`)
      .bind(environment, alert.code, alert.about, alert.part ?? '', raisedAtMs);
  return {
    all,
    async change(environment: Environment, seen: readonly SeenAlert[], clock: Clock): Promise<void> {
      const nowMs = clock.nowMs();
      const limits = { nowMs, overAfterMs: scaledMs(ALERT_OVER_AFTER_MS, clock), most: ALERTS_RAISED_AT_ONCE };
      const { raised, gone, back, over } = alertChanges(await all(environment), seen, limits);
      const add = database.prepare(
        `INSERT OR IGNORE INTO raised_alert (environment, code, about, part, raised_at_ms, alert) VALUES (?, ?, ?, ?, ?, ?)`,
      );
      await run([
        ...raised.map((alert) =>
          add.bind(environment, alert.code, alert.about, alert.part ?? '', nowMs, JSON.stringify(alert)),
        ),
        ...gone.map((each) =>
          of(environment, `UPDATE raised_alert SET gone_at_ms = ${nowMs} WHERE gone_at_ms IS NULL`, each),
        ),
        ...back.map((each) => of(environment, `UPDATE raised_alert SET gone_at_ms = NULL WHERE state <> 'over'`, each)),
        ...over.map((each) =>
          of(
            environment,
            `UPDATE raised_alert SET state = 'over' WHERE state = 'notified' AND gone_at_ms IS NOT NULL`,
            each,
          ),
        ),
      ]);
    },
    /** Those that were told just now. */
    mark: (environment: Environment, events: readonly RaisedAlert[]): Promise<void> =>
      run(
        events.map((each) =>
          each.state === 'new'
            ? of(
                environment,
                `UPDATE raised_alert SET state = 'notified' WHERE state = 'new' AND round = ${each.round}`,
                each,
              )
            : of(environment, `DELETE FROM raised_alert WHERE state = 'over'`, each),
        ),
      ),
    /**
     * Within the commit of a target that is set: what stands is to be told again. Where there was none, nobody has kept it up
     * to date, and it is forgotten.
     */
    withTarget(environment: Environment, action: WebhookAction): D1PreparedStatement[] {
      const of = 'WHERE environment = ? AND changes() > 0';
      const repeated = `UPDATE raised_alert SET state = 'new', round = round + 1
                        ${of} AND state IN ('new', 'notified') AND gone_at_ms IS NULL`;
      if (action === 'register') return [database.prepare(`DELETE FROM raised_alert ${of}`).bind(environment)];
      return action === 'change' ? [database.prepare(repeated).bind(environment)] : [];
    },
  };
}
