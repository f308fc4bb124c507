/**
 * Who may do what: every route of the router by everybody who could call it, about things that partner A really has. What is
 * expected comes from the rules of `who-may.ts`; what is not yours is told apart from what is not there by nothing.
 */
import { reset } from 'cloudflare:test';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BUNDLED_CODE_LISTS } from '../../../mappings/bundled.ts';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { expected, mustNotTell } from '../who-may.ts';
import { addressOf as addressIn, directoryNow, notThere, OUT_OF_STATE, without } from '../who-may-asked.ts';
import { DOCUMENT, type Member, OWN_MAPPING, theWorld, type World } from '../who-may-world.ts';

let world: World;
beforeAll(async () => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  world = await theWorld();
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await reset();
});

const addressOf = (name: string, stranger?: (id: string) => string): string =>
  addressIn(world.known, name.split(' ')[1] ?? '', stranger);

const names = Object.keys(ROUTES).filter((name) => !['GET /', 'GET /docs', 'GET /docs/{subject}'].includes(name));

interface Sent {
  query?: Record<string, string>;
  json?: unknown;
  body?: string;
  form?: Record<string, string>;
}

const FILE = statusFile(statusRow('OWN-1'));
const UPLOADED: Sent = { query: { mapping: 'carrier-status-csv', scac: 'ACME' }, body: FILE };
const DRAFTED: Sent = { form: { mapping: DOCUMENT, file: FILE, record: '1' } };
const WHY: Sent = { json: { why: 'a test' } };
const NOTE = { note: 'a test' };
const SOON = new Date(Date.now() + 86_400_000).toISOString();

/** What routes need to do what they do; most of those that change something need a reason alone. */
const NEEDS: Readonly<Record<string, Sent>> = {
  'POST /v1/batches': UPLOADED,
  'PUT /v1/batches': UPLOADED,
  'POST /v1/batches/{fileName}': UPLOADED,
  'PUT /v1/batches/{fileName}': UPLOADED,
  'POST /v1/messages': UPLOADED,
  'GET /v1/rows': { query: { text: 'CANARY' } },
  'GET /v1/ops/rows': { query: { text: 'CANARY' } },
  'POST /v1/batches/{id}/corrections': { json: { rows: [{ record: 2, cells: { Status: 'X3' } }] } },
  'POST /v1/mappings/{name}/preview': { body: FILE },
  'POST /v1/mappings/match': { body: FILE },
  'POST /v1/mappings/suggest': { body: FILE },
  'POST /v1/ops/mappings/suggest': { body: FILE },
  'POST /v1/mapping-proposals': { json: { name: OWN_MAPPING, mapping: DOCUMENT, note: 'own' } },
  'PUT /v1/ops/mappings/{name}': { query: NOTE, body: DOCUMENT },
  'PUT /v1/ops/mappings/{name}/owners': { json: { shared: true, ...NOTE } },
  'PATCH /v1/ops/code-lists/{name}': { json: { set: { NEW: 'X3' }, ...NOTE } },
  'GET /v1/ops/interchanges': { query: { control: '424217' } },
  'PUT /v1/ops/code-lists/{name}': { query: NOTE, body: BUNDLED_CODE_LISTS.get('carrier-status-words') ?? '' },
  'POST /v1/ops/code-lists/{name}/rollback': { json: { to: 'bundled', ...NOTE } },
  'POST /v1/ops/mappings/{name}/rollback': { json: { to: 'bundled', ...NOTE } },
  'PUT /v1/ops/answer-mappings/order-status': { json: { mapping: DEFAULT_ANSWER_MAPPING, ...NOTE } },
  'POST /v1/ops/partners': { json: { name: 'new', channel: 'plain', why: 'a test' } },
  'PATCH /v1/ops/partners/{name}': { json: { displayName: 'Other', why: 'a test' } },
  'POST /v1/ops/operator-keys': { json: { name: 'New', role: 'viewer', environments: ['test'], why: 'a test' } },
  'POST /v1/ops/people': { json: { name: 'New', role: 'viewer', environments: ['test'], why: 'a test' } },
  'PATCH /v1/ops/people/{id}': { json: { role: 'operator', why: 'a test' } },
  'POST /v1/ops/issues/{id}/mute': { json: { until: SOON, why: 'a test' } },
  'POST /v1/ops/letters/{batch}/{record}/{request}/decisions': { json: { decision: 'send_again', why: 'a test' } },
  'POST /v1/ops/channels/{name}/release': { json: { scope: 'scac:DEMO', reason: 'a test' } },
  'POST /v1/ops/feeds/{name}/skip': { json: { orderRef: 'CANARY-SO1', why: 'a test' } },
  'PUT /v1/ops/alert-webhook': { json: { url: 'https://main.example/hook', ...NOTE } },
  'POST /v1/ops/alert-webhook/rotate': { json: NOTE },
  'POST /v1/ops/alert-webhook/test': { json: NOTE },
  'PUT /v1/ops/partners/{name}/envelopes': { json: { rules: {}, ...NOTE } },
  'POST /v1/ops/loads/{loadNumber}/erase': { query: { dryRun: 'true', scac: 'DEMO' }, json: { why: 'a test' } },
  'POST /v1/ops/partners/{name}/erase': { query: { dryRun: 'true' }, json: { why: 'a test' } },
  'POST /v1/ops/orders/{name}/{ref}/erase': { query: { dryRun: 'true' }, json: { why: 'a test' } },
  'PUT /v1/ops/orders/{name}/{ref}/base': { json: { document: { orderRef: 'CANARY-SO1' }, why: 'a test' } },
};
/** What takes away the thing that others are about. */
const isLate = (name: string): boolean => /^DELETE|\/(?:withdraw|revoke)$/.test(name);

function initOf(name: string): { query: string; init: RequestInit } {
  const [method = '', path = ''] = name.split(' ');
  const more = needsOf(name, path);
  const headers = new Headers();
  if (path.startsWith('/v1/ops') && ROUTES[name]?.headers?.['Idempotency-Key'] !== undefined)
    headers.set('Idempotency-Key', 'once more');
  const init: RequestInit = { method, headers };
  if (more.json !== undefined) {
    init.body = JSON.stringify(more.json);
    headers.set('Content-Type', 'application/json');
  } else if (more.form !== undefined) {
    const form = new FormData();
    for (const [field, value] of Object.entries(more.form))
      form.set(field, field === 'file' ? new File([value], 'a.csv') : value);
    init.body = form;
  } else if (more.body !== undefined) init.body = more.body;
  const inTest = path.startsWith('/v1/ops') && !path.includes('/people') ? { environment: 'test' } : {};
  const query = new URLSearchParams({ ...more.query, ...inTest }).toString();
  return { query: query === '' ? '' : `?${query}`, init };
}

function needsOf(name: string, path: string): Sent {
  const { partner = '', id = '' } = { partner: world.known.name, id: world.known.id };
  if (/(?:mappings\/(?:preview|example|compare)|batches\/\{id\}\/rerun)$/.test(path) && !name.startsWith('GET'))
    return DRAFTED;
  if (name === 'POST /v1/ops/replays') return { json: { partner, batches: [id], why: 'a test' } };
  if (name === 'POST /v1/ops/letters/decisions') return { json: { decision: 'send_again', partner, why: 'a test' } };
  if (name === 'GET /v1/ops/orders') return { query: { partner } };
  if (path.endsWith('/webhooks/{target}') && name.startsWith('PUT'))
    return { json: { url: 'https://main.example/hook', events: ['batch.settled'], ...NOTE } };
  if (path.endsWith('/partners/{name}/feed') && name.startsWith('PUT'))
    return { json: { partnerId: 'CANARY-P', clientId: 'CANARY-C', channel: 'plain', ...NOTE } };
  if (path.endsWith('/webhooks/{target}/rotate') && path.startsWith('/v1/ops')) return { json: NOTE };
  return NEEDS[name] ?? (name.startsWith('GET') || ROUTES[name]?.body === undefined ? {} : WHY);
}

/** What differs from call to call is taken out, too. */
const plain = (text: string, said: readonly string[]): string =>
  without(text, said).replace(/"requestId": ?"[^"]+"/g, '');
const headersOf = (answer: Response, said: readonly string[]): string =>
  plain(JSON.stringify([...answer.headers].filter(([name]) => name !== 'x-request-id').sort()), said);

const idsIn = (address: string): string[] => address.split('/').slice(2).map(decodeURIComponent);
const codeIn = (text: string): string => /"code": ?"(\w+)"/.exec(text)?.[1] ?? '';

const counts = { calls: 0, refused: 0, letIn: 0, compared: 0 };

interface Answered {
  status: number;
  code: string;
  text: string;
  headers: string;
}

async function ask({ ask: send, hidden, sharedOn }: Member, name: string, address: string, dry = false) {
  const { query, init } = initOf(name);
  const planned = dry && ROUTES[name]?.query?.dryRun !== undefined;
  const all = planned ? `${query === '' ? '?' : `${query}&`}dryRun=true` : query;
  const answer = await send(address + all, init);
  counts.calls += 1;
  const said = [...idsIn(address), query.slice(1), ...(init.body === undefined ? [] : ['CANARY', OWN_MAPPING])];
  const bytes = await answer.arrayBuffer();
  const whole = new TextDecoder().decode(bytes);
  const [text, headers] = [plain(whole, said), headersOf(answer, said)];
  const shown = sharedOn?.test(name) ? [] : hidden.filter((each) => text.includes(each) || headers.includes(each));
  const found: Answered = { status: answer.status, code: codeIn(whole), text, headers };
  return { found, shown };
}

/** All that a refused call could have changed; times at which something was looked at are left out. */
async function everything(): Promise<string[]> {
  const seen = await directoryNow();
  const own = world.of('A');
  const looks = /^GET \/v1\/(?:batches|loads|orders\/\{ref\}$|messages|keys|webhooks|mapping)/;
  for (const name of names.filter((each) => looks.test(each)))
    seen.push(`${name} ${(await ask(own, name, addressOf(name))).found.text}`);
  return seen.map((each) => each.replace(/"lastUsedAt": ?"[^"]*"/g, ''));
}

it('each route has a rule', () => {
  const without = names.filter((name) => world.members.some(({ caller }) => expected(name, caller) === undefined));
  expect(without).toEqual([]);
});

it('whoever is refused learns nothing, and changes nothing', { timeout: 300_000 }, async () => {
  const findings: string[] = [];
  const before = await everything();
  for (const name of names) {
    const refuse = async (member: Member): Promise<void> => {
      const wanted = expected(name, member.caller);
      if (wanted === undefined || wanted === 'in') return;
      counts.refused += 1;
      const { found, shown } = await ask(member, name, addressOf(name));
      const said = `${found.status} ${found.code}`;
      if (said !== wanted) findings.push(`${name} by ${member.name}: ${said} instead of ${wanted}`);
      if (shown.length > 0) findings.push(`${name} by ${member.name} shows ${shown}`);
      if (!name.includes('{') || !mustNotTell(wanted)) return;
      counts.compared += 1;
      const none = (await ask(member, name, addressOf(name, notThere))).found;
      for (const part of ['status', 'text', 'headers'] as const)
        if (found[part] !== none[part])
          findings.push(`${name} by ${member.name}: ${part} tells: ${found[part]} | ${none[part]}`);
    };
    await Promise.all(world.members.map(refuse));
  }
  expect(findings).toEqual([]);
  expect(await everything()).toEqual(before);
});

it('whoever may is let in, and sees nothing of A that is not theirs', { timeout: 300_000 }, async () => {
  const findings: string[] = [];
  for (const name of [...names].sort((one, other) => Number(isLate(one)) - Number(isLate(other)))) {
    const refused: string[] = [];
    const enter = async (member: Member): Promise<void> => {
      counts.letIn += 1;
      const { found, shown } = await ask(member, name, addressOf(name), true);
      if (found.status >= 400 && found.code !== OUT_OF_STATE[name])
        refused.push(`${member.name} ${found.status} ${found.code}`);
      if ([401, 403].includes(found.status)) findings.push(`${name} by ${member.name}: ${found.status} ${found.code}`);
      if (shown.length > 0) findings.push(`${name} by ${member.name} shows ${shown}`);
    };
    // What changes something is let in once for each kind of sign-in: all of it would be done ten times.
    const allowed = world.members.filter(
      ({ caller, name: who }) =>
        expected(name, caller) === 'in' && (name.startsWith('GET') || !/^(?:viewer|admin).* by session/.test(who)),
    );
    if (name.startsWith('GET')) await Promise.all(allowed.map(enter));
    else for (const member of allowed) await enter(member);
    if (refused.length === allowed.length) findings.push(`${name} lets nobody in: ${refused.slice(0, 3)}`);
  }
  expect(findings).toEqual([]);
});

it('and all of them were asked', () => {
  console.log(`${names.length} routes, ${world.members.length} callers, ${JSON.stringify(counts)}`);
  expect(names.length).toBeGreaterThan(150);
  expect(counts.refused).toBeGreaterThan(2_000);
});
