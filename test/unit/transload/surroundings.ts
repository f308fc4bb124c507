/** What a command has around it in a test: streams that are read afterwards, a bridge that is played. */
import { Readable, Writable } from 'node:stream';
import { runTransload } from '../../../scripts/transload/program.ts';
import type { Fetch } from '../../../scripts/transload/surroundings.ts';

export const BRIDGE_URL = 'http://bridge.test';
/** An operator's, as to its form. */
export const OPS_KEY = 'tlops_key';

export interface Played {
  environment?: Record<string, string>;
  fetch?: Fetch;
  input?: string | Buffer;
  isTTY?: boolean;
}

export interface Ran {
  status: number;
  output: Buffer;
  stdout: string;
  stderr: string;
}

const noBridge: Fetch = () => Promise.reject(new Error('this test has no bridge'));

export async function transload(
  args: readonly string[],
  {
    environment = { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: OPS_KEY },
    fetch = noBridge,
    input = '',
    isTTY = false,
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
    input: Readable.from([Buffer.from(input)]),
    output: Object.assign(into('output'), { isTTY }),
    errors: into('errors'),
    interrupted: () => signal,
  });
  const [output, errors] = [Buffer.concat(written.output), Buffer.concat(written.errors)];
  return { status, output, stdout: output.toString(), stderr: errors.toString() };
}
