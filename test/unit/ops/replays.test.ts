import { describe, expect, it } from 'vitest';
import { ACTION_ID_FORM } from '../../../src/kernel/ids.ts';
import {
  actionIdOf,
  confirmed,
  fingerprintOf,
  plannedReplay,
  type ReplayRequest,
  wantedOf,
} from '../../../src/ops/dead-letters/replays.ts';

const asked = (more: Partial<ReplayRequest> = {}): ReplayRequest => ({
  environment: 'test',
  partner: 'acme',
  batchIds: null,
  wanted: {
    filter: { states: ['rejected'], reasons: null, statuses: null, kinds: null, subject: null, places: null },
    includeUnknown: false,
  },
  places: null,
  perSecond: 10,
  ...more,
});
const batch = (batchId: string, requests: number, more: Record<string, unknown> = {}) => ({
  batchId,
  requests,
  states: { rejected: requests },
  kinds: { milestone: requests },
  mayHaveArrived: 0,
  leftOut: {},
  fileName: null,
  examples: [],
  digest: `digest of ${batchId}`,
  ...more,
});

describe('a plan over batches', () => {
  it('adds up what they say, and how long it takes', () => {
    const plan = plannedReplay(
      [batch('b_1', 12, { leftOut: { held: 1 } }), batch('b_2', 9, { mayHaveArrived: 2, leftOut: { held: 2 } })],
      asked(),
    );
    expect(plan).toMatchObject({
      requests: 21,
      states: { rejected: 21 },
      kinds: { milestone: 21 },
      mayHaveArrived: 2,
      leftOut: { held: 3 },
      seconds: 3,
    });
  });

  it('has a token of its own: another batch, digest, partner, environment or choice of the unclear is another plan', () => {
    const batches = [batch('b_1', 1), batch('b_2', 1)];
    const token = (more: Partial<ReplayRequest> = {}, of = batches): string => plannedReplay(of, asked(more)).confirm;
    const { filter } = asked().wanted;
    const tokens = [
      token(),
      token({ partner: 'other' }),
      token({ environment: 'production' }),
      token({ wanted: { filter, includeUnknown: true } }),
      token({}, [batch('b_1', 1)]),
      token({}, [batch('b_1', 1), batch('b_2', 1, { digest: 'changed' })]),
    ];
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(token({}, [...batches].reverse())).toBe(token());
    expect(token({ perSecond: 1 })).toBe(token());
    expect(token({}, [...batches, batch('b_3', 0, { leftOut: { held: 1 } })])).toBe(token());
  });
});

describe('a plan is begun', () => {
  const plan = plannedReplay([batch('b_1', 1)], asked());
  const unclear = plannedReplay([batch('b_1', 1, { mayHaveArrived: 1 })], asked());
  const empty = plannedReplay([], asked());

  it.each([
    ['without a token where nothing can arrive twice', plan, null, true],
    ['with its token', plan, plan.confirm, true],
    ['with its token where something can', unclear, unclear.confirm, true],
  ] as const)('%s', (_what, looked, confirm, isBegun) => {
    expect(confirmed(looked, confirm).ok).toBe(isBegun);
  });

  it.each([
    ['where something can arrive twice and nobody has looked', unclear, null, 'confirm_required'],
    ['with the token of another plan', plan, empty.confirm, 'plan_changed'],
    ['where nothing is left, and the token is of what there was', empty, plan.confirm, 'plan_changed'],
    ['where there is nothing', empty, null, 'nothing_to_replay'],
  ] as const)('never %s', (_what, looked, confirm, code) => {
    expect(confirmed(looked, confirm)).toEqual({ ok: false, error: { code } });
  });
});

describe('the name of an action', () => {
  it('is the same for the same key of the same operator in one environment, and another for any other', () => {
    const id = actionIdOf('test', 'key-1', 'click');
    expect(id).toMatch(ACTION_ID_FORM);
    expect(actionIdOf('test', 'key-1', 'click')).toBe(id);
    const others = [
      actionIdOf('production', 'key-1', 'click'),
      actionIdOf('test', 'key-2', 'click'),
      actionIdOf('test', 'key-1', 'click2'),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
  });

  it('comes with a fingerprint of what was asked, requests by name among it', () => {
    const places = new Map([['b_1', [{ record: 1, request: 1 }]]]);
    const others = [
      fingerprintOf(asked(), 'a'),
      fingerprintOf(asked(), 'b'),
      fingerprintOf(asked({ places }), 'a'),
      fingerprintOf(asked({ perSecond: 1 }), 'a'),
    ];
    expect(new Set(others).size).toBe(4);
    expect(fingerprintOf(asked(), 'a')).toBe(others[0]);
  });
});

describe('of requests named one by one', () => {
  const places = new Map([['b_1', [{ record: 4, request: 1 }]]]);
  it('a batch is asked for its own, and one of which none is named for none', () => {
    expect(wantedOf(asked({ places }), 'b_1').filter.places).toEqual([{ record: 4, request: 1 }]);
    expect(wantedOf(asked({ places }), 'b_2').filter.places).toEqual([]);
    expect(wantedOf(asked(), 'b_1').filter.places).toBeNull();
  });
});
