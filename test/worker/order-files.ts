/** Order files of any size, with what they must become, counted by hand and not by our reader. */

const HEADER =
  'Order No,Shipper,Service,Deliver On,Ship To,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Item,Qty,Weight lb';

export interface OrderLine {
  orderRef: string;
  sku: string;
  quantity?: string;
  /** Makes the row as long as a test wants it. */
  instructions?: string;
}

export const orderRow = ({ orderRef, sku, quantity = '1', instructions = '' }: OrderLine): string =>
  `${orderRef},acme,Threshold,2026-03-09,Consignee,12 Elm St,Joliet,IL,60431,,,${instructions},,${sku},,${quantity},`;

export const orderFile = (...lines: OrderLine[]): string => `${[HEADER, ...lines.map(orderRow)].join('\n')}\n`;

/** `orders` orders of `lines` lines each, every row about `rowCharacters` long. */
export const manyOrders = (orders: number, lines: number, rowCharacters: number, prefix = 'SO'): OrderLine[] =>
  Array.from({ length: orders * lines }, (_, index) => {
    const order = Math.floor(index / lines);
    return {
      orderRef: `${prefix}-${order}`,
      sku: `SKU-${index % lines}`,
      // The first line of an order speaks for all of them; a later cell may be empty.
      instructions: `order ${order} `.padEnd(Math.max(0, rowCharacters - 120), 'x'),
    };
  });
