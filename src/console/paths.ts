/** Addresses of pages that link to each other. Pure. */

export const loadPath = (loadNumber: string, scac: string): string =>
  `/console/loads/${encodeURIComponent(loadNumber.toWellFormed())}?${new URLSearchParams({ scac })}`;
