/**
 * Who sees and does what in the console: every page, form and action that it serves, by everybody who could have a session,
 * about things that partner A really has. What is expected comes from `page-rules.ts`; a new page or action needs a rule.
 */
import { reset } from 'cloudflare:test';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BUNDLED_CODE_LISTS } from '../../../mappings/bundled.ts';
import type { Action } from '../../../src/console/actions.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { COOKIE, theSessions } from '../sessions.ts';
import { mustNotTell } from '../who-may.ts';
import { addressOf, directoryNow, notThere, OUT_OF_STATE, without } from '../who-may-asked.ts';
import { DOCUMENT, type Member, OWN_MAPPING, serve, theWorld, type World } from '../who-may-world.ts';
import { ACTIONS, ADDRESSES, deadRules, hasRule, isOpen, type Met, met, ofAction, offerProblem } from './page-rules.ts';

let world: World;
/** Whoever could have a session, and nobody. */
let members: readonly Member[];
const csrfOf = new Map<Member, string>();

beforeAll(async () => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  world = await theWorld();
  members = world.members.filter(({ cookie, name }) => cookie !== null || name === 'nobody');
  for (const member of members) {
    const found = await theSessions().find(member.cookie?.slice(COOKIE.length + 1) ?? '');
    csrfOf.set(member, found?.csrf ?? '');
  }
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await reset();
});

const counts = { opened: 0, acted: 0, forged: 0, offered: 0, compared: 0 };

interface Answered {
  status: number;
  text: string;
  location: string;
  codes: string[];
}

const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

/** As a browser asks. @param form sent as one, with a file where there is one. */
async function ask(
  member: Member,
  path: string,
  { form, headers = OWN_PAGE }: { form?: Readonly<Record<string, string>>; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const sent = new Headers({ Accept: 'text/html', ...headers });
  if (member.cookie !== null) sent.set('Cookie', member.cookie);
  const body = form === undefined ? undefined : form.file === undefined ? new URLSearchParams(form) : new FormData();
  if (body instanceof FormData)
    for (const [name, value] of Object.entries(form ?? {}))
      body.set(name, name === 'file' ? new File([value], 'own.csv') : value);
  const init = body === undefined ? {} : { method: 'POST', body };
  const answer = await serve(`/console${path === '/' ? '' : path}`, { ...init, headers: sent });
  const isStream = answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
  if (isStream) await answer.body?.cancel();
  const text = isStream ? '' : new TextDecoder().decode(await answer.arrayBuffer());
  const codes = [...text.matchAll(/(?:<code>|"code": ?")(\w+)/g)].map(([, code = '']) => code);
  return { status: answer.status, text, location: answer.headers.get('Location') ?? '', codes };
}

/** Parameters filled in with what A has. */
const pathOf = (address: string, stranger?: (id: string) => string): string =>
  addressOf({ ...world.known, what: 'try', token: 'none' }, address.split(' ')[1] ?? '', stranger);

/** Operators name the environment of A's things; partners have one. */
const withEnvironment = ({ caller }: Member, path: string): string =>
  caller.is === 'operator' ? `${path}${path.includes('?') ? '&' : '?'}environment=test` : path;

const IDS_OF_REQUESTS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const idsIn = (path: string): string[] => path.split(/[/?&=]/).map(decodeURIComponent);
const plain = (text: string, said: readonly string[]): string => without(text, said).replace(IDS_OF_REQUESTS, '');

const shownTo = ({ hidden }: Member, { text, location }: Answered, said: readonly string[]): string[] => {
  const left = plain(text + location, said);
  return hidden.filter((each) => left.includes(each));
};

/** @returns what differs from what is wanted; '' where nothing does. */
function difference(wanted: Met, found: Answered): string {
  const { status, location, codes } = found;
  const said = `${status} ${codes.at(-1) ?? ''} ${location}`;
  if (wanted === 'in') return status < 400 && !location.includes('/sign-in') ? '' : said;
  if (wanted === 'sign-in')
    return location.startsWith('/console/sign-in') || codes.includes('session_missing') ? '' : said;
  if (wanted === 'away') return status === 303 && !location.includes('/sign-in') ? '' : said;
  const [wantedStatus, code = ''] = wanted.split(' ');
  // A few forms say it in words alone.
  return String(status) === wantedStatus && (codes.length === 0 || codes.includes(code)) ? '' : said;
}

const STATES = new Set(Object.values(OUT_OF_STATE));
const isOutOfState = ({ codes }: Answered): boolean => codes.some((code) => STATES.has(code));

/** Links and forms of a page that this member must not be offered. */
function wrongOffers({ caller }: Member, { text }: Answered): string[] {
  const links = [...text.matchAll(/ (href|action|formaction|data-check)="\/console([^"#?]*)[^"]*"/g)];
  return links.flatMap(([, attribute = '', path = '']) => {
    counts.offered += 1;
    const methods = attribute === 'href' ? ['GET'] : ['GET', 'POST'];
    const problem = offerProblem(methods, path === '' ? '/' : path, caller);
    return problem === undefined ? [] : [`${path} ${problem}`];
  });
}

const FILE = statusFile(statusRow('OWN-1'));

/** What a form that is no action takes. */
const formOf = (address: string): Record<string, string> =>
  address.startsWith('POST /upload')
    ? { mapping: 'carrier-status-csv', scac: 'DEMO', file: FILE }
    : { ...TYPED, do: 'try', document: DOCUMENT, record: '1', file: FILE };

/** What is typed into fields; ids are those of A's things. */
const TYPED: Readonly<Record<string, string>> = {
  ...{ why: 'a test', reason: 'a test', note: 'a test', scac: 'DEMO', scacs: 'DEMO', scope: 'scac:DEMO' },
  ...{ until: new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10), days: '1', overlapHours: '1' },
  ...{ decision: 'send_again', outcome: 'unknown', to: 'bundled', channel: 'plain', origins: '', enabled: 'false' },
  ...{ role: 'viewer', environments: 'test', displayName: 'Other', word: 'NEW', code: 'X3', poll: '1' },
  ...{ controlNumbers: 'once', broken: 'set', counts: 'strict', width: 'tolerant' },
  ...{ partnerId: 'CANARY-P', clientId: 'CANARY-C', pollMinutes: '', repairsPerMinute: '' },
  ...{ url: 'https://main.example/hook', events: 'batch.settled', 'event-batch.settled': 'true' },
};
const DOCUMENTS: Readonly<Record<string, string>> = {
  'publish-mapping': DOCUMENT,
  'propose-mapping': DOCUMENT,
  'publish-code-list': BUNDLED_CODE_LISTS.get('carrier-status-words') ?? '',
  'load-base': '{"orderRef": "CANARY-SO1"}',
};
const NAMES: Readonly<Record<string, string>> = {
  'propose-mapping': OWN_MAPPING,
  'create-partner': 'new',
  'invite-person': 'New',
  'make-operator-key': 'New',
};
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'remove-code-list-word': { word: 'Canceled' }, // its code has another
  'set-origins': { origins: 'https://portal.example' },
  'set-mapping-owners': { shared: 'true' },
};

/** Of the thing that an action is about, by the names of its route and of its fields. */
function subjectOf({ route, name }: Action): Record<string, string> {
  const parts = route.split(/[ /]/);
  const named = parts.flatMap((part, at) => {
    const parameter = /^\{(\w+)\}$/.exec(part)?.[1];
    if (parameter === undefined) return [];
    return [[parameter, world.known[`${parts[at - 1]}/${parameter}`] ?? world.known[parameter] ?? '']];
  });
  const { partner = '', ref = '', id = '' } = world.known;
  const own = NAMES[name] === undefined ? {} : { name: NAMES[name] };
  return { partner, orderRef: ref, batch: id, ...Object.fromEntries(named), ...own };
}

const valuesOf = (action: Action): Record<string, string> => ({
  ...TYPED,
  ...subjectOf(action),
  document: DOCUMENTS[action.name] ?? '',
  mapping: action.name === 'set-answer-mapping' ? JSON.stringify(DEFAULT_ANSWER_MAPPING) : '',
  ...MORE[action.name],
});

/** The same, about what nobody has. */
const strangeOf = (action: Action): Record<string, string> => {
  const subject = Object.entries(subjectOf(action)).map(([name, value]) => [name, notThere(value)]);
  return { ...valuesOf(action), ...Object.fromEntries(subject) };
};

const sendTo = (member: Member, action: Action, values: Record<string, string>, step: 'plan' | 'do') =>
  ask(member, withEnvironment(member, `/do/${action.name}`), {
    form: { ...values, step, csrf: csrfOf.get(member) ?? '' },
  });

/** What can still be done by whom, seen from outside. */
async function everything(): Promise<string[]> {
  const seen = await directoryNow();
  const own = ['batches', `batches/${world.known.id}`, `loads/${world.known.loadNumber}`, 'webhooks', 'keys'];
  const ops = ['issues', 'letters', 'actions', 'channels/plain', 'webhooks'];
  const looks = [
    ...own.map((path) => [world.sender, `/v1/${path}`] as const),
    ...ops.map((path) => [world.operator, `/v1/ops/${path}?environment=test`] as const),
  ];
  for (const [who, path] of looks) seen.push(`${path} ${await (await who.fetch(path)).text()}`);
  const audit = await world.operator.getJson<{ entries: { action: string }[] }>('/v1/ops/audit?environment=test');
  seen.push(JSON.stringify(audit.entries.filter(({ action }) => !action.endsWith('.export'))));
  return seen.map((each) => each.replace(/"lastUsedAt": ?"[^"]*"/g, ''));
}

it('each address of the console has a rule, and each rule an address', () => {
  expect(ADDRESSES.filter((address) => !hasRule(address))).toEqual([]);
  expect(deadRules()).toEqual([]);
});

it('a page shows nothing of others, tells nothing by a refusal, and offers what its reader may do', {
  timeout: 300_000,
}, async () => {
  const findings: string[] = [];
  const before = await everything();
  for (const address of ADDRESSES.filter((each) => each.startsWith('GET') && !each.includes('/do/') && !isOpen(each))) {
    const path = pathOf(address);
    const open = async (member: Member): Promise<void> => {
      counts.opened += 1;
      const wanted = met(address, path, member.caller);
      const found = await ask(member, withEnvironment(member, path));
      const finding = (what: string) => findings.push(`${address} by ${member.name}: ${what}`);
      const differs = difference(wanted, found);
      if (differs !== '' && !(wanted === 'in' && isOutOfState(found))) finding(`${differs} instead of ${wanted}`);
      const shown = member.sharedOn?.test(address) ? [] : shownTo(member, found, idsIn(path));
      if (shown.length > 0) finding(`shows ${shown}`);
      if (member.caller.is !== 'nobody' && member.caller.is !== 'stranger')
        for (const offer of wrongOffers(member, found)) finding(`offers ${offer}`);
      if (!address.includes('{') || !mustNotTell(wanted as never)) return;
      counts.compared += 1;
      const none = pathOf(address, notThere);
      const nobodys = await ask(member, withEnvironment(member, none));
      if (
        `${found.status} ${plain(found.text, idsIn(path))}` !== `${nobodys.status} ${plain(nobodys.text, idsIn(none))}`
      )
        finding(`tells: ${found.text} | ${nobodys.text}`);
    };
    await Promise.all(members.map(open));
  }
  expect(findings).toEqual([]);
  expect(await everything()).toEqual(before);
});

it('an action is shown to whom it is for, and does nothing for anybody else', { timeout: 300_000 }, async () => {
  const findings: string[] = [];
  const before = await everything();
  for (const action of ACTIONS) {
    const values = valuesOf(action);
    const subject = Object.values(subjectOf(action));
    const form = (of: Record<string, string>) => `/do/${action.name}?${new URLSearchParams(of)}`;
    const attempt = async (member: Member): Promise<void> => {
      const finding = (what: string) => findings.push(`${action.name} by ${member.name}: ${what}`);
      const wanted = ofAction(action, member.caller);
      const shownForm = await ask(member, withEnvironment(member, form(subjectOf(action))));
      counts.opened += 1;
      const isClosed = typeof wanted === 'string' && /^403 (?!key_|mapping_|partner_)|sign-in/.test(wanted);
      const differs = isClosed ? difference(wanted, shownForm) : '';
      if (differs !== '') finding(`its form: ${differs} instead of ${wanted}`);
      const said = [...subject, ...Object.values(values)];
      const shown = shownTo(member, shownForm, said);
      if (shown.length > 0) finding(`its form shows ${shown}`);
      if (wanted === 'in') return;
      counts.acted += 1;
      const found = await sendTo(member, action, values, 'do');
      const code = wanted === 'sign-in' ? 'session_missing' : (wanted.split(' ')[1] ?? '');
      if (found.status < 400 || !found.codes.includes(code))
        finding(`${difference('in', found) || 'done'} instead of ${wanted}`);
      const told = shownTo(member, found, said);
      if (told.length > 0) finding(`shows ${told}`);
      if (!mustNotTell(wanted as never)) return;
      counts.compared += 1;
      const strange = strangeOf(action);
      const either = [...said, ...Object.values(strange)];
      const nobodys = await sendTo(member, action, strange, 'do');
      const [one, other] = [plain(found.text, either), plain(nobodys.text, either)];
      if (found.status !== nobodys.status || one !== other) finding(`tells: ${one} | ${other}`);
    };
    await Promise.all(members.map(attempt));
  }
  expect(findings).toEqual([]);
  expect(await everything()).toEqual(before);
});

/** Whoever may do it, with no more rights than it needs. */
function doerOf(action: Action): Member {
  if (action.role === 'partner') return world.of('A by session');
  const member = world.of(`${action.role} of test by session`);
  return ofAction(action, member.caller) === 'in' ? member : world.of('admin of both by session');
}

it('a form from another page, site or session does nothing', { timeout: 300_000 }, async () => {
  const findings: string[] = [];
  const before = await everything();
  const other = (member: Member): string =>
    csrfOf.get(world.of(member.name === 'A by session' ? 'admin of test by session' : 'A by session')) || 'none';
  const forged = async (
    what: string,
    path: string,
    member: Member,
    form: Record<string, string>,
    isOfSession: boolean,
  ) => {
    const csrf = csrfOf.get(member) ?? '';
    const without: Record<string, string> = { ...form };
    const cases: [string, Parameters<typeof ask>[2]][] = [
      ['from another site', { form: { csrf, ...form }, headers: { 'Sec-Fetch-Site': 'cross-site' } }],
      ['from a subdomain', { form: { csrf, ...form }, headers: { 'Sec-Fetch-Site': 'same-site' } }],
      ['from another origin', { form: { csrf, ...form }, headers: { Origin: 'https://bridge.example:8443' } }],
      ...(isOfSession
        ? ([
            ['without the token', { form: without }],
            ['with the token of another session', { form: { csrf: other(member), ...form } }],
          ] as [string, Parameters<typeof ask>[2]][])
        : []),
    ];
    for (const [how, sent] of cases) {
      counts.forged += 1;
      const found = await ask(member, withEnvironment(member, path), sent);
      const isAgain = how === 'with the token of another session' && path.startsWith('/do/');
      const differs = difference(isAgain ? '400 signed_in_since' : '403 cross_site_refused', found);
      if (differs !== '') findings.push(`${what} ${how}: ${differs}`);
    }
    if (!isOfSession) return;
    const signedOut = await ask(world.of('nobody'), path, { form: { csrf, ...form } });
    if (signedOut.status !== 401) findings.push(`${what} without a session: ${signedOut.status}`);
  };
  for (const address of ADDRESSES.filter((each) => each.startsWith('POST') && !each.includes('/do/')))
    for (const member of ['A by session', 'admin of test by session'].map(world.of))
      if (isOpen(address) || met(address, pathOf(address), member.caller) === 'in')
        await forged(address, pathOf(address), member, formOf(address), !isOpen(address));
  for (const action of ACTIONS)
    for (const step of ['plan', 'do'])
      await forged(`${action.name} ${step}`, `/do/${action.name}`, doerOf(action), { ...valuesOf(action), step }, true);
  expect(findings).toEqual([]);
  expect(await everything()).toEqual(before);
});

it('a form that is no action does nothing for whom it is not', async () => {
  const findings: string[] = [];
  const before = await everything();
  for (const address of ADDRESSES.filter(
    (each) => each.startsWith('POST') && !each.includes('/do/') && !isOpen(each),
  )) {
    const path = pathOf(address);
    for (const member of members) {
      const wanted = met(address, path, member.caller);
      if (wanted === 'in') continue;
      counts.acted += 1;
      const form = { csrf: csrfOf.get(member) ?? '', ...formOf(address) };
      const found = await ask(member, withEnvironment(member, path), { form });
      const differs = difference(wanted, found);
      if (differs !== '') findings.push(`${address} by ${member.name}: ${differs} instead of ${wanted}`);
      const shown = shownTo(member, found, [...idsIn(path), ...Object.values(form)]);
      if (shown.length > 0) findings.push(`${address} by ${member.name} shows ${shown}`);
    }
  }
  expect(findings).toEqual([]);
  expect(await everything()).toEqual(before);
});

it.each(['/nothing', '/batches/b_0/nothing', '/do/nothing', '/do', '/do/retry-batch/more', '/pages.css/more'])(
  'what is not there is not found: %s',
  async (path) => {
    for (const member of members) {
      const { caller } = member;
      const [found, sent] = [
        await ask(member, path),
        await ask(member, path, { form: { csrf: csrfOf.get(member) ?? '' } }),
      ];
      const isIn = caller.is === 'partner' || caller.is === 'operator';
      const wanted = caller.is === 'partner' && caller.by === 'link' ? [403, 404] : isIn ? [404] : [303, 401, 404];
      expect(wanted, `${member.name} ${found.text.slice(0, 300)}`).toContain(found.status);
      expect(wanted).toContain(sent.status);
      if (found.status === 303) expect(found.location).toMatch(/^\/console\/sign-in/);
    }
  },
);

/** Where one was made before. */
const NO_MORE_KEYS = 'too_many_keys';
const isLate = ({ name }: Action): boolean =>
  /delete|remove|revoke|withdraw|decline|disable|switch|change|erase/.test(name);

it('each action does what it is for, for whoever may', { timeout: 120_000 }, async () => {
  const findings: string[] = [];
  for (const action of [...ACTIONS].sort((one, other) => Number(isLate(one)) - Number(isLate(other)))) {
    const found = await sendTo(doerOf(action), action, valuesOf(action), action.plan === null ? 'do' : 'plan');
    const isDone = found.status < 400 && (action.plan === null || found.text.includes('name="key"'));
    if (!isDone && !found.codes.includes(OUT_OF_STATE[action.route] ?? NO_MORE_KEYS))
      findings.push(
        `${action.name}: ${found.status} ${found.codes} ${/class="note[^"]*">(.{0,300})/s.exec(found.text)?.[1]}`,
      );
  }
  expect(findings).toEqual([]);
});

it('and all of them were asked', () => {
  console.log(
    `${ADDRESSES.length} addresses, ${ACTIONS.length} actions, ${members.length} sessions, ${JSON.stringify(counts)}`,
  );
  expect(ADDRESSES.length).toBeGreaterThan(90);
  expect(ACTIONS.length).toBeGreaterThan(60);
  expect(counts.opened).toBeGreaterThan(2_000);
});
