/**
 * UpstreamGate, one object per channel: decides who may send, and is the only one that mints tokens.
 *
 * A shell around `core.ts`, which decides permits and breakers. Breakers are stored, so that a restart keeps an open
 * one; a token is stored first, then copied to KV for every isolate, which nobody waits for.
 */
import { ensureAlarm, wake } from '../../kernel/alarm.ts';
import { BoundObject } from '../../kernel/bound-object.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { GATE_AUDIT_SHOWN, GATE_PAUSE_MS, KV_TTL_SECONDS_MIN, TOKEN_FAILURE_PAUSE_MS } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { Cached } from '../../kernel/migrate.ts';
import { gateName } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Channel } from '../channels.ts';
import { upstreamOf } from '../settings.ts';
import type { Breaker } from './breaker.ts';
import { type ChannelTest, channelTest } from './channel-test.ts';
import { GateCore, type LeaseAnswer, type LeaseRequest } from './core.ts';
import { mintToken, type TokenProblem } from './mint.ts';
import { probeLocations } from './own-probe.ts';
import { type SealedToken, sealToken } from './sealed-token.ts';
import { type FailingRead, GATE_MIGRATIONS, type GateHealth, GateStore, type Release, sorted } from './store.ts';
import { type CachedToken, isAlive, mintedAtMs, mustMint } from './token-lifetime.ts';

export class UpstreamGate extends BoundObject {
  #minting: Promise<Result<CachedToken, TokenProblem>> | undefined;
  #lastFailure: { atMs: number; problem: TokenProblem } | undefined;
  /** The copies to KV so far: the next begins after them, so that an older one never overwrites a newer. */
  #copying: Promise<void> = Promise.resolve();

  readonly #cached = new Cached(this.ctx.storage, GATE_MIGRATIONS, () => new GateStore(this.ctx.storage.sql));
  #core: { of: Channel; core: GateCore } | undefined;

  get #store(): GateStore {
    return this.#cached.parts;
  }

  /**
   * Notes how attempts ended, then grants permits or says when to come again. @throws if the channel is not configured.
   */
  async lease(channelName: string, asked: LeaseRequest): Promise<LeaseAnswer> {
    const core = this.#coreOf(channelName);
    const answer = core.request(asked);
    await this.#keep(core);
    return answer;
  }

  async health(channelName: string): Promise<GateHealth> {
    const core = this.#coreOf(channelName);
    const channel = this.#channel(channelName);
    const { ratePerSecond, burst } = channel;
    const held = this.#store.token(channel);
    const { permitsOut, permitsLeft } = core;
    return {
      channel: channelName,
      ratePerSecond,
      burst,
      permitsLeft,
      permitsOut,
      ...sorted(core.breakers.all),
      failingReads: this.#store.failingReads(),
      token: held
        ? { fingerprint: held.fingerprint, mintedAtMs: mintedAtMs(held), expiresAtMs: held.expiresAtMs }
        : null,
      audit: this.#store.audits(GATE_AUDIT_SHOWN),
    };
  }

  /** How the last call of a read-only API ended. @param failure null: it answered. */
  async noteRead(
    channelName: string,
    api: FailingRead['api'],
    failure: Pick<FailingRead, 'status' | 'detail'> | null,
  ): Promise<void> {
    this.#coreOf(channelName);
    if (failure === null) return this.#store.dropFailingRead(api);
    const known = this.#store.failingReads().find((read) => read.api === api);
    const lastMs = upstreamOf(this.env).clock.nowMs();
    this.#store.keepFailingRead({ api, sinceMs: known?.sinceMs ?? lastMs, lastMs, ...failure });
  }

  /** @returns the breaker as it was; null if it was closed and nothing changed. */
  async release(channelName: string, { scope, ...by }: Release): Promise<Breaker | null> {
    const core = this.#coreOf(channelName);
    const before = core.breakers.get(scope);
    if (before === undefined) return null;
    this.#store.audit({ ...by, scope, before, atMs: Date.now() }); // first: what cannot be noted is not done
    core.breakers.close(scope);
    log('warn', 'breaker_released', { channel: channelName, detail: `${scope} by ${by.keyId}` });
    await this.#keep(core);
    return before;
  }

  /**
   * What an operator asks for: a new token, and one GET of the locations where the channel may read them. It changes no
   * breaker: what it finds, a person judges. Not `test`: that name is the platform's own.
   */
  async testConnection(channelName: string): Promise<ChannelTest> {
    const core = this.#coreOf(channelName);
    const channel = this.#channel(channelName);
    const { clock } = upstreamOf(this.env);
    const token = await this.#mintOnce(channel, clock);
    if (channel.probe === 'none') return channelTest(token, null);
    const probe = await probeLocations({ tokens: this.#tokens(), clock }, channel);
    core.charge(probe.sendings);
    return channelTest(token, probe);
  }

  /** The channel's own probe is due. */
  override async alarm(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    const afterFailure = (): number => Date.now() + GATE_PAUSE_MS;
    await wake(this.ctx.storage, { work: () => this.#probe(), failed: 'gate_wake_up_failed', afterFailure });
  }

  async #probe(): Promise<null> {
    for (const { of: channel, core } of this.#core ? [this.#core] : this.#restored()) {
      const { clock } = upstreamOf(this.env);
      const dueMs = core.breakers.ownProbeAtMs();
      if (dueMs !== null && dueMs <= clock.nowMs()) {
        const { verdict, failure, sendings } = await probeLocations({ tokens: this.#tokens(), clock }, channel);
        core.charge(sendings);
        core.breakers.noteOwnProbe(verdict, failure);
      }
      await this.#keep(core);
    }
    return null; // what is due is armed where it is kept
  }

  #tokens() {
    return {
      current: (of: Channel) => this.currentToken(of.name),
      replace: (of: Channel, failed: string) => this.currentToken(of.name, failed),
    };
  }

  #channel(name: string): Channel {
    const channel = upstreamOf(this.env).channels.get(name);
    if (channel === undefined) throw new Error(`channel ${name} is not configured`);
    return channel;
  }

  /** Created again when the channel's settings change: only what is stored is kept. */
  #coreOf(name: string): GateCore {
    const channel = this.#channel(name);
    if (this.#core?.of === channel) return this.#core.core;
    const { ratePerSecond, burst, probe } = channel;
    const settings = { rate: { ratePerSecond, burst }, hasOwnProbe: probe === 'locations' };
    const { clock } = upstreamOf(this.env);
    const core = new GateCore(settings, clock, this.#store.breakers(), () => crypto.randomUUID());
    this.#core = { of: channel, core };
    this.#store.keepChannel(name);
    return core;
  }

  /** An alarm after a restart has no channel name; a removed channel needs no probe. */
  #restored(): { of: Channel; core: GateCore }[] {
    const of = upstreamOf(this.env).channels.get(this.#store.channel() ?? '');
    return of ? [{ of, core: this.#coreOf(of.name) }] : [];
  }

  /** Stores changes before anyone is notified, and arms the alarm of the own probe. */
  async #keep({ breakers }: GateCore): Promise<void> {
    breakers.storeChanged((scope, breaker) => {
      this.#store.keepBreaker(scope, breaker);
      if (breaker?.state === 'open' && breaker.probe === null) {
        log('warn', 'breaker_open', { channel: this.#store.channel() ?? '', detail: `${scope}: ${breaker.why}` });
      }
    });
    const atMs = breakers.ownProbeAtMs();
    if (atMs !== null) await ensureAlarm(this.ctx.storage, atMs);
  }

  /**
   * @param failedFingerprint the token that an upstream answer refused with 401, if that is why the caller asks.
   * @returns the current token, minted if needed; concurrent callers share one request.
   */
  async currentToken(channelName: string, failedFingerprint?: string): Promise<Result<CachedToken, TokenProblem>> {
    const { channels, clock } = upstreamOf(this.env);
    const channel = channels.get(channelName);
    if (!channel) return err({ code: 'token_unreachable', detail: `channel ${channelName} is not configured` });
    const current = this.#store.token(channel);
    if (!mustMint(current, failedFingerprint, clock.nowMs())) return ok(current as CachedToken);
    const minted = await this.#mintOnce(channel, clock);
    const usable = failedFingerprint !== current?.fingerprint && isAlive(current, clock.nowMs());
    return !minted.ok && usable ? ok(current as CachedToken) : minted;
  }

  /** Callers share a request that is under way; a failure is remembered briefly. */
  async #mintOnce(channel: Channel, clock: Clock): Promise<Result<CachedToken, TokenProblem>> {
    const failure = this.#lastFailure;
    if (failure && clock.nowMs() - failure.atMs < scaledMs(TOKEN_FAILURE_PAUSE_MS, clock)) return err(failure.problem);
    this.#minting ??= this.#mint(channel).finally(() => {
      this.#minting = undefined;
    });
    return this.#minting;
  }

  async #mint(channel: Channel): Promise<Result<CachedToken, TokenProblem>> {
    const { clock } = upstreamOf(this.env);
    const minted = await mintToken(channel, clock);
    if (!minted.ok) {
      this.#lastFailure = { atMs: clock.nowMs(), problem: minted.error };
      log('warn', 'token_failed', { channel: channel.name, detail: `${minted.error.code}: ${minted.error.detail}` });
      return minted;
    }
    this.#lastFailure = undefined;
    const sealed = sealToken(minted.value, channel);
    this.#store.keepToken(sealed);
    this.#copying = this.#copying.then(() => this.#copyToKv(channel, sealed, minted.value.expiresAtMs));
    this.ctx.waitUntil(this.#copying);
    return minted;
  }

  /**
   * KV is a cache: if it is down, or the key was written within the last second, the gate still has the current token.
   */
  async #copyToKv(channel: Channel, sealed: SealedToken, expiresAtMs: number): Promise<void> {
    const lifeSeconds = Math.ceil((expiresAtMs - Date.now()) / 1_000);
    try {
      await this.env.TOKENS.put(gateName(channel.environment, channel.name), JSON.stringify(sealed), {
        expirationTtl: Math.max(KV_TTL_SECONDS_MIN, lifeSeconds),
      });
    } catch (thrown) {
      log('warn', 'token_not_cached', { channel: channel.name, detail: messageOf(thrown) });
    }
  }
}
