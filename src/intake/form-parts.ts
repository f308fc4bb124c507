/**
 * A multipart/form-data body, chunk by chunk → its parts, each with a stream of its bytes (RFC 7578, RFC 2046 5.1.1).
 * Buffers one chunk at most, whatever the size of a part, and finds the boundary however the chunks are cut. Does not
 * interpret fields. Pure but for the chunk source passed in.
 */
import { Buffer } from 'node:buffer';
import { FORM_HEADER_BYTES_MAX } from '../kernel/limits.ts';
import { err, ok, type Result } from '../kernel/result.ts';

/**
 * A header such as `form-data; name="file"; filename="events.csv"` → its value and its parameters. Lenient: what cannot
 * be read is left out, and the caller reports it as missing.
 */
interface HeaderValue {
  /** In lower case. */
  value: string;
  /** By name in lower case; of a repeated name, the first. */
  parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]*))/g;

export function readHeaderValue(text: string): HeaderValue {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1'));
  }
  return { value: (text.split(';')[0] ?? '').trim().toLowerCase(), parameters };
}

/** Browsers and curl escape these three characters of a name, and no others (WHATWG HTML, multipart/form-data). */
const ESCAPED = new Map([
  ['%22', '"'],
  ['%0d', '\r'],
  ['%0a', '\n'],
]);

/** The file name of a form's part; `filename*` (RFC 8187) wins if present and readable. */
export function fileNameOf({ parameters }: HeaderValue): string | null {
  const extended = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '')?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // Not in the declared encoding: the plain name may be readable.
    }
  }
  return (
    parameters.get('filename')?.replace(/%22|%0d|%0a/gi, (code) => ESCAPED.get(code.toLowerCase()) ?? code) ?? null
  );
}

/** The next bytes of the body; `end` after the last, `cut` when the connection broke. */
export type ChunkSource = () => Promise<Uint8Array | 'end' | 'cut'>;

/** Why a body is not a form. `cut`: the connection broke before the form's end. */
export type FormFault =
  | 'cut'
  | 'boundary_not_found'
  | 'headers_too_long'
  | 'headers_unreadable'
  | 'end_missing'
  | 'boundary_line_unreadable';

export interface FormPart {
  name: string;
  fileName: string | null;
  contentType: string | null;
  /** Transfer encoding of the bytes, if the part names one; null: none. */
  transferEncoding: string | null;
  /**
   * Must be read to its end before the next part is requested. Errors when the form breaks off: `fault` then says why.
   */
  body: ReadableStream<Uint8Array>;
}

const HEADERS_END = Buffer.from('\r\n\r\n');

export class FormParts {
  readonly #source: ChunkSource;
  readonly #delimiter: Buffer;
  /** Bytes received and not yet passed on. Starts with a line end, so that the first boundary is like the others. */
  #buffered: Buffer = Buffer.from('\r\n');
  #state: 'before' | 'within' | 'over' = 'before';
  #fault: FormFault | undefined;

  constructor(source: ChunkSource, boundary: string) {
    this.#source = source;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** What ended a part's stream early. */
  get fault(): FormFault | undefined {
    return this.#fault;
  }

  /** @returns null after the last part. */
  async next(): Promise<Result<FormPart | null, FormFault>> {
    if (this.#state === 'over') return ok(null);
    if (this.#state === 'before') {
      const found = await this.#take(this.#delimiter); // anything before the first part is ignored
      if (!found.ok) return this.#failed(found.error === 'too_long' ? 'boundary_not_found' : found.error);
      this.#state = 'within';
    }
    const line = await this.#boundaryLine();
    if (!line.ok) return this.#failed(line.error);
    if (line.value === 'last') {
      this.#state = 'over';
      return ok(null);
    }
    const headers = await this.#take(HEADERS_END);
    if (!headers.ok) return this.#failed(headers.error === 'too_long' ? 'headers_too_long' : headers.error);
    const part = readPartHeaders(headers.value.toString('utf8'));
    return part === undefined ? this.#failed('headers_unreadable') : ok({ ...part, body: this.#content() });
  }

  #failed(fault: FormFault): Result<never, FormFault> {
    this.#fault = fault;
    this.#state = 'over';
    return err(fault);
  }

  /**
   * Rest of a boundary line: two hyphens after the last part; else blanks, and a line end that is left for the headers.
   */
  async #boundaryLine(): Promise<Result<'part' | 'last', FormFault>> {
    for (;;) {
      const blanks = this.#buffered.findIndex((byte) => byte !== 0x20 && byte !== 0x09);
      const rest = blanks === -1 ? '' : this.#buffered.subarray(blanks, blanks + 2).toString('latin1');
      if (rest === '\r\n') {
        this.#buffered = this.#buffered.subarray(blanks);
        return ok('part');
      }
      if (blanks === 0 && rest === '--') return ok('last');
      if (rest.length === 2 || this.#buffered.length > FORM_HEADER_BYTES_MAX) return err('boundary_line_unreadable');
      const more = await this.#more();
      if (more !== undefined) return err(more);
    }
  }

  /** @returns what is before `mark`, at most FORM_HEADER_BYTES_MAX; both are removed from the buffer. */
  async #take(mark: Buffer): Promise<Result<Buffer, FormFault | 'too_long'>> {
    for (;;) {
      const at = this.#buffered.indexOf(mark);
      const before = at === -1 ? this.#buffered.length - mark.length : at;
      if (before > FORM_HEADER_BYTES_MAX) return err('too_long');
      if (at !== -1) {
        const taken = this.#buffered.subarray(0, at);
        this.#buffered = this.#buffered.subarray(at + mark.length);
        return ok(taken);
      }
      const more = await this.#more();
      if (more !== undefined) return err(more);
    }
  }

  /** @returns why there are no more bytes, if so. */
  async #more(): Promise<FormFault | undefined> {
    const chunk = await this.#source();
    if (chunk === 'cut') return 'cut';
    if (chunk === 'end') return 'end_missing';
    this.#buffered = Buffer.concat([this.#buffered, chunk]);
    return undefined;
  }

  /** The bytes up to the next boundary, pulled one chunk at a time. */
  #content(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      type: 'bytes',
      pull: async (controller) => {
        const piece = await this.#piece();
        if (!piece.ok) {
          this.#failed(piece.error);
          controller.error(new Error(`the form broke off: ${piece.error}`));
          return;
        }
        const { bytes, isLast } = piece.value;
        if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes)); // a copy: the stream keeps the buffer it gets
        if (!isLast) return;
        controller.close();
        controller.byobRequest?.respond(0);
      },
    });
  }

  /** Bytes certainly before the boundary: a possible beginning of it stays in the buffer. */
  async #piece(): Promise<Result<{ bytes: Buffer; isLast: boolean }, FormFault>> {
    for (;;) {
      const at = this.#buffered.indexOf(this.#delimiter);
      const isLast = at !== -1;
      const sure = isLast ? at : Math.max(0, this.#buffered.length - this.#delimiter.length + 1);
      if (isLast || sure > 0) {
        const bytes = this.#buffered.subarray(0, sure);
        this.#buffered = this.#buffered.subarray(isLast ? at + this.#delimiter.length : sure);
        return ok({ bytes, isLast });
      }
      const more = await this.#more();
      if (more !== undefined) return err(more);
    }
  }
}

/** @returns undefined when it is not a form part: it has no name. */
function readPartHeaders(text: string): Omit<FormPart, 'body'> | undefined {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = readHeaderValue(headers.get('content-disposition') ?? '');
  const name = disposition.parameters.get('name');
  if (disposition.value !== 'form-data' || name === undefined) return undefined;
  return {
    name,
    fileName: fileNameOf(disposition),
    contentType: headers.get('content-type') ?? null,
    transferEncoding: headers.get('content-transfer-encoding')?.toLowerCase() ?? null,
  };
}
