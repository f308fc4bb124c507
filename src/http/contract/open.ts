/** What anybody may ask for, without a key. */
import { z } from 'zod';
import { file, json, nothing, open, type Routes } from './route.ts';

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
  'GET /openapi.json': {
    who: 'anybody',
    does: 'all of this for programs, as OpenAPI 3.1',
    answers: { 200: json('The description.', open<object>('OpenAPI 3.1.')) },
  },
  'GET /docs': {
    who: 'anybody',
    does: 'the subjects of the API, for people',
    answers: { 200: file('A page.', 'text/html') },
  },
  'GET /docs/{subject}': {
    who: 'anybody',
    does: 'the addresses of a subject, with what they take and answer',
    answers: { 200: file('A page.', 'text/html') },
  },
} as const satisfies Routes;
