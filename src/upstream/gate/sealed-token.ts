/**
 * A token as it is stored: sealed (AES-256-GCM) under a key that follows from the channel's own secret, so that whoever
 * reads KV or a gate's database has no token. What cannot be opened counts as none, and a new one is minted: so does what
 * an earlier release stored, and so does a sealed one for an earlier release, which finds no times in it.
 */
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { gateName } from '../../kernel/names.ts';
import type { Channel } from '../channels.ts';
import type { CachedToken } from './token-lifetime.ts';

export interface SealedToken {
  /** Base64 of nonce, tag and text. */
  sealed: string;
}

type Sealing = Pick<Channel, 'environment' | 'name' | 'clientSecret'>;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealToken(held: CachedToken, channel: Sealing): SealedToken {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = createCipheriv(CIPHER, keyOf(channel), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(channel));
  const text = Buffer.concat([cipher.update(JSON.stringify(held), 'utf8'), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64') };
}

/** @param stored whatever was found. @returns undefined: it cannot be opened. */
export function openToken(stored: unknown, channel: Sealing): CachedToken | undefined {
  const { sealed } = (stored ?? {}) as Partial<SealedToken>;
  if (typeof sealed !== 'string') return undefined;
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, keyOf(channel), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(channel));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as CachedToken;
  } catch {
    return undefined; // of another secret, or damaged
  }
}

const keyOf = ({ clientSecret }: Sealing): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', clientSecret.reveal(), '', 'transload stored token', KEY_BYTES));

/** A token of one channel is none of another's, though both have one secret. */
const boundTo = ({ environment, name }: Sealing): Buffer => Buffer.from(gateName(environment, name), 'utf8');
