/** `/v1/rows`: the partner's undelivered rows that have a text. */
import { Hono } from 'hono';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readSearchedText, undeliveredRows } from '../views/undelivered-rows.ts';
import { refusedUpload } from './upload.ts';

export function rowRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/', async (context) => {
    const text = readSearchedText(context.req.query('text'));
    if (!text.ok) return problem(context, text.error);
    const { environment, partner } = context.get('principal');
    const found = await undeliveredRows(context, ports, { environment, partner, isOps: false, text: text.value });
    return found.ok ? context.json(found.value) : refusedUpload(context, { code: 'catalog_unavailable' });
  });
  return routes;
}
