/** Texts of an address → which page of an order is asked for. Pure. */
import { ORDER_PAGE_DEFAULT, ORDER_PAGE_MAX } from '../kernel/limits.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { OrderMark, OrderPageAsked } from '../tracking/order-page.ts';
import type { Parameters } from './edge/action-query.ts';
import type { ProblemWords } from './edge/problem.ts';
import { pageSize } from './edge/query.ts';

export const ORDER_PARAMETERS = ['limit', 'cursor'] as const;

export function readOrderQuery({ limit, cursor }: Parameters): Result<OrderPageAsked, ProblemWords> {
  const before = cursor === undefined ? null : readMark(cursor);
  if (before !== undefined) return ok({ before, limit: pageSize(limit, ORDER_PAGE_DEFAULT, ORDER_PAGE_MAX) });
  return err({
    status: 400,
    code: 'parameter_invalid',
    title: 'Parameter not readable',
    detail: `The parameter cursor is "${(cursor ?? '').slice(0, 40)}".`,
    fix: 'Write cursor= and what "next" of the page before says.',
  });
}

/** What leads to the page behind one. @returns null where there is none. */
export const nextPage = (next: OrderMark | null, { limit }: OrderPageAsked): Record<string, string> | null =>
  next === null ? null : { cursor: `${next.seq}~${next.base}`, limit: String(limit) };

function readMark(text: string): OrderMark | undefined {
  const [, seq, base] = /^(\d{1,15})~(\d{1,15})$/.exec(text) ?? [];
  return seq === undefined || base === undefined ? undefined : { seq: Number(seq), base: Number(base) };
}
