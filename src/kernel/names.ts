/**
 * Names of objects and files. A name is a JSON array, so that no load number or partner name can inject a separator.
 */
export type Environment = 'test' | 'production';
export const ENVIRONMENTS = ['test', 'production'] as const;

/** Whose work it is: every object name and every storage key begins with these two. */
export interface PartnerScope {
  environment: Environment;
  partner: string;
}

export const registerName = (scope: PartnerScope): string => JSON.stringify([scope.environment, scope.partner]);
/** @returns whose register this is, undefined if the object has no name. */
export function scopeOfRegister(name: string | undefined): PartnerScope | undefined {
  const [environment, partner] = name === undefined ? [] : (JSON.parse(name) as [Environment, string]);
  return environment === undefined || partner === undefined ? undefined : { environment, partner };
}
export const batchName = (scope: PartnerScope, batchId: string): string =>
  JSON.stringify([scope.environment, scope.partner, batchId]);
export const loadName = (scope: PartnerScope, scac: string, loadNumber: string): string =>
  JSON.stringify([scope.environment, scope.partner, scac, loadNumber]);
export const orderName = (scope: PartnerScope, orderRef: string): string =>
  JSON.stringify([scope.environment, scope.partner, orderRef]);
export const gateName = (environment: Environment, channel: string): string => JSON.stringify([environment, channel]);
/** An action of an operator, over several objects of a partner. */
export const actionName = (environment: Environment, actionId: string): string =>
  JSON.stringify([environment, actionId]);

/** The order-feed key: whose orders one batch poll returns (seed 4.4). */
export interface OrderFeedKey {
  partnerId: string;
  clientId: string;
}
export const feedName = (environment: Environment, { partnerId, clientId }: OrderFeedKey): string =>
  JSON.stringify([environment, partnerId, clientId]);
/** Storage key of a poll's answer. @param feed the SHA-256 of the feed's name. */
export const pollKey = (scope: PartnerScope, feed: string, pollNo: number): string =>
  `feeds/${filesPrefix(scope)}${feed}/${String(pollNo).padStart(10, '0')}`;

/** Prefix of all stored files of a partner; the batch's id follows it. */
export const filesPrefix = (scope: PartnerScope): string =>
  `${scope.environment}/${encodeURIComponent(scope.partner)}/`;
/** Prefix of all stored files of a batch. */
export const batchPrefix = (scope: PartnerScope, batchId: string): string => `${filesPrefix(scope)}${batchId}/`;
/** Storage key of an upload's exact bytes. */
export const sourceKey = (scope: PartnerScope, batchId: string): string => `${batchPrefix(scope, batchId)}source`;
/** Storage key of the content of a compressed upload. @param file of an archive, the number of its file, from 1. */
export const contentKey = (scope: PartnerScope, batchId: string, file?: number): string =>
  `${batchPrefix(scope, batchId)}content${file === undefined ? '' : `/${file}`}`;
/**
 * Storage key of archived attempts of a load or order that has ended.
 * @param subject the SHA-256 of the object's name. @param life tells this life of the object from a later one. @param
 * part from 1.
 */
export const attemptsKey = (
  scope: PartnerScope,
  batchId: string,
  { subject, life, part }: { subject: string; life: number; part: number },
): string => `${batchPrefix(scope, batchId)}attempts/${subject}/${life}-${part}.jsonl`;
/** Storage key of an immutable mapping version. */
export const mappingKey = (sha256: string): string => `mappings/${sha256}`;

/**
 * A request's permanent name: the same on every rerun, because records are numbered by the bytes.
 * @param generation counts from 1; each retry of the request is a new one with a name of its own.
 */
export const requestKey = (batchId: string, record: number, request: number, generation = 1): string =>
  `${batchId}/${record}/${request}${generation === 1 ? '' : `~${generation}`}`;
