/** Files as a partner uploads them, small and made by dice, and the mappings that read them. */
import { checkMapping } from '../../src/mapping/check/check.ts';
import { type MappingVersion, mappingVersion } from '../../src/mapping/document/versions.ts';

const EXAMPLES = 'examples: [{ input: "x", records: [{ skipped: true }] }]';
const SOURCE = 'source: { format: csv, delimiter: ",", encoding: utf-8, header: true }';

const EVENTS = `
mapping: events
description: Milestones of both forms, and positions.
${SOURCE}
target:
  switch: Kind
  cases:
    M: { target: milestone, fields: { eventCode: Code, loadNumber: Load, time: { from: When, parse: iso } } }
    E: { target: loadMilestoneEvent, fields: { load_id: Load, milestone_type: Code, event_time: { from: When, parse: iso } } }
    T:
      target: trace
      fields:
        loadNumber: Load
        time: { from: When, parse: iso }
        coordinate: { latitude: Lat, longitude: { const: "-88" } }
        resourceId: Code
${EXAMPLES}
`;
const ORDERS = `
mapping: orders
description: Orders of several lines.
${SOURCE}
target: order.create
group: { by: [Order], order: adjacent }
order:
  orderRef: Order
  shipperCode: { from: Shipper, required: true }
  skus:
    each: rows
    required: true
    object: { sku: { from: Sku, required: true }, quantity: { from: Qty, as: integer, required: true } }
${EXAMPLES}
`;

const CHANGES = `
mapping: changes
description: Orders that are changed, cancelled, or made where there is none.
${SOURCE}
target: { switch: Action, cases: { U: order.update, S: { target: order.upsert, change: { complete: true } }, C: order.cancel } }
change: { clear: "-", changeRef: Ref, lists: { skus: { key: sku, quantity: quantity, by: more } } }
order:
  orderRef: Order
  shipperCode: Shipper
  deliveryType: Type
  skus:
    list:
      - object:
          sku: { from: Sku, required: true }
          quantity: { from: Qty, as: integer }
          more: { from: More, as: integer }
        when: { field: Sku, empty: false }
${EXAMPLES}
`;

export type FileKind = 'events' | 'orders' | 'changes';

export async function versions(): Promise<Record<FileKind, MappingVersion>> {
  return { events: await versionOf(EVENTS), orders: await versionOf(ORDERS), changes: await versionOf(CHANGES) };
}

async function versionOf(text: string): Promise<MappingVersion> {
  const document = checkMapping(text, new Map());
  if (!document.ok) throw new Error(`a mapping of the simulator is wrong: ${JSON.stringify(document.error)}`);
  return mappingVersion(document.value, new Map());
}

/** The row of an earlier batch that a row corrects. */
export interface Corrected {
  batchId: string;
  record: number;
}

export const EVENT_COLUMNS = 'Kind,Load,Code,When,Lat';
const ORDER_COLUMNS = 'Order,Shipper,Sku,Qty';
const FIRST_MS = Date.UTC(2026, 2, 2, 8);

let lineNumber = 0;
/** A milestone or a position like no other. */
export function eventLine(dice: () => number, load: string): string {
  lineNumber += 1;
  const when = new Date(FIRST_MS + lineNumber * 1_000).toISOString();
  return [dice() < 0.3 ? 'T' : 'M', load, `X${lineNumber}`, when, '41'].join(',');
}

/** @param corrected for the first rows, what they correct. @returns the text and how many records it holds. */
export function eventsFile(
  dice: () => number,
  rows: number,
  loads: readonly string[],
  corrected: readonly Corrected[] = [],
): { text: string; records: number } {
  const lines = [corrected.length > 0 ? `${EVENT_COLUMNS},_batch,_record` : EVENT_COLUMNS];
  const traceShare = dice();
  const isRepetitive = dice() < 0.3;
  for (let row = 0; row < rows; row += 1) {
    const kind = dice() < traceShare * 0.8 ? 'T' : dice() < 0.85 ? 'M' : 'E';
    const load = loads[Math.floor(dice() * loads.length)] ?? 'L1';
    const when =
      dice() < 0.04
        ? 'never'
        : new Date(FIRST_MS + Math.floor(dice() * (isRepetitive ? 3 : 90)) * 60_000).toISOString();
    const code = dice() < 0.08 ? 'POISON' : `X${Math.floor(dice() * (isRepetitive ? 2 : 1_000))}`;
    const cells = [kind, load, code, when, isRepetitive ? '41' : `41.${row}`];
    lines.push(withCorrected(cells, corrected, row));
  }
  return { text: `${lines.join('\n')}\n`, records: rows };
}

export function ordersFile(
  dice: () => number,
  orders: readonly string[],
  corrected: readonly Corrected[] = [],
): { text: string; records: number } {
  const lines = [corrected.length > 0 ? `${ORDER_COLUMNS},_batch,_record` : ORDER_COLUMNS];
  for (const order of orders) {
    const shipper = dice() < 0.08 ? 'POISON' : `S${Math.floor(dice() * 3)}`;
    const items = 1 + Math.floor(dice() * 3);
    for (let item = 0; item < items; item += 1) {
      const cells = [order, shipper, `SKU${item}`, dice() < 0.04 ? 'many' : String(1 + item)];
      lines.push(withCorrected(cells, corrected, lines.length - 1));
    }
  }
  return { text: `${lines.join('\n')}\n`, records: lines.length - 1 };
}

const CHANGE_COLUMNS = 'Order,Action,Ref,Shipper,Type,Sku,Qty,More';
/** The item whose quantity is only told as more or less, once it is there; others are told as they shall be. */
export const COUNTED_SKU = 'SKU0';

/** A difference has the name of its amount, so that equal names say equal amounts, in whatever file. What makes an order holds it whole, and speaks of no items. */
export function changesFile(
  dice: () => number,
  orders: readonly string[],
  rows: number,
): { text: string; records: number } {
  const lines = [CHANGE_COLUMNS];
  for (let row = 0; row < rows; row += 1) {
    const order = orders[Math.floor(dice() * orders.length)] ?? 'O1';
    const action = dice() < 0.7 ? 'U' : dice() < 0.5 ? 'C' : 'S';
    const shipper = dice() < 0.5 ? '' : dice() < 0.08 ? 'POISON' : `S${Math.floor(dice() * 3)}`;
    const type = dice() < 0.7 ? '' : dice() < 0.3 ? '-' : `T${Math.floor(dice() * 2)}`;
    const named = 1 + Math.floor(dice() * 4);
    const drawn = dice();
    const item =
      action === 'U' && drawn < 0.5
        ? [`R${named}`, shipper, type, COUNTED_SKU, '', String(named - 2)]
        : action !== 'S' && drawn < 0.7
          ? ['', shipper, type, 'SKU1', String(named), '']
          : ['', shipper, type, '', '', ''];
    lines.push([order, action, ...item].join(','));
  }
  return { text: `${lines.join('\n')}\n`, records: rows };
}

function withCorrected(cells: string[], corrected: readonly Corrected[], row: number): string {
  if (corrected.length === 0) return cells.join(',');
  const place = corrected[row];
  return [...cells, place?.batchId ?? '', place?.record ?? ''].join(',');
}
