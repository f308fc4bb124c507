/** Webhooks and their deliveries as partners and operators see them. */
import { isoOrNull } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import type { BatchList } from '../../ops/index/batch-list.ts';
import type { ShownTarget } from '../../ops/webhooks/webhooks.ts';
import { WEBHOOK_EVENTS, type WebhookDelivery } from '../../webhooks/target.ts';

/** Whether it is sent to; if not, who switched it off: an operator, or the sender after failures. */
const stateOf = ({ target, standing }: ShownTarget) => {
  if (target.isDeleted) return 'deleted' as const;
  if (!target.isEnabled) return 'disabled' as const;
  return standing !== null && standing.disabledReason !== null
    ? ('disabled_by_failure' as const)
    : ('enabled' as const);
};

export function shownWebhook(one: ShownTarget) {
  const { target, standing, secret, isReached } = one;
  return {
    id: target.id,
    state: stateOf(one),
    url: target.url,
    events: WEBHOOK_EVENTS.filter((event) => target.events.includes(event)),
    enabled: target.isEnabled,
    changedAt: target.changedAt,
    rotatedAt: isoOrNull(target.rotatedAtMs),
    failingSince: isoOrNull(standing?.failingSinceMs ?? null),
    disabledReason: standing?.disabledReason ?? null,
    disabledAt: isoOrNull(standing?.disabledAtMs ?? null),
    waiting: standing?.waiting ?? 0,
    ...(secret === null ? {} : { secret: secret.reveal() }),
    ...(isReached === false ? { reached: false } : {}),
  };
}

/** With who agreed on it, for operators. */
export const agreedWebhook = (one: ShownTarget) => {
  const { edition, action, changedBy, note } = one.target;
  return { ...shownWebhook(one), edition, action, changedBy, note };
};

/** With the file of each batch, as the index has it. */
export async function shownDeliveries(
  batches: BatchList,
  environment: Environment,
  deliveries: readonly WebhookDelivery[],
) {
  const ids = new Set(deliveries.flatMap(({ batchId }) => batchId ?? []));
  const known = ids.size === 0 ? undefined : await batches.named(environment, [...ids]);
  return deliveries.map((delivery) => ({
    ...shownDelivery(delivery),
    batchId: delivery.batchId ?? null, // an object of an earlier release does not say it
    orderRef: delivery.orderRef ?? null,
    fileName: known?.ok ? (known.value.get(delivery.batchId ?? '')?.file_name ?? null) : null,
  }));
}

/** Of the operators' own webhook. */
export const shownAlertDelivery = (delivery: WebhookDelivery) => ({
  ...shownDelivery(delivery),
  code: delivery.alertCode ?? null, // as above
  about: delivery.alertAbout ?? null,
});

const shownDelivery = (delivery: WebhookDelivery) => ({
  eventId: delivery.eventId,
  type: delivery.type,
  state: delivery.state,
  toldAt: isoOrNull(delivery.toldAtMs),
  attempts: delivery.attempts,
  nextAt: isoOrNull(delivery.nextAtMs),
  lastAt: isoOrNull(delivery.lastAtMs),
  lastStatus: delivery.lastStatus,
  lastDetail: delivery.lastDetail,
  sentAgainBy: delivery.sentAgainBy,
  sentAgainAt: isoOrNull(delivery.sentAgainAtMs),
});
