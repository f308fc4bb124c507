import { beforeEach, describe, expect, it } from 'vitest';
import { type Client, PATHS } from './client.ts';

/** The sandbox's own controls, on which every other test of the bridge rests. */
export function journalClauses(client: () => Client): void {
  describe('journal and controls', () => {
    beforeEach(() => client().control('POST', 'reset'));

    it('records every request in order, with its body and without its secrets', async () => {
      await client().milestone();
      await client().formToken();
      await client().basicToken();
      const { entries, next } = await client().control('GET', 'journal');
      expect(entries.map(({ path }: { path: string }) => path)).toEqual([
        `/test${PATHS.milestones}`,
        '/test/token',
        `/test${PATHS.oauthToken}`,
      ]);
      expect(JSON.parse(entries[0].body)).toMatchObject({ loadNumber: 'L-1' });
      expect(entries[0]).toMatchObject({
        method: 'POST',
        environment: 'test',
        status: 200,
        applied: true,
        fault: null,
      });
      expect(entries[0].headers.carrierscac).toBe('DEMO');
      expect(entries[0].receivedAtMs).toBeGreaterThan(Date.now() - 60_000);
      expect(JSON.stringify(entries)).not.toMatch(/sandbox-test-key|sandbox-test-secret|sbx-test/);
      expect(next).toBe(3);
    });

    it('shows the same credential as the same fingerprint', async () => {
      const token = (await client().formToken()).json.access_token;
      await client().loadEvent(token);
      await client().loadEvent(token);
      await client().milestone({ key: 'sandbox-test-key-2' });
      const { entries } = await client().control('GET', 'journal?after=1');
      const [first, second, third] = entries.map(({ headers }: { headers: Record<string, string> }) => headers);
      expect(first.authorization).toMatch(/^Bearer sha256:[0-9a-f]{16}$/);
      expect(second).toMatchObject({
        authorization: first.authorization,
        'ocp-apim-subscription-key': first['ocp-apim-subscription-key'],
      });
      expect(third['ocp-apim-subscription-key']).not.toBe(first['ocp-apim-subscription-key']);
    });

    it('keeps refused requests as not applied', async () => {
      await client().milestone({ scac: 'NOPE' });
      expect(await client().lastEntry()).toMatchObject({ status: 403, applied: false });
    });

    it('loses nothing of four hundred requests, eight at a time, and pages through them', async () => {
      let sent = 0;
      const lane = async (): Promise<void> => {
        while (sent < 400) {
          sent += 1;
          await client().milestone({}, { loadNumber: `L-${sent}` });
        }
      };
      await Promise.all(Array.from({ length: 8 }, lane));
      const loads = new Set<string>();
      for (let after = 0; ; ) {
        const { entries, next } = await client().control(
          'GET',
          `journal?after=${after}&limit=150&path=/test/rcsc/events/*`,
        );
        if (entries.length === 0) break;
        for (const { body } of entries) loads.add(JSON.parse(body).loadNumber);
        after = next;
      }
      expect(loads.size).toBe(400);
      const { requests } = await client().control('GET', 'state');
      expect(requests).toMatchObject([{ path: `/test${PATHS.milestones}`, status: 200, applied: true, count: 400 }]);
    });

    it('counts tokens by environment and endpoint', async () => {
      await Promise.all([client().basicToken(), client().basicToken(), client().formToken('production')]);
      const { tokensMinted } = await client().control('GET', 'state');
      expect(tokensMinted).toHaveLength(2);
      expect(tokensMinted).toEqual(
        expect.arrayContaining([
          { environment: 'production', account: 'demo', endpoint: 2, count: 1 },
          { environment: 'test', account: 'demo', endpoint: 1, count: 2 },
        ]),
      );
    });

    it('refuses a body longer than it reads', async () => {
      const { status } = await client().milestone({ body: JSON.stringify({ text: 'x'.repeat(4 * 1024 * 1024) }) });
      expect(status).toBe(413);
    });
  });
}
