/**
 * A deployment that runs → what is wrong with it: whether it answers, its clock, its database, its channels. Everything is
 * asked through ports.
 */
import type { ChannelTest } from '../../src/upstream/gate/channel-test.ts';
import type { Finding } from './configuration.ts';

/** A bridge's answers. */
interface RunningBridge {
  url: string;
  /** The key of an operator; null: only what is open to anybody is asked. */
  key: string | null;
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  nowMs: () => number;
}

/** More than a network takes. Ours: tokens and sessions live for minutes. */
const CLOCK_OFF_MS = 5_000;

export async function runningFindings(bridge: RunningBridge, environments: readonly string[]): Promise<Finding[]> {
  const answer = await answered(bridge, '/healthz');
  if (!(answer instanceof Response)) return [answer];
  const findings = clockFindings(bridge, answer);
  if (answer.status !== 200) {
    findings.push({ level: 'wrong', where: `${bridge.url}/healthz`, ...notHealthy(answer) });
    return findings;
  }
  const { state = null } = (await jsonIn<{ state?: unknown }>(answer)) ?? {};
  if (state !== 'ok') {
    findings.push({
      level: 'wrong',
      where: `${bridge.url}/healthz`,
      found: 'answers with something else than a bridge does',
      fix: 'Give the address of the bridge itself.',
    });
    return findings;
  }
  if (bridge.key === null) {
    findings.push({
      level: 'unsure',
      where: bridge.url,
      found: 'answers; its channels were not tested, for no key was given',
      fix: 'To test them: the key of an operator in TRANSLOAD_KEY.',
    });
    return findings;
  }
  for (const environment of environments) findings.push(...(await channelFindings(bridge, environment)));
  return findings;
}

/** The bridge itself answers 200 or 503; anything else comes from what stands before it, or from somebody else. */
function notHealthy({ status, headers }: Response): Pick<Finding, 'found' | 'fix'> {
  if (status === 503)
    return {
      found: 'answers 503: the configuration is refused',
      fix: 'Its log line configuration_refused lists every fault (npx wrangler tail --env NAME).',
    };
  const to = headers.get('Location');
  if (to !== null)
    return {
      found: `answers ${status} and leads to ${to}`,
      fix: 'Give the address of the bridge itself, with https; leave /healthz out of Cloudflare Access.',
    };
  return { found: `answers ${status}, which the bridge never does`, fix: 'Give the address of the bridge itself.' };
}

/** @returns null where it is no JSON of an object. */
async function jsonIn<T extends object>(answer: Response): Promise<T | null> {
  const value: unknown = await answer.json().catch(() => null);
  return typeof value === 'object' ? (value as T | null) : null;
}

/** @returns a finding where nothing answers. */
async function answered({ url, key, fetch }: RunningBridge, path: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  if (key !== null && path !== '/healthz') headers.set('Authorization', `Bearer ${key}`);
  try {
    return await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
  } catch (thrown) {
    const { message, cause } = thrown as Error;
    return {
      level: 'wrong',
      where: url,
      found: `does not answer: ${cause instanceof Error ? cause.message : message}`,
      fix: 'Check the address, and that it is deployed (npx wrangler deployments list --env NAME).',
    } satisfies Finding;
  }
}

function clockFindings({ url, nowMs }: RunningBridge, answer: Response): Finding[] {
  const theirs = Date.parse(answer.headers.get('Date') ?? '');
  const offMs = Math.abs(nowMs() - theirs);
  if (Number.isNaN(theirs) || offMs <= CLOCK_OFF_MS) return [];
  return [
    {
      level: 'unsure',
      where: url,
      found: `its clock and this machine's are ${Math.round(offMs / 1_000)} s apart`,
      fix: "Set this machine's clock (the platform's is right): keys and links made here end at another time than they say.",
    },
  ];
}

interface Health {
  channels: { name: string; state: string; detail?: string }[];
}

async function channelFindings(bridge: RunningBridge, environment: string): Promise<Finding[]> {
  const answer = await answered(bridge, `/v1/ops/health?environment=${environment}`);
  if (!(answer instanceof Response)) return [answer];
  if (answer.status === 401 || answer.status === 403) return [await refusedKey(bridge, environment, answer)];
  const health = answer.ok ? await jsonIn<Health>(answer) : null;
  if (health === null || !Array.isArray(health.channels))
    return [
      {
        level: 'wrong',
        where: `${bridge.url}/v1/ops/health, ${environment}`,
        found: answer.ok ? 'says nothing of channels' : `answers ${answer.status}`,
        fix: 'Apply the migrations of D1 (npx wrangler d1 migrations apply DIRECTORY --remote --env NAME); the log says more.',
      },
    ];
  const tested = await Promise.all(health.channels.map(({ name }) => channelTest(bridge, environment, name)));
  return tested.flat();
}

/** A key of one environment is a right key. */
async function refusedKey({ url }: RunningBridge, environment: string, answer: Response): Promise<Finding> {
  const isOfOther = (await jsonIn<{ code?: string }>(answer))?.code === 'environment_not_allowed';
  return {
    level: isOfOther ? 'unsure' : 'wrong',
    where: `${url}, ${environment}`,
    found: isOfOther ? 'is not for this key: its channels were not tested' : `refuses the key (${answer.status})`,
    fix: 'Use the key of an operator that may see this environment (npm run key -- ops create).',
  };
}

/** Asks for a token, and for the locations where the channel may. */
async function channelTest(bridge: RunningBridge, environment: string, channel: string): Promise<Finding[]> {
  const path = `/v1/ops/channels/${channel}/test?environment=${environment}`;
  const answer = await answered(bridge, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ why: 'doctor' }),
  });
  if (!(answer instanceof Response)) return [answer];
  const where = `channel ${channel}, ${environment}`;
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => ({}))) as { detail?: string; fix?: string };
    const found = problem.detail ?? `its test answers ${answer.status}`;
    return [{ level: 'wrong', where, found, fix: problem.fix ?? 'Run doctor again in a minute.' }];
  }
  const tested = await jsonIn<ChannelTest>(answer);
  if (tested === null)
    return [{ level: 'wrong', where, found: 'its test answers with no JSON', fix: 'Run doctor again in a minute.' }];
  const { state, token, call } = tested;
  if (state === 'ok') return [];
  const said = token.obtained ? (call?.detail ?? '') : token.detail;
  return [
    { level: 'wrong', where, found: said === '' ? `its test says ${state}` : `${state}: ${said}`, fix: FIXES[state] },
  ];
}

const FIXES: Readonly<Record<Exclude<ChannelTest['state'], 'ok'>, string>> = {
  credentials_refused:
    'Put the right apiKey and clientSecret (clientId, too, with tokenEndpoint plain) into CHANNEL_SECRETS, then release the channel.',
  token_failed: "Check the channel's tokenEndpoint and auth: its token endpoint answered, but gave no token.",
  not_allowed: 'Ask the receiving system what this account may do; set probe to "none" if it may not read locations.',
  failing: 'Ask the receiving system; the bridge keeps what it has and tries again.',
  unreachable: "Check the channel's baseUrl, and that the receiving system lets the platform's addresses in.",
};
