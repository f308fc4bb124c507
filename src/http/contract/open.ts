/** What anybody may ask for, without a key. */
import { z } from 'zod';
import { json, nothing, type Routes } from './route.ts';

export const OPEN_ROUTES = {
  'GET /': {
    who: 'anybody',
    does: 'sends a browser to `/console`',
    answers: { 302: nothing('To the console.') },
  },
  'GET /healthz': {
    who: 'anybody',
    does: '200 if the configuration is accepted, else 503',
    answers: { 200: json('It is.', z.strictObject({ state: z.literal('ok') })) },
  },
} as const satisfies Routes;
