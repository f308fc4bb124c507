/** `/v1/ops/answer-mappings/order-status`: how answers of the order-status endpoints are read. */
import { Hono } from 'hono';
import { z } from 'zod';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { AgreedMapping } from '../../ops/directory/answer-mappings.ts';
import { answerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readJson } from './body.ts';
import { readOpsQuery } from './query.ts';
import { refusedByOps } from './refusals.ts';

const change = z.strictObject({ mapping: answerMapping, note: z.string().trim().min(1).max(NOTE_CHARACTERS_MAX) });

export function opsAnswerMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/order-status', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const { environment } = query.value;
    const found = await ports.answerMappings(context.env).read(environment);
    return found.ok ? context.json(shown(environment, found.value)) : refusedByOps(context, found.error);
  });
  routes.put('/order-status', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const body = await readJson(context, change);
    if (!body.ok) return problem(context, body.error);
    const { environment } = query.value;
    const { keyId, name: author } = context.get('operator');
    const { mapping, note } = body.value;
    const asked = { mapping, note, keyId, author, atMs: Date.now() };
    const set = await ports.answerMappings(context.env).set(environment, asked);
    if (!set.ok) return refusedByOps(context, set.error);
    await ports.feeds(context.env).spread(environment, set.value);
    return context.json(shown(environment, set.value));
  });
  return routes;
}

const shown = (environment: string, { edition, mapping, changedBy, changedAt, note }: AgreedMapping) => ({
  environment,
  name: 'order-status',
  edition,
  mapping,
  changedBy,
  changedAt,
  note,
});
