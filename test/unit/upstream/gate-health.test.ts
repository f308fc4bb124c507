/** What an operator sees of a gate: what stops requests, what stops all of them, and whom it waits for. */
import { expect, it } from 'vitest';
import { openBreaker, type Scope } from '../../../src/upstream/gate/breaker.ts';
import { sorted } from '../../../src/upstream/gate/store.ts';
import { movedClock } from './gate-samples.ts';

it('tells breakers of channel and partners, refused credentials, and parked SCACs apart', () => {
  const clock = movedClock();
  const scopes: Scope[] = ['scac:DEMO', 'channel', 'auth', 'partner:acme', 'scac:ACME'];
  const { breakers, auth, parkedScacs } = sorted(
    scopes.map((scope) => openBreaker({ scope, why: 'failures', lastFailure: null }, clock)),
  );
  expect(breakers.map(({ scope }) => scope)).toEqual(['channel', 'partner:acme']);
  expect(auth?.scope).toBe('auth');
  expect(parkedScacs.map(({ scope }) => scope)).toEqual(['scac:DEMO', 'scac:ACME']);
  expect(sorted([])).toEqual({ breakers: [], auth: null, parkedScacs: [] });
});
