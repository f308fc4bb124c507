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
export async function fingerprint(text: string): Promise<string> {
  return (await sha256Hex(new TextEncoder().encode(text))).slice(0, 12);
}

export async function sha256Hex(bytes: BufferSource): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', bytes));
}

export function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
