/**
 * Whose batches, loads and orders a request reads, and the addresses its caller finds them at: a partner reads its own,
 * an operator those of any partner in the environments of its key. Pure.
 */
import type { Environment, PartnerScope } from '../../kernel/names.ts';

export interface Reader extends PartnerScope {
  isOps: boolean;
}

/** The address with these parameters added. */
export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const text = `${new URLSearchParams(parameters)}`;
  return text === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${text}`;
}

/** The address of a part of another address. */
export function below(whole: string, part: string): string {
  const [path = '', parameters] = whole.split('?');
  return `${path}/${part}${parameters === undefined ? '' : `?${parameters}`}`;
}

/** @param path below `/v1` for a partner, below `/v1/ops` for an operator. */
const address = (
  { isOps, environment }: Reader,
  path: string,
  parameters: Readonly<Record<string, string>> = {},
): string =>
  isOps ? withParameters(`/v1/ops${path}`, { environment, ...parameters }) : withParameters(`/v1${path}`, parameters);

export function batchLinks(reader: Reader, batchId: string) {
  const self = `/batches/${batchId}`;
  return {
    self: address(reader, self),
    rows: address(reader, `${self}/rows`),
    reportCsv: address(reader, `${self}/report.csv`),
    reportJson: address(reader, `${self}/report.json`),
    corrections: address(reader, `${self}/corrections`),
    source: address(reader, `${self}/source`),
    console: `/console/batches/${batchId}`,
  };
}

/** The page of the batches that the parameters select. */
export const batchListPath = (parameters: Readonly<Record<string, string>>): string =>
  withParameters('/console/batches', parameters);

/** @property acknowledgment for a message in a format that has one. */
export function messageLinks(reader: Reader, batchId: string, message: number) {
  const self = reader.isOps ? `/batches/${batchId}/messages/${message}` : `/messages/${batchId}/${message}`;
  return {
    self: address(reader, self),
    rows: address(reader, `${self}/rows`),
    acknowledgment: address(reader, `${self}/acknowledgment`),
    source: address(reader, `${self}/source`),
    batch: batchLinks(reader, batchId).self,
    console: `/console/batches/${batchId}/messages/${message}`,
  };
}

/** Links to a row: in the API and on the page of its batch. */
export function rowLinks(reader: Reader, batchId: string, record: number) {
  const { self, rows, console } = batchLinks(reader, batchId);
  return {
    batch: self,
    row: withParameters(rows, { after: String(record - 1), limit: '1' }),
    console: withParameters(console, { row: String(record) }),
  };
}

/** @param ending after the load's number. */
export function loadAddress(
  reader: Reader,
  { loadNumber, scac }: { loadNumber: string; scac: string },
  parameters: Readonly<Record<string, string>> = {},
  ending = '',
): string {
  const { partner } = reader;
  const own = reader.isOps ? { partner, scac } : { scac };
  return address(reader, `/loads/${encodeURIComponent(loadNumber.toWellFormed())}${ending}`, { ...own, ...parameters });
}

export function orderAddress(
  reader: Reader,
  orderRef: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const ref = encodeURIComponent(orderRef.toWellFormed());
  const path = reader.isOps ? `/orders/${encodeURIComponent(reader.partner)}/${ref}` : `/orders/${ref}`;
  return address(reader, path, parameters);
}

/** The page of a code: the `type` of a refusal. Older answers have `urn:transload:problem:CODE` instead. */
export const problemAddress = (code: string): string => `/problems/${encodeURIComponent(code)}`;

/** The page of a channel. */
export const channelPagePath = (environment: Environment, channel: string): string =>
  withParameters(`/console/channels/${encodeURIComponent(channel)}`, { environment });

/** The page of a partner's feed. */
export const feedPagePath = ({ environment, partner }: PartnerScope): string =>
  withParameters(`/console/feeds/${encodeURIComponent(partner)}`, { environment });

/** The page of one webhook of a partner. */
export const webhookPagePath = ({ environment, partner }: PartnerScope, target: string): string =>
  withParameters(`/console/webhooks/${encodeURIComponent(partner)}/${encodeURIComponent(target)}`, { environment });

/** The page of a load or an order. */
export function loadPagePath(
  reader: Reader,
  { loadNumber, scac }: { loadNumber: string; scac: string },
  ending = '',
): string {
  const { environment, partner } = reader;
  const own = reader.isOps ? { environment, partner } : {};
  return withParameters(`/console/loads/${encodeURIComponent(loadNumber.toWellFormed())}${ending}`, { scac, ...own });
}

export function orderPagePath(
  reader: Reader,
  orderRef: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const ref = encodeURIComponent(orderRef.toWellFormed());
  if (!reader.isOps) return withParameters(`/console/orders/${ref}`, parameters);
  const { environment, partner } = reader;
  return withParameters(`/console/orders/${encodeURIComponent(partner)}/${ref}`, { environment, ...parameters });
}
