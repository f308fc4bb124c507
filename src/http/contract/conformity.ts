/** Whether an answer is what the contract says. Pure: for tests, and for whoever answers in the place of the bridge. */
import * as z from 'zod';
import { refusalsOf } from './contract.ts';
import { type NamedRoute, routeOf } from './match.ts';
import { problemType } from './problem-types.ts';
import { JSON_TYPE, type Media, PROBLEM_TYPE } from './route.ts';
import { ProblemDocument } from './shapes.ts';

/** @property text of the body; null: it is not looked at. headers: names. */
interface Answering {
  method: string;
  path: string;
  status: number;
  type: string | null;
  text: string | null;
  headers: readonly string[];
}

/** @returns what is wrong with an answer; nothing for a path that no route has. */
export function nonconformity(answer: Answering): string[] {
  const found = routeOf(answer.method, answer.path);
  if (found === undefined) return [];
  return [...problemsOf(found, answer), ...undocumentedHeaders(found, answer)].map(
    (text) => `${found.name} → ${answer.status}: ${text}`,
  );
}

function problemsOf({ route }: NamedRoute, { method, status, type, text }: Answering): string[] {
  const told = route.answers[status];
  const isRefused = type?.startsWith(PROBLEM_TYPE) === true;
  if (isRefused && !refusalsOf(route).includes(status)) return [`undocumented refusal: ${text ?? ''}`];
  if (isRefused) return method === 'HEAD' ? [] : [...shapeProblems(ProblemDocument, text), ...withoutPage(text)];
  if (status === 304 && route.isPolled) return [];
  if (status === 302 && route.page !== undefined) return [];
  if (status === 204 && method === 'OPTIONS') return [];
  if (told === undefined) return [`undocumented status, of type ${type}`];
  if (type === null || method === 'HEAD') return [];
  const [plain = ''] = type.split(';');
  const shape = shapeIn(told.media, plain.trim());
  if (shape === undefined) return [`undocumented media type ${type}`];
  return shape === null ? [] : shapeProblems(shape, text);
}

/** Each code leads to a page that explains it. */
function withoutPage(text: string | null): string[] {
  const { code } = JSON.parse(text ?? '{"code":null}') as { code: string | null };
  return code === null || problemType(code) !== undefined ? [] : [`no page explains the code ${code}`];
}

/** On answers of any route: `edge/manners.ts` and `app.ts` set them. */
const USUAL_HEADERS: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'cache-control', 'vary', 'x-request-id', 'x-content-type-options'],
  'ratelimit-policy', // of a key
  ...['access-control-allow-origin', 'access-control-expose-headers'], // to a page of another site
  ...['strict-transport-security', 'referrer-policy', 'content-security-policy'],
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy'],
  'content-disposition', // the name that a file is saved under
]);
/** By status, whatever the route. */
const OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  202: ['retry-after'],
  204: ['allow'],
  302: ['location'],
  401: ['www-authenticate'],
  405: ['allow'],
  409: ['retry-after'],
  416: ['content-range', 'accept-ranges'],
  429: ['retry-after', 'ratelimit'],
  502: ['retry-after'],
  503: ['retry-after'],
};

function undocumentedHeaders({ route }: NamedRoute, { status, headers }: Answering): string[] {
  const told = Object.keys(route.answers[status]?.headers ?? {}).map((name) => name.toLowerCase());
  const mayBe = new Set([...told, ...(OF_STATUS[status] ?? []), ...(route.isPolled ? ['etag'] : []), 'link']);
  const odd = headers.map((name) => name.toLowerCase()).filter((name) => !USUAL_HEADERS.has(name) && !mayBe.has(name));
  return odd.length === 0 ? [] : [`undocumented headers: ${odd.join(', ')}`];
}

/** @returns null: any bytes will do. undefined: the type is not among them. */
function shapeIn(media: Media, type: string): z.ZodType | null | undefined {
  const name = Object.keys(media).find((each) => each.toLowerCase() === type.toLowerCase());
  return name === undefined ? media['*/*'] : media[name];
}

const SHOWN_MAX = 5;

function shapeProblems(shape: z.ZodType, text: string | null): string[] {
  if (text === null) return [];
  const read = shape.safeParse(JSON.parse(text));
  return read.success ? [] : [z.prettifyError(read.error).split('\n').slice(0, SHOWN_MAX).join(' ')];
}

/** Whether a body is worth being read for the check. */
export const isChecked = (type: string | null): boolean =>
  type !== null && (type.startsWith(JSON_TYPE) || type.startsWith(PROBLEM_TYPE));
