/** A channel and its gate → the API's shapes. Never a secret. */
import { iso } from '../../../kernel/clock.ts';
import type { ChannelHealth, ChannelSetup } from '../../../ops/gates.ts';
import type { Breaker } from '../../../upstream/gate/breaker.ts';

export function setupMessage(setup: ChannelSetup) {
  const { baseUrl, tokenEndpoint, scacs, customerNumber, probe, fleet, orderPreCheck, otherUpdates, auth } = setup;
  return {
    baseUrl,
    tokenEndpoint,
    auth,
    scacs,
    customerNumber: customerNumber ?? null,
    probe,
    fleet,
    orderPreCheck,
    otherUpdates,
  };
}

export function channelMessage(found: ChannelHealth) {
  if (!found.reached) return { name: found.channel, state: 'unreachable', detail: found.detail };
  const { ratePerSecond, burst, permitsLeft, permitsOut, breakers, auth, parkedScacs, failingReads, token, audit } =
    found.health;
  return {
    name: found.channel,
    state: auth !== null || breakers.length > 0 ? 'stopped' : parkedScacs.length > 0 ? 'limited' : 'ok',
    bucket: { ratePerSecond, burst, permitsLeft, permitsOut },
    auth: auth && breakerMessage(auth),
    breakers: breakers.map(breakerMessage),
    parkedScacs: parkedScacs.map(breakerMessage),
    failingReads: failingReads.map(({ api, sinceMs, lastMs, status, detail }) => ({
      api,
      since: iso(sinceMs),
      last: iso(lastMs),
      status,
      detail,
    })),
    token: token && {
      fingerprint: token.fingerprint,
      obtainedAt: iso(token.mintedAtMs),
      expiresAt: iso(token.expiresAtMs),
    },
    releases: audit.map(({ atMs, keyId, author, reason, scope, before }) => ({
      at: iso(atMs),
      keyId,
      author,
      reason,
      scope,
      before: breakerMessage(before),
    })),
  };
}

export const breakerMessage = ({ scope, state, why, sinceMs, untilMs, probe, successes, lastFailure }: Breaker) => ({
  scope,
  state,
  why,
  since: iso(sinceMs),
  nextProbe: iso(untilMs),
  probing: probe !== null,
  probesPassed: successes,
  lastFailure: lastFailure && {
    at: iso(lastFailure.atMs),
    subject: lastFailure.subject,
    status: lastFailure.status,
    detail: lastFailure.detail,
  },
});
