/** Kills are counted over several runs of the same code, and of no other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../../scripts/frame/kept-file.ts';
import { countFor } from '../../../scripts/kill/count.ts';

const folder = mkdtempSync(join(tmpdir(), 'transload-kills-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = relative(PROJECT_ROOT, join(folder, 'seed-1.json'));
const run = (more: { kills?: number; source?: string; fresh?: boolean } = {}) =>
  countFor({ path, kills: 20, source: 'this', fresh: false, ...more });

it('goes on where it was stopped, says where nothing is killed, and counts nothing of other code', () => {
  const first = run();
  expect([first.count.kills, first.note]).toEqual([0, null]);
  Object.assign(first.count, { kills: 12, rounds: 1, batches: 5, violations: ['seed 1 round 1: lost'] });
  first.keep();

  const second = run();
  expect(second.count).toMatchObject({ kills: 12, rounds: 1, batches: 5, violations: ['seed 1 round 1: lost'] });
  expect(second.note).toBe('with this code, 12 of these kills were counted before; --fresh starts over');
  expect(run({ kills: 12 }).note).toBe(
    'NOTHING is killed in this run: with this code, 12 kills were counted before; --fresh starts over',
  );

  const other = run({ source: 'other' });
  expect(other.count).toMatchObject({ source: 'other', kills: 0, rounds: 0, batches: 0, violations: [] });
  expect(other.note).toBe('12 kills were counted with other code: the count begins anew');
  expect(run({ fresh: true })).toMatchObject({ count: { kills: 0, violations: [] }, note: null });
});
