/** A batch of milestones that outlives several access tokens, through sandbox and bridge as processes. */
import { TOKEN_REFRESH_SHARE } from '../../src/kernel/limits.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import { dice } from '../frame/dice.ts';
import { seenAt } from '../invariants/evidence.ts';
import { countMints, type TokenEvidence, tokenIn, tokenViolations } from '../invariants/tokens.ts';
import { carrierFile } from '../kill/generate.ts';
import { isSettled } from '../local/client.ts';
import { type Stack, withStack } from '../local/stack.ts';
import { milestonesOf, PROVE, type Proof } from './proof.ts';

/** @property lifeSeconds of a token; durationSeconds the batch lasts about as long. Real ones: no token knows a timeScale. */
interface TokenPlan {
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

export const proveTokens = (plan: TokenPlan): Promise<Proof> => {
  const { lifeSeconds, durationSeconds, loads, answerMs, seed } = plan;
  return withStack({ ...PROVE, auth: 'key+bearer', timeScale: TIME_SCALE }, async (stack, client) => {
    const rowsPerLoad = Math.ceil((durationSeconds * 1_000) / answerMs);
    const rowsUploaded = loads * rowsPerLoad;
    await prepareSandbox(stack, plan, Math.floor(rowsUploaded / 2));
    const startedMs = Date.now();
    const batchId = await client.put(carrierFile('TK', loads, rowsPerLoad, dice(seed)), 'carrier-status-csv');
    const end = { isDone: isSettled, msMax: durationSeconds * 3_000 + 60_000 };
    const found = await milestonesOf(stack, client, { batchId, rowsUploaded }, end);
    const evidence: TokenEvidence = {
      mints: seenAt(found.journal, 'oauthToken').filter(({ status }) => status === 200),
      calls: found.seen.map((entry) => ({ ...entry, token: tokenIn(entry.headers) })),
      sendings: found.sendings,
      summary: found.batch.summary,
      rowsUploaded,
      lifeMs: lifeSeconds * 1_000,
    };
    return { figures: figuresOf(evidence, found.endedMs - startedMs, plan), violations: tokenViolations(evidence) };
  });
};

/** In the middle of the batch a token that looks alive is refused, once. */
async function prepareSandbox(stack: Stack, { lifeSeconds, answerMs }: TokenPlan, refusedAfter: number): Promise<void> {
  await stack.putSettings({ tokenLifeSeconds: lifeSeconds, authByApi: { events: 'key+bearer' } });
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
