/** Addresses of pages that link to each other. Pure. */

/** @param file of the load, below its page. */
export const loadPath = (loadNumber: string, scac: string, file = ''): string =>
  `/console/loads/${encodeURIComponent(loadNumber.toWellFormed())}${file}?${new URLSearchParams({ scac })}`;
