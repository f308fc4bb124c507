/** When a token may be used and when it must be renewed. Pure. */
import { TOKEN_LIFETIME_DEFAULT_SECONDS, TOKEN_REFRESH_SHARE } from '../../kernel/limits.ts';

/** A token with its own times: copies in memory and KV may be stale, so each carries them. */
export interface CachedToken {
  token: string;
  fingerprint: string;
  /** From then on the gate renews it, though it is still accepted. */
  refreshAtMs: number;
  expiresAtMs: number;
}

/** @param lifeSeconds `expires_in` or `expired_in`; seed 8 says 3600 if the answer has neither. */
export function holdToken(
  token: string,
  tokenFingerprint: string,
  lifeSeconds: number | undefined,
  nowMs: number,
): CachedToken {
  const lifeMs = (lifeSeconds ?? TOKEN_LIFETIME_DEFAULT_SECONDS) * 1_000;
  return {
    token,
    fingerprint: tokenFingerprint,
    refreshAtMs: nowMs + Math.floor(lifeMs * TOKEN_REFRESH_SHARE),
    expiresAtMs: nowMs + lifeMs,
  };
}

/** When it was obtained, from its own times. */
export const mintedAtMs = ({ refreshAtMs, expiresAtMs }: CachedToken): number =>
  Math.round(expiresAtMs - (expiresAtMs - refreshAtMs) / (1 - TOKEN_REFRESH_SHARE));

export const isFresh = (held: CachedToken | undefined, nowMs: number): held is CachedToken =>
  held !== undefined && nowMs < held.refreshAtMs;

/** Still accepted, perhaps due for renewal. */
export const isAlive = (held: CachedToken | undefined, nowMs: number): held is CachedToken =>
  held !== undefined && nowMs < held.expiresAtMs;

/** A caller reports the refused token; a new one is minted only if that is still the current one. */
export function mustMint(
  current: CachedToken | undefined,
  failedFingerprint: string | undefined,
  nowMs: number,
): boolean {
  if (!isFresh(current, nowMs)) return true;
  return failedFingerprint !== undefined && failedFingerprint === current.fingerprint;
}
