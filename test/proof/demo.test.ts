/** The demo stays up, and every curl line it prints works as printed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/local/start-worker.ts';

const SHIPPED = readdirSync(join(PROJECT_ROOT, 'mappings')).flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []);

let demo: ChildProcess;
let printed = '';

beforeAll(async () => {
  demo = spawn(process.execPath, ['scripts/demo.ts'], { cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  await new Promise<void>((done, fail) => {
    demo.stdout?.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('Press Ctrl-C')) done();
    });
    demo.stderr?.on('data', (chunk) => {
      printed += chunk;
    });
    demo.once('exit', (code) => fail(new Error(`the demo ended with ${code}:\n${printed}`)));
  });
});

afterAll(async () => {
  if (demo.exitCode !== null) return;
  const ended = new Promise((done) => demo.once('exit', done));
  demo.kill('SIGINT');
  await ended;
});

it('shows every sample settled, with the rows to correct', () => {
  expect(printed).toContain('Every row has its final state.');
  for (const mapping of SHIPPED) expect(printed).toMatch(new RegExp(`^${mapping} .* settled$`, 'm'));
  expect(printed).toMatch(/row \d+ \(line \d+\) time_nonexistent/);
  expect(printed).toMatch(/row \d+ \(line \d+\) coordinates_swapped/);
  expect(printed).toMatch(/row \d+ \(line \d+\) rejected, status 422: .*load_closed/);
});

it('delivers every kind: positions packed by their load, and plain milestones by a token', () => {
  const took = /took (\d+) milestones, (\d+) positions in (\d+) requests, (\d+) plain milestones/.exec(printed) ?? [];
  const [milestones = 0, positions = 0, requests = 0, plain = 0] = took.slice(1).map(Number);
  expect(milestones).toBeGreaterThan(200);
  expect([positions, plain]).toEqual([125, 44]);
  expect(requests).toBeLessThan(positions / 2);
});

it('prints curl lines that work as printed', async () => {
  const lines = printed.split('\n').filter((line) => /^ {2}(curl|cat) /.test(line));
  expect(lines.length).toBeGreaterThanOrEqual(7);
  const answers: string[] = [];
  for (const line of lines) {
    const command = `${line.trim()} --silent --show-error --fail-with-body`;
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: PROJECT_ROOT });
    answers.push(stdout);
  }
  expect(
    answers.filter((answer) => answer.includes('"receivedAt"') && answer.includes('"sha256"')).length,
  ).toBeGreaterThanOrEqual(3);
  expect(answers.some((answer) => answer.startsWith('"trip_id"') || answer.includes('"_batch"'))).toBe(true);
});

it('ends by itself on Ctrl-C and leaves nothing running', async () => {
  const ports = [...printed.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
  const ended = new Promise<number | null>((done) => demo.once('exit', done));
  demo.kill('SIGINT');
  expect(await ended).toBe(0);
  await expect(fetch(`http://127.0.0.1:${ports[0]}/healthz`)).rejects.toThrow();
});
