/** Webhook targets of an environment that take nothing, or were switched off for that. */
import { inLanes } from '../../kernel/lanes.ts';
import { WATCH_REGISTERS_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { type Environment, type PartnerScope, registerName } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory-reached.ts';
import type { WebhooksPorts } from './webhooks.ts';

export interface FailingWebhook {
  partner: string;
  id: string;
  /** `disabled`: after failures; what an operator switched off fails no more. */
  state: 'failing' | 'disabled';
  /** Since when nothing has arrived; null: it was switched off at its first answer. */
  failingSinceMs: number | null;
  disabledReason: string | null;
  disabledAtMs: number | null;
  waiting: number;
}

/** A partner whose sender is not reached hides no other. */
export async function failingWebhooks(
  { store, object }: Pick<WebhooksPorts, 'store' | 'object'>,
  environment: Environment,
): Promise<Result<FailingWebhook[], DirectoryUnavailable>> {
  const scopes = await directoryReached<PartnerScope[], never>(async () =>
    ok(await store.scopes(WATCH_REGISTERS_MAX, 0)),
  );
  if (!scopes.ok) return scopes;
  const waiting = scopes.value.filter((scope) => scope.environment === environment);
  const failing: FailingWebhook[] = [];
  await inLanes(waiting, async (scope) => {
    const { partner } = scope;
    try {
      for (const target of await object(registerName(scope)).standing()) {
        const { id, failingSinceMs, disabledReason, disabledAtMs, waiting: left } = target;
        if (failingSinceMs === null && disabledReason === null) continue;
        const state = disabledReason === null ? 'failing' : 'disabled';
        failing.push({ partner, id, state, failingSinceMs, disabledReason, disabledAtMs, waiting: left });
      }
    } catch (thrown) {
      log('warn', 'webhooks_not_reached', { environment, partner, detail: messageOf(thrown) });
    }
  });
  return ok(failing.sort((one, other) => compared(one.partner, other.partner) || compared(one.id, other.id)));
}

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
