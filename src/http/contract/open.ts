/** What anybody may ask for, without a key. */
import * as z from 'zod';
import { file, json, jsonOr, list, nothing, open, type Routes } from './route.ts';

const ProblemTypeShape = z
  .strictObject({
    type: z.string(),
    code: z.string(),
    title: z.string(),
    meanings: list(
      z.strictObject({
        area: z.string().describe('Where the code is met: an answer, a file of a format, a mapping.'),
        statuses: list(z.int()).describe('HTTP statuses of answers with it.'),
        says: list(z.string()).describe('Names in braces stand for what was found.'),
        fixes: list(z.string()),
        acts: z.string().describe('Who acts next.'),
      }),
    ),
    example: open<object>('An answer with it.').nullable(),
  })
  .meta({ id: 'ProblemType' });

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
  'GET /problems': {
    who: 'anybody',
    does: 'every code of a problem, as a page or as JSON',
    answers: { 200: jsonOr('All of them.', z.strictObject({ problems: list(ProblemTypeShape) }), ['text/html']) },
  },
  'GET /problems/{code}': {
    who: 'anybody',
    does: 'what a code means, who acts and what to do, as a page or as JSON; the `type` of a refusal is this address',
    answers: { 200: jsonOr('The code.', ProblemTypeShape, ['text/html']) },
  },
} as const satisfies Routes;
