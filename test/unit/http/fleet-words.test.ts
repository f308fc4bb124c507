import { describe, expect, it } from 'vitest';
import type { FleetTrouble } from '../../../src/fleet/answer.ts';
import type { FleetReading } from '../../../src/fleet/read.ts';
import { ageHeaders, troubleMessage } from '../../../src/http/partner/fleet-answer.ts';
import { TROUBLE } from '../fleet/samples.ts';
import { NOW_MS } from '../upstream/samples.ts';

const aReading = (more: Partial<FleetReading> = {}): FleetReading => ({
  items: [],
  fetchedAtMs: NOW_MS,
  ageMs: 59_999,
  freshMs: 900_000,
  staleMs: 3_600_000,
  wasAsked: false,
  trouble: null,
  ...more,
});
const cacheStatus = (more: Partial<FleetReading>) => ageHeaders(aReading(more))['Cache-Status'];

describe('the headers of an answer', () => {
  it('say its age in whole seconds, and for how long such answers are good from when they were given', () => {
    expect(ageHeaders(aReading())).toEqual({
      Age: '59',
      'Cache-Control': 'private, max-age=900, stale-while-revalidate=3600',
      'Cache-Status': 'transload; hit; ttl=840',
      Vary: 'Authorization, Accept',
    });
  });

  it('tell fresh, new, stale and unrenewed ones apart', () => {
    expect(cacheStatus({ ageMs: 0, wasAsked: true })).toBe('transload; fwd=miss');
    expect(cacheStatus({ ageMs: 1_000_000 })).toBe('transload; hit; ttl=-100');
    const asked = { wasAsked: true, trouble: TROUBLE };
    expect(cacheStatus(asked)).toBe('transload; fwd=stale; fwd-status=503; detail=upstream_down');
    const silent = { wasAsked: true, trouble: { ...TROUBLE, status: null } };
    expect(cacheStatus(silent)).toBe('transload; fwd=stale; detail=upstream_down');
    const refused = { ...TROUBLE, code: 'fleet_refused', status: 403 } as const;
    expect(cacheStatus({ ageMs: 1_000_000, trouble: refused })).toBe(
      'transload; hit; ttl=-100; detail=upstream_refused',
    );
  });
});

describe('why there is no answer', () => {
  it.each([
    ['fleet_down', 503, 'upstream_down'],
    ['fleet_refused', 502, 'upstream_refused'],
    ['fleet_unreadable', 502, 'upstream_unreadable'],
  ] as const)('names the API, its status and what it said: %s', (code, status, told) => {
    const trouble: FleetTrouble = { code, api: 'locations', status: 418, detail: 'said so', retryAfterMs: null };
    expect(troubleMessage(trouble)).toMatchObject({
      status,
      code: told,
      detail: expect.stringMatching(/The locations API of the receiving system answered 418: said so$/),
      fix: expect.stringMatching(/\S/),
    });
  });

  it('says that nobody answered where nobody did', () => {
    const { detail } = troubleMessage({ ...TROUBLE, status: null, detail: 'timeout: no headers within 20000 ms' });
    expect(detail).toMatch(/The fleet API of the receiving system could not be read: timeout: no headers/);
  });
});
