import { createHash } from 'node:crypto';

/** A text that must never be written anywhere: it is revealed only by an explicit call. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toJSON(): string {
    return '[secret]';
  }

  toString(): string {
    return '[secret]';
  }
}

/** First 12 hexadecimal digits of a text's SHA-256: enough to tell two tokens apart, useless to anyone else. */
export const fingerprint = (text: string): string => sha256Hex(text).slice(0, 12);

/** @param data of a text, its UTF-8 bytes. @returns lower case hexadecimal. */
export const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

export function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
