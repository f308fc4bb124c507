/**
 * The form of an order in a mapping document: a tree whose leaves are fields of the record, with member names of the
 * document's own (seed 2.8 shows no fields; only `orderRef` is fixed). One loose form instead of a union of seven, so
 * that its errors name the wrong key; `check/order.ts` checks what goes together.
 */
import * as z from 'zod';
import type { RecordSource } from '../../formats/reader.ts';
import { CLEAR_CHARACTERS_MAX, LIST_PATH_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../limits.ts';
import type { ListChange } from '../request.ts';
import { type Condition, condition } from './condition.ts';
import {
  codeKeys,
  columnName,
  type NumberKeys,
  numberKeys,
  originKeys,
  type TextField,
  type TextObject,
  type TimeField,
  textField,
  textKeys,
  timeKeys,
} from './field-spec.ts';

/** What a leaf becomes; text by default. */
const LEAF_FORMS = ['text', 'integer', 'number', 'boolean', 'time', 'dateTime', 'date'] as const;
type LeafForm = (typeof LEAF_FORMS)[number];

type AnyKeys = TextObject & NumberKeys & Omit<TimeField, keyof TextObject>;
type LeafKeys = { [Key in keyof AnyKeys]?: AnyKeys[Key] | undefined };

/** A tree node; its keys decide whether it is a leaf, an object, a list or one item per element. */
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

const orderNode: z.ZodType<string | OrderNode> = z
  .union([columnName, nodeObject])
  .meta({ id: 'OrderNode', description: 'A value of an order: a column name, a field, an object, a list, or each.' });

export const orderMembers: z.ZodType<OrderMembers> = z
  .record(memberName, orderNode)
  .meta({ id: 'OrderMembers', description: 'Members of an object of the order, each with its value.' });

/** The member with the order's reference; a unit test compares it with the upstream's settings. */
export const ORDER_REF_MEMBER = 'orderRef';
/** The `each` that goes through the rows of a group. */
export const GROUP_ROWS = 'rows';

export type NodeShape = 'leaf' | 'object' | 'list' | 'each';

export function shapeOf(node: OrderNode): NodeShape {
  if (node.each !== undefined) return 'each';
  if (node.object !== undefined) return 'object';
  return node.list !== undefined ? 'list' : 'leaf';
}

/** The node as an object, however it is written. */
export const longNode = (node: string | OrderNode): OrderNode => (typeof node === 'string' ? { from: node } : node);

/*
 * What a document says about changing an existing order: its form, and its meaning for one format.
 *
 * The receiving system takes complete orders only (seed 4.4), while partners send three columns: what a file leaves
 * out, what it empties, and how its lists are combined with the order's must be declared, never guessed.
 */

const member = z.string().min(1).max(NAME_CHARACTERS_MAX);

const KEYLESS_CHANGES = ['add', 'replace'] as const;

const keyedList = z
  .strictObject({
    key: member.describe('Member by which an entry is found; an entry that is not there yet is added.'),
    quantity: member.optional().describe('Member that holds the quantity: what the file writes there is the new one.'),
    unit: member
      .optional()
      .describe(
        'Member that holds the unit of the quantity. A quantity in another unit than that of the entry is refused; an entry that has none keeps none.',
      ),
    by: member.optional().describe('Member that says how much more, or with a minus how much less. It is not sent.'),
    action: member
      .optional()
      .describe(
        'Member that says what is done with the entry: ADD, CHANGE, DELETE, MORE or LESS, as a code list yields it. It is not sent.',
      ),
  })
  .meta({ id: 'KeyedList', description: 'A list whose entries are told apart by one of their members.' });

const listChange = z
  .union([z.enum(KEYLESS_CHANGES), keyedList])
  .meta({ id: 'ListChange', description: 'add, replace, or the key by which entries are merged.' });

export const changeSpec = z
  .strictObject({
    complete: z
      .boolean()
      .optional()
      .describe(
        'true: the file holds the whole order, and what may change and is missing there is taken out. false (the default): what it does not write stays.',
      ),
    clear: z
      .string()
      .min(1)
      .max(CLEAR_CHARACTERS_MAX)
      .optional()
      .describe('A cell with exactly this text empties the member. An empty cell leaves it alone.'),
    changeRef: textField
      .optional()
      .describe(
        'What names the change, so that "three more" is counted once. In X12 and EDIFACT the control numbers do where it is empty.',
      ),
    lists: z
      .record(z.string().min(1).max(LIST_PATH_CHARACTERS_MAX), listChange)
      .optional()
      .describe('Per list of the order, by its path (skus, consignee.phones): how it changes the list that is there.'),
  })
  .meta({ id: 'Change', description: 'How an update or an upsert changes an order that exists.' });

export type ChangeSpec = z.infer<typeof changeSpec>;

/** Whether a list may contain differences: they must not be counted twice. */
export const saysDifferences = (list: ListChange): boolean =>
  typeof list === 'object' && (list.by !== undefined || list.action !== undefined);

/** What identifies an interchange: its sender, its control number, and those of the group and the set in it. */
const CONTROL_NUMBERS: { readonly [Format in RecordSource['format']]?: readonly string[] } = {
  x12: ['ISA-05', 'ISA-06', 'ISA-13', 'GS-06', 'ST-02'],
  edifact: ['UNB-02.1', 'UNB-05', 'UNH-01'],
};

/**
 * Where the reference of a change is read: the first of these that is filled. The sender's own number comes before the
 * control numbers, which are new in a corrected interchange. None if the document names none and the format has none.
 */
export function changeRefFields(change: ChangeSpec, source: RecordSource | undefined): TextField[] {
  const controls = source === undefined ? undefined : CONTROL_NUMBERS[source.format];
  const isNeeded = Object.values(change.lists ?? {}).some(saysDifferences);
  return [
    ...(change.changeRef === undefined ? [] : [change.changeRef]),
    ...(controls === undefined || !isNeeded ? [] : [{ from: [...controls], join: '/' }]),
  ];
}

/* The lists of an order's tree that a change can have rules for: those inside objects only, by path. */

/** @property entries what an entry may be: the members of objects; null for an entry that is no object. */
export interface OrderList {
  entries: readonly (OrderMembers | null)[];
  /** Path in the document, starting at the order. */
  at: readonly (string | number)[];
}

export function listsIn(order: OrderMembers): Map<string, OrderList> {
  const found = new Map<string, OrderList>();
  const visit = (members: OrderMembers, names: readonly string[], at: readonly (string | number)[]): void => {
    for (const [name, written] of Object.entries(members)) {
      const node = longNode(written);
      const path = [...names, name];
      const place = [...at, name];
      switch (shapeOf(node)) {
        case 'leaf':
          break;
        case 'object':
          visit(node.object ?? {}, path, [...place, 'object']);
          break;
        case 'list':
        case 'each':
          found.set(path.join('.'), { entries: entriesOf(node), at: place });
          break;
      }
    }
  };
  visit(order, [], []);
  return found;
}

/** An element of a list made of several lists is an entry too. */
function entriesOf(node: OrderNode): (OrderMembers | null)[] {
  if (node.list !== undefined) return node.list.map(entryOf);
  const inner = longNode(node.item ?? {});
  return node.flatten === true ? entriesOf(inner) : [node.object ?? entryOf(inner)];
}

const entryOf = (written: string | OrderNode): OrderMembers | null => longNode(written).object ?? null;
