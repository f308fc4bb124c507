/** Asks for everything that can be read, while releases are mixed: each answer is one, or says to try again later. */
import { PROJECT_ROOT } from '../../frame/kept-file.ts';
import { breaks, type Violation } from '../../invariants/evidence.ts';
import { routesOf } from '../../record/routes.ts';

/** The drill's own faults of the receiving system reach those who ask it. */
const UPSTREAM = 'upstream_down';
/** What a caller may be told that is to come again. */
const LATER: ReadonlySet<string> = new Set(['deploy_under_way', 'platform_unavailable', 'stored_data_newer']);
const ANSWER_MS_MAX = 20_000;
const AT_ONCE = 6;

/** @param said status and code. */
export const later = (said: string): boolean => {
  const [status, code = ''] = said.split(' ');
  return code === UPSTREAM || (status === '503' && LATER.has(code));
};

export interface Looked {
  asked: number;
  /** What was answered with such a 503: `GET /path 503 code`. */
  later: string[];
  /** What was answered with another 5xx, or not at all. */
  failed: string[];
}

/** @property keys of a partner and of an operator. @property known what stands in place of parameters, by their names. */
export interface Look {
  baseUrl: string;
  keys: { partner: string; ops: string };
  known: Readonly<Record<string, string>>;
}

export async function lookAtAll({ baseUrl, keys, known }: Look): Promise<Looked> {
  const routes = (await routesOf(PROJECT_ROOT)).filter((route) => route.startsWith('GET /v1/'));
  const looked: Looked = { asked: routes.length, later: [], failed: [] };
  const ask = async (route: string): Promise<void> => {
    const path = route
      .replace('GET ', '')
      .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(known[name] ?? 'x'));
    const key = route.startsWith('GET /v1/ops/') ? keys.ops : keys.partner;
    const query = path.startsWith('/v1/ops/') ? `?environment=test&partner=${known.partner ?? ''}` : '';
    const said = await answered(`${baseUrl}${path}${query}`, key);
    if (said === null || said.code === UPSTREAM) return;
    const isLater = said.status === 503 && LATER.has(said.code);
    (isLater ? looked.later : looked.failed).push(`${route} ${said.status} ${said.code}`);
  };
  const waiting = [...routes];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await ask(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return looked;
}

/** @returns null: it was answered with less than 500. */
async function answered(url: string, key: string): Promise<{ status: number; code: string } | null> {
  try {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const text = await answer.text();
    if (answer.status < 500) return null;
    return { status: answer.status, code: (/"code": "(\w+)"/.exec(text) ?? [])[1] ?? text.slice(0, 80) };
  } catch (thrown) {
    return { status: 0, code: String(thrown).slice(0, 80) };
  }
}

export const notSaid = (mix: string, { failed }: Looked): Violation[] =>
  failed.map((each) => breaks('upgrade')(`${mix}: ${each}`));
