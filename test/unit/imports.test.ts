/** The order of imports, and the house rules that matter enough to be held by a test. Each rule has planted breaches it catches. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf, importsOf } from '../../scripts/shape/circles.ts';

/** A folder imports from itself and from folders left of it. `src/index.ts` joins them all; the sandbox stands apart. */
const ORDER =
  'kernel formats mapping upstream delivery tracking fleet batch intake feed webhooks ops http console'.split(' ');
const ENTRY = 'src/index.ts';
const SANDBOX_ENTRY = 'src/sandbox/index.ts';

interface SourceFile {
  path: string;
  text: string;
}

const sources: SourceFile[] = globSync('src/**/*.{ts,tsx}').map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(path, 'utf8'),
}));

const folderOf = (path: string): string => path.split('/')[1] ?? '';

/** Static, for types only, for effect only, re-exported, dynamic or required, in any of the three quotes. */
function specifiersIn(text: string): string[] {
  const named = /\b(?:from|import|require)\b\s*\(?\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`)/g;
  return [...text.matchAll(named)].map(([, single, double, back]) => single ?? double ?? back ?? '');
}

/** What stands in the brackets is no plain text: it cannot be judged, so it is forbidden. */
const COMPUTED_NAME = /\b(?:import|require)\s*\(\s*(?!['"`\s])|\b(?:import|require)\s*\(\s*`[^`]*\$\{/;

function mayImport(path: string, specifier: string): boolean {
  if (/^(?:[#~/]|@\/|src\/)/.test(specifier)) return false; // an alias: one spelling per module, and that is relative
  if (!specifier.startsWith('.')) return true; // a package
  const target = posix.normalize(posix.join(posix.dirname(path), specifier));
  if (!target.startsWith('src/')) return target.startsWith('mappings/');
  const from = folderOf(path);
  const to = folderOf(target);
  if (from === 'sandbox') return to === 'sandbox' || target.startsWith('src/upstream/contracts/');
  const rank = path === ENTRY ? ORDER.length : ORDER.indexOf(from);
  return ORDER.includes(to) && ORDER.indexOf(to) <= rank;
}

/** @returns one sentence for each breach of the order. */
function breachesOfOrder({ path, text }: SourceFile): string[] {
  const breaches = specifiersIn(text)
    .filter((specifier) => !mayImport(path, specifier))
    .map((specifier) => `${path} may not import ${specifier}`);
  if (COMPUTED_NAME.test(text)) breaches.push(`${path} imports a computed name`);
  if (path !== ENTRY && ![...ORDER, 'sandbox'].includes(folderOf(path))) breaches.push(`${path} is in no known folder`);
  return breaches;
}

describe('the order of imports', () => {
  it('goes in no circle, of types neither', () => {
    expect(circlesOf(importsOf(new Map(sources.map(({ path, text }) => [path, text]))))).toEqual([]);
  });

  it('reads every source file', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(({ text }) => specifiersIn(text)).length).toBeGreaterThan(300);
  });

  it('points one way, with no exceptions', () => {
    expect(sources.flatMap(breachesOfOrder)).toEqual([]);
  });

  it.each([
    ['double quotes', 'src/mapping/a.ts', 'import { app } from "../http/app.ts";'],
    ['an import for its effect', 'src/mapping/a.ts', "import '../http/app.ts';"],
    ['a dynamic import', 'src/mapping/a.ts', "const { readKey } = await import('../ops/keys.ts');"],
    ['a dynamic import in back quotes', 'src/mapping/a.ts', 'await import(`../ops/keys.ts`);'],
    ['require', 'src/mapping/a.ts', "const keys = require('../ops/keys.ts');"],
    ['a re-export', 'src/delivery/a.ts', "export * from '../tracking/load-store.ts';"],
    [
      'a re-export over several lines',
      'src/delivery/a.ts',
      "export {\n  LoadStore,\n} from '../tracking/load-store.ts';",
    ],
    ['a type', 'src/kernel/a.ts', "import type { Load } from '../tracking/load.ts';"],
    ['a type inside a type', 'src/kernel/a.ts', "let load: import('../tracking/load.ts').Load;"],
    ['a computed name', 'src/http/a.ts', 'await import(folder);'],
    ['a computed template', 'src/http/a.ts', 'await import(`../$' + '{folder}/load.ts`);'],
    ['a folder nobody knows', 'src/misc/a.ts', 'export const a = 1;'],
    ['a file beside the entry', 'src/a.ts', 'export const a = 1;'],
    ['an import from a folder nobody knows', 'src/http/a.ts', "import { a } from '../misc/a.ts';"],
    ['an alias', 'src/http/a.ts', "import { now } from '@/kernel/clock.ts';"],
    ['an alias that looks like a root', 'src/http/a.ts', "import { now } from 'src/kernel/clock.ts';"],
    ['a path out of the sources', 'src/http/a.ts', "import { sample } from '../../test/unit/batch/samples.ts';"],
    ['the sandbox using the bridge', 'src/sandbox/a.ts', "import { send } from '../upstream/send.ts';"],
    ['the sandbox using the kernel', 'src/sandbox/a.ts', "import { ok } from '../kernel/result.ts';"],
    ['the sandbox in a folder named nearly so', 'src/sandbox/a.ts', "import '../upstream/contracts-of-ours.ts';"],
    ['the bridge using the sandbox', 'src/batch/a.ts', "import { journal } from '../sandbox/journal.ts';"],
    ['the entry using the sandbox', 'src/index.ts', "export { SandboxState } from './sandbox/state.ts';"],
    ['a deep file climbing too far', 'src/formats/csv/a.ts', "import { map } from '../../mapping/compile.ts';"],
  ])('forbids %s', (_what, path, text) => {
    expect(breachesOfOrder({ path, text })).not.toEqual([]);
  });

  it.each([
    ['a package', 'src/kernel/a.ts', "import { z } from 'zod';"],
    ['its own folder', 'src/kernel/a.ts', "import { ok } from './result.ts';"],
    ['a folder to its left', 'src/console/a.tsx', "import { isFinal } from '../delivery/states.ts';"],
    [
      'contracts, by the sandbox',
      'src/sandbox/seeded/a.ts',
      "import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';",
    ],
    ['bundled mappings', 'src/index.ts', "import { BUNDLED_DOCUMENTS } from '../mappings/bundled.ts';"],
  ])('allows %s', (_what, path, text) => {
    expect(breachesOfOrder({ path, text })).toEqual([]);
  });
});

interface HouseRule {
  rule: string;
  breaks(file: SourceFile): boolean;
  /** Files that break it on purpose, so that a rule that catches nothing is noticed. */
  planted: [path: string, text: string][];
  /** Texts that look alike and are right. */
  harmless: [path: string, text: string][];
}

const imports = (text: string, wanted: RegExp): boolean => specifiersIn(text).some((name) => wanted.test(name));
const inFolder = (path: string, folders: readonly string[]): boolean => folders.includes(folderOf(path));
/** Only what runs counts: comments may name what they warn of. */
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

/** What every object's storage is brought to this release with, and what keeps rows in it. */
const STORING_FILES = ['migrate', 'journal-table', 'row-journal', 'usage'].map((name) => `src/kernel/${name}.ts`);
const PURE_BATCH_FILES = ['report/report', 'report/report-csv', 'report/summary', 'steps/dispatch'].map(
  (name) => `src/batch/${name}.ts`,
);
const isPureBatch = (path: string): boolean => path.startsWith('src/batch/core/') || PURE_BATCH_FILES.includes(path);
const isPureCore = (path: string): boolean => inFolder(path, ['formats', 'mapping', 'delivery']) || isPureBatch(path);

const HOUSE_RULES: HouseRule[] = [
  {
    rule: 'only upstream/ and webhooks/ call fetch',
    // Fail points ask the kill harness, and are not deployed; what runs in the browser asks the page's own address.
    breaks: ({ path, text }) =>
      !path.startsWith('src/console/client/') &&
      !inFolder(path, ['upstream', 'webhooks', 'sandbox']) &&
      path !== 'src/kernel/failpoint.ts' &&
      !path.startsWith('src/console/client/') && // runs in browsers
      /\bfetch\s*\(/.test(text),
    planted: [
      ['src/tracking/a.ts', 'const answer = await fetch(url);'],
      ['src/http/a.ts', 'return globalThis.fetch (url);'],
    ],
    harmless: [
      ['src/upstream/a.ts', 'await fetch(url);'],
      ['src/console/client/a.ts', 'await fetch(url);'],
      ['src/index.ts', 'export default { fetch: app.fetch };'],
    ],
  },
  {
    rule: 'only http/ and the console know Hono',
    breaks: ({ path, text }) => !inFolder(path, ['http', 'console', 'sandbox']) && imports(text, /^hono(\/|$)/),
    planted: [
      ['src/batch/a.ts', "import { Hono } from 'hono';"],
      ['src/ops/a.tsx', 'import type { Context } from "hono";'],
      ['src/index.ts', "import { Hono } from 'hono/tiny';"],
    ],
    harmless: [
      ['src/http/a.ts', "import { Hono } from 'hono';"],
      ['src/console/a.tsx', "import type { FC } from 'hono/jsx';"],
      ['src/batch/a.ts', "import { x } from 'honolulu';"],
    ],
  },
  {
    rule: 'only object shells run object SQL',
    breaks: ({ path, text }) =>
      !inFolder(path, ['upstream', 'tracking', 'batch', 'intake', 'feed', 'webhooks', 'sandbox']) &&
      !STORING_FILES.includes(path) &&
      /\bSqlStorage\b|\.sql\b|#sql\b|\bDurableObjectStorage\b/.test(text),
    planted: [
      ['src/delivery/a.ts', "this.ctx.storage.sql.exec('SELECT 1');"],
      ['src/http/a.ts', 'export function read(sql: SqlStorage) {}'],
    ],
    harmless: [['src/batch/a.ts', 'constructor(sql: SqlStorage) {}']],
  },
  {
    rule: 'the pure part of batch/ runs no object SQL',
    breaks: ({ path, text }) => isPureBatch(path) && /\bSqlStorage\b|\.sql\b|#sql\b|\bdurable/i.test(text),
    planted: [['src/batch/core/tally.ts', "sql.exec('x'); const a: SqlStorage = sql;"]],
    harmless: [['src/batch/store/batch-store.ts', 'constructor(sql: SqlStorage) {}']],
  },
  {
    rule: 'only ops/ uses D1, and the batch for its rows of the index',
    breaks: ({ path, text }) =>
      folderOf(path) !== 'ops' &&
      !['src/batch/steps/batch-index.ts', 'src/batch/steps/index-parts.ts'].includes(path) &&
      /\bD1[A-Z]\w*|\.prepare\s*\(/.test(text),
    planted: [
      ['src/http/a.ts', 'function list(database: D1Database) {}'],
      ['src/tracking/a.ts', "await env.DIRECTORY.prepare('SELECT 1').first();"],
    ],
    harmless: [
      ['src/ops/a.ts', "database.prepare('SELECT 1');"],
      ['src/batch/steps/batch-index.ts', 'function batchIndex(database: D1Database) {}'],
    ],
  },
  {
    rule: 'the pure core has no clock, no dice, no timers',
    breaks: ({ path, text }) =>
      isPureCore(path) &&
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(?:Timeout|Interval)\b|\brandomUUID\b|\bperformance\.now\b/.test(
        withoutComments(text),
      ),
    planted: [
      ['src/delivery/a.ts', 'const nowMs = Date.now();'],
      ['src/mapping/a.ts', 'const now = new Date();'],
      ['src/formats/csv/a.ts', 'if (Math.random() > 0.5) return;'],
      ['src/batch/core/run.ts', 'setTimeout(next, 10);'],
      ['src/batch/steps/dispatch.ts', 'const id = crypto.randomUUID();'],
      ['src/delivery/deep/a.ts', 'const clock = { nowMs: Date.now };'],
    ],
    harmless: [
      ['src/batch/object/batch.ts', 'const nowMs = Date.now();'],
      ['src/delivery/a.ts', '/** Not Date.now: the clock is passed in. */'],
      ['src/batch/report/summary.ts', 'new Date(ms).toISOString();'],
    ],
  },
  {
    rule: 'no default export but the entries',
    breaks: ({ path, text }) =>
      path !== ENTRY && path !== SANDBOX_ENTRY && /\bexport\s+default\b|\bas\s+default\b/.test(withoutComments(text)),
    planted: [
      ['src/http/a.ts', 'export default app;'],
      ['src/console/index.ts', 'export { pages as default };'],
    ],
    harmless: [[ENTRY, 'export default {};']],
  },
  {
    rule: 'no file above 450 lines',
    breaks: ({ text }) => text.trimEnd().split('\n').length > 450,
    planted: [['src/http/a.ts', 'let a = 1;\n'.repeat(451)]],
    harmless: [['src/http/a.ts', 'let a = 1;\n'.repeat(450)]],
  },
  {
    rule: 'no barrel file',
    breaks: ({ path, text }) =>
      path !== ENTRY &&
      (/\bexport\s*\*/.test(text) ||
        (/^(?:\s|export\s+(?:type\s+)?\{[^}]*\}\s+from\s+'[^']+';)+$/.test(withoutComments(text)) && text !== '')),
    planted: [
      ['src/kernel/index.ts', "export * from './result.ts';"],
      [
        'src/kernel/all.ts',
        "/** All. */\nexport { ok } from './result.ts';\nexport type { Clock } from './clock.ts';\n",
      ],
    ],
    harmless: [['src/kernel/a.ts', "export { ok } from './result.ts';\nexport const a = 1;\n"]],
  },
];

/** Where a room is entered: what stands outside imports nothing else of it. */
const FRONT_DOORS: Readonly<Record<string, readonly string[]>> = {
  'src/batch/acknowledgment': ['file', 'refusal'],
  'src/console': ['app', 'pages'],
  'src/console/session': ['me', 'open-link', 'session', 'sign-in'],
  'src/http/pages': ['console', 'policy', 'views'],
  'src/mapping/check': ['check', 'code-list', 'plans'],
  'src/mapping/examples': ['examples', 'save-example'],
};
const STORES: readonly string[] = ['src/batch/store/', 'src/tracking/store/'];

/** @returns one sentence for each import that does not come in by the door, or brings storage to where nothing is stored. */
function breachesOfRooms({ path, text }: SourceFile): string[] {
  const targets = specifiersIn(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.normalize(posix.join(posix.dirname(path), specifier)));
  return targets.flatMap((target) => {
    const room = posix.dirname(target);
    const doors = path.startsWith(`${room}/`) ? undefined : FRONT_DOORS[room];
    const isByDoor = doors === undefined || doors.includes(posix.basename(target).replace(/\.tsx?$/, ''));
    const isPure = inFolder(path, ['formats', 'mapping', 'delivery']) || path.startsWith('src/batch/core/');
    const isStored = isPure && STORES.some((store) => target.startsWith(store));
    return isByDoor && !isStored ? [] : [`${path} may not import ${target}`];
  });
}

describe('rooms', () => {
  it('are entered by their doors, and the pure core imports no storage', () => {
    expect(sources.flatMap(breachesOfRooms)).toEqual([]);
  });

  it.each([
    ['another door', 'src/http/a.ts', "import { a } from '../mapping/check/leaf.ts';"],
    ['storage in the core', 'src/batch/core/a.ts', "import { a } from '../store/batch-store.ts';"],
  ])('catches %s', (_what, path, text) => {
    expect(breachesOfRooms({ path, text })).not.toEqual([]);
  });

  it.each([
    ['the door', 'src/http/a.ts', "import { a } from '../mapping/check/check.ts';"],
    ['the room itself', 'src/mapping/check/a.ts', "import { a } from './leaf.ts';"],
    ['storage in a step', 'src/batch/steps/a.ts', "import { a } from '../store/batch-store.ts';"],
  ])('lets %s be', (_what, path, text) => {
    expect(breachesOfRooms({ path, text })).toEqual([]);
  });

  it('have at most 30 files side by side', () => {
    const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path));
    expect([...folders].filter(([, files]) => files.length > 30).map(([folder]) => folder)).toEqual([]);
  });
});

describe.each(HOUSE_RULES)('house rule: $rule', ({ breaks, planted, harmless }) => {
  it('holds in every source file', () => {
    expect(sources.filter(breaks).map(({ path }) => path)).toEqual([]);
  });

  it.each(planted)('catches a breach in %s: %s', (path, text) => {
    expect(breaks({ path, text })).toBe(true);
  });

  it.each(harmless)('lets %s be: %s', (path, text) => {
    expect(breaks({ path, text })).toBe(false);
  });
});

describe('configuration files', () => {
  it.each(['wrangler.toml', 'wrangler.sandbox.toml'])(
    '%s names nodejs_compat, which the test runtime adds unasked',
    (path) => {
      const flags = /^compatibility_flags\s*=\s*\[([^\]]*)\]/m.exec(readFileSync(path, 'utf8'));
      expect(flags?.[1]).toContain('"nodejs_compat"');
    },
  );

  it('keeps the lock file free of registry addresses and of paths of one machine', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { resolved?: string }>;
    };
    expect(Object.keys(lock.packages).length).toBeGreaterThan(50);
    expect(Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    const paths = Object.keys(lock.packages).filter((path) => path !== '' && !path.startsWith('node_modules/'));
    expect(paths).toEqual([]);
    expect(JSON.stringify(lock)).not.toMatch(/file:|\/home\/|\/root\/|\/Users\/|[A-Z]:\\\\/);
  });

  it.each([
    'package.json',
    'wrangler.toml',
    'wrangler.sandbox.toml',
    'tsconfig.json',
    'vitest.config.ts',
    'biome.json',
  ])('%s names no path of one machine', (path) => {
    expect(readFileSync(path, 'utf8')).not.toMatch(/file:|\/home\/|\/root\/|\/Users\//);
  });

  it('pins every dependency to one exact version', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const versions = Object.values({ ...dependencies, ...devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});
