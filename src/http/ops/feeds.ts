/** `/v1/ops/feeds` and the feed of a partner: whose orders are followed, its status, and the actions of operators. */
import { Hono } from 'hono';
import * as z from 'zod';
import type { FeedAction } from '../../feed/feed-status.ts';
import {
  POLL_MINUTES_DEFAULT,
  POLL_MINUTES_MAX,
  POLL_MINUTES_MIN,
  REPAIR_ORDERS_MAX,
  REPAIRS_PER_MINUTE_DEFAULT,
  REPAIRS_PER_MINUTE_MAX,
} from '../../feed/limits.ts';
import { clockOf } from '../../kernel/clock.ts';
import { STATUS_TEXT_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import type { Result } from '../../kernel/result.ts';
import { partnersRequested } from '../../ops/dead-letters/dead-letters.ts';
import type { AgreedFeed, FeedRefusal, OrderFeeds } from '../../ops/feeds/order-feeds.ts';
import { SCAC_FORM } from '../../upstream/contracts/bodies.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { nameIn } from './changes.ts';
import { type OpsRefusal, refusedByOps } from './refusals.ts';
import { authorOf, type OpsQuery, opsRoute, readJson, readOpsQuery, reason } from './request.ts';
import { agreedFeed, feedView } from './views/feed.ts';

/** seed 4.4: "formats of partnerId and clientId: not shown". */
const id = z.string().trim().min(1).max(STATUS_TEXT_CHARACTERS_MAX);

const feedChange = z.strictObject({
  partnerId: id,
  clientId: id,
  channel: z.string().min(1),
  scac: z.string().regex(SCAC_FORM, 'two to four capital letters').nullable().default(null),
  pollMinutes: z.int().min(POLL_MINUTES_MIN).max(POLL_MINUTES_MAX).default(POLL_MINUTES_DEFAULT),
  repairsPerMinute: z.int().min(1).max(REPAIRS_PER_MINUTE_MAX).default(REPAIRS_PER_MINUTE_DEFAULT),
  note: reason,
});
const actionBody = z.strictObject({ why: reason });
const repairBody = actionBody.extend({ orderRefs: z.array(id).min(1).max(REPAIR_ORDERS_MAX).optional() });
const skipBody = actionBody.extend({ orderRef: id });

/** Routes under a partner's name. */
export function addFeedRoutes(routes: Hono<HttpBindings>, ports: AppPorts): void {
  routes.get('/:name/feed', (context) =>
    forPartner(context, ports, async (scope) => feed(context, await ports.feeds(context.env).read(scope))),
  );
  routes.put('/:name/feed', async (context) => {
    const body = await readJson(context, feedChange);
    if (!body.ok) return problem(context, body.error);
    const { note, ...wanted } = body.value;
    const by = authorOf(context, note);
    return forPartner(context, ports, async (scope, { ifMatch }) =>
      feed(context, await ports.feeds(context.env).set(scope, wanted, by, ifMatch)),
    );
  });
}

const feed = (context: OpsContext, found: Result<AgreedFeed, FeedRefusal>): Response =>
  found.ok ? context.json(agreedFeed(found.value)) : refusedByOps(context, found.error);

export function opsFeedRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], list));
  routes.get('/:name', (context) =>
    forPartner(context, ports, async (scope) => {
      const line = await ports.feeds(context.env).line(scope);
      if (!line.ok) return refusedByOps(context, line.error);
      return context.json({
        environment: scope.environment,
        ...feedView(line.value, Date.now(), clockOf(context.env).timeScale),
      });
    }),
  );
  routes.post('/:name/poll', (context) =>
    act(context, ports, actionBody, async (feeds, scope, by) => {
      const polled = await feeds.call(scope, async (stub) => (await stub.pollNow(by)) || null);
      return polled.ok ? { ...scope, polls: 'now' } : polled.error;
    }),
  );
  routes.post('/:name/repair', (context) =>
    act(context, ports, repairBody, async (feeds, scope, by, { orderRefs }) => {
      if (orderRefs === undefined) {
        const due = await feeds.call(scope, (stub) => stub.repairNow(by));
        return due.ok ? { ...scope, orders: due.value } : due.error;
      }
      const asked = await feeds.call(scope, (stub) => stub.repairOrders(orderRefs, by));
      if (!asked.ok) return asked.error;
      if (asked.value.outcome === 'orders_unknown') return { code: 'orders_unknown', orderRefs: asked.value.orderRefs };
      return { ...scope, orders: asked.value.due };
    }),
  );
  routes.post('/:name/skip', (context) =>
    act(context, ports, skipBody, async (feeds, scope, by, { orderRef }) => {
      noteForAudit(context, { detail: { orderRef } });
      const skipped = await feeds.call(scope, (stub) => stub.skipOrder(orderRef, by));
      if (!skipped.ok) return skipped.error;
      return skipped.value === 'skipped' ? { ...scope, orderRef } : { code: 'order_not_due', orderRef };
    }),
  );
  routes.post('/:name/polls/:poll/reread', (context) =>
    act(context, ports, actionBody, async (feeds, scope, by) => {
      const poll = Number(/^\d{1,15}$/.exec(context.req.param('poll') ?? '')?.[0] ?? 0);
      const read = await feeds.call(scope, (stub) => stub.reread(poll, by));
      if (!read.ok) return read.error;
      switch (read.value.outcome) {
        case 'reread': {
          const { entries, news, unfit } = read.value;
          return { ...scope, poll, entries, news, unfit };
        }
        case 'poll_unknown':
          return { code: 'poll_unknown' };
        case 'not_kept':
          return { code: 'poll_not_kept' };
        case 'unreadable':
          return { code: 'poll_unreadable', why: read.value.why };
      }
    }),
  );
  return routes;
}

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const feeds = await ports.feeds(context.env).list(environment);
  if (!feeds.ok) return refusedByOps(context, feeds.error);
  return context.json({
    environment,
    feeds: feeds.value.map((line) => feedView(line, Date.now(), clockOf(context.env).timeScale)),
  });
}

async function act<Body extends { why: string }>(
  context: OpsContext,
  ports: AppPorts,
  form: z.ZodType<Body>,
  callFeed: (feeds: OrderFeeds, scope: PartnerScope, by: FeedAction, body: Body) => Promise<OpsRefusal | PartnerScope>,
): Promise<Response> {
  const body = await readJson(context, form);
  if (!body.ok) return problem(context, body.error);
  const { keyId, name: author } = context.get('operator');
  return forPartner(context, ports, async (scope) => {
    const by = { keyId, author, why: body.value.why };
    const answer = await callFeed(ports.feeds(context.env), scope, by, body.value);
    return 'code' in answer ? refusedByOps(context, answer) : context.json(answer);
  });
}

/** For a partner that has had a key of the environment. @param known the route's own parameters. */
export async function forPartner(
  context: OpsContext,
  ports: AppPorts,
  answer: (scope: PartnerScope, query: OpsQuery) => Promise<Response>,
  known: readonly string[] = [],
): Promise<Response> {
  const query = readOpsQuery(context, known);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const partner = nameIn(context);
  const found = await partnersRequested({ partners: ports.partners(context.env) }, { environment, partner });
  if (!found.ok) return refusedByOps(context, found.error);
  return answer({ environment, partner }, query.value);
}
