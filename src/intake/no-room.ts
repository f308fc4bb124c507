/**
 * Partners whose last file was refused for what they have under way, in this process: what comes within a second of that is
 * refused before its bytes are read and stored, which is nearly all that a refusal costs. The register decides the others.
 */
import { NO_ROOM_REMEMBERED_MS } from './limits.ts';
import type { UploadError } from './upload-error.ts';

interface Refused {
  error: UploadError;
  untilMs: number;
}

export class NoRoom {
  readonly #byRegister = new Map<string, Refused>();

  note(register: string, error: UploadError, nowMs: number): void {
    this.#byRegister.set(register, { error, untilMs: nowMs + NO_ROOM_REMEMBERED_MS });
  }

  /** @returns undefined: the register is asked. */
  lately(register: string, nowMs: number): UploadError | undefined {
    const refused = this.#byRegister.get(register);
    if (refused !== undefined && nowMs < refused.untilMs) return refused.error;
    this.#byRegister.delete(register);
    return undefined;
  }
}
