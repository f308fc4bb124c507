import { describe, expect, it } from 'vitest';
import { ANSWER_BYTES_MAX } from '../../../src/kernel/limits.ts';
import type { Answer } from '../../../src/upstream/answer.ts';
import { maskObservation } from '../../../src/upstream/compose.ts';

const KEY = 'canary"key\\x';
const CALL = { url: 'https://x.example', method: 'GET', headers: { 'Ocp-Apim-Subscription-Key': KEY } };
const answer = (over: Partial<Answer>): Answer => ({
  outcome: 'answered',
  status: 200,
  headers: {},
  body: '',
  bodyEncoding: 'utf-8',
  bodyEnd: 'whole',
  latencyMs: 1,
  ...over,
});
const kept = (over: Partial<Answer>): string => JSON.stringify(maskObservation(answer(over), CALL));

describe('what is kept of an answer', () => {
  it('holds no key that a header echoes, the host of a redirect included', () => {
    expect(
      kept({ headers: { 'x-request-id': `for ${KEY}`, 'location-host': `${KEY}.elsewhere.example` } }),
    ).not.toContain('canary');
  });

  it('holds no key that is escaped in JSON', () => {
    expect(kept({ body: JSON.stringify({ echo: KEY }) })).not.toContain('canary');
  });

  const LONG = 'canary"key/with+all&signs<0>';
  const LONG_CALL = { ...CALL, headers: { 'Ocp-Apim-Subscription-Key': LONG } };
  it.each<[string, string]>([
    ['percent-encoded', encodeURIComponent(LONG)],
    ['in a form', new URLSearchParams([['k', LONG]]).toString()],
    [
      'in HTML',
      LONG.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ],
    ['in hexadecimal', Buffer.from(LONG).toString('hex')],
    ['in Base64', Buffer.from(LONG).toString('base64')],
    ['in Base64 for addresses', Buffer.from(LONG).toString('base64url')],
    ['as the password of Basic', `Basic ${Buffer.from(`u:${LONG}`).toString('base64')}`],
  ])('holds no key that is echoed %s', (_, echo) => {
    const stored = JSON.stringify(maskObservation(answer({ body: `it was ${echo} here` }), LONG_CALL));
    expect(stored).toContain('[secret]');
    for (let from = 0; from + 12 <= echo.length; from += 1) expect(stored).not.toContain(echo.slice(from, from + 12));
  });

  it.each([0, 1, 2])('holds no key within Base64 that begins at another byte: %i', (before) => {
    const echo = Buffer.from(`${'.'.repeat(30 + before)}${LONG}${'.'.repeat(30)}`).toString('base64');
    const stored = maskObservation(answer({ body: echo }), LONG_CALL).body;
    expect(stored).toMatch(/^[\w+/]+\[secret\][\w+/]+=*$/);
    const around = stored.split('[secret]').map((part) => Buffer.from(part, 'base64').toString('latin1'));
    for (const part of around) expect(part).not.toMatch(/can|key|sign/);
  });

  it('holds no beginning of a key that the cap or a break cut off', () => {
    expect(kept({ body: `${'x'.repeat(ANSWER_BYTES_MAX - 6)}canary`, bodyEnd: 'capped' })).not.toContain('canary');
    expect(kept({ body: 'before canar', bodyEnd: 'cut' })).toContain('before [secret]');
  });

  it('holds no key of which the cap left out its last character, and not one of its first four', () => {
    const cut = (body: string) => kept({ body, bodyEnd: 'capped' });
    expect(cut(`echo ${KEY.slice(0, -1)}`)).toContain('"echo [secret]"');
    expect(cut('echo cana')).toContain('"echo [secret]"');
    expect(cut('echo can')).toContain('"echo can"'); // three characters may be of any word
  });

  it('leaves the end of a whole body alone', () => {
    expect(kept({ body: 'song of a canary' })).toContain('song of a canary');
  });
});
