import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { leftOut } from './test/left-out.ts';
import { keepInMemory } from './test/memory-folder.ts';
import { SECOND_TRIES, secondTry } from './test/second-try.ts';
import { TEST_CHANNEL_SECRETS, TEST_CHANNELS, TEST_TIME_SCALE, TEST_WEBHOOK_KEY } from './test/worker/channels.ts';

keepInMemory();
const MIGRATIONS = await readD1Migrations('./src/ops/migrations');

/** What people and programs meet: routes, uploads, roles, pages. Their tests have a command of their own. */
const DOORS = ['http', 'uploads', 'ops', 'people'].map((room) => `test/worker/${room}/**/*.test.ts`);

/** Over megabytes, or drawn by the thousand, or waiting: each takes as long as a hundred others. */
const LONG = ['test/unit/**/*.long.test.ts'];
const LONG_IN_THE_RUNTIME = ['test/worker/**/*.long.test.ts'];

/** Tests in workerd. */
const inTheRuntime = (name: string, include: string[], exclude: string[]): TestProjectConfiguration => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          TIME_SCALE: String(TEST_TIME_SCALE),
          CHANNELS: JSON.stringify(TEST_CHANNELS),
          WEBHOOK_KEY: TEST_WEBHOOK_KEY,
          CHANNEL_SECRETS: JSON.stringify(TEST_CHANNEL_SECRETS),
          MIGRATIONS,
        },
      },
    }),
  ],
  test: {
    name,
    include,
    exclude,
    retry: SECOND_TRIES,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    sequence: { groupOrder: 1 },
    maxWorkers: 3, // most of these tests wait for alarms
    isolate: false, // a runtime's start costs more than most files; each test has objects of its own and resets storage
  },
});

export default defineConfig({
  test: {
    reporters: ['default', leftOut, secondTry],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: LONG,
          environment: 'node',
          setupFiles: ['./test/draws.ts'],
          isolate: false, // pure functions: nothing one file does can reach another, so that they share a process
          maxWorkers: 2,
          testTimeout: 20_000, // a few feed many megabytes, on machines that have other work
        },
      },
      inTheRuntime('worker', ['test/worker/**/*.test.ts'], [...DOORS, ...LONG_IN_THE_RUNTIME]),
      inTheRuntime('long', LONG_IN_THE_RUNTIME, []),
      inTheRuntime('doors', DOORS, []),
      {
        test: {
          name: 'e2e',
          retry: SECOND_TRIES,
          include: ['test/e2e/**/*.test.ts'],
          environment: 'node',
          // Beside the worker tests: each mostly waits for the Workers and the browser that it starts.
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // The console's pages in a real browser, on one stage for all files.
          name: 'console',
          retry: SECOND_TRIES,
          include: ['test/console/**/*.test.ts'],
          globalSetup: ['./test/console/global-setup.ts'],
          environment: 'node',
          isolate: false, // one browser for all files
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // What earlier releases stored, opened by this one.
          name: 'upgrade',
          retry: SECOND_TRIES,
          include: ['test/upgrade/**/*.test.ts'],
          environment: 'node',
          sequence: { groupOrder: 1 },
          maxWorkers: 2, // each mostly waits for alarms
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // Short runs of the long proofs, with their own command: they take as long as what they wait for.
          name: 'proof',
          retry: SECOND_TRIES,
          include: ['test/proof/**/*.test.ts', ...LONG],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          environment: 'node',
          setupFiles: ['./test/draws.ts'],
          isolate: false, // pure functions, or processes that a test starts: a process for each file would read everything anew
          sequence: { groupOrder: 1 },
          maxWorkers: 3, // each mostly waits for what it started
        },
      },
      {
        test: {
          // A day in less than a minute: what shares the machine with it makes it late.
          name: 'day',
          retry: SECOND_TRIES,
          include: ['test/day/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          environment: 'node',
          sequence: { groupOrder: 3 },
          maxWorkers: 1,
        },
      },
    ],
  },
});
