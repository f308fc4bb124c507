import { describe, expect, it } from 'vitest';
import { anApp, NO_CHANNELS, problemOf } from './samples.ts';

describe('an upload that is refused', () => {
  it.each(['POST', 'PUT'])('by %s gets words, code and status', async (method) => {
    const { request } = anApp();
    const answer = await request('/v1/batches?mapping=nothing', {
      method,
      body: 'a,b\n',
      headers: { 'Content-Length': '4' },
    });
    expect(answer.status).toBe(404);
    expect(await problemOf(answer)).toMatchObject({
      code: 'unknown_mapping',
      fix: 'Use one of by-row, changes, stops, status.',
    });
  });

  it('gets a Retry-After when it is not the caller’s fault', async () => {
    const { request } = anApp({ settings: NO_CHANNELS });
    const headers = { 'Content-Length': '4' };
    const answer = await request('/v1/batches?mapping=stops', { method: 'POST', body: 'a,b\n', headers });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('60');
    expect(await problemOf(answer)).toMatchObject({ code: 'channel_missing' });
  });

  it('is answered alike when curl -T puts the name of the file behind the slash', async () => {
    const { request } = anApp();
    const answer = await request('/v1/batches/events.csv?mapping=nothing', { method: 'PUT', body: 'x' });
    expect(await problemOf(answer)).toMatchObject({ code: 'unknown_mapping' });
  });

  it('is answered alike when the address ends with a slash, as curl -T writes it', async () => {
    const { request } = anApp();
    for (const method of ['POST', 'PUT']) {
      const answer = await request('/v1/batches/?mapping=nothing', { method, body: 'x' });
      expect(await problemOf(answer)).toMatchObject({ code: 'unknown_mapping' });
    }
  });
});
