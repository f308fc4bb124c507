/** What the command does where an answer, a file or a connection breaks off: nothing is lost, doubled or half written. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile as readWholeFile } from 'node:fs/promises';
import { ClientRequest, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileOnDisk, sendFile } from '../../../scripts/transload/batches/send-file.ts';
import { bridgeClient, Unreached } from '../../../scripts/transload/bridge.ts';
import { pauseless, transload } from './surroundings.ts';

const KEY = `tltest_${'0'.repeat(16)}_${'0'.repeat(64)}`;
const BATCH = 'b_01m7ww39jy4zp0vsb9jmf5mjzh';
const RECEIPT = { batchId: BATCH, replayed: false, receivedAt: '2026-03-02T08:15:30.000Z', bytes: 4 };
const REFUSAL = { code: 'not_now', detail: 'Not this one.', fix: 'Send another.' };

type Answers = (request: IncomingMessage, response: ServerResponse) => void;

const open = new Set<() => Promise<void>>();
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'transload-broken-'));
});
afterEach(async () => {
  await Promise.all([...open].map((close) => close()));
  open.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** A bridge that answers so. @returns its address, and what came. */
async function bridge(answers: Answers) {
  const came: { url: string; body: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const asked = { url: request.url ?? '', body: '', key: request.headers['idempotency-key'] as string | undefined };
    came.push(asked);
    request.on('data', (chunk: Buffer) => {
      asked.body += chunk.toString('latin1');
    });
    request.on('error', () => undefined);
    answers(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  open.add(
    () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sockets = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)));
  const run = (args: readonly string[]) =>
    transload(args, {
      environment: { TRANSLOAD_URL: url, TRANSLOAD_KEY: KEY, XDG_CONFIG_HOME: folder },
      ...{ fetch, pause: pauseless },
    });
  return { url, came, sockets, run };
}

const json = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
const afterBody =
  (answer: (response: ServerResponse, request: IncomingMessage) => void): Answers =>
  (request, response) =>
    void request.on('end', () => answer(response, request));
/** As long as it said it would be, but for its end. */
const breaksOff = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length + 10 });
  response.write(text, () => response.destroy());
};
const fileOf = (name: string, text = 'a,b\n'): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const readWhole = (path: string): Promise<string> => readWholeFile(path, 'utf8');
const asked = (url: string) => ({ url, key: KEY, environment: null });
const sending = {
  ...{ method: 'PUT', address: '/v1/batches', headers: {}, sent: () => undefined },
  signal: new AbortController().signal,
};

describe('an upload', () => {
  it('whose connection breaks is sent again, a forced one under one name', async () => {
    let calls = 0;
    const { run, came } = await bridge(
      afterBody((response) => {
        calls += 1;
        if (calls < 3) breaksOff(response, '{"batchId":');
        else json(response, RECEIPT);
      }),
    );
    const { status, stdout, stderr } = await run(['upload', fileOf('a.csv'), '-m', 'm', '--force']);
    expect([status, stdout]).toEqual([0, `a.csv is taken in: batch ${BATCH}, 4 bytes.\n`]);
    expect(stderr.match(/Sending a\.csv again/g)).toHaveLength(2);
    expect([came.length, new Set(came.map(({ key }) => key)).size]).toEqual([3, 1]);
  });

  it.each([
    ['--force', 'transload batches shows it. Sent with --force again, it is sent twice.'],
    ['--watch', 'send it again, it is never taken in twice.'],
  ])('without a receipt at last says what another one does, with %s', async (option, says) => {
    const { run, came } = await bridge((_, response) => void response.destroy());
    const { status, stderr } = await run(['upload', fileOf('a.csv'), '-m', 'm', option]);
    expect([status, came.length]).toEqual([2, 4]);
    expect(stderr).toContain(says);
  });

  it('of which an earlier try is still being taken in waits for that one, and sends no second', async () => {
    let calls = 0;
    const { run, came } = await bridge(
      afterBody((response) => {
        calls += 1;
        if (calls === 1) response.destroy();
        else if (calls < 6)
          json(response, { code: 'key_in_flight', detail: 'It is sent now.', fix: 'Send it again.' }, 409);
        else json(response, RECEIPT);
      }),
    );
    const path = fileOf('a.csv');
    expect((await run(['upload', path, '-m', 'm', '--force'])).status).toBe(0);
    expect([came.length, new Set(came.map(({ key }) => key)).size]).toEqual([6, 1]);
    calls = -1_000; // for as long as anybody waits
    const { status, stderr } = await run(['upload', path, '-m', 'm', '--force']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/Sent with --force again, it is sent twice\.\nAn earlier try is still being taken in\.\n$/);
    expect(stderr).not.toContain('Send it again.');
  });

  it.each([
    [500, 'oops', true],
    [200, '<!doctype html>', true],
    [429, JSON.stringify({ code: 'too_much_under_way', detail: 'Wait.', fix: 'Wait.' }), false],
    [413, JSON.stringify({ code: 'too_large', detail: 'Large.', fix: 'Cut it.' }), false],
  ])('that is answered %i may have been taken in, or was clearly not: %s', async (code, body, mayBe) => {
    const { run } = await bridge(afterBody((response) => void response.writeHead(code).end(body)));
    const { status, stderr } = await run(['upload', fileOf('a.csv'), '-m', 'm', '--force']);
    expect([status, stderr.includes('may have been taken in')]).toEqual([2, mayBe]);
  });

  it('from another program may pause as long as that one does', async () => {
    const timers = vi.spyOn(ClientRequest.prototype, 'setTimeout');
    const { url, came } = await bridge(afterBody((response) => json(response, RECEIPT)));
    const body = new PassThrough();
    const sent = sendFile(asked(url), { ...sending, file: { open: () => body, bytes: undefined } });
    body.write('first,');
    await vi.waitUntil(() => came[0]?.body === 'first,');
    expect(timers).not.toHaveBeenCalled();
    body.end('last\n');
    await sent;
    expect([came[0]?.body, timers.mock.calls.length]).toEqual(['first,last\n', 1]);
    timers.mockRestore();
  });

  it('says the receipts of the files that were taken in, where a later one is refused', async () => {
    const { run } = await bridge(
      afterBody((response, { url }) =>
        url?.includes('b.csv') ? json(response, REFUSAL, 409) : json(response, RECEIPT),
      ),
    );
    const files = [fileOf('a.csv'), fileOf('b.csv'), fileOf('c.csv')];
    const { status, stdout, stderr } = await run(['upload', ...files, '-m', 'm', '--json']);
    expect([status, JSON.parse(stdout).uploads.map(({ file }: { file: string }) => file)]).toEqual([1, [files[0]]]);
    expect(stderr).toContain('Not this one.');
    expect(stderr).toContain(`Not taken in: ${files[1]}\nNot sent: ${files[2]}\n`);
    const none = await run(['upload', files[1] ?? '', '-m', 'm', '--json']);
    expect([none.status, none.stdout]).toEqual([1, '']);
  });

  it('that is refused before it has left holds nobody up', async () => {
    const { url, sockets } = await bridge((_, response) => json(response, REFUSAL, 409));
    const path = fileOf('large.csv', 'x'.repeat(8 * 1024 * 1024));
    await expect(sendFile(asked(url), { ...sending, file: fileOnDisk(path, 8 * 1024 * 1024) })).rejects.toThrow(
      'Not this one.',
    );
    await expect.poll(sockets).toBe(0);
  });

  it.each([
    ['grew', 'whole\nand more', 6],
    ['became empty and grew', 'more', 0],
  ])('of a file that %s has what it was', async (_, text, bytes) => {
    const { url, came } = await bridge(afterBody((response) => json(response, RECEIPT)));
    await sendFile(asked(url), { ...sending, file: fileOnDisk(fileOf('a.csv', text), bytes) });
    expect(came[0]?.body).toBe(text.slice(0, bytes));
  });

  it('of a file that became shorter is none, and says so at once', async () => {
    const { url } = await bridge(() => undefined);
    const file = { open: () => Readable.from([Buffer.from('half')]), bytes: 9 };
    await expect(sendFile(asked(url), { ...sending, file })).rejects.toThrow('became shorter while it was sent');
  });

  it('to a page that is no bridge is no success', async () => {
    const { run } = await bridge(afterBody((response) => void response.writeHead(200).end('<!doctype html>')));
    const { status, stderr } = await run(['upload', fileOf('a.csv'), '-m', 'm']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('no JSON. Is it the address of a bridge?')]);
  });
});

describe('an answer', () => {
  it('that breaks off counts as not heard, and one that is no JSON as not of a bridge', async () => {
    const cut = await bridge((_, response) => breaksOff(response, '{"batches":['));
    const { status, stderr } = await cut.run(['batches']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('cannot be reached')]);
    const refused = await bridge((_, response) => {
      response.writeHead(409, { 'Content-Length': 100 });
      response.write('{', () => response.destroy());
    });
    expect((await refused.run(['batches'])).stderr).toContain('cannot be reached');
    const { answer } = bridgeClient(asked(refused.url), fetch);
    await expect(answer('GET /v1/batches')).rejects.toThrow(Unreached);
    const page = await bridge((_, response) => void response.writeHead(200).end('<!doctype html>'));
    expect((await page.run(['batches'])).stderr).toBe(
      `${page.url} answered with something that is no JSON. Is it the address of a bridge?\n`,
    );
  });

  it('that breaks off while a batch is watched is asked for again', async () => {
    let calls = 0;
    const settled = {
      ...{ batchId: BATCH, fileName: 'a.csv', mapping: 'm', rows: 1, state: 'settled', problems: [], notes: [] },
      ...{ resolved: 0, rowStates: { delivered: 1 }, resolvedStates: {}, bytes: 4, bytesRead: 4, contentBytes: 4 },
    };
    const { run } = await bridge((_, response) => {
      calls += 1;
      if (calls === 1) breaksOff(response, '{"batchId":');
      else json(response, settled);
    });
    const { status, stdout } = await run(['batches', BATCH, '--watch']);
    expect([status, calls, stdout]).toEqual([0, 2, `a.csv (${BATCH}), m: settled, 1 row: 1 delivered.\n`]);
  });
});

describe('what is written into a file', () => {
  const ENDED = {
    ...{ batchId: BATCH, fileName: 'a.csv', mapping: 'm', rows: 1, state: 'settled', problems: [], notes: [] },
    ...{ resolved: 0, rowStates: { invalid: 1 }, resolvedStates: {}, format: 'csv', scac: null },
  };
  const WRONG = { rows: [{ record: 1, state: 'invalid', replacedBy: null }], next: null };
  /** The batch, and a file that breaks off, or does not. */
  const files =
    (isWhole: boolean): Answers =>
    (request, response) => {
      if (request.url?.endsWith(BATCH)) return json(response, ENDED);
      if (request.url?.includes('/rows?')) return json(response, WRONG);
      return isWhole ? void response.end('new') : breaksOff(response, 'half of it');
    };

  it('is whole, or what was there before', async () => {
    const into = fileOf('report.csv', 'before');
    const cut = await bridge(files(false));
    const { status, stderr } = await cut.run(['report', BATCH, '--csv', '-o', into]);
    expect([status, readFileSync(into, 'utf8'), readdirSync(folder)]).toEqual([2, 'before', ['report.csv']]);
    expect(stderr).toContain('cannot be reached');
    const whole = await bridge(files(true));
    expect((await whole.run(['report', BATCH, '--csv', '-o', into])).stderr).toBe(`Written to ${into}.\n`);
    expect(readFileSync(into, 'utf8')).toBe('new');
  });

  it('keeps what a link leads to and who may read it, and goes into a pipe as it comes', async () => {
    const { run } = await bridge(files(true));
    const target = fileOf('target.csv', 'before');
    chmodSync(target, 0o600);
    const link = join(folder, 'link.csv');
    symlinkSync(target, link);
    expect((await run(['report', BATCH, '--csv', '-o', link])).status).toBe(1);
    expect([readFileSync(target, 'utf8'), statSync(target).mode & 0o777, lstatSync(link).isSymbolicLink()]).toEqual([
      ...['new', 0o600, true],
    ]);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readWhole(pipe);
    expect((await run(['report', BATCH, '--csv', '-o', pipe])).status).toBe(1);
    expect([await reading, lstatSync(pipe).isFIFO()]).toEqual(['new', true]);
    expect(readdirSync(folder).sort()).toEqual(['link.csv', 'pipe', 'target.csv']);
  });

  it('is never corrections that somebody has worked on', async () => {
    const mine = fileOf('mine.csv', 'corrected');
    const { run } = await bridge(files(true));
    const { status, stderr } = await run(['correct', BATCH, '-o', mine]);
    expect([status, readFileSync(mine, 'utf8')]).toEqual([2, 'corrected']);
    expect(stderr).toContain('is there already, perhaps with your corrections');
    const cut = await bridge(files(false));
    const fresh = join(folder, 'fresh.csv');
    expect([(await cut.run(['correct', BATCH, '-o', fresh])).status, existsSync(fresh)]).toEqual([2, false]);
    expect(readdirSync(folder)).toEqual(['mine.csv']);
  });

  it('is not corrections where a file came in their place meanwhile', async () => {
    const mine = join(folder, 'mine.csv');
    const { run } = await bridge((request, response) => {
      if (request.url?.endsWith(BATCH)) return json(response, ENDED);
      if (request.url?.includes('/rows?')) return json(response, WRONG);
      writeFileSync(mine, 'corrected');
      response.end('new');
    });
    const { status } = await run(['correct', BATCH, '-o', mine]);
    expect([status, readFileSync(mine, 'utf8'), readdirSync(folder)]).toEqual([2, 'corrected', ['mine.csv']]);
  });

  it('of corrections that were sent has its receipt, also where nobody is heard of again', async () => {
    const { run } = await bridge((request, response) => {
      if (request.method === 'PUT') request.on('end', () => json(response, RECEIPT)).resume();
      else if (request.url?.endsWith(BATCH) && sent.isDone)
        json(response, { code: 'gone', detail: 'No.', fix: 'No.' }, 404);
      else json(response, ENDED);
      sent.isDone ||= request.method === 'PUT';
    });
    const sent = { isDone: false };
    const { status, stdout } = await run(['correct', BATCH, fileOf('mine.csv'), '--json']);
    expect([status, JSON.parse(stdout)]).toMatchObject([2, { corrects: BATCH, receipt: RECEIPT, batch: null }]);
  });
});

it('a bridge that takes a file and says nothing for minutes counts as not reached', async () => {
  const whole = ClientRequest.prototype.setTimeout;
  const soon = vi.spyOn(ClientRequest.prototype, 'setTimeout').mockImplementation(function (
    this: ClientRequest,
    ms,
    isOver,
  ) {
    return whole.call(this, ms / 3_000, isOver);
  });
  const { url } = await bridge(() => undefined);
  const sent = sendFile(asked(url), { ...sending, file: fileOnDisk(fileOf('a.csv'), 4) });
  try {
    await expect(sent).rejects.toThrow(new Unreached(`${url} cannot be reached: nothing was heard for five minutes`));
    expect(soon).toHaveBeenCalledWith(300_000, expect.any(Function));
  } finally {
    soon.mockRestore();
  }
});
