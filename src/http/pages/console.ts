/** `/console/console.css`: the style of pages that say what went wrong before anybody is signed in. */
import { Hono } from 'hono';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';

export function consoleRoutes({ pages }: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const headers = { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=300' };
  routes.get('/console.css', (context) => context.body(pages.css, 200, headers));
  return routes;
}
