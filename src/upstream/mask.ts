/**
 * Takes a call's own secrets out of what is kept of it: an upstream that echoes the request, or a runtime that quotes a
 * header it refuses, must not bring them into records, reports or logs. Pure.
 */
import { headOf } from '../kernel/text.ts';
import type { Observation } from './answer.ts';
import type { ComposedCall } from './compose.ts';
import { HEADERS } from './contracts/endpoints.ts';

const MASK = '[secret]';
/** Longest description of a failed call that is kept. Ours. */
const DETAIL_CHARACTERS_MAX = 500;
/** A cut echo shorter than this says nothing about the secret. Ours. */
const CUT_ECHO_CHARACTERS_MIN = 4;

export function maskObservation<Seen extends Observation>(observed: Seen, call: ComposedCall): Seen {
  const secrets = secretsOf(call);
  if (observed.outcome !== 'answered') return { ...observed, detail: cutDetail(mask(observed.detail, secrets)) };
  const headers = Object.fromEntries(
    Object.entries(observed.headers).map(([name, value]) => [name, mask(value, secrets)]),
  );
  const body = mask(observed.body, secrets);
  return { ...observed, headers, body: observed.bodyEnd === 'whole' ? body : withoutCutEcho(body, secrets) };
}

/** For a description that is kept by itself. */
export const maskDetail = (text: string, call: ComposedCall): string => cutDetail(mask(text, secretsOf(call)));

/** Cut after masking: a secret cut in two would no longer be found. */
const cutDetail = (text: string): string => headOf(text, DETAIL_CHARACTERS_MAX);

/** As they are and as JSON escapes them, longest first: a token stands within its header's value. */
function secretsOf({ headers }: ComposedCall): string[] {
  const authorization = headers[HEADERS.authorization];
  const plain = [authorization, authorization?.replace(/^\S+ /, ''), headers[HEADERS.subscriptionKey]];
  const known = plain.filter((value): value is string => Boolean(value));
  const escaped = known.map((value) => JSON.stringify(value).slice(1, -1));
  return [...new Set([...known, ...escaped])].sort((one, other) => other.length - one.length);
}

const mask = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => clean.replaceAll(secret, MASK), text);

/** The beginning of a secret at the very end of a body that was not read to its end. */
function withoutCutEcho(body: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= CUT_ECHO_CHARACTERS_MIN; length -= 1) {
      if (body.endsWith(secret.slice(0, length))) return body.slice(0, -length) + MASK;
    }
  }
  return body;
}
