/**
 * Order files whose groups cross slice borders: few orders, fat rows. Pure.
 *
 * Borders are worked out from the bytes alone, as a reader that takes whole records must find them.
 */

import type { OrderRow } from '../invariants/creates.ts';

export type GroupOrder = 'adjacent' | 'anywhere';

export interface OrderFilePlan {
  /** Goes into every order's number, so that the files of one run share no order. */
  name: string;
  order: GroupOrder;
  slices: number;
  sliceBytes: number;
  linesPerOrder: number;
  /** About this long is every row. */
  rowBytes: number;
}

export interface OrderFile {
  text: string;
  rows: OrderRow[];
  /** Where the bytes of slice 1, 2, … end: the last one is the end of the file. */
  borders: number[];
  /** Borders on which rows of one order stand on both sides, by their number from 1. */
  crossed: number[];
}

/** The last column is no business of the mapping's: it makes rows fat and creates lean. */
const HEADER =
  'Order No,Shipper,Service,Deliver On,Ship To,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Item,Qty,Weight lb,Packing List';
/** Rows differ in length by up to this many bytes. */
const ROW_BYTES_SPREAD = 1_009;
/** Ways to spread them that are tried to find one at which no border falls between two orders. */
const SPREADS_TRIED = 200;

/** @throws when no spread puts every border into an order. */
export function orderFile(plan: OrderFilePlan): OrderFile {
  for (let spread = 1; spread <= SPREADS_TRIED; spread += 1) {
    const file = fileOf(plan, spread);
    if (file.crossed.length === file.borders.length - 1) return file;
  }
  throw new Error('every spread tried lets a border fall between two orders');
}

function fileOf(plan: OrderFilePlan, spread: number): OrderFile {
  const { name, order, slices, sliceBytes, linesPerOrder, rowBytes } = plan;
  const wanted = Math.floor(((slices - 0.5) * sliceBytes) / (rowBytes + ROW_BYTES_SPREAD / 2)); // the last slice is about half full
  const orders = Math.ceil(wanted / linesPerOrder);
  const places = Array.from({ length: orders * linesPerOrder }, (_, index) =>
    order === 'adjacent'
      ? { number: Math.floor(index / linesPerOrder), line: index % linesPerOrder }
      : { number: index % orders, line: Math.floor(index / orders) },
  );
  const rows = places.map(({ number, line }) => ({ orderRef: `${name}-${number}`, sku: `SKU-${line}` }));
  const lengths = rows.map((_, index) => rowBytes + ((index * 7_919 * spread) % ROW_BYTES_SPREAD));
  const { borders, rowsBefore } = cut(HEADER.length + 1, lengths, sliceBytes);
  const crossed = rowsBefore.flatMap((before, index) => (isCrossed(rows, before) ? [index + 1] : []));
  return { text: orderText(rows, lengths), rows, borders, crossed };
}

/** @param lengths of the rows in bytes, line ends included; a shorter one than a row needs changes nothing. */
const orderText = (rows: readonly OrderRow[], lengths: readonly number[]): string =>
  [HEADER, ...rows.map((row, index) => lineOf(row, lengths[index] ?? 0))].map((line) => `${line}\n`).join('');

/** A file of less than a slice. */
export function smallOrderFile(name: string, orders: number, linesPerOrder: number): Pick<OrderFile, 'text' | 'rows'> {
  const rows = Array.from({ length: orders * linesPerOrder }, (_, index) => ({
    orderRef: `${name}-${Math.floor(index / linesPerOrder)}`,
    sku: `SKU-${index % linesPerOrder}`,
  }));
  return { text: orderText(rows, []), rows };
}

const lineOf = ({ orderRef, sku }: OrderRow, rowBytes: number): string =>
  `${orderRef},acme,Threshold,2026-03-09,Consignee,12 Elm St,Joliet,IL,60431,,,,,${sku},,1,,`.padEnd(rowBytes - 1, 'x');

/** ASCII only, so characters are bytes. */
function cut(
  headerBytes: number,
  rowLengths: readonly number[],
  sliceBytes: number,
): { borders: number[]; rowsBefore: number[] } {
  const borders: number[] = [];
  const rowsBefore: number[] = [];
  let sliceFrom = 0;
  let at = headerBytes;
  rowLengths.forEach((length, index) => {
    if (at + length > sliceFrom + sliceBytes) {
      borders.push(at);
      rowsBefore.push(index);
      sliceFrom = at;
    }
    at += length;
  });
  return { borders: [...borders, at], rowsBefore };
}

function isCrossed(rows: readonly OrderRow[], before: number): boolean {
  const known = new Set(rows.slice(0, before).map(({ orderRef }) => orderRef));
  return rows.slice(before).some(({ orderRef }) => known.has(orderRef));
}
