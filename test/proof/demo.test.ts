/** The demo stays up, what it prints is short and adds up, every line to try works as printed, and it takes every fixture. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { partnerClient } from '../../scripts/demo/partner.ts';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { pause } from '../../scripts/local/client.ts';
import { freePort } from '../../scripts/local/running.ts';
import { startStack } from '../../scripts/local/stack.ts';
import { differences, endpointOf, type SentRequest } from '../documentation/checker.ts';

const SHIPPED = readdirSync(join(PROJECT_ROOT, 'mappings')).flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []);

/** The demo takes about a minute by itself, and several where other tests run beside it. */
const DEMO_MS = 420_000;
/** What was being started would be up by then. */
const SANDBOX_MS = 2_000;
const POLL_MS = 50;

let demo: ChildProcess;
let printed = '';
/** The file that it names, with all that it does not show. */
let story = '';

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
  story = readFileSync(join(PROJECT_ROOT, /more to try: (\S+)$/m.exec(printed)?.[1] ?? ''), 'utf8');
}, DEMO_MS);

afterAll(async () => {
  if (demo.exitCode !== null) return;
  const ended = new Promise((done) => demo.once('exit', done));
  demo.kill('SIGINT');
  await ended;
});

it('shows what became of all rows in a screen of text, in columns that add up', () => {
  expect(printed).toContain('Every row has its final state.');
  expect(printed.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  const lines = [...printed.matchAll(/^[A-Z]\w+(?: \w+)? +\d+ +(\d+) +(.*)$/gm)];
  expect(lines.length).toBe(8);
  expect(printed).toMatch(/^all +22 +1\d{3} /m);
  for (const [line, rows, counts = ''] of lines) {
    expect(
      counts.split(/ +/).reduce((sum, count) => sum + Number(count), 0),
      line,
    ).toBe(Number(rows));
  }
});

it('has every sample settled in the file that it names, with the rows to correct', () => {
  for (const mapping of SHIPPED) expect(story).toMatch(new RegExp(`^${mapping} +settled `, 'm'));
  expect(story).toMatch(/row \d+ \(line \d+\) time_nonexistent/);
  expect(story).toMatch(/row \d+ \(line \d+\) coordinates_swapped/);
  expect(story).toMatch(/row \d+ \(line \d+\) rejected, status 422: .*load_closed/);
});

it('delivers every kind: positions packed by their load, and plain milestones by a token', () => {
  const took = /took (\d+) milestones, (\d+) positions in (\d+) requests, (\d+) plain milestones/.exec(printed) ?? [];
  const [milestones = 0, positions = 0, requests = 0, plain = 0] = took.slice(1).map(Number);
  expect(milestones).toBeGreaterThan(200);
  expect([positions, plain]).toEqual([125, 44]);
  expect(requests).toBeLessThan(positions / 2);
});

/** Everything that the receiving system was sent, as its journal has it. */
async function journal(): Promise<SentRequest[]> {
  const [, sandboxUrl = ''] = /"(http:\S+)\/_sandbox\/journal/.exec(story) ?? [];
  const all: SentRequest[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${sandboxUrl}/_sandbox/journal?after=${after}&limit=1000`);
    const page = (await answer.json()) as { entries: (SentRequest & { environment: string })[]; next: number };
    if (page.entries.length === 0) return all;
    // {test_base_url} ends with the environment there (1.6).
    all.push(...page.entries.map((entry) => ({ ...entry, path: entry.path.slice(`/${entry.environment}`.length) })));
    after = page.next;
  }
}

it('every request of the demo is held against a checker written from the documentation alone: 0 differences', async () => {
  const sent = await journal();
  expect(sent.length).toBeGreaterThan(300);
  const differing = sent.flatMap((request) => {
    const wrong = differences(request);
    return wrong.length === 0 ? [] : [{ request: `${request.method} ${request.path} ${request.body}`, wrong }];
  });
  expect(differing).toEqual([]);
  const met = new Set(sent.map(endpointOf));
  expect(met.size, [...met].join('\n')).toBeGreaterThanOrEqual(9);
});

it('prints lines to try that work as printed, and more in its file', async () => {
  const lines = `${printed}\n${story}`
    .split('\n')
    .filter((line) => /^ {2}(curl|cat|XDG_CONFIG_HOME=\S+ npm) /.test(line));
  expect(lines.length).toBeGreaterThanOrEqual(20);
  const answers: string[] = [];
  for (const line of lines) {
    const isCommand = line.includes(' npm run ');
    const command = isCommand ? line.trim() : `${line.trim()} --silent --show-error --fail-with-body`;
    // Rows to correct are what the command's exit code 1 says.
    const allowed = isCommand ? `${command} || [ $? -eq 1 ]` : command;
    const { stdout } = await promisify(execFile)('bash', ['-c', allowed], { cwd: PROJECT_ROOT });
    answers.push(stdout);
  }
  expect(
    answers.filter((answer) => answer.includes('"receivedAt"') && answer.includes('"sha256"')).length,
  ).toBeGreaterThanOrEqual(3);
  expect(answers.some((answer) => answer.startsWith('"trip_id"') || answer.includes('"_batch"'))).toBe(true);
  expect(answers.some((answer) => answer.includes('To correct them: transload correct'))).toBe(true);
}, 240_000);

it('takes every clean fixture as it stands', async () => {
  const [, url = ''] = /"(http:\S+)\/v1\/batches/.exec(printed) ?? [];
  const keyOf = (partner: string) => new RegExp(`^ +${partner} +(tltest_\\S+)$`, 'm').exec(printed)?.[1] ?? '';
  const senders = new Map(
    [...story.matchAll(/^(\S+) uploads fixtures\/samples\/(\S+?)\.\w+$/gm)].map(([, who = '', mapping = '']) => [
      mapping,
      who,
    ]),
  );
  const taken: Record<string, string> = {};
  for (const mapping of SHIPPED) {
    const folder = join(PROJECT_ROOT, 'fixtures', mapping, 'clean');
    const input = readdirSync(folder).find((file) => file.startsWith('input.')) ?? '';
    const client = partnerClient(url, keyOf(senders.get(mapping) ?? ''));
    const { batchId } = await client.upload(join(folder, input), mapping);
    const { state, rowStates } = await client.watch(batchId, () => undefined);
    taken[mapping] = `${state}, ${rowStates.invalid ?? 0} to correct`;
  }
  expect(taken).toEqual(Object.fromEntries(SHIPPED.map((mapping) => [mapping, 'settled, 0 to correct'])));
}, 240_000);

it('ends by itself on Ctrl-C and leaves nothing running', async () => {
  const ports = [...printed.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
  const ended = new Promise<number | null>((done) => demo.once('exit', done));
  demo.kill('SIGINT');
  expect(await ended).toBe(0);
  await expect(fetch(`http://127.0.0.1:${ports[0]}/healthz`)).rejects.toThrow();
});

it(
  'ends on Ctrl-C while it is still starting, with all that it had started',
  async () => {
    const starting = spawn(process.execPath, ['scripts/demo.ts'], { cwd: PROJECT_ROOT, stdio: 'ignore' });
    const childrenOf = (pid: number): number[] =>
      spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
        .stdout.toString()
        .split('\n')
        .map(Number)
        .filter((child) => child > 0);
    const started = await vi.waitUntil(
      () => {
        const all = childrenOf(starting.pid ?? 0).flatMap((child) => [child, ...childrenOf(child)]);
        return all.length > 1 && all;
      },
      { timeout: DEMO_MS, interval: 20 },
    );
    const ended = new Promise<number | null>((done) => starting.once('exit', done));
    starting.kill('SIGINT');
    expect(await ended).toBe(130);
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    // What has an end of its own, such as writing the directory, comes to it.
    await expect.poll(() => started.filter(isAlive), { timeout: 30_000 }).toEqual([]);
  },
  DEMO_MS,
);

it(
  'ends what it has started where the rest does not start',
  async () => {
    const [bridge, sandbox] = [await freePort(), await freePort()];
    const starting = startStack({ partners: [], directorySql: 'this is no SQL;', preferredPorts: { bridge, sandbox } });
    await expect(starting).rejects.toThrow('syntax error');
    for (const endMs = Date.now() + SANDBOX_MS; Date.now() < endMs; await pause(POLL_MS))
      await expect(fetch(`http://127.0.0.1:${sandbox}/`)).rejects.toThrow();
  },
  DEMO_MS,
);

it.each([[['--rows', 'many']], [['--row', '5']]])('says what is wrong with its arguments in a line: %s', (args) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/demo.ts', ...args], { cwd: PROJECT_ROOT });
  expect([status, stderr.toString().trim().split('\n').length]).toEqual([2, 1]);
});
