/** What must hold of access tokens that live shortly: each fetched when it is due, and no row refused for one. Pure. */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { type Arrival, breaks, type Sending, type Violation } from './evidence.ts';
import { allDelivered } from './rows.ts';
import { noOrphanBodies } from './sendings.ts';

/** A request with the token it carried, by its fingerprint; null: none. */
export interface SeenCall extends Arrival {
  token: string | null;
}

export interface TokenEvidence {
  /** Token requests that were answered with a token. */
  mints: readonly Arrival[];
  calls: readonly SeenCall[];
  sendings: readonly Sending[];
  summary: Pick<BatchSummary, 'state' | 'rows' | 'rowStates'>;
  rowsUploaded: number;
  lifeMs: number;
}

const [I5, I13] = [breaks('I5'), breaks('I13')];
/** Share of its life after which a token is renewed: RELIABILITY 8 says 80 %. */
const RENEWED_SHARE = 0.8;
/** Digits of a token's SHA-256 that the bridge keeps; the upstream shows more of them. */
const FINGERPRINT_DIGITS = 12;

/** @returns the token's fingerprint as the upstream shows it in its journal. */
export const tokenIn = (headers: Record<string, string>): string | null =>
  /^Bearer sha256:([0-9a-f]+)$/.exec(headers.authorization ?? '')?.[1] ?? null;

/** @returns one per violation; none means that everything held. */
export function tokenViolations(evidence: TokenEvidence): Violation[] {
  const { calls, sendings, summary, rowsUploaded } = evidence;
  return [
    ...allDelivered('the batch', rowsUploaded, summary),
    ...noOrphanBodies(calls, sendings),
    ...intentsNameTheToken(calls, sendings),
    ...everyMintUsed(evidence),
    ...renewedOnlyWhenDue(evidence),
    ...sentAgainOnce(calls),
  ];
}

function intentsNameTheToken(calls: readonly SeenCall[], sendings: readonly Sending[]): Violation[] {
  const byBody = Map.groupBy(calls, ({ body }) => body);
  return sendings.flatMap(({ body, attempts }) => {
    const sent = (byBody.get(body) ?? []).map(({ token }) => token?.slice(0, FINGERPRINT_DIGITS) ?? 'none');
    const intended = attempts.map(({ tokenFingerprint }) => tokenFingerprint ?? 'none');
    if (sent.join(' ') === intended.join(' ')) return [];
    return [I5(`intents name the tokens ${intended.join(' ')}, sent were ${sent.join(' ')}: ${body.slice(0, 300)}`)];
  });
}

/** In the order of their first use. */
const tokensOf = (calls: readonly SeenCall[]): string[] => [...new Set(calls.flatMap(({ token }) => token ?? []))];

/** Single flight: as many tokens as token requests, each used, none before it was asked for. */
function everyMintUsed({ mints, calls }: TokenEvidence): Violation[] {
  const tokens = tokensOf(calls);
  const early = tokens.flatMap((token, index) => {
    const first = calls.find((call) => call.token === token);
    const mint = mints[index];
    if (!first || !mint || first.receivedAtMs >= mint.receivedAtMs) return [];
    return [I13(`journal ${first.seq} carried token ${index + 1} before it was asked for`)];
  });
  return [
    ...(mints.length === tokens.length ? [] : [I13(`${mints.length} tokens were minted, ${tokens.length} were used`)]),
    ...calls.filter(({ token }) => token === null).map(({ seq }) => I13(`journal ${seq} carried no token`)),
    ...early,
  ];
}

/** Why a token was minted. `early`: it was not due, and nobody had refused the one before. */
type Why = 'first' | 'afterRefusal' | 'byAge' | 'early';

function whyMinted({ mints, calls, lifeMs }: TokenEvidence): { mint: Arrival; gapMs: number; why: Why }[] {
  const tokens = tokensOf(calls);
  return mints.map((mint, index) => {
    const untilMs = mint.receivedAtMs;
    const gapMs = untilMs - (mints[index - 1]?.receivedAtMs ?? 0);
    const wasRefused = calls.some(
      ({ token, status, receivedAtMs }) => token === tokens[index - 1] && status === 401 && receivedAtMs <= untilMs,
    );
    const why = wasRefused ? 'afterRefusal' : gapMs >= RENEWED_SHARE * lifeMs ? 'byAge' : 'early';
    return { mint, gapMs, why: index === 0 ? 'first' : why };
  });
}

/** A token is renewed when 80 % of its life is over or when it was refused, and then once. */
const renewedOnlyWhenDue = (evidence: TokenEvidence): Violation[] =>
  whyMinted(evidence)
    .filter(({ why }) => why === 'early')
    .map(({ mint, gapMs }) =>
      I13(`journal ${mint.seq} minted a token ${gapMs} ms after the one before, which nobody had refused`),
    );

export function countMints(evidence: TokenEvidence): Record<Why, number> {
  const counts = { first: 0, byAge: 0, afterRefusal: 0, early: 0 };
  for (const { why } of whyMinted(evidence)) counts[why] += 1;
  return counts;
}

/** Applied with its first token, or refused with 401 once and then applied with another. */
function sentAgainOnce(calls: readonly SeenCall[]): Violation[] {
  return [...Map.groupBy(calls, ({ body }) => body)].flatMap(([body, entries]) => {
    const statuses = entries.map(({ status }) => status).join(' ');
    const tokens = new Set(entries.map(({ token }) => token));
    const isOnce = statuses === '200' || (statuses === '401 200' && tokens.size === 2);
    if (isOnce && entries.at(-1)?.applied === true) return [];
    return [I13(`answered ${statuses} with ${tokens.size} tokens: ${body.slice(0, 300)}`)];
  });
}
