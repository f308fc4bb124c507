/** What a monitor reads: figures as text, layers one by one, and a log that quotes nothing of what was sent. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Alert } from '../../../src/http/ops/views/alerts.ts';
import { HOUR_MS } from '../../../src/kernel/clock.ts';
import { log } from '../../../src/kernel/log.ts';
import { loadsFile, mixedAnswers, unique, uploaded } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner } from '../partners.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Layers {
  state: string;
  layers: { layer: string; channel: string | null; state: string; detail: string | null }[];
}

describe('a monitor', () => {
  it('reads what ended and what is under way, as text, without asking a batch', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    await uploaded(partner, loadsFile(unique(), 'fine', 'bad', 'held'), { delivered: 1, rejected: 1, held: 1 });
    const calls = vi.spyOn(env.BATCH, 'getByName');
    const text = async (): Promise<string> => {
      const answer = await operator.fetch('/v1/ops/metrics/prometheus?environment=test');
      expect(answer.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      return answer.text();
    };
    const labels = `partner="${partner.name}"`;
    await vi.waitFor(async () => {
      const told = await text();
      expect(told).toMatch(new RegExp(`transload_requests_total{${labels},channel="\\w+",outcome="delivered"} 1\n`));
      expect(told).toMatch(new RegExp(`transload_requests_total{${labels},channel="\\w+",outcome="refused"} 1\n`));
      expect(told).toContain(`transload_rows_open{${labels},state="held"} 1\n`);
      expect(told).toContain('transload_alerts{code="rows_held"} 1\n');
    }, PATIENCE);
    expect(calls).not.toHaveBeenCalled();
    const nobody = await operator.fetch('/v1/ops/metrics/prometheus?environment=production');
    expect(nobody.status).toBe(403);
  });

  it('sees which layer fails, and that the others do not', async () => {
    const operator = await anOperator();
    const layers = () => operator.getJson<Layers>('/v1/ops/health/layers?environment=test');
    const fine = await layers();
    expect(fine.state).toBe('ok');
    expect(new Set(fine.layers.map(({ layer }) => layer))).toEqual(
      new Set(['database', 'cache', 'files', 'objects', 'token']),
    );
    vi.spyOn(env.FILES, 'head').mockRejectedValue(new Error('away'));
    const failing = await layers();
    expect(failing.state).toBe('failing');
    expect(failing.layers.filter(({ state }) => state !== 'ok')).toMatchObject([{ layer: 'files', detail: 'away' }]);
  });

  it('is told of answers of 5xx, which are counted where they are logged', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const operator = await anOperator();
    const minute = Math.floor(Date.now() / 60_000);
    await env.DIRECTORY.prepare('INSERT INTO fault_minute VALUES (?, ?, ?)').bind(minute, 'request_failed', 7).run();
    const { alerts } = await operator.getJson<{ alerts: Alert[] }>('/v1/ops/alerts?environment=test');
    const failing = alerts.find(({ code }) => code === 'answers_failing');
    expect(failing?.detail).toMatch(/^\d+ answers of 5xx in the last 15 minutes: request_failed \d+/);
    expect((await operator.fetch(failing?.links.api ?? '')).status).toBe(200);
  });

  it('hears of what fails in an object, too', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await anOperator();
    const later = Date.now() + HOUR_MS; // whatever was counted before, it is written at once
    await runInDurableObject(env.BATCH.getByName('["test","nobody","b_0"]'), () => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
      log('error', 'planned_wake_up_failed');
      clock.mockRestore();
    });
    const sql = `SELECT count FROM fault_minute WHERE event = 'planned_wake_up_failed'`;
    await vi.waitFor(async () => expect(await env.DIRECTORY.prepare(sql).first('count')).toBe(1), PATIENCE);
  });
});

describe('the log', () => {
  it('quotes no key, no secret and nothing of a file, whatever fails', async () => {
    const lines: string[] = [];
    for (const level of ['info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const canary = `CANARY${unique()}`;
    await uploaded(partner, loadsFile(canary, 'fine', 'bad'), { delivered: 1, rejected: 1 });
    await partner.receipt(`${canary},no,header\n1,2,3\n`);
    vi.spyOn(env.FILES, 'put').mockRejectedValue(new Error('internal error; reference = 1'));
    expect((await partner.upload(loadsFile(`${canary}-2`, 'fine'))).status).toBe(503);
    vi.spyOn(env.DIRECTORY, 'batch').mockRejectedValue(new Error('D1_ERROR: away'));
    await operator.fetch('/v1/ops/alerts?environment=test');
    expect(lines.length).toBeGreaterThan(1);
    const secrets = [canary, 'canary-', partner.key, partner.key.slice(-32), operator.key.slice(-32)];
    for (const secret of secrets) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    expect(lines.every((line) => typeof (JSON.parse(line) as { event: unknown }).event === 'string')).toBe(true);
  });
});
