/** The register beside a model of two maps: whatever comes in whatever order, both say the same. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import type { Claim, ClaimRequest } from '../../../src/intake/take-upload.ts';
import { registerName } from '../../../src/kernel/names.ts';
import { dice } from '../dice.ts';
import { aTicket } from '../registers.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const STEPS = 80;
const FILES = ['file-1', 'file-2', 'file-3'];
const KEYS = [null, 'key-1', 'key-2', 'key-3'];

/** What a register must say, in as few words as there are. */
class Model {
  /** By file the batches that claim it, oldest first. */
  readonly files = new Map<string, string[]>();
  readonly keys = new Map<string, { batchId: string; fingerprint: string }>();
  readonly batches = new Map<string, { sha256: string; state: string }>();
  /** By withdrawn batch, the keys that it had. */
  readonly released = new Map<string, Map<string, string>>();

  claim({ ticket: { batchId, sha256, dryRun, forced }, idempotencyKey: key, fingerprint }: ClaimRequest): Pick<
    Claim,
    'outcome'
  > & {
    batchId?: string;
  } {
    const used = key === null ? undefined : this.keys.get(key);
    if (used?.fingerprint === fingerprint) return { outcome: 'replayed', batchId: used.batchId };
    if (used) return { outcome: forced ? 'force_needs_key' : 'key_reused', batchId: used.batchId };
    const known = dryRun || forced ? undefined : this.files.get(sha256)?.at(-1);
    if (key !== null) this.keys.set(key, { batchId: known ?? batchId, fingerprint });
    if (known !== undefined) return { outcome: 'replayed', batchId: known };
    if (!dryRun) this.files.set(sha256, [...(this.files.get(sha256) ?? []), batchId]);
    this.batches.set(batchId, { sha256, state: 'open' });
    return { outcome: 'claimed' };
  }

  close(batchId: string, state: string, claimsNothing: boolean): void {
    this.batches.set(batchId, { sha256: this.batches.get(batchId)?.sha256 ?? '', state });
    if (!claimsNothing) return;
    for (const [file, of] of this.files)
      this.files.set(
        file,
        of.filter((each) => each !== batchId),
      );
    const released = this.released.get(batchId) ?? new Map<string, string>();
    if (state !== 'unreadable') this.released.set(batchId, released);
    for (const [key, of] of this.keys)
      if (of.batchId === batchId && this.keys.delete(key)) released.set(key, of.fingerprint);
  }

  reclaim(batchId: string): string {
    const { sha256 } = this.batches.get(batchId) ?? { sha256: '' };
    const holder = this.files.get(sha256)?.at(-1);
    if (holder !== undefined && holder !== batchId) return holder;
    const released = this.released.get(batchId) ?? new Map<string, string>();
    const held = [...released.keys()].sort().map((key) => this.keys.get(key)?.batchId);
    const other = held.find((of) => of !== undefined && of !== batchId);
    if (other !== undefined) return other;
    for (const [key, fingerprint] of released) this.keys.set(key, { batchId, fingerprint });
    this.released.delete(batchId);
    if (holder === undefined) this.files.set(sha256, [batchId]);
    return batchId;
  }
}

it.each([1, 2, 3, 4, 5, 6])(
  'a register under any sequence of claims, ends, retries and evictions says what a map would say, with seed %d',
  async (seed) => {
    vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
    const roll = dice(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(roll() * from.length)] as T;
    const scope = { environment: 'test', partner: `model-${seed}` } as const;
    const register = () => env.INTAKE_REGISTER.getByName(registerName(scope));
    const model = new Model();
    const nowMs = Date.now();

    const ask = (): ClaimRequest => {
      const sha256 = pick(FILES);
      const idempotencyKey = pick(KEYS);
      const dryRun = roll() < 0.2;
      const forced = !dryRun && idempotencyKey !== null && roll() < 0.3;
      return {
        ticket: { ...aTicket(scope), sha256, receivedAtMs: nowMs, dryRun, forced },
        idempotencyKey,
        fingerprint: JSON.stringify([sha256, dryRun, forced]),
        who: 'key-of-acme',
      };
    };

    const claims = async (): Promise<void> => {
      const asked = Array.from({ length: 1 + Math.floor(roll() * 3) }, ask);
      const said = await Promise.all(asked.map((one) => register().claim(one)));
      for (const [at, one] of asked.entries()) {
        const { outcome, ...rest } = said[at] ?? { outcome: 'nothing' };
        const batchId = 'batchId' in rest ? { batchId: rest.batchId } : {};
        expect({ outcome, ...batchId }).toEqual(model.claim(one));
      }
    };
    const ends = async (batchId: string): Promise<void> => {
      const state = pick(['settled', 'unreadable'] as const);
      const claimsNothing = state === 'unreadable' || roll() < 0.3;
      await register().closeBatch(batchId, { state, claimsNothing, tookNothing: false, opening: 0 });
      model.close(batchId, state, claimsNothing);
    };
    const retried = async (batchId: string): Promise<void> => {
      expect(await register().reclaim(batchId, nowMs)).toBe(model.reclaim(batchId));
    };

    for (let step = 0; step < STEPS; step += 1) {
      const batchId = pick([...model.batches.keys()]);
      const drawn = roll();
      if (drawn < 0.6 || batchId === undefined) await claims();
      else if (drawn < 0.8) await ends(batchId);
      else if (drawn < 0.9) await retried(batchId);
      else {
        expect(await register().knows(batchId)).toBe(true); // only what is awake can be evicted
        await evictDurableObject(register());
      }
    }
    const listed = await register().list(null, 1_000);
    expect(listed.map(({ batch_id, state }) => [batch_id, state]).toReversed()).toEqual(
      [...model.batches].map(([batchId, { state }]) => [batchId, state]),
    );
  },
);
