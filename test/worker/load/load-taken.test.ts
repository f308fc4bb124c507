/** What a load keeps of what is handed over to it: the body that is going to leave, and what says the same. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Load } from '../../../src/tracking/load.ts';
import type { DispatchedRequest } from '../../../src/tracking/request.ts';
import { asking } from '../delivery-rules.ts';
import { aLoad } from '../loads.ts';
import { pointBody } from '../traces.ts';

beforeEach(() => {
  vi.spyOn(Load.prototype, 'alarm').mockResolvedValue(undefined); // nothing leaves
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const MILESTONE = { kind: 'milestone', body: '{"loadNumber":"L1","eventCode":"X3"}' } as const;
const PLAIN = { kind: 'loadMilestoneEvent', body: '{"load_id":"L1","milestone_type":"departed"}' } as const;
const POINT = { kind: 'trace', body: pointBody('L1', 1) } as const;
const NO_POINT = { kind: 'trace', body: '{"loadNumber":"L1"}' } as const;
const KINDS = [MILESTONE, PLAIN, POINT, NO_POINT];

/** These, one record each, as a load keeps them. */
async function kept(...handed: Partial<DispatchedRequest>[]) {
  const load = aLoad();
  await load.stub().enqueue(
    load.identity,
    handed.map((more, index) => load.request(index + 1, more)),
  );
  return (await load.timeline()).map(({ request }) => request);
}

describe('the body that a load is going to send', () => {
  it.each([
    ['asks for nothing', {}],
    ['asks for no key', asking({ namesKey: false })],
  ])('is as it was mapped, where its mapping %s', async (_, asked) => {
    const requests = await kept(...KINDS.map((each) => ({ ...each, ...asked })));
    expect(requests.map(({ body }) => body)).toEqual(KINDS.map(({ body }) => body));
  });

  it('names its request, where its mapping asks for that and its kind has a place for it', async () => {
    const requests = await kept(...KINDS.map((each) => ({ ...each, ...asking({ namesKey: true }) })));
    const [milestone, plain, point, noPoint] = requests.map(({ body }) => body);
    const named = (record: number) => [{ name: 'TRANSLOAD', value: `b_1/${record}/1` }];
    expect(JSON.parse(milestone ?? '')).toEqual({ ...JSON.parse(MILESTONE.body), references: named(1) });
    expect(JSON.parse(point ?? '').traces).toMatchObject([{ odometer: 1, references: named(3) }]);
    expect([plain, noPoint]).toEqual([PLAIN.body, NO_POINT.body]);
  });
});

describe('two events of a load', () => {
  it.each([
    ['milestones', MILESTONE, '{"loadNumber":"L1","eventCode":"X1"}'],
    ['milestones of the other form', PLAIN, '{"load_id":"L1","milestone_type":"arrived"}'],
    ['positions', POINT, pointBody('L1', 2)],
  ])('are known to say the same, and to say something else: %s', async (_, event, otherBody) => {
    const [one, same, other] = await kept(event, event, { ...event, body: otherBody });
    expect(one?.business_key).toEqual(expect.any(String));
    expect(same?.business_key).toBe(one?.business_key);
    expect(other?.business_key).not.toBe(one?.business_key);
  });

  it('that cannot be read say nothing alike', async () => {
    expect((await kept(NO_POINT, NO_POINT)).map(({ business_key }) => business_key)).toEqual([null, null]);
  });
});
