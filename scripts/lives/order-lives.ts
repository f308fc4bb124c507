/** Orders with a life before them: made by a CSV file, changed by another and by X12, some cancelled; and what each must be then. Pure. */
import type { OrderDocument } from '../../src/upstream/contracts/order-difference.ts';
import type { OrderRow } from '../invariants/creates.ts';
import type { WantedOrder } from '../invariants/orders.ts';

type ChangedBy = 'csv' | 'x12';

export interface OrderLife {
  orderRef: string;
  /** In the order of the uploads. */
  changedBy: readonly ChangedBy[];
  cancelledBy: ChangedBy | null;
}

interface LivesPlan {
  /** Goes into every order's number. */
  name: string;
  orders: number;
  changed: number;
  cancelled: number;
}

const CREATE_HEADER =
  'Order No,Shipper,Service,Deliver On,Ship To,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Item,Qty,Weight lb';
const STREET = '12 Elm St';
/** How many of the two items of an order are wanted, before and behind a change. */
const QUANTITIES = { sofa: 2, chair: 4 };
const MORE = { csv: 3, x12: 5 };
const WAYS: readonly (readonly ChangedBy[])[] = [['csv'], ['x12'], ['csv', 'x12']];

/** The first ones are changed, by one file, the other or both; of those that are cancelled half were changed before. */
export function livesOf({ name, orders, changed, cancelled }: LivesPlan): OrderLife[] {
  const firstCancelled = Math.max(0, Math.min(changed - Math.ceil(cancelled / 2), orders - cancelled));
  return Array.from({ length: orders }, (_, index) => {
    const isCancelled = index >= firstCancelled && index < firstCancelled + cancelled;
    return {
      orderRef: `${name}-${index}`,
      changedBy: index < changed ? (WAYS[index % WAYS.length] ?? []) : [],
      cancelledBy: isCancelled ? (index % 2 === 0 ? 'csv' : 'x12') : null,
    };
  });
}

/** Two lines an order. */
export const createsFile = (lives: readonly OrderLife[]): string =>
  textOf([
    CREATE_HEADER,
    ...lives.flatMap(({ orderRef }) => [
      `${orderRef},acme,Threshold,2026-03-09,Consignee,${STREET},Joliet,IL,60431,555-0100,,,,SOFA-3,,${QUANTITIES.sofa},`,
      `${orderRef},acme,Threshold,2026-03-09,Consignee,${STREET},Joliet,IL,60431,,,,,CHAIR-1,,${QUANTITIES.chair},`,
    ]),
  ]);

/** The lines of that file. */
export const linesOf = (lives: readonly OrderLife[]): OrderRow[] =>
  lives.flatMap(({ orderRef }) => ['SOFA-3', 'CHAIR-1'].map((sku) => ({ orderRef, sku })));

/** A partial file: a phone number, and more of one item. */
export const changesCsv = (lives: readonly OrderLife[]): string =>
  textOf([
    'Order No,Action,Change No,Phone,SKU,Qty Change',
    ...lives
      .filter(({ changedBy }) => changedBy.includes('csv'))
      .map(({ orderRef }) => `${orderRef},CHANGE,C-1,${phoneOf(orderRef)},SOFA-3,${MORE.csv}`),
  ]);

export const cancelsCsv = (lives: readonly OrderLife[]): string =>
  textOf([
    'Order No,Action',
    ...lives.filter(({ cancelledBy }) => cancelledBy === 'csv').map(({ orderRef }) => `${orderRef},CANCEL`),
  ]);

/** A partial 860: another street, and more of the other item, as systems write it: with the number of the line and the unit. */
export const changesX12 = (lives: readonly OrderLife[], control: number): string =>
  interchange(
    lives
      .filter(({ changedBy }) => changedBy.includes('x12'))
      .map(({ orderRef }) => [
        `BCH*04*SA*${orderRef}**1*20260303`,
        'N1*ST*Consignee',
        `N3*${streetOf(orderRef)}`,
        `POC*2*QI*${MORE.x12}**EA***VN*CHAIR-1`,
      ]),
    control,
  );

export const cancelsX12 = (lives: readonly OrderLife[], control: number): string =>
  interchange(
    lives
      .filter(({ cancelledBy }) => cancelledBy === 'x12')
      .map(({ orderRef }) => [`BCH*01*SA*${orderRef}**2*20260304`]),
    control,
  );

/** @returns the members that its create and its changes speak of, as they must be in the end. */
export function documentOf({ orderRef, changedBy }: OrderLife): OrderDocument {
  const [byCsv, byX12] = [changedBy.includes('csv'), changedBy.includes('x12')];
  return {
    orderRef,
    shipperCode: 'ACME',
    deliveryType: 'THRESHOLD',
    requestedDate: '2026-03-09',
    consignee: {
      name: 'Consignee',
      address: { street: byX12 ? streetOf(orderRef) : STREET, city: 'Joliet', state: 'IL', postalCode: '60431' },
      phone: byCsv ? phoneOf(orderRef) : '555-0100',
    },
    skus: [
      { sku: 'SOFA-3', quantity: QUANTITIES.sofa + (byCsv ? MORE.csv : 0) },
      { sku: 'CHAIR-1', quantity: QUANTITIES.chair + (byX12 ? MORE.x12 : 0) },
    ],
  };
}

/** @param pair whose it is. */
export const wantedOrder = (life: OrderLife, pair: OrderDocument): WantedOrder => ({
  orderRef: life.orderRef,
  document: { ...documentOf(life), ...pair },
  updates: life.changedBy.length,
  isCancelled: life.cancelledBy !== null,
});

const phoneOf = (orderRef: string): string => `555-${orderRef}`;
const streetOf = (orderRef: string): string => `9 ${orderRef} Ave`;

const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

function interchange(sets: readonly (readonly string[])[], control: number): string {
  const number = String(control).padStart(9, '0');
  const body = sets.flatMap((segments, index) => {
    const setNumber = String(index + 1).padStart(4, '0');
    return [`ST*860*${setNumber}`, ...segments, `SE*${segments.length + 2}*${setNumber}`];
  });
  return [
    `ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*${number}*0*T*>`,
    `GS*PC*DEMO*TRANSLOAD*20260302*1500*${control}*X*004010`,
    ...body,
    `GE*${sets.length}*${control}`,
    `IEA*1*${number}`,
  ]
    .map((segment) => `${segment}~\n`)
    .join('');
}
