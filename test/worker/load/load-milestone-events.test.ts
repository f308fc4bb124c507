/** The OAuth-protected milestone event: in the milestones' lane, with a bearer token whatever the channel's events take. */
import { reset } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aLoad } from '../loads.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const EVENT = {
  kind: 'loadMilestoneEvent',
  body: '{"load_id":"LD1","milestone_type":"departed","event_time":"2026-03-02T08:15:00-06:00"}',
} as const;

describe('a load milestone event', () => {
  it('is posted to its own address with key and bearer, without a SCAC header, its body exact', async () => {
    const { left, tokenRequests } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1], EVENT);
    await load.reaches('delivered');
    expect(tokenRequests).toHaveLength(1);
    expect(left).toEqual([
      expect.objectContaining({
        url: 'http://127.0.0.1:9/upstream-test/v1/load-milestone-events',
        method: 'POST',
        body: EVENT.body,
        headers: expect.objectContaining({
          'Ocp-Apim-Subscription-Key': 'canary-key-plain',
          Authorization: 'Bearer token-1',
        }),
      }),
    ]);
    expect(left[0]?.headers).not.toHaveProperty('carrierSCAC');
  });

  it('keeps its place among the milestones of its load', async () => {
    const upstream = upstreamAnswers(200);
    const load = aLoad();
    await load.stub().enqueue(load.identity, [load.request(1), load.request(2, EVENT), load.request(3)]);
    await load.reaches('delivered', 'delivered', 'delivered');
    expect(upstream.left.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toEqual([
      'milestone-requests',
      'load-milestone-events',
      'milestone-requests',
    ]);
    expect(upstream.inFlightMax()).toBe(1);
  });

  it('is sent again byte for byte after an unclear answer, and flagged', async () => {
    const { left } = upstreamAnswers(500, 200);
    const load = aLoad();
    await load.dispatch([1], EVENT);
    await load.reaches('delivered');
    expect(left.map(({ body }) => body)).toEqual([EVENT.body, EVENT.body]);
    const [entry] = await load.timeline();
    expect(entry?.request).toMatchObject({ possible_duplicate: 1, attempts: 2 });
  });

  it('waits in line while no token can be had, and loses no try', async () => {
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(500, () => Response.json({ access_token: 'late', expires_in: 3600 }));
    const load = aLoad();
    await load.dispatch([1], EVENT);
    await load.reaches('delivered');
    const [entry] = await load.timeline();
    expect(entry?.request).toMatchObject({ tries: 1, attempts: 1 });
    expect(upstream.left[0]?.headers).toMatchObject({ Authorization: 'Bearer late' });
  });
});
