/** The pages of `docs/reference/` are what the generator makes of the code now, and leave nothing out. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { ErrorWords, examplesAmiss, INSIDE, problemTypesFile } from '../../scripts/reference/error-codes.ts';
import { referencePages } from '../../scripts/reference/pages.ts';
import { callerOf, routes } from '../../scripts/reference/routes.ts';
import { parsed } from '../../scripts/reference/source.ts';
import { INTERCHANGES_MAX } from '../../src/batch/envelopes/interchanges.ts';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../src/delivery/messages.ts';
import { REQUEST_STATES } from '../../src/delivery/states.ts';
import { transloadApp } from '../../src/http/app.ts';
import type { AppPorts } from '../../src/http/edge/ports.ts';
import { BATCH_ID_FORM } from '../../src/kernel/ids.ts';
import { ARCHIVE_FILES_MAX, MESSAGE_BYTES_MAX } from '../../src/kernel/limits.ts';
import { WEBHOOK_TARGETS_MAX } from '../../src/webhooks/limits.ts';

const PAGES = referencePages();
const pageOf = (name: string): string => PAGES.get(name) ?? '';

it.each([...PAGES.keys()])('docs/reference/%s is current: if not, run `npm run reference`', (name) => {
  expect(readFileSync(`docs/reference/${name}`, 'utf8')).toBe(PAGES.get(name));
});

it('each sentence of /problems is one for a person: if not, give what is missing an example in scripts/reference/problem-examples.ts', () => {
  expect(examplesAmiss()).toEqual([]);
});

it('the words of /problems are current: if not, run `npm run reference`', () => {
  expect(readFileSync('src/http/contract/problem-types.json', 'utf8')).toBe(problemTypesFile());
});

it.each([
  ['zip_too_many_files', ARCHIVE_FILES_MAX],
  ['message_too_large', MESSAGE_BYTES_MAX],
  ['too_many_webhooks', WEBHOOK_TARGETS_MAX],
  ['too_many_interchanges', INTERCHANGES_MAX],
])('%s on /problems names the limit that there is', (code, limit) => {
  const type = (JSON.parse(problemTypesFile()) as { code: string; says: string[] }[]).find(
    (each) => each.code === code,
  );
  expect(type?.says.join(' ')).toContain(`‹${limit.toLocaleString('en-US')}›`);
});

it('/problems names environments, and places of batches and messages, as they are called', () => {
  const texts = problemTypesFile();
  expect(texts.match(/‹[^›]*\bprod\b[^›]*›/g)).toBeNull();
  const ids = [...texts.matchAll(/\/v1\/(?:batches|messages)\/([\w]+)/g)].map(([, id = '']) => id);
  expect(ids.length).toBeGreaterThan(5);
  expect(ids.filter((id) => !BATCH_ID_FORM.test(id))).toEqual([]);
});

it('a limit is a number that the page shows, and none is left out for how it is written', () => {
  expect(pageOf('limits.md')).toContain('`BYTES_UNDER_WAY_MAX` | 1,000 files<br>4 GiB |');
  expect(pageOf('limits.md')).not.toMatch(/\| (?:, )+/);
});

it('docs/reference/ has no other pages', () => {
  expect(readdirSync('docs/reference').sort()).toEqual([...PAGES.keys()].sort());
});

it('explains every state, and every reason a request can have', () => {
  const states = [...REQUEST_STATES, ...Object.keys(ROW_MESSAGES), ...Object.keys(REASON_MESSAGES)];
  expect(states.filter((state) => !pageOf('states.md').includes(`| \`${state}\` |`))).toEqual([]);
});

it('explains every error code but those that INSIDE names', () => {
  const texts = globSync('src/**/*.ts')
    .filter((path) => !path.startsWith('src/sandbox/'))
    .map((path) => readFileSync(path, 'utf8'));
  const codes = new Set(
    texts.flatMap((text) => [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code)),
  );
  expect(codes.size).toBeGreaterThan(250);
  const isExplained = (code: string): boolean =>
    ['error-codes.md', 'states.md'].some((name) => pageOf(name).includes(`| \`${code}\` |`));
  expect([...codes].filter((code) => !INSIDE.includes(code) && !isExplained(code))).toEqual([]);
  expect(INSIDE.filter((code) => !codes.has(code))).toEqual([]);
});

describe('the reader of error codes', () => {
  const read = (text: string) => new ErrorWords([parsed('src/room/words.ts', text)]).all();

  it('finds words in the case of a code, and names what is only known later', () => {
    const [words] = read(
      `function of(fault: F) { switch (fault.code) { case "too_long": return { message: \`\${fault.name} has \${fault.text.length} characters.\`, fix: "Shorten it." }; } }`,
    );
    expect(words).toMatchObject({ code: 'too_long', message: '{name} has {text} characters.', fix: 'Shorten it.' });
  });
  it('follows a function that is called for a code, and an early return', () => {
    const found = read(
      'function of(f: F) { switch (f.code) { case "no_head": case "no_tail": return part(f); } }\n' +
        'function part(f: F) { if (f.code === "no_head") return { message: "No head.", fix: FIX }; return { message: "No tail.", fix: FIX }; }\n' +
        'const FIX = "Send it whole.";',
    );
    expect(found.map(({ code, message, fix }) => [code, message, fix])).toEqual([
      ['no_head', 'No head.', 'Send it whole.'],
      ['no_tail', 'No tail.', 'Send it whole.'],
    ]);
  });
  it('gives each code of a choice its own branch', () => {
    const found = read(
      'const of = (is: boolean) => ({ status: is ? 503 : 500, code: is ? "not_ready" : "not_known", title: "T", detail: is ? "Wait." : "Ask.", fix: "F" });',
    );
    expect(found.map(({ code, status, message }) => [code, status, message])).toEqual([
      ['not_ready', '503', 'Wait.'],
      ['not_known', '500', 'Ask.'],
    ]);
  });
});

/** Every address, called with a key that the directories answer so. */
async function statusOfEach(partner: object, operator: object): Promise<(readonly [route: string, status: number])[]> {
  const signedIn = {
    directory: () => ({ signIn: async () => partner }),
    opsDirectory: () => ({ signIn: async () => operator }),
  };
  const own: Readonly<Record<string | symbol, unknown>> = {
    ...signedIn,
    pages: { css: '', liveJs: '' },
    settings: () => ({}),
    // Without sessions: the key of the request says who it is.
    visitorNeeded: (_: unknown, next: () => Promise<void>) => next(),
  };
  const app = transloadApp(new Proxy({}, { get: (_, name) => own[name] ?? (() => undefined) }) as AppPorts);
  return Promise.all(
    routes().map(async ({ method, path }) => {
      const headers = { Authorization: 'Bearer x' };
      const { status } = await app.request(path.replace(/:\w+/g, 'x1'), { method, headers }, {});
      return [`${method} ${path}`, status] as const;
    }),
  );
}
const NOBODY = { outcome: 'unknown' };
const namesOf = (wanted: (caller: string) => boolean): string[] =>
  routes()
    .filter((route) => wanted(callerOf(route)))
    .map(({ method, path }) => `${method} ${path}`);

it('names the addresses that want a key, as the routers do', async () => {
  const answers = await statusOfEach(NOBODY, NOBODY);
  expect(answers.length).toBeGreaterThan(90);
  const refused = answers.filter(([, status]) => status === 401).map(([route]) => route);
  expect(refused).toEqual(namesOf((caller) => caller !== 'anybody'));
});

it('names the addresses that a viewer may not call, as the routers do', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // nothing is behind these addresses here
  const viewer = { keyId: 'k', name: 'Viewer', role: 'viewer', environments: ['test'] };
  const answers = await statusOfEach(NOBODY, { outcome: 'known', principal: viewer });
  vi.restoreAllMocks();
  const refused = answers.filter(([, status]) => status === 403).map(([route]) => route);
  expect(refused).toEqual(namesOf((caller) => caller === 'operator' || caller === 'admin'));
});

it('names the addresses that are for administrators alone, as the routers do', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // nothing is behind these addresses here
  const operator = { keyId: 'k', name: 'Operator', role: 'operator', environments: ['test'] };
  const answers = await statusOfEach(NOBODY, { outcome: 'known', principal: operator });
  vi.restoreAllMocks();
  const refused = answers
    .filter(([route, status]) => status === 403 && route.includes(' /v1/'))
    .map(([route]) => route);
  expect(refused).toEqual(namesOf((caller) => caller === 'admin'));
});
