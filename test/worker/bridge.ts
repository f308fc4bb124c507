/** The Worker under test. Every answer is held against the contract: what it does not name fails the test that met it. */
import { exports } from 'cloudflare:workers';
import { isChecked, nonconformity } from '../../src/http/contract/conformity.ts';

/** Longer bodies are not read twice, in bytes: their rows are alike. */
const CHECKED_BYTES_MAX = 2_000_000;

export async function bridge(address: string | URL, init: RequestInit = {}): Promise<Response> {
  const answer = await exports.default.fetch(address, init);
  const type = answer.headers.get('Content-Type');
  const { pathname } = new URL(address);
  const said = {
    method: init.method ?? 'GET',
    path: pathname,
    status: answer.status,
    type,
    headers: [...answer.headers.keys()],
  };
  const length = Number(answer.headers.get('Content-Length') ?? 0);
  const text = isChecked(type) && length <= CHECKED_BYTES_MAX ? await answer.clone().text() : null;
  const wrong = nonconformity({ ...said, text });
  if (wrong.length > 0) throw new Error(`The contract does not say so: ${wrong.join('\n')}`);
  return answer;
}
