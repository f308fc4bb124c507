/**
 * What operators do with a partner's webhook targets. The directory has what is agreed; the object that sends has a
 * copy, renewed at every change, and by the cron if that fails.
 */
import { inLanes } from '../../kernel/lanes.ts';
import { WATCH_REGISTERS_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { type Environment, type PartnerScope, registerName } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { UpstreamVariables } from '../../upstream/settings.ts';
import { signingKey, webhookKeyOf } from '../../webhooks/key.ts';
import { WEBHOOK_TARGETS_MAX } from '../../webhooks/limits.ts';
import type {
  TargetState,
  WebhookDelivery,
  WebhookEvent,
  WebhookEventType,
  WebhookTarget,
} from '../../webhooks/target.ts';
import { type UrlRules, urlRulesOf, webhookUrl } from '../../webhooks/url.ts';
import { type ChangeAuthor, type DirectoryUnavailable, directoryReached, ofRun } from '../directory/directory.ts';
import { type ChangedMeanwhile, isSeen, madeMeanwhile, type SeenRevisions } from '../directory/settings.ts';
import { KEEP_TARGETS_PAUSE_MS, KEEP_TARGETS_TRIES } from './limits.ts';
import {
  type AgreedTarget,
  type ScopeTargets,
  type WebhookAction,
  type WebhookChange,
  type WebhookTargetStore,
  webhookTargetStore,
} from './target-store.ts';

/* Webhook targets of an environment that accept nothing, or were switched off for that. */

export interface FailingWebhook {
  partner: string;
  id: string;
  /** `disabled`: after failures; a target that an operator switched off is not failing. */
  state: 'failing' | 'disabled';
  /** Since when nothing was delivered; null: it was switched off at its first answer. */
  failingSinceMs: number | null;
  disabledReason: string | null;
  disabledAtMs: number | null;
  waiting: number;
}

/** @property unreached partners of whose webhooks nothing is known just now. */
export interface FailingWebhooks {
  failing: FailingWebhook[];
  unreached: string[];
}

/** A partner whose sender is not reached hides no other. */
async function failingWebhooks(
  { store, object }: Pick<WebhooksPorts, 'store' | 'object'>,
  environment: Environment,
): Promise<Result<FailingWebhooks, DirectoryUnavailable>> {
  const scopes = await directoryReached<PartnerScope[], never>(async () =>
    ok(await store.page(WATCH_REGISTERS_MAX, 0, environment)),
  );
  if (!scopes.ok) return scopes;
  const failing: FailingWebhook[] = [];
  const unreached: string[] = [];
  await inLanes(scopes.value, async (scope) => {
    const { partner } = scope;
    try {
      for (const target of await object(registerName(scope)).current()) {
        const { id, failingSinceMs, disabledReason, disabledAtMs, waiting: left } = target;
        if (failingSinceMs === null && disabledReason === null) continue;
        const state = disabledReason === null ? 'failing' : 'disabled';
        failing.push({ partner, id, state, failingSinceMs, disabledReason, disabledAtMs, waiting: left });
      }
    } catch (thrown) {
      unreached.push(partner);
      log('warn', 'webhooks_not_reached', { environment, partner, detail: messageOf(thrown) });
    }
  });
  failing.sort((one, other) => compared(one.partner, other.partner) || compared(one.id, other.id));
  return ok({ failing, unreached: unreached.sort(compared) });
}

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** What is needed of the object that sends. */
interface WebhooksObject {
  notify(events: readonly WebhookEvent[]): Promise<void>;
  keepTargets(scope: PartnerScope, targets: readonly WebhookTarget[]): Promise<void>;
  current(): Promise<TargetState[]>;
  deliveries(target: string, before: number | null, limit: number): Promise<WebhookDelivery[]>;
  sendAgain(target: string, eventId: string, who: string): Promise<'done' | 'unknown' | 'disabled'>;
}

interface WebhooksPorts {
  store: WebhookTargetStore;
  object: (name: string) => WebhooksObject;
  /** undefined: the deployment has no WEBHOOK_KEY. */
  master: Secret | undefined;
  /** Its upstream is on loopback, and its targets may be. */
  urls: UrlRules;
}

interface TargetWanted {
  url: string;
  events: readonly WebhookEventType[];
  enabled: boolean;
}

export type WebhooksRefusal =
  | ChangedMeanwhile
  | { code: 'directory_unavailable' | 'webhook_key_missing' }
  | { code: 'webhook_unknown' | 'webhook_disabled'; target: string }
  | { code: 'delivery_unknown'; event: string }
  | { code: 'webhook_url_refused'; why: string }
  | { code: 'too_many_webhooks'; targetsMax: number };

/** The parts of the Worker's environment that are read here. */
export interface WebhooksEnvironment extends UpstreamVariables {
  DIRECTORY: D1Database;
  WEBHOOK_KEY?: string;
  WEBHOOK_HOSTS?: string;
  WEBHOOKS: { getByName(name: string): WebhooksObject };
}

export const webhooksPorts = (env: WebhooksEnvironment): WebhooksPorts => ({
  store: webhookTargetStore(env.DIRECTORY),
  object: (name) => env.WEBHOOKS.getByName(name),
  master: webhookKeyOf(env),
  urls: urlRulesOf(env),
});

/**
 * @property secret shown when it is new; otherwise null: it cannot be read again. standing null: not known to the
 * sender yet. isReached of a change: false where the sender does not know it yet, and goes by what it knew before.
 */
export interface ShownTarget {
  target: AgreedTarget;
  standing: TargetState | null;
  secret: Secret | null;
  isReached?: boolean;
}

/** @property isReached false: how its targets are doing is not known just now. */
interface PartnerTargets {
  partner: string;
  isReached: boolean;
  targets: ShownTarget[];
}

export type OperatedWebhooks = ReturnType<typeof operatedWebhooks>;

type OneTarget = Promise<Result<ShownTarget, WebhooksRefusal>>;

export function operatedWebhooks(ports: WebhooksPorts) {
  const { store, master } = ports;
  const object = (scope: PartnerScope): WebhooksObject => ports.object(registerName(scope));

  const live = async (scope: PartnerScope): Promise<Result<AgreedTarget[], WebhooksRefusal>> => {
    const all = await store.all(scope);
    return all.ok ? ok(all.value.filter(({ isDeleted }) => !isDeleted)) : all;
  };
  const liveOne = async (scope: PartnerScope, id: string): Promise<Result<AgreedTarget, WebhooksRefusal>> => {
    const targets = await live(scope);
    if (!targets.ok) return targets;
    const found = targets.value.find((target) => target.id === id);
    return found === undefined ? err({ code: 'webhook_unknown', target: id }) : ok(found);
  };
  const shown = async (scope: PartnerScope, targets: readonly AgreedTarget[]): Promise<ShownTarget[]> => {
    const standing = targets.length === 0 ? [] : await object(scope).current();
    return targets.map((target) => ({
      target,
      standing: standing.find(({ id }) => id === target.id) ?? null,
      secret: null,
    }));
  };
  const write = async (scope: PartnerScope, change: WebhookChange, isKeyNew: boolean): OneTarget => {
    const added = await store.add(scope, change);
    if (!added.ok) return added;
    const target = added.value;
    const secret =
      isKeyNew && master !== undefined
        ? await signingKey(master, { ...scope, target: target.id, generation: target.generation })
        : null;
    const isReached = await keepTargets(scope, [target], object(scope), KEEP_TARGETS_TRIES);
    // The secret is shown once, and must not be lost where its sender is not reached.
    const [one] = await shown(scope, [target]).catch(() => []);
    return ok({ target, standing: one?.standing ?? null, secret, isReached });
  };

  return {
    /** Of every partner. One whose sender is not reached is listed as such and hides no other. */
    async everywhere(environment: Environment): Promise<Result<PartnerTargets[], WebhooksRefusal>> {
      const agreedOf = await directoryReached<ScopeTargets[], never>(async () =>
        ok(await store.allOf(await store.page(WATCH_REGISTERS_MAX, 0, environment))),
      );
      if (!agreedOf.ok) return agreedOf;
      const found: PartnerTargets[] = [];
      await inLanes(agreedOf.value, async ({ scope, targets: all }) => {
        const targets = all.filter(({ isDeleted }) => !isDeleted);
        if (targets.length === 0) return;
        const { partner } = scope;
        try {
          found.push({ partner, isReached: true, targets: await shown(scope, targets) });
        } catch (thrown) {
          log('warn', 'webhooks_not_reached', { environment, partner, detail: messageOf(thrown) });
          const unknown = targets.map((target) => ({ target, standing: null, secret: null }));
          found.push({ partner, isReached: false, targets: unknown });
        }
      });
      return ok(found.sort((one, other) => compared(one.partner, other.partner)));
    },
    /** Those that accept nothing, or were switched off for that. */
    failing: (environment: Environment) => failingWebhooks(ports, environment),
    /** Gives the sender what is agreed, which arms a lost alarm, and then the events. Throws where it is not reached. */
    async publish(scope: PartnerScope, events: readonly WebhookEvent[]): Promise<Result<null, WebhooksRefusal>> {
      const all = await store.all(scope);
      if (!all.ok) return all;
      if (all.value.length === 0) return ok(null); // none ever was: no object is made for it
      const sender = object(scope);
      await sender.keepTargets(scope, all.value.map(copied));
      if (events.length > 0) await sender.notify(events);
      return ok(null);
    },
    async list(scope: PartnerScope): Promise<Result<ShownTarget[], WebhooksRefusal>> {
      const targets = await live(scope);
      return targets.ok ? ok(await shown(scope, targets.value)) : targets;
    },
    async read(scope: PartnerScope, id: string): OneTarget {
      const target = await liveOne(scope, id);
      if (!target.ok) return target;
      const [one] = await shown(scope, [target.value]);
      return one === undefined ? err({ code: 'webhook_unknown', target: id }) : ok(one);
    },
    async set(scope: PartnerScope, id: string, wanted: TargetWanted, by: ChangeAuthor, seen: SeenRevisions): OneTarget {
      if (master === undefined) return err({ code: 'webhook_key_missing' });
      const url = webhookUrl(wanted.url, ports.urls);
      if (!url.ok) return err({ code: 'webhook_url_refused', why: url.error });
      const all = await store.all(scope);
      if (!all.ok) return all;
      const before = all.value.find((target) => target.id === id);
      const isNew = before === undefined || before.isDeleted;
      const now = isNew ? 0 : before.edition;
      if (!isSeen(now, seen)) return err({ code: 'changed_meanwhile', edition: now });
      const others = all.value.filter((target) => !target.isDeleted && target.id !== id);
      if (isNew && others.length >= WEBHOOK_TARGETS_MAX) {
        return err({ code: 'too_many_webhooks', targetsMax: WEBHOOK_TARGETS_MAX });
      }
      const action: WebhookAction = isNew ? 'register' : 'change';
      const { events, enabled: isEnabled } = wanted;
      const change = { ...by, id, action, url: url.value, events, isEnabled, isDeleted: false };
      const edition = (before?.edition ?? 0) + 1;
      const { generation = 0, rotatedAtMs = null } = before ?? {};
      const key = isNew ? { generation: generation + 1, rotatedAtMs: null } : { generation, rotatedAtMs };
      const set = await write(scope, { ...change, ...key, edition }, isNew);
      return !set.ok && set.error.code === 'changed_meanwhile' ? err(madeMeanwhile(edition, seen)) : set;
    },
    async rotate(scope: PartnerScope, id: string, by: ChangeAuthor): OneTarget {
      if (master === undefined) return err({ code: 'webhook_key_missing' });
      const before = await liveOne(scope, id);
      if (!before.ok) return before;
      const next = { edition: before.value.edition + 1, generation: before.value.generation + 1, rotatedAtMs: by.atMs };
      return write(scope, { ...before.value, ...by, ...next, action: 'rotate' }, true);
    },
    async remove(scope: PartnerScope, id: string, by: ChangeAuthor): OneTarget {
      const before = await liveOne(scope, id);
      if (!before.ok) return before;
      const next = { edition: before.value.edition + 1, isDeleted: true, isEnabled: false, rotatedAtMs: null };
      return write(scope, { ...before.value, ...by, ...next, action: 'delete' }, false);
    },
    async deliveries(
      scope: PartnerScope,
      id: string,
      { before, limit }: { before: number | null; limit: number },
    ): Promise<Result<WebhookDelivery[], WebhooksRefusal>> {
      const target = await liveOne(scope, id);
      return target.ok ? ok(await object(scope).deliveries(id, before, limit)) : target;
    },
    async sendAgain(
      scope: PartnerScope,
      id: string,
      event: string,
      who: string,
    ): Promise<Result<null, WebhooksRefusal>> {
      const target = await liveOne(scope, id);
      if (!target.ok) return target;
      const outcome = await object(scope).sendAgain(id, event, who);
      if (outcome === 'done') return ok(null);
      return err(
        outcome === 'disabled' ? { code: 'webhook_disabled', target: id } : { code: 'delivery_unknown', event },
      );
    },
  };
}

/** Never throws: a sender that is not reached now gets them from the cron. @returns whether it was reached. */
async function keepTargets(
  scope: PartnerScope,
  targets: readonly AgreedTarget[],
  object: Pick<WebhooksObject, 'keepTargets'>,
  most = 1,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await object.keepTargets(scope, targets.map(copied));
      return true;
    } catch (thrown) {
      log('warn', 'webhooks_not_reached', { ...scope, detail: messageOf(thrown) });
      if (tries >= most) return false;
    }
    await scheduler.wait(KEEP_TARGETS_PAUSE_MS);
  }
}

/** What the sender needs to know. */
const copied = ({ id, edition, url, events, isEnabled, isDeleted, generation, rotatedAtMs }: AgreedTarget) => ({
  ...{ id, edition, url, events, isEnabled },
  ...{ isDeleted, generation, rotatedAtMs },
});

/**
 * For the cron: sends every sender the agreed targets, and arms a lost alarm. Never throws.
 * @param run counts the runs: if there are more partners than one run can call, the next one continues after them.
 */
export async function watchWebhooks(
  env: { DIRECTORY: D1Database; WEBHOOKS: { getByName(name: string): ErasableWebhooks } },
  run: number,
): Promise<void> {
  const store = webhookTargetStore(env.DIRECTORY);
  const listed = async () => store.allOf(await ofRun(run, WATCH_REGISTERS_MAX, store));
  const waiting = await listed().catch((thrown: unknown) => {
    log('error', 'webhooks_not_listed', { detail: messageOf(thrown) });
    return [];
  });
  const object = (scope: PartnerScope) => env.WEBHOOKS.getByName(registerName(scope));
  await inLanes(waiting, async ({ scope, targets }) => {
    await keepTargets(scope, targets, object(scope));
  });
  await forgetErased(store, waiting, object);
}

type ErasableWebhooks = Pick<WebhooksObject, 'keepTargets'> & { eraseAll(): Promise<void> };

/** A partner that was erased while its sender was given its targets: nothing of them stays there. Never throws. */
async function forgetErased(
  store: Pick<WebhookTargetStore, 'allOf'>,
  given: readonly ScopeTargets[],
  object: (scope: PartnerScope) => ErasableWebhooks,
): Promise<void> {
  const known = given.filter(({ targets }) => targets.length > 0).map(({ scope }) => scope);
  const failed = (thrown: unknown): void => log('error', 'webhooks_not_erased', { detail: messageOf(thrown) });
  try {
    const erased = (await store.allOf(known)).filter(({ targets }) => targets.length === 0);
    await inLanes(erased, ({ scope }) => object(scope).eraseAll().catch(failed));
  } catch (thrown) {
    failed(thrown);
  }
}
