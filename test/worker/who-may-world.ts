/** What partner A has of everything, and whoever may call: the stage of `who-may-do-what.test.ts`. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../mappings/bundled.ts';
import type { RecordState } from '../../src/delivery/outcome.ts';
import type { OrderFeed } from '../../src/feed/order-feed.ts';
import { madeFor, type Visitor } from '../../src/http/edge/context.ts';
import worker from '../../src/index.ts';
import { type Environment, feedName } from '../../src/kernel/names.ts';
import { statusFile, statusRow } from './csv-files.ts';
import { BY, orderHistory } from './feeds.ts';
import { targetsBeside } from './hooks.ts';
import { PATIENCE } from './loads.ts';
import { anOperator, type Operator, type OpsKeyWanted } from './operators.ts';
import { orderFile } from './order-files.ts';
import { aPartner, type KeyWanted, ORIGIN, type Partner } from './partners.ts';
import { aPerson, signedIn, theSessions } from './sessions.ts';
import { type Caller, EDI_MAPPING, type HeldKey } from './who-may.ts';
import { a214 } from './x12-files.ts';

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/**
 * @property hidden texts of A that must not come in any answer to this caller. cookie: of whoever signs in to the console
 * with the same key, or as the same person; null: nobody of the kind can.
 */
export interface Member {
  cookie: string | null;
  /** Routes on which these are no secret. */
  sharedOn?: RegExp;
  name: string;
  caller: Caller;
  ask: Ask;
  hidden: readonly string[];
}

/** @property known by the names that paths have, with what stands before it where names differ. */
export interface World {
  known: Readonly<Record<string, string>>;
  members: readonly Member[];
  of(name: string): Member;
  operator: Operator;
  sender: Partner;
}

/** In the names of whatever the test names itself. */
const MARK = 'CANARY';
const TARGET = 'canary-hook';
const BOTH = ['DEMO', 'ACME'];
const CSV = 'carrier-status-csv';
export const OWN_MAPPING = 'canary-status';
export const DOCUMENT = (BUNDLED_DOCUMENTS.get(CSV) ?? '').replace(`mapping: ${CSV}`, `mapping: ${OWN_MAPPING}`);
const CONTROL = 424_217;
const LOAD = `${MARK}-LD1`;
const ORDER = `${MARK}-SO1`;

/** Nothing is served from a copy of a request: a person of a session is known by the request itself. */
export const serve = (path: string, init: RequestInit, visitor?: Visitor): Promise<Response> => {
  const request = new Request(ORIGIN + path, { redirect: 'manual', ...init });
  if (visitor !== undefined) madeFor(visitor, request);
  return Promise.resolve(worker.fetch(request as Parameters<typeof worker.fetch>[0], env, createExecutionContext()));
};

const withKey =
  (authorization: string): Ask =>
  (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', authorization);
    return serve(path, { ...init, headers });
  };

async function withSession(cookie: string): Promise<Ask> {
  const found = await theSessions().find(cookie.split('=')[1] ?? '');
  if (found === null) throw new Error('no such session');
  return (path, init = {}) => serve(path, init, found.visitor);
}

/** The upstream takes all but two loads, and knows one order. */
function anUpstream(): void {
  const upstream = orderHistory();
  const others = vi.mocked(globalThis.fetch).getMockImplementation();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (String(init?.body ?? '').includes(`${MARK}-REFUSED`)) return Response.json({ code: 422 }, { status: 422 });
    if (/\/(?:vehicles|locations|serviceHistory)$/.test(new URL(String(url)).pathname))
      return Response.json({ vehicles: [], locations: [], serviceHistory: [] });
    return others?.(url, init) ?? Response.json({});
  });
  targetsBeside({ main: [200] });
  upstream.happens(ORDER, 'received');
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
  body: JSON.stringify(body),
});

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  return vi.waitFor(async () => (await look()) ?? Promise.reject(new Error('not yet')), PATIENCE);
}

const OPEN: readonly RecordState[] = ['queued', 'sending', 'waiting', 'unknown'];

/** A partner's work, made as partners and operators make it. */
async function staged(sender: Partner, admin: Operator): Promise<Record<string, string>> {
  const ofPartner = `/v1/ops/partners/${sender.name}`;
  const known: Record<string, string> = {};
  await env.DIRECTORY.prepare('INSERT INTO partner_channel (partner, environment, channel) VALUES (?, ?, ?)')
    .bind(sender.name, 'test', 'plain')
    .run();
  const pair = { partnerId: `${MARK}-P`, clientId: `${MARK}-C` };
  await admin.done('PUT', `${ofPartner}/feed`, { ...pair, channel: 'plain', note: 'a test' });
  const hook = { url: 'https://main.example/hook', events: ['batch.settled'], note: 'a test' };
  await admin.done('PUT', `${ofPartner}/webhooks/${TARGET}`, hook);
  const events = statusFile(
    statusRow(LOAD),
    statusRow(`${MARK}-LD2`, { Status: 'NOBODY KNOWS' }),
    statusRow(`${MARK}-REFUSED`),
  );
  const { batchId } = await sender.receipt(events, { scac: 'DEMO', fileName: `${MARK}.csv` });
  const orders = await sender.receipt(orderFile({ orderRef: ORDER, sku: 'S1' }), {
    mapping: 'orders-csv',
    scac: 'DEMO',
  });
  const edi = await sender.receipt(a214([{ load: `${MARK}-LD3` }], { control: CONTROL }), {
    mapping: EDI_MAPPING,
    scac: 'DEMO',
  });
  for (const each of [batchId, orders.batchId, edi.batchId]) await sender.reaches(each, 'settled');
  const sent = await sender.fetch(`/v1/messages?mapping=${CSV}&scac=DEMO`, { method: 'POST', body: events });
  const [message = '', number = ''] = new URL(sent.headers.get('Location') ?? '', ORIGIN).pathname.split('/').slice(3);
  const feed = env.ORDER_FEED.getByName(feedName('test', pair)) as DurableObjectStub<OrderFeed>;
  await eventually(async () => {
    await feed.pollNow(BY);
    return (await feed.status())?.lastSeq === 1 || undefined;
  });
  const propose = async (note: string): Promise<string> =>
    (
      await (
        await sender.fetch('/v1/mapping-proposals', post({ name: OWN_MAPPING, mapping: DOCUMENT, note }))
      ).json<{ id: string }>()
    ).id;
  const published = await propose(`${MARK} one`);
  await admin.done('POST', `/v1/ops/mapping-proposals/${published}/publish`, { why: 'a test' });
  const proposal = await propose(`${MARK} two`);
  const link = await (await admin.fetch(`${ofPartner}/upload-links`, post({ why: 'a test', days: 1 }))).json<{
    linkId: string;
  }>();
  const issue = await eventually(async () => {
    const list = await admin.getJson<{ issues: { id: string }[] }>(`/v1/ops/issues?partner=${sender.name}`);
    return list.issues[0]?.id;
  });
  const event = await eventually(async () => {
    const path = `${ofPartner}/webhooks/${TARGET}/deliveries`;
    return (await admin.getJson<{ deliveries: { eventId: string }[] }>(path)).deliveries[0]?.eventId;
  });
  const replay = await admin.fetch(
    '/v1/ops/replays',
    post({ partner: sender.name, batches: [batchId], why: 'a test' }),
  );
  const { actionId = '' } = await replay.json<{ actionId?: string }>();
  await eventually(async () => {
    const { state } = await admin.getJson<{ state: string }>(`/v1/ops/actions/${actionId}`);
    return state === 'done' || undefined;
  });
  for (const each of [batchId, message]) await sender.reaches(each, 'settled');
  await eventually(async () => {
    type Listed = { batches: { state: string; rowStates: Partial<Record<RecordState, number>> | null }[] };
    const { batches } = await sender.getJson<Listed>('/v1/batches');
    // Its register knows a little later that it has ended, and the index what became of its rows.
    const hasEnded = ({ state, rowStates }: Listed['batches'][number]): boolean =>
      state === 'settled' && rowStates !== null && !OPEN.some((open) => open in rowStates);
    return batches.every(hasEnded) || undefined;
  }); // nothing moves by itself any more
  const person = await aPerson({ name: 'Somebody', role: 'viewer', environments: ['test'] });
  const spare = await aPartner({ partner: sender.name, scacs: BOTH });
  const spareOperator = await anOperator({ name: 'Spare' });
  Object.assign(known, {
    ...{
      id: batchId,
      'messages/id': message,
      message: number,
      record: '2',
      '{batch}/record': '3',
      batch: batchId,
      request: '1',
    },
    ...{ fileName: 'own.csv', loadNumber: LOAD, ref: ORDER, orders: orders.batchId, edi: edi.batchId },
    ...{
      name: sender.name,
      partner: sender.name,
      'mappings/name': OWN_MAPPING,
      'sample/name': OWN_MAPPING,
      'code-lists/name': 'carrier-status-words',
    },
    ...{ 'channels/name': 'plain', 'orders/name': sender.name, 'feeds/name': sender.name },
    ...{ vehicleNumber: 'V1', locationNumber: '1', keyId: spare.keyId, 'operator-keys/keyId': spareOperator.keyId },
    ...{ target: TARGET, link: link.linkId, event, subject: 'batches', code: 'batch_unknown', poll: '1' },
    ...{
      'mapping-proposals/id': proposal,
      'proposals/id': proposal,
      'issues/id': issue,
      'actions/id': actionId,
      'people/id': person,
    },
  });
  return known;
}

export async function theWorld(): Promise<World> {
  anUpstream();
  const admin = await anOperator({ role: 'admin' });
  const sender = await aPartner({ partner: 'partner-canary-a', scacs: BOTH });
  const known = await staged(sender, admin);
  const members: Member[] = [];
  const files = [known.id, known['messages/id'], `${MARK}.csv`, known.edi].map(String);
  const others = [known.orders, MARK, OWN_MAPPING, known.keyId, known.event, known['mapping-proposals/id'], known.link];
  const all = [...files, ...others.map(String)];
  const add = (
    name: string,
    caller: Caller,
    ask: Ask,
    hidden: readonly string[] = [],
    more: Partial<Pick<Member, 'cookie' | 'sharedOn'>> = {},
  ): void => void members.push({ name, caller, ask, hidden, cookie: null, ...more });
  const cookieOf = (keyId: string) => signedIn({ kind: 'key', keyId });
  const addPartner = async (
    name: string,
    owner: HeldKey['owner'],
    more: Partial<KeyWanted>,
    hidden: string[],
    sharedOn?: RegExp,
  ) => {
    const wanted = { environment: 'test', scacs: BOTH, mappings: null, ...more } as const;
    const partner = await aPartner({ ...wanted, partner: owner === 'A' ? sender.name : 'partner-plain-b' });
    const { environment, scacs, mappings } = wanted;
    const key: HeldKey = { owner, environment, scacs, mappings };
    const cookie = await cookieOf(partner.keyId);
    const beside = sharedOn === undefined ? { cookie } : { cookie, sharedOn };
    add(name, { is: 'partner', key, by: 'key' }, withKey(`Bearer ${partner.key}`), hidden, beside);
    return { cookie, key };
  };
  const strangers = async (name: string, key: string, column: 'revoked_at' | 'expires_at', keyId: string) => {
    const table = key.startsWith('tlops') ? 'ops_key' : 'partner_key';
    await env.DIRECTORY.prepare(`UPDATE ${table} SET ${column} = ? WHERE key_id = ?`)
      .bind(new Date(Date.now() - 1_000).toISOString(), keyId)
      .run();
    const more = key.startsWith('tlops') ? {} : { cookie: await cookieOf(keyId) };
    add(name, { is: 'stranger' }, withKey(`Bearer ${key}`), all, more);
  };
  add('nobody', { is: 'nobody' }, (path, init = {}) => serve(path, init), all);
  for (const [name, key] of [
    ['the id of A with another secret', sender.key.replace(/[0-9a-f]{8}$/, '00000000')],
    ['no key at all', 'x'],
    ['a key of operators that nobody has', `tlops_${'0'.repeat(16)}_${'0'.repeat(64)}`],
  ] as const)
    add(name, { is: 'stranger' }, withKey(`Bearer ${key}`), all);
  for (const column of ['revoked_at', 'expires_at'] as const) {
    const ended = await aPartner({ partner: sender.name, scacs: BOTH });
    await strangers(`a key of A, ${column}`, ended.key, column, ended.keyId);
    const operator = await anOperator({ role: 'admin', name: column });
    await strangers(`an admin’s key, ${column}`, operator.key, column, operator.keyId);
  }
  const b = await addPartner('B', 'B', {}, [...all, sender.name]);
  await addPartner('B in production', 'B', { environment: 'production' }, [...all, sender.name]);
  await addPartner('A in production', 'A', { environment: 'production' }, all);
  await addPartner('A, other SCACs', 'A', { scacs: ['ACME'] }, [...files, LOAD]);
  await addPartner('A, orders alone', 'A', { mappings: ['orders-csv'] }, [...files, LOAD]);
  const notOfEvents = [known.id, known['messages/id'], `${MARK}.csv`, known.orders, ORDER].map(String);
  await addPartner('A, X12 alone', 'A', { mappings: [EDI_MAPPING] }, notOfEvents, /\/loads\//);
  const ofB = [...all, sender.name];
  add('B by session', { is: 'partner', key: b.key, by: 'session' }, await withSession(b.cookie), ofB);
  const cookie = await cookieOf(sender.keyId);
  add(
    'A’s cookie without a page',
    { is: 'nobody' },
    (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('Cookie', cookie);
      return serve(path, { ...init, headers });
    },
    all,
  );
  const whole: HeldKey = { owner: 'A', environment: 'test', scacs: BOTH, mappings: null };
  const ofLink = await cookieOf(String(known.link));
  const notOfLink = [...files, ...[known.orders, known.keyId, LOAD, ORDER].map(String)];
  add('a link of A', { is: 'partner', key: whole, by: 'link' }, await withSession(ofLink), notOfLink, {
    cookie: ofLink,
  });
  add('A', { is: 'partner', key: whole, by: 'key' }, withKey(`Basic ${btoa(`any:${sender.key}`)}`));
  add('A by session', { is: 'partner', key: whole, by: 'session' }, await withSession(cookie), [], { cookie });
  for (const environment of ['production', 'test', 'both'] as const) {
    const environments: Environment[] = environment === 'both' ? ['test', 'production'] : [environment];
    for (const role of environment === 'both' ? (['admin'] as const) : (['viewer', 'operator', 'admin'] as const)) {
      const wanted: Partial<OpsKeyWanted> = { role, environments, name: `${role} of ${environment}` };
      const { key } = await anOperator(wanted);
      const hidden = environment === 'production' ? all : [];
      add(
        `${role} of ${environment}`,
        { is: 'operator', role, environment, by: 'key' },
        withKey(`Bearer ${key}`),
        hidden,
      );
      const personId = await aPerson({ role, environments, name: `A person, ${role}, ${environment}` });
      const cookie = await signedIn({ kind: 'person', personId });
      const caller = { is: 'operator', role, environment, by: 'session' } as const;
      add(`${role} of ${environment} by session`, caller, await withSession(cookie), hidden, { cookie });
    }
  }
  for (const [name, value] of Object.entries(known)) expect(value, name).toMatch(/./);
  const of = (name: string): Member => members.find((each) => each.name === name) as Member;
  return { known, members, of, operator: admin, sender };
}
