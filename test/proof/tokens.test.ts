/**
 * A batch that outlives its tokens, shorter than `npm run prove -- --tokens`.
 *
 * KV keeps nothing for less than a minute, so copies of these tokens outlive them there; each copy says itself when it ends.
 */
import { expect, it } from 'vitest';
import { proveTokens } from '../../scripts/prove/tokens.ts';

it('rejects no row and mints no token twice while tokens end every few seconds', async () => {
  const plan = { lifeSeconds: 5, durationSeconds: 12, loads: 6, answerMs: 400, seed: 1 };
  const { figures, violations } = await proveTokens(plan);
  expect(violations).toEqual([]);
  expect(figures[0]).toMatch(/ 0 rejected; .* [1-9]\d* after 80 % of a life, [1-9]\d* after a refusal/);
}, 180_000);
