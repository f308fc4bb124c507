/** The views of a batch, for its partner and for operators: the reader in the context says which. */

import type { Context, Hono } from 'hono';
import type { StoredMessage } from '../../batch/core/progress.ts';
import { iso } from '../../kernel/clock.ts';
import { BATCH_ISSUES_MAX, MESSAGES_AT_ONCE } from '../../kernel/limits.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { pageSize, wholeNumber } from '../edge/query.ts';
import { batchLinks, below, channelPagePath, messageLinks, type Reader, withParameters } from '../edge/reader.ts';
import { type BatchView, type FoundBatch, ofBatch } from './batch-lookup.ts';
import { addDownloads } from './downloads.ts';
import { issueLine } from './issues.ts';
import { rowDetail } from './row-detail.ts';
import { rowsAt, rowsPage } from './rows.ts';
import { maySend, type SendingStop, stopsFor } from './stops.ts';

/** Under `/:id`. */
export function addBatchViews(routes: Hono<HttpBindings>, ports: Pick<AppPorts, 'gates'>): void {
  routes.get('/:id', ofBatch(whole(ports)));
  routes.get('/:id/rows', ofBatch(rows));
  routes.get('/:id/rows/:record', ofBatch(rowDetail));
  routes.get('/:id/issues', ofBatch(issues));
  routes.get('/:id/messages', ofBatch(messages));
  addDownloads(routes, '/:id');
}

/** What it took is for those who pay for it. */
const whole =
  (ports: Pick<AppPorts, 'gates'>): BatchView =>
  async (context, batch) => {
    const { stub, summary } = batch;
    const reader = context.get('reader');
    const links = batchLinks(reader, summary.batchId);
    const [{ stops, channel }, cost] = await Promise.all([
      stopsOf(context, ports, batch),
      reader.isOps ? stub.cost().then((cost) => ({ cost })) : {},
    ]);
    const messages = summary.messages === null ? {} : { messages: below(links.self, 'messages') };
    const isStopped = reader.isOps && channel !== null && stops.length > 0;
    const more = isStopped ? { channel: channelPagePath(reader.environment, channel) } : {};
    const view = { ...summary, stops, ...cost, links: { ...links, ...messages, ...more } };
    return context.json(view satisfies Answered<'GET /v1/batches/{id}'>);
  };

/** What is not delivered as long as a stop lasts. */
async function stopsOf(
  context: Context<HttpBindings>,
  ports: Pick<AppPorts, 'gates'>,
  { stub, summary }: FoundBatch,
): Promise<{ stops: SendingStop[]; channel: string | null }> {
  const { environment, partner } = context.get('reader');
  if (!maySend(summary)) return { stops: [], channel: null };
  const route = await stub.route();
  if (route === undefined) return { stops: [], channel: null };
  const scacs = summary.scac === null ? route.scacs : [summary.scac];
  const found = await ports.gates(context.env).healthOf(environment, route.channel);
  return { stops: stopsFor(found, { partner, scacs }), channel: route.channel };
}

const rows: BatchView = (context, batch) => {
  if (context.req.query('records') !== undefined) return rowsAt(context, batch);
  const { stub, summary } = batch;
  const { rows: at } = batchLinks(context.get('reader'), summary.batchId);
  return rowsPage(context, { stub, rows: at, after: 0, last: null });
};

/** What failed alike, most rows first. Operators also learn where to see the same in other batches. */
const issues: BatchView = async (context, { stub, summary }) => {
  const reader = context.get('reader');
  const found = await stub.issues(BATCH_ISSUES_MAX);
  const listed: Answered<'GET /v1/batches/{id}/issues'> = {
    batchId: summary.batchId,
    issues: found.map((issue) => issueLine(reader, summary.batchId, issue)),
    /** There may be more, of fewer rows each. */
    isCut: found.length === BATCH_ISSUES_MAX,
  };
  return context.json(listed);
};

/** The messages that share the batch, by number; none if it is of one upload. */
const messages: BatchView = async (context, { stub, summary }) => {
  const reader = context.get('reader');
  const limit = pageSize(context.req.query('limit'), 100, MESSAGES_AT_ONCE);
  const page = await stub.messagesByNumber(wholeNumber(context.req.query('after')) ?? 0, limit);
  const last = page.length === limit ? page.at(-1) : undefined;
  const next = last && { after: String(last.message), limit: String(limit) };
  const at = below(batchLinks(reader, summary.batchId).self, 'messages');
  const listed: Answered<'GET /v1/batches/{id}/messages'> = {
    messages: page.map((message) => messageLine(reader, summary.batchId, message)),
    next: next === undefined ? null : withParameters(at, next),
  };
  return context.json(listed);
};

const messageLine = (reader: Reader, batchId: string, part: StoredMessage) => ({
  message: part.message,
  state: part.state,
  fileName: part.fileName,
  bytes: part.bytes,
  sha256: part.sha256,
  receivedAt: iso(part.receivedAtMs),
  records: part.records,
  problems: part.problems,
  links: messageLinks(reader, batchId, part.message),
});
