/** Sessions of the worker tests: who opens a page has one, made as signing in makes it. */
import { env } from 'cloudflare:workers';
import { partnerDirectory } from '../../src/ops/directory/directory.ts';
import { type Holder, type Sessions, sessionsOf } from '../../src/ops/people/sessions.ts';

export const COOKIE = '__Host-transload';

export const isPage = (path: string): boolean => path === '/' || path.startsWith('/console');

export const theSessions = (nowMs: () => number = Date.now): Sessions =>
  sessionsOf(env.DIRECTORY, (keyId) => partnerDirectory(env.DIRECTORY, nowMs).ofKey(keyId), nowMs);

/** @returns the header of whoever has this session. */
export async function signedIn(holder: Holder): Promise<string> {
  const by = holder.kind === 'key' ? 'key' : 'link';
  return `${COOKIE}=${await theSessions().begin({ holder, by, browser: 'a test', replaced: null })}`;
}

/** A request's headers: a page is opened with the session, anything else is called with the key. */
export async function headersOf(
  path: string,
  init: RequestInit,
  { key, cookie }: { key: string; cookie: () => Promise<string> },
): Promise<Headers> {
  const headers = new Headers(init.headers);
  if (isPage(path)) {
    if (!headers.has('Cookie')) headers.set('Cookie', await cookie());
  } else if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${key}`);
  return headers;
}

/** Made once, where a page is opened. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Somebody who operates the bridge, without having been invited. @returns the id. Of two with one name the second is counted. */
export async function aPerson(wanted: {
  name: string;
  role: string;
  environments: readonly string[];
}): Promise<string> {
  const personId = `u_${crypto.randomUUID().replaceAll('-', '')}`;
  const taken = await env.DIRECTORY.prepare('SELECT 1 FROM person WHERE name = ?').bind(wanted.name).first();
  const name = taken === null ? wanted.name : `${wanted.name} ${personId.slice(2, 10)}`;
  await env.DIRECTORY.prepare(
    `INSERT INTO person (person_id, name, role, environments, invited_by, created_at_ms) VALUES (?, ?, ?, ?, 'a test', 0)`,
  )
    .bind(personId, name, wanted.role, JSON.stringify(wanted.environments))
    .run();
  return personId;
}
