/** What partners are told of a batch. */

export const BATCH_NEWS = ['batch.settled', 'batch.held', 'acknowledgment.ready'] as const;
export type BatchNewsType = (typeof BATCH_NEWS)[number];

/**
 * @property key with the type it names the event among all of a partner: a repeat bears the same. atMs when it came to be. data
 * counts and links: never what stands in a row, never a secret.
 */
export interface NewsEvent<Type extends string = string> {
  type: Type;
  key: readonly (string | number)[];
  atMs: number;
  data: Record<string, unknown>;
}

/** Where news is told: a port of the caller. Idempotent by the event's key; stored when it returns. */
export interface NewsPort<Type extends string = string> {
  tell(events: readonly NewsEvent<Type>[]): Promise<void>;
}
