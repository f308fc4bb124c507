/** `/v1/interchanges`: the X12 and EDIFACT interchanges that the caller sent, newest first, each with its acknowledgment. */
import { type Context, Hono } from 'hono';
import type { BatchState } from '../../batch/core/ticket.ts';
import type { InterchangeCursor } from '../../intake/interchanges.ts';
import { iso } from '../../kernel/clock.ts';
import { INTERCHANGES_PAGE_MAX } from '../../kernel/limits.ts';
import { registerName } from '../../kernel/names.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, scopeOf, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { pageSize, unreadable } from '../edge/query.ts';
import { batchLinks, messageLinks, withParameters } from '../edge/reader.ts';

export function interchangeRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/', (context) => list(context, ports));
  return routes;
}

async function list(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const asked = context.req.query('cursor') ?? '';
  const cursor = cursorIn(asked);
  if (cursor === undefined) return problem(context, unreadable('cursor', asked, 'the one of an earlier answer'));
  const principal = context.get('principal');
  const limit = pageSize(context.req.query('limit'), INTERCHANGES_PAGE_MAX, INTERCHANGES_PAGE_MAX);
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const found = await register.recentInterchanges(cursor, limit);
  const ids = await register.known([...new Set(found.map(({ batchId }) => batchId))], scopeOf(context));
  const counted = await ports.batches(context.env).named(principal.environment, ids);
  const reader = context.get('reader');
  const interchanges = found
    .filter(({ batchId }) => ids.includes(batchId))
    .map(({ key: _, claimedAtMs, ...interchange }) => {
      const { batchId, message } = interchange;
      const row = counted.ok && message === null ? counted.value.get(batchId) : undefined;
      const links = message === null ? batchLinks(reader, batchId) : messageLinks(reader, batchId, message);
      return {
        ...interchange,
        receivedAt: iso(claimedAtMs),
        state: (row?.state as BatchState | undefined) ?? null,
        fileName: row?.file_name ?? null,
        rows: row?.row_count ?? null,
        refused: row?.refused ?? null,
        links: { self: links.self, console: links.console, acknowledgment: `${links.self}/acknowledgment` },
      };
    });
  const last = found.length === limit ? found.at(-1) : undefined;
  const next =
    last === undefined ? null : withParameters('/v1/interchanges', { cursor: cursorText(last), limit: String(limit) });
  return context.json({ interchanges, next } satisfies Answered<'GET /v1/interchanges'>);
}

const cursorText = ({ claimedAtMs, key }: { claimedAtMs: number; key: string }): string =>
  Buffer.from(JSON.stringify([claimedAtMs, key])).toString('base64url');

/** @returns null for the newest; undefined for what is no cursor. */
function cursorIn(text: string): InterchangeCursor | null | undefined {
  if (text === '') return null;
  try {
    const [claimedAtMs, key] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    return typeof claimedAtMs === 'number' && typeof key === 'string' ? { claimedAtMs, key } : undefined;
  } catch {
    return undefined;
  }
}
