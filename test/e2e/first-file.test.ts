/** A file through every layer over real HTTP: what the report says is what the receiving system got, field for field. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import type { Stack } from '../../scripts/local/stack.ts';
import type { BatchRow } from '../../src/batch/report/summary.ts';
import { CORPUS, itReads } from '../corpus.ts';
import { milestoneOf } from '../milestone-of.ts';
import { clientOf, startEnvironment } from './environment.ts';

const REAL_STOP_TIMES = join(CORPUS, 'csv/BurntSushi__rust-csv/gtfs-mbta-stop-times.first600.csv');
const SAMPLE = join(PROJECT_ROOT, 'fixtures/samples/transit-stop-times-csv.csv');

let environment: Stack;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment?.stop());

async function allRows(batchId: string): Promise<BatchRow[]> {
  const rows: BatchRow[] = [];
  for (let next: string | null = `/v1/batches/${batchId}/rows?limit=500`; next !== null; ) {
    const answer = await fetch(environment.bridge.baseUrl + next, {
      headers: { Authorization: `Bearer ${environment.keys[0]}` },
    });
    const page = (await answer.json()) as { rows: BatchRow[]; next: string | null };
    rows.push(...page.rows);
    next = page.next;
  }
  return rows;
}

const byLoad = (bodies: string[]) =>
  Object.fromEntries(Map.groupBy(bodies, (body) => (JSON.parse(body) as { loadNumber: string }).loadNumber));

async function deliverAndCompare(path: string, rowsExpected: number): Promise<BatchRow[]> {
  const before = (await environment.journal()).at(-1)?.seq ?? 0;
  const { batchId } = await clientOf(environment).upload(path, 'transit-stop-times-csv');
  const ended = await clientOf(environment).watch(batchId, () => undefined);
  expect(ended).toMatchObject({ state: 'settled', rows: rowsExpected });
  const rows = await allRows(batchId);
  expect(rows.map(({ record }) => record)).toEqual(Array.from({ length: rowsExpected }, (_, at) => at + 1));
  const delivered = rows.flatMap(({ requests }) => requests.filter(({ state }) => state === 'delivered'));
  const seen = (await environment.journal()).filter(
    ({ seq, path: asked }) => seq > before && asked.endsWith('/milestone-requests'),
  );
  expect(seen.every(({ applied, status }) => applied && status === 200)).toBe(true);
  expect(byLoad(seen.map(({ body }) => body))).toEqual(byLoad(delivered.map(({ body }) => JSON.stringify(body))));
  return rows;
}

describe('a stop-times file', () => {
  it('arrives upstream exactly as reported, field for field, in order per load', async () => {
    const rowCount = readFileSync(SAMPLE, 'utf8').trimEnd().split('\n').length - 1;
    const rows = await deliverAndCompare(SAMPLE, rowCount);
    expect(rows.some(({ state }) => state === 'invalid')).toBe(true);
    expect(rows.filter(({ state }) => state === 'delivered').length).toBeGreaterThan(30);
  });

  itReads('arrives likewise when it is a real one of 599 rows', async () => {
    const rows = await deliverAndCompare(REAL_STOP_TIMES, 599);
    expect(rows.every(({ state }) => state === 'delivered')).toBe(true);
    // Counted independently of our reader: no cell of this file holds a line break, so a line is a row.
    const lines = readFileSync(REAL_STOP_TIMES, 'utf8').trimEnd().split('\n').slice(1);
    rows.forEach((row, at) => {
      const [trip = '', arrival = '', departure = ''] = (lines[at] ?? '')
        .split(',')
        .map((cell) => cell.replaceAll('"', ''));
      expect(
        row.requests.map(milestoneOf).map(({ loadNumber, time }) => [loadNumber, time.dateTime.slice(11, 19)]),
      ).toEqual([
        [trip, arrival.padStart(8, '0')], // the file also writes 8:40:00
        [trip, departure.padStart(8, '0')],
      ]);
    });
  });
});

describe('the upload road', () => {
  const upload = (headers: Record<string, string>) => ({
    host: '127.0.0.1',
    port: environment.bridge.port,
    method: 'PUT',
    path: '/v1/batches?mapping=transit-stop-times-csv',
    headers: { Authorization: `Bearer ${environment.keys[0]}`, ...headers },
  });
  const batchCount = async (): Promise<number> => {
    const answer = await fetch(`${environment.bridge.baseUrl}/v1/batches`, {
      headers: { Authorization: `Bearer ${environment.keys[0]}` },
    });
    return ((await answer.json()) as { batches: unknown[] }).batches.length;
  };

  it('takes a file from a pipe, whose length nobody knows', async () => {
    const text = 'trip_id,arrival_time,departure_time,stop_id,stop_sequence\npiped-1,08:00:00,,pier,1\n';
    const answer = await new Promise<string>((done, fail) => {
      const piped = request(upload({ 'Transfer-Encoding': 'chunked' }), (response) => {
        let received = '';
        response.on('data', (chunk) => {
          received += chunk;
        });
        response.on('end', () => done(received));
      });
      piped.on('error', fail);
      piped.write(text.slice(0, 30));
      piped.end(text.slice(30));
    });
    const receipt = JSON.parse(answer) as { batchId: string; bytes: number };
    expect(receipt.bytes).toBe(text.length);
    expect(await clientOf(environment).watch(receipt.batchId, () => undefined)).toMatchObject({
      rowStates: { delivered: 1 },
    });
  });

  it('takes a gzipped file from a pipe, as curl sends it', async () => {
    const command = `gzip -c fixtures/transit-stop-times-csv/clean/input.csv | curl --silent --fail-with-body -T - -H "Authorization: Bearer ${environment.keys[0]}" "${environment.bridge.baseUrl}/v1/batches?mapping=transit-stop-times-csv"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: PROJECT_ROOT });
    const { batchId } = JSON.parse(stdout) as { batchId: string };
    const ended = await clientOf(environment).watch(batchId, () => undefined);
    expect(ended).toMatchObject({ state: 'settled', rowStates: { delivered: expect.any(Number) } });
    expect(ended.contentBytes).toBeGreaterThan(0);
  });

  it('takes nothing in when the connection is cut in the middle of the body', async () => {
    const before = await batchCount();
    await new Promise<void>((done) => {
      const cut = request(upload({ 'Content-Length': '100000' }));
      cut.on('error', () => done());
      cut.write('trip_id,arrival_time\n'.repeat(50), () => setTimeout(() => cut.destroy(new Error('cut')), 200));
    });
    expect(await batchCount()).toBe(before);
  });

  it('takes nothing in when Content-Length promises more than comes', async () => {
    const before = await batchCount();
    const answer = await new Promise<string>((done) => {
      const socket = connect(environment.bridge.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => done(text));
      socket.on('error', () => done(text));
      const head = [
        'PUT /v1/batches?mapping=transit-stop-times-csv HTTP/1.1',
        'Host: 127.0.0.1',
        `Authorization: Bearer ${environment.keys[0]}`,
        'Content-Length: 5000',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\ntrip_id,arrival_time\n`);
      setTimeout(() => socket.end(), 200); // half-closed: an answer could still come back
    });
    expect(answer).not.toContain('HTTP/1.1 202');
    expect(await batchCount()).toBe(before);
  });

  it('stores only the promised bytes when more come than Content-Length promises', async () => {
    const text = 'trip_id,arrival_time,departure_time,stop_id,stop_sequence\nlying-1,08:00:00,,pier,1\n';
    const answer = await new Promise<string>((done) => {
      const socket = connect(environment.bridge.port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
        if (received.includes('"links"')) socket.destroy();
      });
      socket.on('close', () => done(received));
      const head = `PUT /v1/batches?mapping=transit-stop-times-csv HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${environment.keys[0]}\r\n`;
      socket.write(`${head}Content-Length: ${text.length}\r\n\r\n${text}lying-2,09:00:00,,pier,1\n`);
    });
    expect(answer).toContain('202 Accepted');
    const batchId = /b_[0-9a-z]{26}/.exec(answer)?.[0] ?? '';
    const ended = await clientOf(environment).watch(batchId, () => undefined);
    expect(ended).toMatchObject({ rows: 1, bytes: text.length });
  });
});

describe('a batch', () => {
  it('finishes under the mapping version it began with when the bundle loses that mapping on the way', async () => {
    await environment.putFaults([{ match: {}, fault: { type: 'delay', ms: 60, apply: 'before' } }]);
    const folder = mkdtempSync(join(tmpdir(), 'transload-many-'));
    const rows = Array.from(
      { length: 60 },
      (_, at) => `bundle-${at % 3},10:${String(at).padStart(2, '0')}:00,,pier,${at + 1}`,
    );
    const path = join(folder, 'many.csv');
    writeFileSync(path, `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${rows.join('\n')}\n`);
    try {
      const { batchId } = await clientOf(environment).upload(path, 'transit-stop-times-csv');
      await environment.bridge.kill();
      await environment.startBridge({ config: 'test/e2e/without-stop-times/wrangler.toml' });
      await expect(clientOf(environment).upload(SAMPLE, 'transit-stop-times-csv')).rejects.toThrow('unknown_mapping');
      const ended = await clientOf(environment).watch(batchId, () => undefined);
      expect(ended).toMatchObject({ state: 'settled', rows: 60, rowStates: { delivered: 60 } });
    } finally {
      await environment.putFaults([]);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('sent with a test key never reached the production address', async () => {
    const seen = await environment.journal();
    expect(seen.length).toBeGreaterThan(100);
    expect(new Set(seen.map(({ environment: where }) => where))).toEqual(new Set(['test']));
  });
});
