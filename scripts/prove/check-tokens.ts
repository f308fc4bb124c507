/**
 * What must hold of access tokens that live shortly, checked from outside: the receiving system's journal, the rows the
 * partner reads, the loads' stored intents. Pure: lists in, sentences out.
 */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { noOrphans, type SeenRequest, type Sending } from '../kill/sendings.ts';

/** A request with the token it carried, by its fingerprint; null: none. */
export interface SeenCall extends SeenRequest {
  token: string | null;
}

export interface TokenEvidence {
  /** Token requests that were answered with a token. */
  mints: readonly SeenRequest[];
  calls: readonly SeenCall[];
  sendings: readonly Sending[];
  summary: BatchSummary;
  rowsUploaded: number;
  lifeMs: number;
}

/** Why tokens were minted. */
export interface MintCounts {
  first: number;
  byAge: number;
  afterRefusal: number;
}

/** Share of its life after which a token is renewed: RELIABILITY 8 says 80 %. */
const RENEWED_SHARE = 0.8;
/** Digits of a token's SHA-256 that the bridge keeps; the receiving system shows more of them. */
const FINGERPRINT_DIGITS = 12;

/** @returns the token's fingerprint as the receiving system shows it in its journal. */
export const tokenIn = (headers: Record<string, string>): string | null =>
  /^Bearer sha256:([0-9a-f]+)$/.exec(headers.authorization ?? '')?.[1] ?? null;

/** @returns one sentence per violation; none means that everything held. */
export function tokenViolations(evidence: TokenEvidence): string[] {
  const { calls, sendings } = evidence;
  return [
    ...everyRowDelivered(evidence),
    ...noOrphans(calls, sendings),
    ...intentsNameTheToken(calls, sendings),
    ...everyMintUsed(evidence),
    ...renewedOnlyWhenDue(evidence),
    ...sentAgainOnce(calls),
  ];
}

function everyRowDelivered({ summary, rowsUploaded }: TokenEvidence): string[] {
  const { state, rows, rowStates } = summary;
  if (state === 'settled' && rows === rowsUploaded && rowStates.delivered === rowsUploaded) return [];
  return [`the batch is ${state} with ${rows} of ${rowsUploaded} rows: ${JSON.stringify(rowStates)}`];
}

function intentsNameTheToken(calls: readonly SeenCall[], sendings: readonly Sending[]): string[] {
  const byBody = Map.groupBy(calls, ({ body }) => body);
  return sendings.flatMap(({ body, attempts }) => {
    const sent = (byBody.get(body) ?? []).map(({ token }) => token?.slice(0, FINGERPRINT_DIGITS) ?? 'none');
    const intended = attempts.map(({ tokenFingerprint }) => tokenFingerprint ?? 'none');
    if (sent.join(' ') === intended.join(' ')) return [];
    return [`intents name the tokens ${intended.join(' ')}, sent were ${sent.join(' ')}: ${body.slice(0, 300)}`];
  });
}

/** In the order of their first use. */
const tokensOf = (calls: readonly SeenCall[]): string[] => [...new Set(calls.flatMap(({ token }) => token ?? []))];

/** Single flight: as many tokens as token requests, each used, none before it was asked for. */
function everyMintUsed({ mints, calls }: TokenEvidence): string[] {
  const tokens = tokensOf(calls);
  const found: string[] = [];
  if (mints.length !== tokens.length) found.push(`${mints.length} tokens were minted, ${tokens.length} were used`);
  for (const { seq } of calls.filter(({ token }) => token === null)) found.push(`journal ${seq} carried no token`);
  tokens.forEach((token, index) => {
    const first = calls.find((call) => call.token === token);
    const mint = mints[index];
    if (first && mint && first.receivedAtMs < mint.receivedAtMs) {
      found.push(`journal ${first.seq} carried token ${index + 1} before it was asked for`);
    }
  });
  return found;
}

const refusalOf = (token: string | undefined, untilMs: number, calls: readonly SeenCall[]): SeenCall | undefined =>
  calls.find((call) => call.token === token && call.status === 401 && call.receivedAtMs <= untilMs);

/** I13: a token is renewed when 80 % of its life is over or when it was refused, and then once. */
function renewedOnlyWhenDue({ mints, calls, lifeMs }: TokenEvidence): string[] {
  const tokens = tokensOf(calls);
  return mints.flatMap(({ seq, receivedAtMs }, index) => {
    const before = mints[index - 1];
    if (before === undefined) return [];
    const gapMs = receivedAtMs - before.receivedAtMs;
    if (gapMs >= RENEWED_SHARE * lifeMs || refusalOf(tokens[index - 1], receivedAtMs, calls)) return [];
    return [`journal ${seq} minted a token ${gapMs} ms behind the one before, which nobody had refused`];
  });
}

export function countMints({ mints, calls, lifeMs }: TokenEvidence): MintCounts {
  const tokens = tokensOf(calls);
  const counts: MintCounts = { first: 0, byAge: 0, afterRefusal: 0 };
  mints.forEach(({ receivedAtMs }, index) => {
    const before = mints[index - 1];
    if (before === undefined) counts.first += 1;
    else if (refusalOf(tokens[index - 1], receivedAtMs, calls)) counts.afterRefusal += 1;
    else if (receivedAtMs - before.receivedAtMs >= RENEWED_SHARE * lifeMs) counts.byAge += 1;
  });
  return counts;
}

/** Applied with its first token, or refused with 401 once and then applied with another. */
function sentAgainOnce(calls: readonly SeenCall[]): string[] {
  return [...Map.groupBy(calls, ({ body }) => body)].flatMap(([body, entries]) => {
    const statuses = entries.map(({ status }) => status).join(' ');
    const tokens = new Set(entries.map(({ token }) => token));
    const isOnce = statuses === '200' || (statuses === '401 200' && tokens.size === 2);
    if (isOnce && entries.at(-1)?.applied === true) return [];
    return [`answered ${statuses} with ${tokens.size} tokens: ${body.slice(0, 300)}`];
  });
}
