/**
 * The upstream of a delivery: a bare HTTP server in a process of its own, which issues a token, refuses who has none, and
 * answers every event at once or after a while. `upstreamProcess` starts it and tells it what to expect.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ENDPOINTS } from '../../../src/upstream/contracts/endpoints.ts';
import { Arrivals, type Arrived } from './arrivals.ts';

/** The path of its test environment, and all it accepts. */
const UPSTREAM_PATH = '/test';
const TOKEN = 'bench-token';
const TOKEN_ANSWER = JSON.stringify({ token_type: 'Bearer', expires_in: 3600, access_token: TOKEN, scope: 'APIM' });
const ACCEPTED = JSON.stringify({ status: 'accepted' });

interface Expected {
  rows: number;
  /** How long an event waits for its answer. */
  delayMs: number;
}

export interface Upstream {
  baseUrl: string;
  /** From now on these are counted. */
  expect(expected: Expected): Promise<void>;
  arrived(): Promise<Arrived>;
  stop(): void;
}

export async function upstreamProcess(): Promise<Upstream> {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const port = (await messageOf(child)) as number;
  const call = async (message: Expected | 'arrived'): Promise<unknown> => {
    const answer = messageOf(child);
    child.send(message);
    return answer;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}${UPSTREAM_PATH}`,
    expect: async (expected) => void (await call(expected)),
    arrived: async () => (await call('arrived')) as Arrived,
    stop: () => void child.kill(),
  };
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as [unknown];
  return message;
}

/** @returns the port it listens on. */
async function serve(): Promise<number> {
  let arrivals = new Arrivals(0);
  let delayMs = 0;
  const answer = (response: ServerResponse, status: number, body: string): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  /** @returns its status. */
  const take = ({ url, headers }: IncomingMessage, body: string): number => {
    const path = url?.slice(UPSTREAM_PATH.length);
    if (headers.authorization !== `Bearer ${TOKEN}`) return 401;
    if (path !== ENDPOINTS.milestone.path && path !== ENDPOINTS.trace.path) return 404;
    arrivals.note(body);
    return 200;
  };
  const serveCall = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (request.url === UPSTREAM_PATH + ENDPOINTS.oauthToken.path) answer(response, 200, TOKEN_ANSWER);
    else if (delayMs === 0) answer(response, take(request, body), ACCEPTED);
    else setTimeout(answer, delayMs, response, take(request, body), ACCEPTED);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => serveCall(request, response, Buffer.concat(chunks).toString()));
  });
  process.on('message', (message: Expected | 'arrived') => {
    if (message === 'arrived') return void process.send?.(arrivals.arrived);
    arrivals = new Arrivals(message.rows);
    ({ delayMs } = message);
    process.send?.('ready');
  });
  process.on('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

if (process.argv[1] === import.meta.filename) process.send?.(await serve());
