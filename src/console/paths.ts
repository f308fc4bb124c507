/** Addresses of pages that link to each other. Pure. */

export const orderPath = (orderRef: string): string => `/console/orders/${encodeURIComponent(orderRef.toWellFormed())}`;

export const opsOrderPath = (environment: string, partner: string, orderRef: string): string =>
  `/console/ops/orders/${encodeURIComponent(partner)}/${encodeURIComponent(orderRef.toWellFormed())}?${new URLSearchParams({ environment })}`;

/** @param page below the operators' pages, such as `feeds`. */
export const opsPath = (page: string, environment: string): string =>
  `/console/ops/${page}?${new URLSearchParams({ environment })}`;

/** Of a row of another batch, at the head of its page. */
export const rowPath = ({ batchId, record }: { batchId: string; record: number }): string =>
  `/console/batches/${batchId}?state=all&after=${record - 1}`;
