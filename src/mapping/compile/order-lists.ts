/** The lists of an order's tree that a change can speak of: those that objects alone stand around, by their path. */
import { longNode, type OrderMembers, type OrderNode, shapeOf } from '../document/order-spec.ts';

/** @property entries what an entry may be: the members of objects; null stands for an entry that is no object. */
export interface OrderList {
  entries: readonly (OrderMembers | null)[];
  /** Path in the document, from the order on. */
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

/** What stands in one list though it was made of several is an entry, too. */
function entriesOf(node: OrderNode): (OrderMembers | null)[] {
  if (node.list !== undefined) return node.list.map(entryOf);
  const inner = longNode(node.item ?? {});
  return node.flatten === true ? entriesOf(inner) : [node.object ?? entryOf(inner)];
}

const entryOf = (written: string | OrderNode): OrderMembers | null => longNode(written).object ?? null;
