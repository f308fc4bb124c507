/**
 * Signing keys of webhook targets, and signatures as in Standard Webhooks. No key is stored: each is derived from one
 * secret of the deployment and from its purpose.
 */

import type { PartnerScope } from '../kernel/names.ts';
import { Secret } from '../kernel/secret.ts';
import { WEBHOOK_KEY_CHARACTERS_MIN } from './limits.ts';

/** @returns undefined when the deployment has none, or one that is too short. */
export function webhookKeyOf({ WEBHOOK_KEY = '' }: { WEBHOOK_KEY?: string }): Secret | undefined {
  return WEBHOOK_KEY.length < WEBHOOK_KEY_CHARACTERS_MIN ? undefined : new Secret(WEBHOOK_KEY);
}

/** @property generation from 1; each rotation adds one. */
export interface KeyOwner extends PartnerScope {
  target: string;
  generation: number;
}

export async function signingKey(
  master: Secret,
  { environment, partner, target, generation }: KeyOwner,
): Promise<Secret> {
  const owner = JSON.stringify([environment, partner, target, generation]);
  return new Secret(`whsec_${base64(await hmac(new TextEncoder().encode(master.reveal()), owner))}`);
}

/** @param sent `atSeconds`: of this attempt, which the receiver compares with its own clock. */
export async function signatureOf(
  key: Secret,
  { id, atSeconds, body }: { id: string; atSeconds: number; body: string },
): Promise<string> {
  const bytes = Uint8Array.from(atob(key.reveal().slice('whsec_'.length)), (character) => character.charCodeAt(0));
  return `v1,${base64(await hmac(bytes, `${id}.${atSeconds}.${body}`))}`;
}

async function hmac(key: BufferSource, text: string): Promise<ArrayBuffer> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, hash, false, ['sign']);
  return crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text));
}

const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)));
