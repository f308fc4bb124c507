import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { TEST_CHANNELS, TEST_CHANNEL_SECRETS } from './test/worker/channels.ts';

export default defineConfig(async () => ({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], environment: 'node' } },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                TIME_SCALE: '60',
                CHANNELS: JSON.stringify(TEST_CHANNELS),
                CHANNEL_SECRETS: JSON.stringify(TEST_CHANNEL_SECRETS),
                MIGRATIONS: await readD1Migrations('./src/ops/migrations'),
              },
            },
          }),
        ],
        test: { name: 'worker', include: ['test/worker/**/*.test.ts'] },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}));
