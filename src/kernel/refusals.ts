/** Why a request is refused, by the code of the refusal: what the caller reads, and the HTTP status. */

export interface RefusalMessages {
  status: number;
  title: string;
  detail: string;
  fix: string;
  /** When a repeat may help; the caller is told once, in the header and in words. */
  retryAfterSeconds?: number;
}

/** Constant, or made of the facts of the refusal. A code without messages does not compile. */
export type RefusalTable<Refusal extends { code: string }> = {
  readonly [Code in Refusal['code']]: RefusalMessages | ((refusal: Refusal & { code: Code }) => RefusalMessages);
};

export function messagesFor<Refusal extends { code: string }>(
  table: RefusalTable<Refusal>,
  refusal: Refusal,
): RefusalMessages {
  const messages = table[refusal.code as Refusal['code']];
  return typeof messages === 'function' ? messages(refusal as never) : messages;
}

export const listed = (names: readonly string[]): string => (names.length === 0 ? '(none)' : names.join(', '));
