/** Texts of an address → which load is asked for, in which order and form. Nothing is guessed. Pure. */
import { LOAD_PAGE_DEFAULT, LOAD_PAGE_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { LOAD_ORDERS, type LoadMark, type LoadOrder, type LoadPageAsked } from '../../tracking/load-page.ts';
import { onlyKnown, type Parameters } from '../edge/action-query.ts';
import { namedForm, type TableForm } from '../edge/prefer.ts';
import type { ProblemWords } from '../edge/problem.ts';
import { pageSize } from '../edge/query.ts';

const LOAD_PARAMETERS = ['scac', 'order', 'limit', 'cursor'] as const;

export interface LoadAsked {
  loadNumber: string;
  form: TableForm;
}

/** A load whose own number ends in `.csv` is asked for with it twice, or with `Accept: application/json`. */
export function loadAsked(text: string, accept: string | null): LoadAsked {
  const { name, form } = namedForm(text, accept);
  return { loadNumber: name, form };
}

export function readLoadQuery(parameters: Parameters): Result<LoadPageAsked & { scac: string | null }, ProblemWords> {
  const known = onlyKnown(parameters, LOAD_PARAMETERS);
  if (!known.ok) return known;
  const { scac = null, order = 'event', cursor } = parameters;
  if (!isOrder(order)) return err(unreadable('order', order, `one of ${LOAD_ORDERS.join(', ')}`));
  const after = cursor === undefined ? null : readMark(cursor, order);
  if (after === undefined) {
    return err(unreadable('cursor', cursor ?? '', 'what "next" of the page before says, in the same order'));
  }
  return ok({ scac, order, after, limit: pageSize(parameters.limit, LOAD_PAGE_DEFAULT, LOAD_PAGE_MAX) });
}

const isOrder = (text: string): text is LoadOrder => LOAD_ORDERS.some((order) => order === text);

/** `event~1772460000000~17`: an order's mark says nothing in the other. */
export const writeMark = (order: LoadOrder, { atMs, seq }: LoadMark): string => `${order}~${atMs}~${seq}`;

function readMark(text: string, order: LoadOrder): LoadMark | undefined {
  const [, of, atMs, seq] = /^(event|sent)~(-?\d{1,16})~(\d{1,16})$/.exec(text) ?? [];
  const mark = { atMs: Number(atMs), seq: Number(seq) };
  return of === order && Number.isSafeInteger(mark.atMs) && Number.isSafeInteger(mark.seq) ? mark : undefined;
}

const unreadable = (name: string, value: string, wanted: string): ProblemWords => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}".`,
  fix: `Write ${name}= and ${wanted}.`,
});
