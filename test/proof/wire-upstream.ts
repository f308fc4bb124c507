/** An upstream of bare sockets, which does on the wire what no HTTP server would. The first part of the path says what. */
import { createServer, type Server, type Socket } from 'node:net';

export interface OnWire {
  socket: Socket;
  head: string;
  body: string;
}

export interface WireUpstream {
  port: number;
  /** Whole requests, by the first part of their path. */
  received: Map<string, OnWire[]>;
  /** Every byte that came, one character each, requests or not. */
  heard(): string;
  /** Bytes the sockets of a case have taken from us. */
  written(name: string): number;
  stop(): Promise<void>;
}

/** @param acts by name; what has none is answered 200. @param onBytes what to do as soon as anything comes, if anything. */
export async function wireUpstream(
  acts: Readonly<Record<string, (request: OnWire) => void>>,
  onBytes?: (socket: Socket) => void,
): Promise<WireUpstream> {
  const received = new Map<string, OnWire[]>();
  const open = new Set<Socket>();
  const byName = new Map<string, Socket[]>();
  let heard = '';
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined); // the other side may go at any time
    socket.on('close', () => open.delete(socket));
    let bytes = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      bytes += chunk.toString('latin1');
      onBytes?.(socket);
      for (;;) {
        const request = wholeRequest(bytes);
        if (!request) return;
        bytes = bytes.slice(request.length);
        const [, name = ''] = /^\S+ \/([^/ ]+)/.exec(request.head) ?? [];
        received.set(name, [...(received.get(name) ?? []), { socket, ...request }]);
        byName.set(name, [...(byName.get(name) ?? []), socket]);
        (acts[name] ?? (({ socket: to }) => to.write(answer(200, [], '{}'))))({ socket, ...request });
      }
    });
  });
  const port = await listening(server);
  return {
    port,
    received,
    heard: () => heard,
    written: (name) => (byName.get(name) ?? []).reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    stop: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy();
        server.close(() => done());
      }),
  };
}

function wholeRequest(bytes: string): { head: string; body: string; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.slice(0, end);
  const bodyLength = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const length = end + 4 + bodyLength;
  return bytes.length < length ? undefined : { head, body: bytes.slice(end + 4, length), length };
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address) resolve(address.port);
      else reject(new Error('no port'));
    });
  });

export const answer = (status: number, headers: readonly string[], body: string): string =>
  [`HTTP/1.1 ${status} Whatever`, `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n');
