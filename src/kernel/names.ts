/**
 * Names of objects and files. A name is a JSON array, so that no load number or partner name can inject a separator.
 */
export type Environment = 'test' | 'production';
export const ENVIRONMENTS = ['test', 'production'] as const;

/** Whose work it is: every object name and every stored key begins with these two. */
export interface PartnerScope {
  environment: Environment;
  partner: string;
}

export const registerName = (scope: PartnerScope): string => JSON.stringify([scope.environment, scope.partner]);
export const batchName = (scope: PartnerScope, batchId: string): string =>
  JSON.stringify([scope.environment, scope.partner, batchId]);
export const loadName = (scope: PartnerScope, scac: string, loadNumber: string): string =>
  JSON.stringify([scope.environment, scope.partner, scac, loadNumber]);
export const orderName = (scope: PartnerScope, orderRef: string): string =>
  JSON.stringify([scope.environment, scope.partner, orderRef]);
export const gateName = (environment: Environment, channel: string): string => JSON.stringify([environment, channel]);
/** What operators began, over several objects of a partner. */
export const actionName = (environment: Environment, actionId: string): string =>
  JSON.stringify([environment, actionId]);

/** Storage key of an upload's exact bytes. */
export const sourceKey = (scope: PartnerScope, batchId: string): string =>
  `${scope.environment}/${encodeURIComponent(scope.partner)}/${batchId}/source`;
/** Storage key of what a compressed upload holds. @param file of an archive, the number of its file, from 1. */
export const contentKey = (scope: PartnerScope, batchId: string, file?: number): string =>
  `${scope.environment}/${encodeURIComponent(scope.partner)}/${batchId}/content${file === undefined ? '' : `/${file}`}`;
/** Storage key of an immutable mapping version. */
export const mappingKey = (sha256: string): string => `mappings/${sha256}`;

/**
 * A request's name for life: the same on every rerun, because records are numbered by the bytes.
 * @param generation counts from 1; each retry of the request is a new one with a name of its own.
 */
export const requestKey = (batchId: string, record: number, request: number, generation = 1): string =>
  `${batchId}/${record}/${request}${generation === 1 ? '' : `~${generation}`}`;
