/** The harness's side of the fail points: the bridge asks at each named moment, and is left without an answer where it is to die. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FAILPOINTS, type Failpoint } from '../../src/kernel/failpoint.ts';

export interface FailPointServer {
  url: string;
  /** Resolves when the bridge comes to this point for the `visit`th time from now on: it waits there. */
  arm(point: Failpoint, visit: number): Promise<void>;
  /** Nothing waits any more. */
  disarm(): void;
  close(): Promise<void>;
}

export async function failPointServer(): Promise<FailPointServer> {
  let armed: { point: Failpoint; visitsLeft: number; reached(): void } | undefined;
  // A connection that this side closes may be the one that the bridge is about to ask on.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const point = (request.url ?? '').slice(1);
    if (armed !== undefined && armed.point === point) {
      armed.visitsLeft -= 1;
      if (armed.visitsLeft <= 0) {
        armed.reached();
        return; // no answer: whoever asked stays where it is
      }
    }
    response.writeHead(FAILPOINTS.some((known) => known === point) ? 204 : 404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm: (point, visit) =>
      new Promise((reached) => {
        armed = { point, visitsLeft: visit, reached };
      }),
    disarm() {
      armed = undefined;
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
