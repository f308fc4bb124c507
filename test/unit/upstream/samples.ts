/** A channel, a clock and a fake fetch for the tests of this folder. Addresses end in `.example`; nothing here leaves the process. */
import { vi } from 'vitest';
import type { Clock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import type { Channel } from '../../../src/upstream/channels.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';

export const NOW_MS = Date.UTC(2026, 2, 2, 8);
export const API_KEY = 'canary-api-key';
export const CLIENT_ID = 'canary-client-id';
export const CLIENT_SECRET = 'canary-client-secret';
export const BASE_URL = 'https://upstream.example';

export const clockAt = (nowMs = NOW_MS, timeScale = 1): Clock => ({ nowMs: () => nowMs, timeScale });

export const aChannel = (more: Partial<Channel> = {}): Channel => ({
  name: 'main',
  environment: 'test',
  baseUrl: BASE_URL,
  tokenEndpoint: 'oauth',
  scacs: ['ABCD'],
  ratePerSecond: 100,
  burst: 200,
  probe: 'locations',
  fleet: 'shown',
  orderPreCheck: false,
  otherUpdates: 'refuse',
  auth: { ...NOT_SHOWN.authByApi },
  apiKey: new Secret(API_KEY),
  clientId: new Secret(CLIENT_ID),
  clientSecret: new Secret(CLIENT_SECRET),
  ...more,
});

export interface SeenRequest {
  url: string;
  method: string;
  redirect: string | undefined;
  headers: Record<string, string>;
  body: string | undefined;
}

/**
 * Puts answers in place of the network, one per call, the last one repeating; an Error is thrown as fetch throws.
 * @returns what was sent, in order.
 */
export function upstreamAnswers(...answers: (Response | Error | (() => Promise<Response>))[]): SeenRequest[] {
  const seen: SeenRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit): Promise<Response> => {
    const headers = init.headers as Record<string, string>;
    const body = init.body as string | undefined;
    seen.push({ url, method: init.method ?? '', redirect: init.redirect, headers, body });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'function') return answer();
    if (!answer) throw new Error('no answer was prepared');
    return answer.clone();
  });
  return seen;
}

export const json = (value: unknown, status = 200): Response => Response.json(value, { status });
