/** A long run over processes: what breaks and what dies has a name, and a second run does only what is left. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { blocksOf, type LongRun, runBlocks } from '../../../scripts/frame/blocks.ts';
import { PROJECT_ROOT } from '../../../scripts/frame/kept-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'transload-blocks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WORKER = join(import.meta.dirname, 'dying-worker.ts');

const run = async (more: Partial<LongRun<{ whole: number }>> = {}) => {
  const said: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  let whole = 0;
  try {
    const end = await runBlocks<{ whole: number }>({
      blocks: blocksOf('', 1, 8, 4),
      jobs: 1,
      noun: 'seeds',
      folder: relative(PROJECT_ROOT, folder),
      sources: ['test/unit/frame'],
      fresh: false,
      quiet: false,
      worker: WORKER,
      execArgv: [],
      hangMs: 60_000,
      again: (_, input) => `again ${input}`,
      add: (counted) => {
        whole += counted.whole;
      },
      ...more,
    });
    return { tried: end.tried, broken: end.broken, whole, said: said.join('') };
  } finally {
    out.mockRestore();
  }
};

it('names what broke and where a process died, tries what is behind it, and goes on where it was stopped', async () => {
  const first = await run({ blocks: blocksOf('', 1, 4, 4) });
  expect(first).toMatchObject({ tried: 4, broken: ['3'], whole: 3, said: 'seed 3: broken\n' });
  const second = await run();
  expect(second).toMatchObject({ tried: 3, broken: ['3', '5'], whole: 3 });
  expect(second.said).toContain('4 of these seeds were done before; --fresh starts over');
  expect(second.said).toContain('5: the process ended with 7\n  again: again 5');
  expect(await run()).toMatchObject({ tried: 0, broken: ['3', '5'] });
  const atItsEnd = blocksOf('', 5, 1, 4);
  expect(await run({ fresh: true, blocks: atItsEnd })).toMatchObject({ broken: ['5'] });
  expect(await run({ blocks: atItsEnd })).toMatchObject({ broken: ['5'] });
  const fresh = await run({ fresh: true, blocks: blocksOf('', 6, 2, 4) });
  expect(fresh).toMatchObject({ tried: 2, broken: [], whole: 2, said: '' });
});

it('takes an input for broken at which two processes hang, and not one at which one did', async () => {
  const end = await run({ blocks: blocksOf('', 8, 4, 4), fresh: true, hangMs: 1_000 });
  expect(end).toMatchObject({ broken: ['9'], whole: 2 });
  expect(end.said).toBe('9: it hangs\n  again: again 9\n');
});

it('ends its processes with whoever started them, also in the midst of a block', async () => {
  const file = join(folder, 'job');
  const child = fork(WORKER, [file]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  child.send({ of: '', from: 9, count: 1 });
  await vi.waitUntil(() => existsSync(file) && Number(readFileSync(file, 'utf8')) === 9, { timeout: 15_000 });
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});
