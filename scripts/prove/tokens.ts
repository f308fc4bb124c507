/** A batch of milestones that outlives several access tokens, through sandbox and bridge as processes. */
import { TOKEN_REFRESH_SHARE } from '../../src/kernel/limits.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import { dice } from '../frame/dice.ts';
import { harnessClient, isSettled } from '../kill/client.ts';
import { carrierFile } from '../kill/generate.ts';
import { seenAt, sendingsOf } from '../kill/sendings.ts';
import { storedSubjects } from '../kill/stored.ts';
import { channelName } from '../local/bridge.ts';
import { type Stack, startStack } from '../local/stack.ts';
import { countMints, type TokenEvidence, tokenIn, tokenViolations } from './check-tokens.ts';
import type { Proof } from './proof.ts';

/** @property lifeSeconds of a token; durationSeconds the batch lasts about as long. Real ones: no token knows a timeScale. */
export interface TokenPlan {
  lifeSeconds: number;
  durationSeconds: number;
  loads: number;
  /** How late each milestone is answered, in ms. */
  answerMs: number;
  seed: number;
}

/** The token endpoint answers this late, so that all loads want a token while one is on its way. */
const TOKEN_ANSWER_MS = 400;
const TIME_SCALE = 1;

export async function proveTokens(plan: TokenPlan): Promise<Proof> {
  const { lifeSeconds, durationSeconds, loads, answerMs, seed } = plan;
  const partner = { partner: 'prove', displayName: 'Prove', environment: 'test' as const, mappings: null };
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key+bearer'), scacs: ['DEMO'] }],
    timeScale: TIME_SCALE,
  });
  try {
    const rowsPerLoad = Math.ceil((durationSeconds * 1_000) / answerMs);
    await prepareSandbox(stack, plan, Math.floor((loads * rowsPerLoad) / 2));
    const client = harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? '');
    const startedMs = Date.now();
    const batchId = await client.put(carrierFile('TK', loads, rowsPerLoad, dice(seed)), 'carrier-status-csv');
    const [summary] = await client.drain([batchId], isSettled, durationSeconds * 3_000 + 60_000);
    if (summary === undefined) throw new Error('no batch to look at');
    const tookMs = Date.now() - startedMs;
    await stack.bridge.stop(); // its files are read next
    const journal = await stack.journal();
    const evidence: TokenEvidence = {
      mints: seenAt(journal, 'oauthToken').filter(({ status }) => status === 200),
      calls: seenAt(journal, 'milestone').map((entry) => ({ ...entry, token: tokenIn(entry.headers) })),
      sendings: storedSubjects(stack.persistTo, 'Load').flatMap(sendingsOf),
      summary,
      rowsUploaded: loads * rowsPerLoad,
      lifeMs: lifeSeconds * 1_000,
    };
    return { figures: figuresOf(evidence, tookMs, plan), violations: tokenViolations(evidence) };
  } finally {
    await stack.stop();
  }
}

/** In the middle of the batch a token that looks alive is refused, once. */
async function prepareSandbox(stack: Stack, { lifeSeconds, answerMs }: TokenPlan, refusedAfter: number): Promise<void> {
  const settings = { tokenLifeSeconds: lifeSeconds, authByApi: { events: 'key+bearer' } };
  const answer = await fetch(`${stack.sandbox.baseUrl}/_sandbox/settings`, {
    method: 'PUT',
    body: JSON.stringify(settings),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const milestones = { path: ENDPOINTS.milestone.path };
  await stack.putFaults([
    { match: { path: ENDPOINTS.oauthToken.path }, fault: { type: 'delay', ms: TOKEN_ANSWER_MS } },
    { match: milestones, afterRequests: refusedAfter, times: 1, fault: { type: 'expired_token' } },
    { match: milestones, fault: { type: 'delay', ms: answerMs } },
  ]);
}

function figuresOf(evidence: TokenEvidence, tookMs: number, { lifeSeconds, loads, seed }: TokenPlan): string[] {
  const { first, byAge, afterRefusal } = countMints(evidence);
  const refused = evidence.calls.filter(({ status }) => status === 401).length;
  return [
    `tokens of ${lifeSeconds} s: ${evidence.rowsUploaded} rows of ${loads} loads in ${(tookMs / 1_000).toFixed(0)} s, ` +
      `${evidence.summary.rowStates.rejected ?? 0} rejected; ${evidence.mints.length} token requests ` +
      `(${first} first, ${byAge} after ${TOKEN_REFRESH_SHARE * 100} % of a life, ${afterRefusal} after a refusal); ` +
      `${refused} requests answered 401 and sent once more; timeScale ${TIME_SCALE}, seed ${seed}`,
  ];
}
