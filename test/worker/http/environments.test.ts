/** Test and production stay apart on the way out, and no secret leaves by any door. Every outgoing call is recorded. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Environment } from '../../../src/kernel/names.ts';
import { loadName } from '../../../src/kernel/names.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aBatch } from '../batches.ts';
import { bridge } from '../bridge.ts';
import { TEST_CHANNEL_SECRETS } from '../channels.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { type Left, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const MILESTONES = '/rcsc/events/v1/loads/milestone-requests';
const TOKEN = '/identityservices/oauth2/default/v1/token';
const addresses = (left: readonly Left[]): string[] => [...new Set(left.map(({ url }) => url))].sort();

async function delivered(partner: Partner, file: string): Promise<void> {
  const { batchId } = await partner.receipt(file);
  const { rows, rowStates } = await partner.reaches(batchId, 'settled');
  expect(rowStates.delivered).toBe(rows);
}

describe('a test key', () => {
  it.each([
    ['test', 'http://127.0.0.1:9/upstream-test', ['plain', 'bearer']],
    ['production', 'http://127.0.0.1:11/upstream-live', ['live', 'live-bearer']],
  ] as const)(
    'and a production key reach only the origin of their environment: %s',
    async (environment, base, channels) => {
      const upstream = upstreamAnswers(200);
      for (const channel of channels) {
        const partner = await aPartner({ environment, channel });
        await delivered(partner, statusFile(...statusRows(6, 3)));
      }
      expect(addresses(upstream.left)).toEqual([base + MILESTONES]);
      expect(addresses(upstream.tokenRequests)).toEqual([base + TOKEN]);
      const sent = JSON.stringify([upstream.left, upstream.tokenRequests]);
      const foreign = Object.entries(TEST_CHANNEL_SECRETS).filter(
        ([name]) => !(channels as readonly string[]).includes(name),
      );
      for (const [, { apiKey, clientSecret }] of foreign) {
        expect(sent).not.toContain(`"${apiKey}"`);
        expect(sent).not.toContain(btoa(`${apiKey}:${clientSecret}`));
      }
    },
  );

  it('and a production key of one partner, with the same file, deliver it once each to their own origin', async () => {
    const { left } = upstreamAnswers(200);
    const test = await aPartner();
    const live = await aPartner({ partner: test.name, environment: 'production' });
    const file = statusFile(...statusRows(4, 2));
    await Promise.all([delivered(test, file), delivered(live, file)]);
    const perOrigin = Map.groupBy(left, ({ url }) => new URL(url).host);
    expect([...perOrigin.keys()].sort()).toEqual(['127.0.0.1:11', '127.0.0.1:9']);
    const bodies = [...perOrigin.values()].map((calls) => calls.map(({ body }) => body).sort());
    expect(bodies[0]).toHaveLength(4);
    expect(bodies[0]).toEqual(bodies[1]);
    const lane = (environment: Environment) =>
      env.LOAD.getByName(loadName({ environment, partner: test.name }, 'DEMO', 'LD0')).timeline();
    expect((await lane('test')).length + (await lane('production')).length).toBe(4);
  });

  it.each([
    ['test', 'live'],
    ['test', 'live-bearer'],
    ['production', 'plain'],
    ['production', 'nowhere'],
  ] as const)(
    'whose row names a channel of the other environment is refused: %s and %s',
    async (environment, channel) => {
      const { left, tokenRequests } = upstreamAnswers(200);
      const partner = await aPartner({ environment, channel });
      const answer = await partner.upload(statusFile(...statusRows(2, 1)));
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).not.toBeNull();
      expect(await problemOf(answer)).toMatchObject({
        code: 'channel_missing',
        detail: expect.stringContaining(channel),
      });
      expect((await env.FILES.list()).objects).toEqual([]);
      expect([...left, ...tokenRequests]).toEqual([]);
    },
  );
});

describe('a forged ticket', () => {
  it.each([
    ['test', 'live'],
    ['test', 'live-bearer'],
    ['production', 'plain'],
    ['production', 'bearer'],
  ] as const)('of environment %s with channel %s sends nothing and asks for no token', async (environment, channel) => {
    const { left, tokenRequests } = upstreamAnswers(200);
    const batch = await aBatch(statusFile(...statusRows(4, 2)), { environment, channel });
    await batch.stub().create(batch.ticket);
    expect((await batch.reaches('settled')).rowStates).toEqual({ dead: 4 });
    const [row] = await batch.rows();
    expect(row?.requests[0]).toMatchObject({ reason: 'channel_missing', outcome: 'not_applied', attempts: 0 });
    expect([...left, ...tokenRequests]).toEqual([]);
  });
});

interface Health {
  channels: { name: string; parkedScacs: unknown[] }[];
}
const posted = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

describe('no secret', () => {
  /** Every door something could leave by, read out after a run that met every kind of answer. */
  it('of a channel or a key stands in any response, stored object, or log line of a whole run', async () => {
    const logged: string[] = [];
    for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((...line) => {
        logged.push(line.join(' '));
      });
    }
    const upstream = upstreamAnswers(401, 200, 400, 500, new Error('Network connection lost.'), 403, 429, 200);
    upstream.answerTokens(500, () => Response.json({ access_token: 'canary-token', expires_in: 600 }));
    const partners = [
      await aPartner(),
      await aPartner({ channel: 'bearer' }),
      await aPartner({ channel: 'second-endpoint' }),
    ];
    const responses: string[] = [];
    const keep = async (answer: Response) => {
      responses.push(JSON.stringify([...answer.headers]) + (await answer.text()));
      return answer;
    };
    const file = statusFile(...statusRows(5, 2), statusRow('LD9', { Status: 'Q9' }));
    const settled = async (partner: Partner) => {
      const { batchId, links } = await partner.receipt(file);
      await partner.reaches(batchId, 'settled');
      return { partner, links };
    };
    const operator = await anOperator();
    const parked = vi.waitFor(async () => {
      const { channels } = await operator.getJson<Health>('/v1/ops/health?environment=test');
      expect(channels.find(({ name }) => name === 'plain')?.parkedScacs).toHaveLength(1);
      const release = { scope: 'scac:DEMO', reason: 'a test' };
      await keep(await operator.fetch('/v1/ops/channels/plain/release?environment=test', posted(release)));
    }, PATIENCE);
    const [first, ...others] = partners;
    const ended = [await settled(first as Partner), ...(await Promise.all(others.map(settled)))];
    await parked;
    for (const { partner, links } of ended) {
      const paths = [
        ...Object.values(links).filter((path) => path !== links.source),
        `${links.console}?state=all`,
        '/v1/batches',
      ];
      for (const path of paths) await keep(await partner.fetch(path));
      await keep(await partner.upload(file));
      await keep(await partner.upload('', { mapping: 'none' }));
      await keep(await partner.fetch(`/v1/batches?key=${partner.key.slice(0, 6)}`, { method: 'DELETE' }));
      const wrong = `${partner.key.slice(0, -1)}x`;
      await keep(await bridge(`${ORIGIN}/v1/batches`, { headers: { Authorization: `Bearer ${wrong}` } }));
    }
    await env.DIRECTORY.prepare('DROP TABLE partner_key').run();
    for (const partner of partners) await keep(await partner.fetch('/v1/batches'));
    const stored: string[] = [];
    for (const { key } of (await env.FILES.list()).objects)
      stored.push(key + (await (await env.FILES.get(key))?.text()));

    expect(upstream.left.length).toBeGreaterThan(15);
    expect(JSON.stringify(upstream.left)).toContain('canary-key-plain');
    expect(logged.length).toBeGreaterThan(0);
    expect(stored.length).toBeGreaterThan(3);
    const secrets = [
      'canary-',
      ...partners.map(({ key }) => key.slice(key.lastIndexOf('_') + 1, -1)),
      ...Object.values(TEST_CHANNEL_SECRETS).map(({ apiKey, clientSecret }) => btoa(`${apiKey}:${clientSecret}`)),
    ];
    for (const [door, texts] of Object.entries({ responses, stored, logged })) {
      for (const secret of secrets)
        expect(
          texts.filter((text) => text.includes(secret)),
          door,
        ).toEqual([]);
    }
  });
});
