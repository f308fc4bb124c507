/** Addresses of pages that link to each other. Pure. */

/** @param file of the load, below its page. */
export const loadPath = (loadNumber: string, scac: string, file = ''): string =>
  `/console/loads/${encodeURIComponent(loadNumber.toWellFormed())}${file}?${new URLSearchParams({ scac })}`;

export const orderPath = (orderRef: string): string => `/console/orders/${encodeURIComponent(orderRef.toWellFormed())}`;

export const opsOrderPath = (environment: string, partner: string, orderRef: string): string =>
  `/console/ops/orders/${encodeURIComponent(partner)}/${encodeURIComponent(orderRef.toWellFormed())}?${new URLSearchParams({ environment })}`;

/** @param page below the operators' pages, such as `feeds`. */
export const opsPath = (page: string, environment: string): string =>
  `/console/ops/${page}?${new URLSearchParams({ environment })}`;
