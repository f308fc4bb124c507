/** Checks the tree of an order: keys that go together in a node, its reference, arrays that exist, and its size. */
import { isTabular } from '../../formats/reader.ts';
import {
  type DocumentParts,
  type Filling,
  type Plan,
  plannedChange,
  plannedOrder,
} from '../document/document-parts.ts';
import { numberKeys } from '../document/field-spec.ts';
import { didYouMean } from '../document/nearest.ts';
import {
  type ChangeSpec,
  changeRefFields,
  GROUP_ROWS,
  listsIn,
  longNode,
  type NodeShape,
  ORDER_REF_MEMBER,
  type OrderList,
  type OrderMembers,
  type OrderNode,
  saysDifferences,
  shapeOf,
} from '../document/order-spec.ts';
import { type DocumentPath, distinct, type LocatedProblem, noEffect } from '../document/problems.ts';
import { isChangeKind } from '../document/targets.ts';
import { ORDER_DEPTH_MAX, ORDER_NODES_MAX } from '../limits.ts';
import type { KeyedListChange } from '../request.ts';

/** The surroundings of a node, which decide what it may be. */
interface Around {
  isTable: boolean;
  hasGroup: boolean;
  /** Inside the rows of the group. */
  isInRows: boolean;
  depth: number;
}

export function checkOrders(parts: DocumentParts): LocatedProblem[] {
  const around = {
    isTable: parts.source !== undefined && isTabular(parts.source),
    hasGroup: parts.hasGroup,
    isInRows: false,
    depth: 1,
  };
  const onlyCancels = parts.plans.length > 0 && parts.plans.every(({ target }) => target === 'order.cancel');
  return [
    ...checkOrder(parts.shared, [], around, onlyCancels),
    ...parts.plans.flatMap((plan) => checkOrder(plan, plan.at, around, plan.target === 'order.cancel')),
  ];
}

function checkOrder(
  { order, hasReference }: Filling,
  base: DocumentPath,
  around: Around,
  isCancel: boolean,
): LocatedProblem[] {
  if (order === undefined) return [];
  const at = [...base, 'order'];
  const problems = [
    ...checkReference(order, hasReference, at),
    ...(isCancel ? checkCancel(order, at) : []),
    ...checkMembers(order, at, around),
  ];
  const count = countNodes(order);
  if (count <= ORDER_NODES_MAX) return problems;
  const message = 'The order has too many members.';
  return [...problems, { at, code: 'too_many', value: `${count}`, message, wanted: `at most ${ORDER_NODES_MAX}` }];
}

/** Without its reference an order could never be found again. */
function checkReference(order: OrderMembers, hasReference: boolean, at: DocumentPath): LocatedProblem[] {
  const place = [...at, ORDER_REF_MEMBER];
  const wanted = `${ORDER_REF_MEMBER}: <column>`;
  const written = Object.hasOwn(order, ORDER_REF_MEMBER) ? order[ORDER_REF_MEMBER] : undefined;
  if (written === undefined) {
    if (hasReference) return []; // wrong form, reported elsewhere
    const message = `${ORDER_REF_MEMBER} is required: the order's number, unique for the partner.`;
    return [{ at: place, code: 'field_missing', message, wanted }];
  }
  const node = longNode(written);
  if (shapeOf(node) !== 'leaf' || (node.as ?? 'text') !== 'text') {
    return [{ at: place, code: 'wrong_form', message: `${ORDER_REF_MEMBER} is a text.`, wanted }];
  }
  if (node.when === undefined) return [];
  const message = `${ORDER_REF_MEMBER} cannot be left out.`;
  return [{ at: [...place, 'when'], code: 'keys_exclude', message, wanted: 'the condition under skip' }];
}

const checkCancel = (order: OrderMembers, at: DocumentPath): LocatedProblem[] =>
  Object.keys(order)
    .filter((name) => name !== ORDER_REF_MEMBER)
    .map((name) => {
      const message = 'A cancellation carries nothing but the reference of the order.';
      return { at: [...at, name], code: 'no_effect', message, wanted: `${ORDER_REF_MEMBER} alone` };
    });

const checkMembers = (members: OrderMembers, at: DocumentPath, around: Around): LocatedProblem[] =>
  Object.entries(members).flatMap(([name, node]) => checkNode(longNode(node), [...at, name], around));

function checkNode(node: OrderNode, at: DocumentPath, around: Around): LocatedProblem[] {
  if (around.depth > ORDER_DEPTH_MAX) {
    const message = 'The order is nested too deep.';
    return [{ at, code: 'too_many', message, wanted: `at most ${ORDER_DEPTH_MAX} levels` }];
  }
  const shape = shapeOf(node);
  const isInRows = around.isInRows || (around.hasGroup && node.each === GROUP_ROWS);
  const inner = { ...around, isInRows, depth: around.depth + 1 };
  return [
    ...checkKeys(node, shape, at),
    ...(shape === 'leaf' ? checkLeafForm(node, at) : []),
    ...(node.each === undefined ? [] : checkEach(node, node.each, at, around)),
    ...checkMembers(node.object ?? {}, [...at, 'object'], inner),
    ...(node.list ?? []).flatMap((each, index) => checkNode(longNode(each), [...at, 'list', index], inner)),
    ...(node.item === undefined ? [] : checkNode(longNode(node.item), [...at, 'item'], inner)),
  ];
}

const SHAPE_KEYS: Record<Exclude<NodeShape, 'leaf'>, readonly string[]> = {
  object: ['object', 'when', 'required'],
  list: ['list', 'when', 'required'],
  each: ['each', 'object', 'item', 'flatten', 'when', 'required'],
};

function checkKeys(node: OrderNode, shape: NodeShape, at: DocumentPath): LocatedProblem[] {
  if (shape === 'leaf')
    return (['item', 'flatten'] as const)
      .filter((key) => node[key] !== undefined)
      .map((key) => excluded([...at, key], `"${key}" belongs to "each"`));
  const allowed = SHAPE_KEYS[shape];
  return Object.keys(node)
    .filter((key) => !allowed.includes(key))
    .map((key) => excluded([...at, key], `"${key}" and "${shape}" exclude each other`));
}

const excluded = (at: DocumentPath, why: string): LocatedProblem => ({
  at,
  code: 'keys_exclude',
  message: `${why}.`,
  wanted: 'a field (from, const, …), or one of object, list, each',
});

function checkLeafForm(node: OrderNode, at: DocumentPath): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const form = node.as ?? 'text';
  const isTime = form === 'time' || form === 'dateTime' || form === 'date';
  if (isTime && node.parse === undefined) {
    const message = `"as: ${form}" needs the pattern of the time.`;
    problems.push({ at: [...at, 'parse'], code: 'key_missing', message, wanted: 'parse: "yyyy-MM-dd"' });
  }
  if (!isTime && node.parse !== undefined) {
    const message = `"parse" reads a time, and the value becomes ${form}.`;
    problems.push({ at: [...at, 'parse'], code: 'no_effect', message, wanted: 'as: time, as: dateTime or as: date' });
  }
  if (form === 'integer' || form === 'number') return problems;
  for (const key of Object.keys(numberKeys)) {
    if (node[key as keyof typeof numberKeys] === undefined) continue;
    const message = `"${key}" speaks of a number, and the value becomes ${form}.`;
    problems.push({ at: [...at, key], code: 'no_effect', message, wanted: 'as: number or as: integer' });
  }
  return problems;
}

function checkEach(node: OrderNode, each: string, at: DocumentPath, around: Around): LocatedProblem[] {
  const problems = checkArray(each, [...at, 'each'], around);
  if ((node.object === undefined) === (node.item === undefined)) {
    const message = '"each" says how often, and exactly one of "object" and "item" says what.';
    const wanted = '{ each: …, object: { … } }, or { each: …, item: … }';
    problems.push({ at, code: 'origin_invalid', message, wanted });
  }
  if (node.flatten === true && !isList(node.item)) {
    const message = '"flatten" makes one list of several, and no element becomes a list here.';
    problems.push({ at: [...at, 'flatten'], code: 'no_effect', message, wanted: 'item: { each: …, item: … }' });
  }
  return problems;
}

const isList = (item: OrderNode['item']): boolean =>
  typeof item === 'object' && ['list', 'each'].includes(shapeOf(item));

/** Which arrays are possible: those of a tree, and the rows of a group, once. */
function checkArray(each: string, at: DocumentPath, { isTable, hasGroup, isInRows }: Around): LocatedProblem[] {
  const wanted = `each: ${GROUP_ROWS}`;
  if (isTable && !hasGroup) {
    const message = 'Without "group" a row stands alone, and it holds no arrays.';
    return [{ at, code: 'keys_exclude', message, wanted: 'group: { by: [<column>] }' }];
  }
  if (isTable && (each !== GROUP_ROWS || isInRows)) {
    const message = isInRows
      ? 'A row of a CSV file, and a line of a fixed-width one, holds no arrays.'
      : 'A CSV file has the rows of a group and no other arrays.';
    return [{ at, code: 'path_invalid', value: each, message, wanted: isInRows ? 'no "each" in a row' : wanted }];
  }
  if (!hasGroup || isInRows || each === GROUP_ROWS) return [];
  const message = 'Every row of the group has this array, and here only that of the first row would be read.';
  return [{ at, code: 'keys_exclude', value: each, message, wanted: `${wanted} around it` }];
}

const countNodes = (members: OrderMembers): number =>
  Object.values(members).reduce((sum, node) => sum + countNode(longNode(node)), 0);

const countNode = (node: OrderNode): number =>
  1 +
  countNodes(node.object ?? {}) +
  (node.list ?? []).reduce((sum, each) => sum + countNode(longNode(each)), 0) +
  (node.item === undefined ? 0 : countNode(longNode(node.item)));

/*
 * Checks how a document changes orders: lists that exist and have a rule, keys in every entry, differences that are
 * identifiable.
 */

export function checkChanges(parts: DocumentParts): LocatedProblem[] {
  const changing = parts.plans.filter(({ target }) => isChangeKind(target));
  return distinct([
    ...uselessChanges(parts, changing),
    ...changing.flatMap((plan) => checkPlan(parts, plan, changing)),
  ]);
}

function uselessChanges({ shared, plans }: DocumentParts, changing: readonly Plan[]): LocatedProblem[] {
  if (plans.some(({ target }) => target === undefined)) return []; // its kind is not known yet
  const own = plans.filter((plan) => plan.hasChange && !changing.includes(plan)).map(({ at }) => [...at, 'change']);
  const isShared = shared.hasChange && changing.every((plan) => plan.hasChange);
  const why = changing.length === 0 ? 'Nothing here changes an order that exists' : 'No request is changed this way';
  const wanted = 'no such key, or a target order.update or order.upsert';
  return [...own, ...(isShared ? [['change']] : [])].map((at) => noEffect(at, why, wanted));
}

function checkPlan(parts: DocumentParts, plan: Plan, changing: readonly Plan[]): LocatedProblem[] {
  const { change, at } = plannedChange(parts.shared, plan);
  const { order, at: orderAt } = plannedOrder(parts.shared, plan);
  if (order === undefined || change === undefined) return []; // wrong form, reported elsewhere
  const lists = listsIn(order);
  // A shared change may be useful to another request's order.
  const others = changing
    .filter((other) => !other.hasChange && !plan.hasChange)
    .map((other) => plannedOrder(parts.shared, other));
  const known = new Set([...lists.keys(), ...others.flatMap((other) => [...listsIn(other.order ?? {}).keys()])]);
  return [
    ...(change.complete === true ? uselessKeys(change, at) : unspokenLists(lists, change, at, orderAt)),
    ...Object.entries(change.lists ?? {}).flatMap(([path, list]): LocatedProblem[] => {
      const place = [...at, 'lists', path];
      const found = lists.get(path);
      if (found !== undefined) return typeof list === 'string' ? [] : checkKeyed(list, found, place);
      if (known.has(path)) return [];
      const message = `The order has no list "${path}".${didYouMean(path, known)}`;
      const wanted = known.size === 0 ? 'no such key: the order has no lists' : `one of ${[...known].join(', ')}`;
      return [{ at: place, code: 'path_invalid', value: path, message, wanted }];
    }),
    ...checkDifferences(parts, change, at),
  ];
}

function uselessKeys(change: ChangeSpec, at: DocumentPath): LocatedProblem[] {
  const added = Object.entries(change.lists ?? {}).filter(([, list]) => list === 'add');
  const why =
    'The file holds the whole order: what it leaves out is taken out, and its lists are the lists of the order';
  return [...(change.clear === undefined ? [] : [['clear']]), ...added.map(([path]) => ['lists', path])].map((key) =>
    noEffect([...at, ...key], why, 'no such key, or complete: false'),
  );
}

/** Replacing a list by one of its rows, or adding to a list meant to be replaced, would be noticed too late. */
function unspokenLists(
  lists: ReadonlyMap<string, OrderList>,
  change: ChangeSpec,
  at: DocumentPath,
  orderAt: DocumentPath,
): LocatedProblem[] {
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

function checkKeyed(list: KeyedListChange, { entries }: OrderList, at: DocumentPath): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const { quantity, unit, by, action } = list;
  const missing = { at: [...at, 'quantity'], code: 'key_missing', wanted: 'quantity: <member>' } as const;
  if (quantity === undefined && by !== undefined) {
    problems.push({ ...missing, message: 'More or less of what? Nothing names the member that holds the quantity.' });
  }
  if (quantity === undefined && unit !== undefined) {
    problems.push({ ...missing, message: 'The unit of what? Nothing names the member that holds the quantity.' });
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
    const check = (key: 'quantity' | 'unit' | 'by' | 'action', name: string | undefined): LocatedProblem[] => {
      if (name === undefined) return [];
      if (members[name] === undefined) return [noMember(name, members, [...at, key])];
      return key === 'action' || key === 'unit' ? [] : checkQuantity(name, members, [...at, key]);
    };
    problems.push(
      ...checkKey(list.key, members, [...at, 'key']),
      // If a file has only differences, the quantity is only in the orders.
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

function checkKey(name: string, members: OrderMembers, at: DocumentPath): LocatedProblem[] {
  const written = members[name];
  if (written === undefined) return [noMember(name, members, at)];
  const node = longNode(written);
  if ((node.required === true || node.const !== undefined) && node.when === undefined) return [];
  const message = `An entry without "${name}" could not be found in the order.`;
  return [{ at, code: 'field_missing', value: name, message, wanted: `${name}: { …, required: true } in the list` }];
}

function checkQuantity(name: string, members: OrderMembers, at: DocumentPath): LocatedProblem[] {
  const { as } = longNode(members[name] ?? '');
  if (as === 'integer' || as === 'number') return [];
  const message = `"${name}" is counted with, so it is a number.`;
  return [{ at, code: 'wrong_form', value: name, message, wanted: `${name}: { …, as: integer } in the list` }];
}

const noMember = (name: string, members: OrderMembers, at: DocumentPath): LocatedProblem => ({
  at,
  code: 'unknown_field',
  value: name,
  message: `The entries of this list have no member "${name}".${didYouMean(name, Object.keys(members))}`,
  wanted: `one of ${Object.keys(members).join(', ')}`,
});

function checkDifferences({ source }: DocumentParts, change: ChangeSpec, at: DocumentPath): LocatedProblem[] {
  // If a file has whole orders, a difference is the exception, and its row reports what is missing.
  if (source === undefined || change.complete === true) return [];
  if (!Object.values(change.lists ?? {}).some(saysDifferences)) return [];
  if (changeRefFields(change, source).length > 0) return [];
  const message =
    'A quantity is told as more or less; without a name of the change it would count twice when it is sent twice.';
  return [{ at: [...at, 'changeRef'], code: 'key_missing', message, wanted: 'changeRef: <column>' }];
}
