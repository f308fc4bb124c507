/** Checks of how a document changes orders: lists that exist and are spoken of, keys that every entry has, differences that can be told apart. */

import { listsIn, type OrderList } from '../compile/order-lists.ts';
import { type ChangeSpec, changeRefFields, saysDifferences } from '../document/change-spec.ts';
import { type DocumentParts, type Plan, plannedChange, plannedOrder } from '../document/document-parts.ts';
import type { DocumentPath, PlacedProblem } from '../document/document-problem.ts';
import { didYouMean } from '../document/nearest.ts';
import { longNode, type OrderMembers } from '../document/order-spec.ts';
import { isChangeKind } from '../document/targets.ts';
import type { KeyedListChange } from '../request.ts';

export function checkChanges(parts: DocumentParts): PlacedProblem[] {
  const changing = parts.plans.filter(({ target }) => isChangeKind(target));
  const problems = [
    ...uselessChanges(parts, changing),
    ...changing.flatMap((plan) => checkPlan(parts, plan, changing)),
  ];
  return [
    ...new Map(
      problems.map((problem) => [JSON.stringify([problem.at, problem.code, problem.value]), problem]),
    ).values(),
  ];
}

function uselessChanges({ shared, plans }: DocumentParts, changing: readonly Plan[]): PlacedProblem[] {
  if (plans.some(({ target }) => target === undefined)) return []; // what it makes is not known yet
  const own = plans.filter((plan) => plan.hasChange && !changing.includes(plan)).map(({ at }) => [...at, 'change']);
  const isShared = shared.hasChange && changing.every((plan) => plan.hasChange);
  return [...own, ...(isShared ? [['change']] : [])].map((at) => ({
    at,
    code: 'no_effect',
    message: changing.length === 0 ? 'Nothing here changes an order that exists.' : 'No request is changed this way.',
    wanted: 'no such key, or a target order.update or order.upsert',
  }));
}

function checkPlan(parts: DocumentParts, plan: Plan, changing: readonly Plan[]): PlacedProblem[] {
  const { change, at } = plannedChange(parts.shared, plan);
  const { order, at: orderAt } = plannedOrder(parts.shared, plan);
  if (order === undefined || change === undefined) return []; // of wrong form, which is told
  const lists = listsIn(order);
  // What a shared change says may be of use to the order of another request.
  const others = changing
    .filter((other) => !other.hasChange && !plan.hasChange)
    .map((other) => plannedOrder(parts.shared, other));
  const known = new Set([...lists.keys(), ...others.flatMap((other) => [...listsIn(other.order ?? {}).keys()])]);
  return [
    ...(change.complete === true ? uselessKeys(change, at) : unspokenLists(lists, change, at, orderAt)),
    ...Object.entries(change.lists ?? {}).flatMap(([path, list]): PlacedProblem[] => {
      const place = [...at, 'lists', path];
      const found = lists.get(path);
      if (found === undefined) return known.has(path) ? [] : [listUnknown(path, known, place)];
      return typeof list === 'string' ? [] : checkKeyed(list, found, place);
    }),
    ...checkDifferences(parts, change, at),
  ];
}

function uselessKeys(change: ChangeSpec, at: DocumentPath): PlacedProblem[] {
  const added = Object.entries(change.lists ?? {}).filter(([, list]) => list === 'add');
  return [...(change.clear === undefined ? [] : [['clear']]), ...added.map(([path]) => ['lists', path])].map((key) => ({
    at: [...at, ...key],
    code: 'no_effect',
    message:
      'The file holds the whole order: what it leaves out is taken out, and its lists are the lists of the order.',
    wanted: 'no such key, or complete: false',
  }));
}

/** Replacing a list by one row of it, or adding to it what was meant to replace it, are mistakes that nobody sees in time. */
function unspokenLists(
  lists: ReadonlyMap<string, OrderList>,
  change: ChangeSpec,
  at: DocumentPath,
  orderAt: DocumentPath,
): PlacedProblem[] {
  return [...lists]
    .filter(([path]) => change.lists?.[path] === undefined)
    .map(([path, list]) => {
      const hasObjects = list.entries.some((entry) => entry !== null);
      return {
        at: [...orderAt, ...list.at],
        code: 'key_missing',
        value: path,
        message: `Nothing says how the list "${path}" changes the one the order has.`,
        wanted: `${[...at, 'lists'].join('.')}: { ${path}: ${hasObjects ? '{ key: <member> }, add or replace' : 'add, or replace'} }`,
      };
    });
}

const listUnknown = (path: string, known: ReadonlySet<string>, at: DocumentPath): PlacedProblem => ({
  at,
  code: 'path_invalid',
  value: path,
  message: `The order has no list "${path}".${didYouMean(path, known)}`,
  wanted: known.size === 0 ? 'no such key: the order has no lists' : `one of ${[...known].join(', ')}`,
});

function checkKeyed(list: KeyedListChange, { entries }: OrderList, at: DocumentPath): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const { quantity, unit, by, action } = list;
  if (by !== undefined && quantity === undefined) {
    const message = 'More or less of what? Nothing names the member that holds the quantity.';
    problems.push({ at: [...at, 'quantity'], code: 'key_missing', message, wanted: 'quantity: <member>' });
  }
  if (unit !== undefined && quantity === undefined) {
    const message = 'The unit of what? Nothing names the member that holds the quantity.';
    problems.push({ at: [...at, 'quantity'], code: 'key_missing', message, wanted: 'quantity: <member>' });
  }
  if (by !== undefined && action !== undefined) {
    const message = 'A quantity changes by a signed number, or as the action of its entry says.';
    problems.push({ at: [...at, 'action'], code: 'keys_exclude', message, wanted: 'by, or action' });
  }
  for (const members of entries) {
    if (members === null) {
      const message = 'An entry of this list is no object, so it has no key.';
      problems.push({ at: [...at, 'key'], code: 'wrong_form', value: list.key, message, wanted: 'add, or replace' });
      continue;
    }
    const check = (key: 'quantity' | 'unit' | 'by' | 'action', name: string | undefined): PlacedProblem[] => {
      if (name === undefined) return [];
      if (members[name] === undefined) return [noMember(name, members, [...at, key])];
      return key === 'action' || key === 'unit' ? [] : checkQuantity(name, members, [...at, key]);
    };
    problems.push(
      ...checkKey(list.key, members, [...at, 'key']),
      // Where a file tells differences alone, the quantity stands in the orders only.
      ...(by !== undefined && quantity !== undefined && members[quantity] === undefined
        ? []
        : check('quantity', quantity)),
      ...check('unit', unit),
      ...check('by', by),
      ...check('action', action),
    );
  }
  return problems;
}

function checkKey(name: string, members: OrderMembers, at: DocumentPath): PlacedProblem[] {
  const written = members[name];
  if (written === undefined) return [noMember(name, members, at)];
  const node = longNode(written);
  if ((node.required === true || node.const !== undefined) && node.when === undefined) return [];
  const message = `An entry without "${name}" could not be found in the order.`;
  return [{ at, code: 'field_missing', value: name, message, wanted: `${name}: { …, required: true } in the list` }];
}

function checkQuantity(name: string, members: OrderMembers, at: DocumentPath): PlacedProblem[] {
  const { as } = longNode(members[name] ?? '');
  if (as === 'integer' || as === 'number') return [];
  const message = `"${name}" is counted with, so it is a number.`;
  return [{ at, code: 'wrong_form', value: name, message, wanted: `${name}: { …, as: integer } in the list` }];
}

const noMember = (name: string, members: OrderMembers, at: DocumentPath): PlacedProblem => ({
  at,
  code: 'unknown_field',
  value: name,
  message: `The entries of this list have no member "${name}".${didYouMean(name, Object.keys(members))}`,
  wanted: `one of ${Object.keys(members).join(', ')}`,
});

function checkDifferences({ source }: DocumentParts, change: ChangeSpec, at: DocumentPath): PlacedProblem[] {
  // Where a file holds whole orders, a difference is the exception, and its row says what is missing.
  if (source === undefined || change.complete === true) return [];
  if (!Object.values(change.lists ?? {}).some(saysDifferences)) return [];
  if (changeRefFields(change, source).length > 0) return [];
  const message =
    'A quantity is told as more or less; without a name of the change it would count twice when it is sent twice.';
  return [{ at: [...at, 'changeRef'], code: 'key_missing', message, wanted: 'changeRef: <column>' }];
}
