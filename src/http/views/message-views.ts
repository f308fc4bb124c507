/** `/v1/messages/{batch}/{number}`: what became of one message, its acknowledgment and its exact bytes. */
import type { Context, Hono } from 'hono';
import { MESSAGE_ROWS_MAX } from '../../kernel/limits.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import { messageLinks, type Reader } from '../edge/reader.ts';
import { messageAcknowledgment } from './acknowledgment.ts';
import { type FoundMessage, findMessage, unknownMessage } from './batch-lookup.ts';
import { bytesExpired, storedSourceOf } from './downloads.ts';
import { rowsPage } from './rows.ts';

type View = (context: Context<HttpBindings>, found: FoundMessage) => Promise<Response>;

/** @param path of one message, with `:id` of its batch and `:message`. */
export function addMessageViews(routes: Hono<HttpBindings>, path: string): void {
  routes.get(
    path,
    ofMessage(async (context, found) => context.json(await messageView(context.get('reader'), found))),
  );
  routes.get(`${path}/rows`, ofMessage(rows));
  routes.get(`${path}/acknowledgment`, ofMessage(whileBytesLive(messageAcknowledgment)));
  routes.get(`${path}/source`, ofMessage(whileBytesLive((context, { summary }) => storedSourceOf(context, summary))));
}

const ofMessage =
  (view: View) =>
  async (context: Context<HttpBindings>): Promise<Response> => {
    const found = await findMessage(context);
    return found ? view(context, found) : unknownMessage(context);
  };

const whileBytesLive =
  (view: View): View =>
  async (context, found) => {
    const { batchId, message, bytesDeletedAt } = found.summary;
    if (bytesDeletedAt === null) return view(context, found);
    return bytesExpired(context, bytesDeletedAt, messageLinks(context.get('reader'), batchId, message).rows);
  };

function rows(context: Context<HttpBindings>, { stub, summary }: FoundMessage): Promise<Response> {
  const { batchId, message, after, last } = summary;
  return rowsPage(context, { stub, rows: messageLinks(context.get('reader'), batchId, message).rows, after, last });
}

/** With its first rows; a link leads to the others. */
export async function messageView(
  reader: Reader,
  { stub, summary }: FoundMessage,
): Promise<Answered<'GET /v1/messages/{id}/{message}'>> {
  const { batchId, message, state, after, last, rows: rowCount, rowStates, requests, requestStates } = summary;
  const { mapping, format, fileName, bytes, sha256, receivedAt, dryRun, problems, notes } = summary;
  const first = await stub.rows(after, MESSAGE_ROWS_MAX, null, last);
  const told = first.map(({ record, position, state: rowState, errors, requests: sent }) => ({
    record,
    position,
    state: rowState,
    errors,
    requests: sent.map(({ kind, subject, scac, state: requestState, status, answer }) => ({
      ...{ kind, subject, scac, state: requestState, status, answer },
    })),
  }));
  return {
    ...{ batchId, message, state, mapping, format, fileName, bytes, sha256, receivedAt, dryRun },
    ...{ rows: told, rowCount, rowStates, requests, requestStates, problems, notes },
    links: messageLinks(reader, batchId, message),
  };
}
