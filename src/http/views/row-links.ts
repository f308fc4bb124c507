/** A row's request names its load or order, and maybe another row: each with its address. Pure. */
import type { BatchRow, RowRequest } from '../../batch/report/summary.ts';
import { isOrderKind } from '../../mapping/document/targets.ts';
import { loadNumberOf, orderRefOf } from '../../mapping/request.ts';
import { loadAddress, loadPagePath, orderAddress, orderPagePath, type Reader, rowLinks } from '../edge/reader.ts';
import type { OrderView } from './order-view.ts';

export const linkedRow = (reader: Reader, row: BatchRow) => ({
  ...row,
  requests: row.requests.map((request) => ({ ...request, links: requestLinks(reader, request) })),
});

function requestLinks(reader: Reader, { kind, subject, scac, into }: RowRequest) {
  const travels = into === null ? {} : { into: rowLinks(reader, into.batchId, into.record).row };
  if (isOrderKind(kind)) {
    const orderRef = orderRefOf(subject);
    return { subject: orderAddress(reader, orderRef), console: orderPagePath(reader, orderRef), ...travels };
  }
  const load = { loadNumber: loadNumberOf(subject), scac };
  return { subject: loadAddress(reader, load), console: loadPagePath(reader, load), ...travels };
}

/** What was sent for an order came from rows. */
export const linkedOrder = (reader: Reader, order: OrderView) => ({
  ...order,
  versions: order.versions.map((version) => ({
    ...version,
    links:
      version.batchId === null || version.record === null ? null : rowLinks(reader, version.batchId, version.record),
  })),
  operations: order.operations.map((operation) => ({
    ...operation,
    links: rowLinks(reader, operation.batchId, operation.record),
  })),
});
