/** Reads a request body that must fit in memory, counting its bytes as they come: Content-Length may be wrong. */
import { log, messageOf } from '../../kernel/log.ts';
import { soon } from '../../kernel/paced-read.ts';
import { err, ok, type Result } from '../../kernel/result.ts';

type BodyError =
  | { code: 'too_large'; bytesMax: number }
  /** The connection ended before the body did, or stood still. */
  | { code: 'body_cut'; receivedBytes: number };

/** @returns no bytes at all for a request without a body. */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Result<Uint8Array, BodyError>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if (body === null) return ok(new Uint8Array());
  const reader = body.getReader();
  for (;;) {
    const read = await soon(reader.read(), reader).catch((thrown: unknown) => {
      log('warn', 'body_cut', { detail: messageOf(thrown) });
    });
    if (read === undefined) return err({ code: 'body_cut', receivedBytes: bytes });
    if (read.done) return ok(joined(pieces, bytes));
    bytes += read.value.byteLength;
    if (bytes > bytesMax) {
      reader.cancel().catch(() => undefined); // the rest is not needed
      return err({ code: 'too_large', bytesMax });
    }
    pieces.push(read.value);
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
