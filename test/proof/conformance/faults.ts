import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, MILESTONE, PATHS } from './client.ts';

export type Front = 'wrangler dev' | 'bare workerd';

/**
 * seed 7.1 and the faults on demand, as a Node client sees them. Under `wrangler dev` its proxy answers for a dropped
 * connection (src/sandbox/faults/perform.ts); on bare workerd the client meets the drop itself.
 */
export function faultClauses(client: () => Client, front: Front): void {
  const creates = async (): Promise<number> => (await client().control('GET', 'state')).orders;

  describe(`faults under ${front} (7.1)`, () => {
    beforeAll(() => client().control('POST', 'reset'));

    it.each([200, 302, 404, 500])('answers with status %i, body and headers of the rule', async (status) => {
      await client().fault({
        type: 'status',
        status,
        headers: { 'content-type': 'text/html', 'x-a': 'b' },
        body: '<p>odd</p>',
      });
      const heard = await client().milestone();
      expect([heard.status, heard.text, heard.headers.get('x-a')]).toEqual([status, '<p>odd</p>', 'b']);
      expect(await client().lastEntry()).toMatchObject({ status, applied: false, fault: 'rule-1' });
      expect((await client().milestone()).status).toBe(200);
    });

    it('applies a create whose answer is a 500', async () => {
      const before = await creates();
      await client().fault({ type: 'status', status: 500, apply: 'before' });
      expect((await client().call('POST', PATHS.orders, { body: { orderRef: 'PO-500' } })).status).toBe(500);
      expect(await creates()).toBe(before + 1);
    });

    it.each([
      ['before', 1],
      ['never', 0],
    ])('resets the connection of a create that is applied %s', async (apply, applied) => {
      const before = await creates();
      await client().fault({ type: 'reset', apply });
      const call = { body: { orderRef: 'PO-R' } };
      if (front === 'bare workerd') expect(await client().failure('POST', PATHS.orders, call)).toBe('fetch_failed');
      else
        expect(await client().call('POST', PATHS.orders, call)).toMatchObject({
          status: 500,
          text: expect.stringContaining('Network connection lost'),
        });
      expect(await creates()).toBe(before + applied);
      expect(await client().lastEntry()).toMatchObject({ status: null, manner: 'reset', applied: applied === 1 });
    });

    it('resets the connection of a GET, which reaches the service once', async () => {
      await client().fault({ type: 'reset', apply: 'before' });
      const first = (await client().lastEntry()).seq;
      const failure = await client().failure('GET', PATHS.vehicles);
      expect(failure).toBe(front === 'bare workerd' ? 'fetch_failed' : 'body_failed');
      expect((await client().lastEntry()).seq).toBe(first + 1);
    });

    it('applies late, after the connection was reset', async () => {
      const before = await creates();
      await client().fault({ type: 'reset', apply: 'after', lateMs: 250 });
      await client()
        .call('POST', PATHS.orders, { body: { orderRef: 'PO-LATE' } })
        .catch(() => undefined);
      expect(await creates()).toBe(before);
      await expect.poll(creates, { timeout: 5_000 }).toBe(before + 1);
      expect(await client().lastEntry()).toMatchObject({ applied: true });
    });

    it('delays the true answer', async () => {
      await client().fault({ type: 'delay', ms: 300 });
      const startedMs = performance.now();
      expect((await client().milestone()).status).toBe(200);
      expect(performance.now() - startedMs).toBeGreaterThan(290);
    });

    it('cuts a body short, on the wire or cleanly', async () => {
      const body = { orderRef: 'PO-CUT' };
      await client().fault({ type: 'truncate', keepBytes: 9 });
      expect(await client().failure('POST', PATHS.orders, { body })).toBe('body_failed');
      await client().fault({ type: 'truncate', keepBytes: 9, clean: true });
      expect(await client().call('POST', PATHS.orders, { body })).toMatchObject({
        status: 200,
        text: expect.stringMatching(/^\{"id":".{2}$/),
      });
    });

    it('drips a body', async () => {
      await client().fault({ type: 'drip', chunkBytes: 40, everyMs: 60 });
      const startedMs = performance.now();
      expect((await client().milestone()).json.status).toBe('accepted');
      expect(performance.now() - startedMs).toBeGreaterThan(110);
    });

    it('redirects without following or applying', async () => {
      await client().fault({ type: 'redirect', status: 307, location: 'http://127.0.0.1:9/elsewhere' });
      const heard = await client().milestone();
      expect([heard.status, heard.headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/elsewhere']);
      expect((await client().lastEntry()).applied).toBe(false);
    });

    it.each([2, 'Wed, 21 Oct 2026 07:28:00 GMT', 'soon', -5])('answers 429 with Retry-After %s', async (retryAfter) => {
      await client().fault({ type: 'too_many_requests', retryAfter });
      const heard = await client().milestone();
      expect([heard.status, heard.headers.get('retry-after')]).toEqual([429, String(retryAfter)]);
    });

    it('expires the token that came with the request, and no other', async () => {
      const [first, second] = await Promise.all([client().basicToken(), client().basicToken()]);
      await client().fault({ type: 'expired_token' });
      expect((await client().loadEvent(first.json.access_token)).json.error.code).toBe('token_expired');
      expect((await client().loadEvent(first.json.access_token)).json.error.code).toBe('token_expired');
      expect((await client().loadEvent(second.json.access_token)).status).toBe(200);
    });

    it('loses a poll: the cursor has moved, the answer is gone', async () => {
      await client().createOrder({ partnerId: 'P-L', clientId: 'C-L' });
      const poll = `${PATHS.history}?partnerId=P-L&clientId=C-L`;
      await client().fault({ type: 'lost_poll' });
      expect(await client().failure('GET', poll)).toBe('body_failed');
      expect(await client().eventCodes(poll)).toEqual([]);
    });

    it('sends a long body, a long header, and gzip that is none', async () => {
      await client().fault({ type: 'oversize', bodyBytes: 3_000_000, headerBytes: 5_000 });
      const heard = await client().milestone();
      expect([heard.text.length, heard.headers.get('x-padding')?.length]).toEqual([3_000_000, 5_000]);
      await client().fault({ type: 'bad_gzip' });
      expect(await client().failure('POST', PATHS.milestones, { body: MILESTONE })).toBe('body_failed');
    });
  });
}
