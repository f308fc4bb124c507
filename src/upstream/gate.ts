/**
 * UpstreamGate, one object per channel: the only place that mints tokens, one request at a time whoever asks.
 *
 * Stored in its SQLite first, then copied to KV, where every isolate reads it.
 */
import { DurableObject } from 'cloudflare:workers';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { KV_TTL_SECONDS_MIN, TOKEN_FAILURE_PAUSE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { gateName } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Channel } from './channels.ts';
import { mintToken, type TokenProblem } from './mint.ts';
import { upstreamOf } from './settings.ts';
import { type HeldToken, isAlive, mustMint } from './token-life.ts';

export class UpstreamGate extends DurableObject<Env> {
  #minting: Promise<Result<HeldToken, TokenProblem>> | undefined;
  #lastFailure: { atMs: number; problem: TokenProblem } | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS token (id INTEGER PRIMARY KEY CHECK (id = 1), held TEXT NOT NULL)',
    );
  }

  /**
   * @param failedFingerprint the token an upstream answer refused with 401, if that is why the caller asks.
   * @returns the current token, minted if need be; concurrent callers share one request.
   */
  async currentToken(channelName: string, failedFingerprint?: string): Promise<Result<HeldToken, TokenProblem>> {
    const { channels, clock } = upstreamOf(this.env);
    const channel = channels.get(channelName);
    if (!channel) return err({ code: 'token_unreachable', detail: `channel ${channelName} is not configured` });
    const current = this.#stored();
    if (!mustMint(current, failedFingerprint, clock.nowMs())) return ok(current as HeldToken);
    const minted = await this.#mintOnce(channel, clock);
    const usable = failedFingerprint !== current?.fingerprint && isAlive(current, clock.nowMs());
    return !minted.ok && usable ? ok(current as HeldToken) : minted;
  }

  /** Whoever asks while a request is under way shares it; a failure is remembered for a moment. */
  async #mintOnce(channel: Channel, clock: Clock): Promise<Result<HeldToken, TokenProblem>> {
    const failure = this.#lastFailure;
    if (failure && clock.nowMs() - failure.atMs < scaledMs(TOKEN_FAILURE_PAUSE_MS, clock)) return err(failure.problem);
    this.#minting ??= this.#mint(channel).finally(() => {
      this.#minting = undefined;
    });
    return this.#minting;
  }

  async #mint(channel: Channel): Promise<Result<HeldToken, TokenProblem>> {
    const { clock } = upstreamOf(this.env);
    const minted = await mintToken(channel, clock);
    if (!minted.ok) {
      this.#lastFailure = { atMs: clock.nowMs(), problem: minted.error };
      log('warn', 'token_failed', { channel: channel.name, detail: `${minted.error.code}: ${minted.error.detail}` });
      return minted;
    }
    this.#lastFailure = undefined;
    this.ctx.storage.sql.exec(
      'INSERT INTO token (id, held) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET held = excluded.held',
      JSON.stringify(minted.value),
    );
    await this.#copyToKv(channel, minted.value);
    return minted;
  }

  /** KV is a cache: when it is down, or the key was written within the last second, the gate still holds the truth. */
  async #copyToKv(channel: Channel, held: HeldToken): Promise<void> {
    const lifeSeconds = Math.ceil((held.expiresAtMs - Date.now()) / 1_000);
    try {
      await this.env.TOKENS.put(gateName(channel.environment, channel.name), JSON.stringify(held), {
        expirationTtl: Math.max(KV_TTL_SECONDS_MIN, lifeSeconds),
      });
    } catch (thrown) {
      log('warn', 'token_not_cached', { channel: channel.name, detail: messageOf(thrown) });
    }
  }

  #stored(): HeldToken | undefined {
    const row = this.ctx.storage.sql.exec<{ held: string }>('SELECT held FROM token').toArray()[0];
    return row ? (JSON.parse(row.held) as HeldToken) : undefined;
  }
}
