/** What a command has around it in a test: streams that are read afterwards, a bridge that is played. */
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { runTransload } from '../../../scripts/transload/program.ts';
import type { Fetch, Surroundings } from '../../../scripts/transload/surroundings.ts';

export const BRIDGE_URL = 'http://bridge.test';
/** An operator's, as to its form. */
export const OPS_KEY = 'tlops_key';

export interface Played {
  environment?: Record<string, string>;
  fetch?: Fetch;
  input?: string | Buffer;
  isTTY?: boolean;
  /** Whether its input is a file. */
  isFile?: boolean;
  /** Absent: it waits as long as it is told. */
  pause?: Surroundings['pause'];
}

export interface Ran {
  status: number;
  output: Buffer;
  stdout: string;
  stderr: string;
}

const noBridge: Fetch = () => Promise.reject(new Error('this test has no bridge'));

const waits: Surroundings['pause'] = (ms, signal) =>
  setTimeout(ms, undefined, signal && { signal }).catch(() => undefined);
/** Nobody waits. */
export const pauseless: Surroundings['pause'] = async () => undefined;

export async function transload(
  args: readonly string[],
  {
    environment = { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: OPS_KEY },
    fetch = noBridge,
    input = '',
    isTTY = false,
    isFile = false,
    pause = waits,
  }: Played = {},
): Promise<Ran> {
  const written: Record<'output' | 'errors', Buffer[]> = { output: [], errors: [] };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _, done) {
        written[name].push(Buffer.from(chunk));
        done();
      },
    });
  const { signal } = new AbortController();
  const status = await runTransload(args, {
    environment,
    fetch,
    input: Object.assign(Readable.from([Buffer.from(input)]), { isFile }),
    output: Object.assign(into('output'), { isTTY }),
    errors: into('errors'),
    interrupted: () => signal,
    pause,
  });
  const [output, errors] = [Buffer.concat(written.output), Buffer.concat(written.errors)];
  return { status, output, stdout: output.toString(), stderr: errors.toString() };
}
