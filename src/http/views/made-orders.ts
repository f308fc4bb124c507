/**
 * Orders of a partner without a feed, newest upload first: those its batches were to create, each with the row that
 * asked for it.
 * Nothing is stored for it: the register lists the batches, and those know their rows.
 */
import type { Context } from 'hono';
import type { MadeOrder, MadeOrderCursor } from '../../batch/core/row.ts';
import type { BatchTicket } from '../../batch/core/ticket.ts';
import type { ListedBatch } from '../../intake/register.ts';
import { BATCHES_PAGE_MAX, ORDER_BATCHES_MAX } from '../../kernel/limits.ts';
import { batchName, type PartnerScope, registerName } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { isOrderKind } from '../../mapping/document/targets.ts';
import type { Catalog } from '../../ops/publishing/catalog.ts';
import { type HttpBindings, scopeOf } from '../edge/context.ts';

interface MadeOrdersPorts {
  register: { list(before: number | null, limit: number): Promise<ListedBatch[]> };
  batch(batchId: string): { madeOrders(after: MadeOrderCursor, limit: number): Promise<MadeOrder[]> };
  /** False: this mapping makes no orders. */
  mayMakeOrders(mapping: string): boolean;
}

/** Where a page continues: a batch by its number, and the last order shown of it. */
export interface MadeOrdersCursor {
  seq: number;
  after: MadeOrderCursor;
}

export type ListedMadeOrder = MadeOrder & { batchId: string; receivedAtMs: number };

/** @property next null: there are no more. A page may be short although there are. */
interface MadeOrdersPage {
  orders: ListedMadeOrder[];
  next: MadeOrdersCursor | null;
}

const START: MadeOrderCursor = { record: 0, request: 0 };

export async function madeOrders(
  { register, batch, mayMakeOrders }: MadeOrdersPorts,
  cursorOf: MadeOrdersCursor | null,
  limit: number,
): Promise<MadeOrdersPage> {
  const orders: ListedMadeOrder[] = [];
  let asked = 0;
  for (let before = cursorOf === null ? null : cursorOf.seq + 1; ; ) {
    const page = await register.list(before, BATCHES_PAGE_MAX);
    for (const { seq, batch_id: batchId, ticket: text } of page) {
      const ticket = JSON.parse(text) as BatchTicket;
      before = seq;
      if (ticket.dryRun || !mayMakeOrders(ticket.mapping)) continue;
      const after = cursorOf?.seq === seq ? cursorOf.after : START;
      if (asked === ORDER_BATCHES_MAX) return { orders, next: { seq, after } };
      asked += 1;
      const found = await batch(batchId).madeOrders(after, limit - orders.length);
      orders.push(...found.map((order) => ({ ...order, batchId, receivedAtMs: ticket.receivedAtMs })));
      const last = found.at(-1);
      if (last !== undefined && orders.length === limit) {
        return { orders, next: { seq, after: { record: last.record, request: last.request } } };
      }
    }
    if (page.length < BATCHES_PAGE_MAX) return { orders, next: null };
  }
}

/** `12~3~1` */
export const writeMadeCheckpoint = ({ seq, after: { record, request } }: MadeOrdersCursor): string =>
  `${seq}~${record}~${request}`;

/** @returns undefined for what is no such text. */
export function readMadeCheckpoint(text: string): MadeOrdersCursor | undefined {
  const [seq = 0, record = 0, request = 0] = (/^(\d{1,15})~(\d{1,15})~(\d{1,15})$/.exec(text) ?? [])
    .slice(1)
    .map(Number);
  return seq === 0 ? undefined : { seq, after: { record, request } };
}

/** What a partner's list is made from. An unknown mapping, withdrawn since, counts as one that makes orders. */
export async function madeOrdersPorts(
  context: Context<HttpBindings>,
  { catalog }: { catalog: (env: Env) => Catalog },
  scope: PartnerScope,
): Promise<Result<MadeOrdersPorts, { code: 'catalog_unavailable' }>> {
  const { env } = context;
  const listed = await catalog(env).mappings(scope);
  if (!listed.ok) return listed;
  const others = new Set(
    listed.value.filter(({ summary: { kinds } }) => !kinds.some(isOrderKind)).map(({ name }) => name),
  );
  const register = env.INTAKE_REGISTER.getByName(registerName(scope));
  return ok({
    register: { list: (before, limit) => register.list(before, limit, scopeOf(context)) },
    batch: (batchId) => env.BATCH.getByName(batchName(scope, batchId)),
    mayMakeOrders: (mapping) => !others.has(mapping),
  });
}
