/**
 * Stored bytes of a compressed file on their way to what unpacks them. Storage that breaks off while they are read is not
 * mistaken for a file that is damaged.
 */
import { soon } from '../../kernel/paced-read.ts';

/** Bytes given to the decompressor at once: a thousand times as many may come out in one piece. Ours. */
const STEP_BYTES = 16 * 1_024;

export class PackedBytes {
  /** Breaks where storage does, or stands still for a minute. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #failure: { thrown: unknown } | undefined;

  constructor(stored: ReadableStream) {
    const reader = stored.getReader({ mode: 'byob' });
    this.body = new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await soon(reader.read(new Uint8Array(STEP_BYTES)), reader);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          this.#failure = { thrown };
          controller.error(thrown);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  /** Throws what storage threw, if it did. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
