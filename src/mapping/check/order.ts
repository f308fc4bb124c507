/** Checks the tree of an order: keys that stand together in a node, its reference, arrays that exist, and its size. */
import { isTabular } from '../../formats/reader.ts';
import type { DocumentParts, Filling } from '../document/document-parts.ts';
import type { DocumentPath, PlacedProblem } from '../document/document-problem.ts';
import { numberKeys } from '../document/field-spec.ts';
import {
  GROUP_ROWS,
  longNode,
  type NodeShape,
  ORDER_REF_MEMBER,
  type OrderMembers,
  type OrderNode,
  shapeOf,
} from '../document/order-spec.ts';
import { ORDER_DEPTH_MAX, ORDER_NODES_MAX } from '../limits.ts';

/** What decides about the form of a node inside. */
interface Around {
  isTable: boolean;
  hasGroup: boolean;
  /** Inside of the rows of the group. */
  isInRows: boolean;
  depth: number;
}

export function checkOrders(parts: DocumentParts): PlacedProblem[] {
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
): PlacedProblem[] {
  if (order === undefined) return [];
  const at = [...base, 'order'];
  const count = countNodes(order);
  return [
    ...checkReference(order, hasReference, at),
    ...(isCancel ? checkCancel(order, at) : []),
    ...checkMembers(order, at, around),
    ...(count > ORDER_NODES_MAX ? [tooMany(at, count)] : []),
  ];
}

const tooMany = (at: DocumentPath, count: number): PlacedProblem => ({
  at,
  code: 'too_many',
  value: `${count}`,
  message: 'The order has too many members.',
  wanted: `at most ${ORDER_NODES_MAX}`,
});

/** Without its reference an order could never be found again. */
function checkReference(order: OrderMembers, hasReference: boolean, at: DocumentPath): PlacedProblem[] {
  const place = [...at, ORDER_REF_MEMBER];
  const wanted = `${ORDER_REF_MEMBER}: <column>`;
  const written = Object.hasOwn(order, ORDER_REF_MEMBER) ? order[ORDER_REF_MEMBER] : undefined;
  if (written === undefined) {
    if (hasReference) return []; // of wrong form, which is told
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

const checkCancel = (order: OrderMembers, at: DocumentPath): PlacedProblem[] =>
  Object.keys(order)
    .filter((name) => name !== ORDER_REF_MEMBER)
    .map((name) => {
      const message = 'A cancellation carries nothing but the reference of the order.';
      return { at: [...at, name], code: 'no_effect', message, wanted: `${ORDER_REF_MEMBER} alone` };
    });

const checkMembers = (members: OrderMembers, at: DocumentPath, around: Around): PlacedProblem[] =>
  Object.entries(members).flatMap(([name, node]) => checkNode(longNode(node), [...at, name], around));

function checkNode(node: OrderNode, at: DocumentPath, around: Around): PlacedProblem[] {
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

function checkKeys(node: OrderNode, shape: NodeShape, at: DocumentPath): PlacedProblem[] {
  if (shape === 'leaf')
    return (['item', 'flatten'] as const)
      .filter((key) => node[key] !== undefined)
      .map((key) => excluded([...at, key], `"${key}" belongs to "each"`));
  const allowed = SHAPE_KEYS[shape];
  return Object.keys(node)
    .filter((key) => !allowed.includes(key))
    .map((key) => excluded([...at, key], `"${key}" and "${shape}" exclude each other`));
}

const excluded = (at: DocumentPath, why: string): PlacedProblem => ({
  at,
  code: 'keys_exclude',
  message: `${why}.`,
  wanted: 'a field (from, const, …), or one of object, list, each',
});

function checkLeafForm(node: OrderNode, at: DocumentPath): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
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

function checkEach(node: OrderNode, each: string, at: DocumentPath, around: Around): PlacedProblem[] {
  const problems = checkArray(each, [...at, 'each'], around);
  if ((node.object === undefined) === (node.item === undefined)) {
    const message = '"each" says how often, and exactly one of "object" and "item" says what.';
    problems.push({
      at,
      code: 'origin_invalid',
      message,
      wanted: '{ each: …, object: { … } }, or { each: …, item: … }',
    });
  }
  if (node.flatten === true && !isList(node.item)) {
    const message = '"flatten" makes one list of several, and no element becomes a list here.';
    problems.push({ at: [...at, 'flatten'], code: 'no_effect', message, wanted: 'item: { each: …, item: … }' });
  }
  return problems;
}

const isList = (item: OrderNode['item']): boolean =>
  typeof item === 'object' && ['list', 'each'].includes(shapeOf(item));

/** Which arrays there can be: those of a tree, and the rows of a group, once. */
function checkArray(each: string, at: DocumentPath, { isTable, hasGroup, isInRows }: Around): PlacedProblem[] {
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
