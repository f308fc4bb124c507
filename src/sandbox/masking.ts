/**
 * Takes the secrets out of what is kept of a request: keys, tokens and client secrets become short fingerprints.
 *
 * Two requests with the same key show the same fingerprint, so a journal still tells which credential was used.
 */
import { createHash } from 'node:crypto';
import type { Received } from './received.ts';

/** Hex digits of the SHA-256 that stay: enough to tell credentials apart, useless to anyone who finds them. */
const FINGERPRINT_DIGITS = 16;

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `sha256:` and the first 16 hex digits. */
export function fingerprint(secret: string): string {
  return `sha256:${sha256Hex(secret).slice(0, FINGERPRINT_DIGITS)}`;
}

/** `Bearer` and `Basic` stay readable, what follows does not. */
export function maskHeaders(headers: Received['headers']): Record<string, string> {
  const masked = { ...headers };
  const key = masked['ocp-apim-subscription-key'];
  if (key !== undefined) masked['ocp-apim-subscription-key'] = fingerprint(key);
  const authorization = masked.authorization;
  if (authorization !== undefined) {
    const [, scheme = '', secret = ''] = /^(\S*)\s*(.*)$/s.exec(authorization) ?? [];
    masked.authorization = secret === '' ? fingerprint(scheme) : `${scheme} ${fingerprint(secret)}`;
  }
  return masked;
}

/** A form body of the second token endpoint carries its secret in the clear (seed 4.1 row 2). */
export function maskBody(body: string): string {
  return body.replace(/(^|&)(client_secret=)([^&]*)/g, (_, before: string, name: string, secret: string) => {
    return `${before}${name}${fingerprint(secret)}`;
  });
}
