/**
 * The form of an order in a mapping document: a tree whose leaves are fields of the record.
 *
 * The upstream does not show an order's fields (seed 2.8), so a document names its own members; only `orderRef` is fixed.
 * One loose-looking form instead of a union of seven, so that its errors name the key at fault; what fits together is
 * checked in `check/order.ts`.
 */
import { z } from 'zod';
import { NAME_CHARACTERS_MAX } from '../limits.ts';
import { type Condition, condition } from './condition.ts';
import type { NumberKeys, TimeField } from './field-spec.ts';
import { codeKeys, columnName, numberKeys, originKeys, type TextObject, textKeys, timeKeys } from './field-spec.ts';

/** What a leaf becomes; text where nothing is said. */
export const LEAF_FORMS = ['text', 'integer', 'number', 'boolean', 'time', 'dateTime', 'date'] as const;
export type LeafForm = (typeof LEAF_FORMS)[number];

type AnyKeys = TextObject & NumberKeys & Omit<TimeField, keyof TextObject>;
type LeafKeys = { [Key in keyof AnyKeys]?: AnyKeys[Key] | undefined };

/** A tree of these; which keys stand together decides whether it is a leaf, an object, a list or one item per element. */
export interface OrderNode extends LeafKeys {
  as?: LeafForm | undefined;
  required?: boolean | Condition | undefined;
  object?: OrderMembers | undefined;
  list?: (string | OrderNode)[] | undefined;
  each?: string | undefined;
  item?: string | OrderNode | undefined;
  flatten?: boolean | undefined;
}
export type OrderMembers = { [member: string]: string | OrderNode };

/** Names that would reach an object's prototype. */
const RESERVED = new Set(['__proto__', 'prototype', 'constructor']);
const memberName = z
  .string()
  .min(1)
  .max(NAME_CHARACTERS_MAX)
  .refine((name) => !RESERVED.has(name), 'a name that is not __proto__, prototype or constructor');

const nodeObject: z.ZodType<OrderNode> = z.strictObject({
  ...originKeys,
  ...textKeys,
  ...codeKeys,
  ...numberKeys,
  ...timeKeys,
  parse: timeKeys.parse.optional(),
  as: z
    .enum(LEAF_FORMS)
    .optional()
    .describe(
      'What the value becomes: text (the default), integer, number, boolean; time, dateTime or date with parse.',
    ),
  required: z
    .union([z.boolean(), condition])
    .optional()
    .describe('true, or a condition that holds: an empty value is an error; it is left out otherwise.'),
  get object() {
    return orderMembers.optional().describe('An object with these members; left out when all of them are.');
  },
  get list() {
    return z.array(orderNode).min(1).optional().describe('A list of these; empty ones are left out.');
  },
  each: columnName
    .optional()
    .describe('One item per row of the group (rows), or per element of the array at this path. With object or item.'),
  get item() {
    return orderNode
      .optional()
      .describe('What each element becomes; its paths begin at the element, "." is the element.');
  },
  flatten: z
    .boolean()
    .optional()
    .describe('true: the lists that the elements become are one list. With an item that is a list or an each.'),
});

export const orderNode: z.ZodType<string | OrderNode> = z
  .union([columnName, nodeObject])
  .meta({ id: 'OrderNode', description: 'A value of an order: a column name, a field, an object, a list, or each.' });

export const orderMembers: z.ZodType<OrderMembers> = z
  .record(memberName, orderNode)
  .meta({ id: 'OrderMembers', description: 'Members of an object of the order, each with its value.' });

/** The name under which an order carries its reference; a unit test holds it against the upstream's settings. */
export const ORDER_REF_MEMBER = 'orderRef';
/** What `each` is written with to go through the rows of a group. */
export const GROUP_ROWS = 'rows';

export type NodeShape = 'leaf' | 'object' | 'list' | 'each';

export function shapeOf(node: OrderNode): NodeShape {
  if (node.each !== undefined) return 'each';
  if (node.object !== undefined) return 'object';
  return node.list !== undefined ? 'list' : 'leaf';
}

/** The node as an object, whichever way it is written. */
export const longNode = (node: string | OrderNode): OrderNode => (typeof node === 'string' ? { from: node } : node);
