/** The parts that describe a workbook: its sheets in their order, its date system, where its texts and styles are. */
import { crc32 } from 'node:zlib';
import { ERR_ENCRYPTED_CENTRAL_DIRECTORY, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { SaxesParser } from 'saxes';
import { messageOf } from '../../kernel/log.ts';
import type { StoredBytes } from '../slices.ts';
import { ArchiveSource, locateEntry, type ZipFile } from '../zip.ts';
import {
  INFLATE_STEP_BYTES,
  PART_FLOOR_BYTES,
  PART_RATIO_MAX,
  PART_READ_BYTES,
  SHEETS_MAX,
  SMALL_PART_BYTES_MAX,
  XML_DEPTH_MAX,
  XML_PROLOG_UNITS_MAX,
  XML_STEP_UNITS,
  XML_TOKEN_UNITS_MAX,
} from './limits.ts';
import { type OtherDocument, partProblem, type WorkbookProblem, WorkbookRefusal } from './problems.ts';

/*
 * The parts of a workbook, which are files of a ZIP: found by name, unpacked as a stream, counted and checked on the
 * way.
 *
 * A part is refused as soon as it unpacks to more than allowed: only the current piece is held in memory.
 */

export class WorkbookParts {
  readonly #stored: StoredBytes;
  readonly #source: ArchiveSource;
  readonly #entries: ReadonlyMap<string, FileEntry>;

  private constructor(stored: StoredBytes, source: ArchiveSource, entries: ReadonlyMap<string, FileEntry>) {
    this.#stored = stored;
    this.#source = source;
    this.#entries = entries;
  }

  /** Throws a refusal when the ZIP cannot be read, and what the store throws. */
  static async open(stored: StoredBytes): Promise<WorkbookParts> {
    const source = new ArchiveSource(stored);
    const zip = new ZipReader(source.reader, { filenameValidation: 'tolerant' });
    const entries = new Map<string, FileEntry>();
    try {
      for await (const entry of zip.getEntriesGenerator()) {
        const name = partName(entry.filename);
        if (!entry.directory && !entries.has(name)) entries.set(name, entry);
      }
    } catch (thrown) {
      source.throwFailure();
      throw new WorkbookRefusal(directoryProblem(messageOf(thrown)));
    }
    return new WorkbookParts(stored, source, entries);
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  /** The bytes of a part; length and checksum are checked after the last of them. */
  async *bytesOf(name: string, bytesMax: number): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(partName(name));
    if (entry === undefined) throw new WorkbookRefusal({ code: 'workbook_broken', fault: 'missing', part: name });
    const located = await locateEntry(this.#source, entry, name);
    if (!located.ok) throw new WorkbookRefusal(partProblem(located.error, name));
    const file = located.value;
    const most = Math.min(bytesMax, Math.max(PART_FLOOR_BYTES, file.packedBytes * PART_RATIO_MAX));
    let bytes = 0;
    let crc = 0;
    for await (const piece of this.#inflated(file)) {
      bytes += piece.byteLength;
      if (bytes > most) {
        throw new WorkbookRefusal({ code: 'workbook_too_large', of: 'part', part: name, bytesMax: most });
      }
      crc = crc32(piece, crc);
      yield piece;
    }
    if (bytes !== file.declaredBytes || crc !== file.crc32) throw damaged(name);
  }

  async *#inflated(file: ZipFile): AsyncGenerator<Uint8Array> {
    const packed = packedPieces(this.#stored, file);
    if (!file.isDeflated) {
      yield* packed;
      return;
    }
    let failure: { thrown: unknown } | undefined;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        try {
          const { done, value } = await packed.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          failure = { thrown };
          controller.error(thrown);
        }
      },
    });
    const reader = stream.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((thrown: unknown) => {
          if (failure !== undefined) throw failure.thrown;
          throw damaged(file.name, thrown);
        });
        if (done) return;
        yield value;
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }
}

/** Cut small, because each piece can unpack to a thousand times its size at once. */
async function* packedPieces(
  stored: StoredBytes,
  { offset, packedBytes }: ZipFile,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < packedBytes; at += PART_READ_BYTES) {
    const bytes = await stored.read(offset + at, Math.min(PART_READ_BYTES, packedBytes - at));
    for (let from = 0; from < bytes.byteLength; from += INFLATE_STEP_BYTES) {
      yield new Uint8Array(bytes.subarray(from, from + INFLATE_STEP_BYTES)); // a copy: the stream keeps what it is given
    }
  }
}

const damaged = (part: string, _cause?: unknown): WorkbookRefusal =>
  new WorkbookRefusal({ code: 'workbook_broken', fault: 'packed', part });

function directoryProblem(message: string): WorkbookProblem {
  if (message === ERR_ENCRYPTED_CENTRAL_DIRECTORY) return { code: 'workbook_encrypted', part: null };
  return { code: 'workbook_broken', fault: 'directory' };
}

/** Names of parts are compared ignoring case (ECMA-376-2 6.2.2.3); some programs write backslashes. */
const partName = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

/*
 * Bytes of one part of a workbook → opening tags, texts and closing tags as they come.
 *
 * Names are without their prefix. A DOCTYPE is refused, normally before the parser sees it, and the parser expands only
 * the five entities of XML itself. What it buffers (a text, a tag, a comment) is bounded.
 */

/** `*:id` is the attribute `id` with any prefix. */
export type Attributes = (name: string) => string | undefined;
const ANY_PREFIX = '*:';

export interface XmlEvents {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** Reads the bytes piece by piece; every fault is a refusal that names the part. */
export class XmlPart {
  readonly #part: string;
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  #decoder: TextDecoder | undefined;
  #start = new Uint8Array();
  #prolog: string | null = '';
  #unitsSinceEvent = 0;
  #depth = 0;

  constructor(part: string, events: XmlEvents) {
    this.#part = part;
    const parser = this.#parser;
    const text = (piece: string): void => {
      this.#unitsSinceEvent = 0;
      events.text(piece);
    };
    parser.on('error', () => this.#refuse('xml'));
    parser.on('doctype', () => this.#refuseDoctype());
    const passed = (): void => {
      this.#unitsSinceEvent = 0;
    };
    parser.on('comment', passed);
    parser.on('processinginstruction', passed);
    parser.on('text', text);
    parser.on('cdata', text);
    parser.on('opentag', ({ name, attributes }) => {
      this.#unitsSinceEvent = 0;
      this.#prolog = null;
      this.#depth += 1;
      if (this.#depth > XML_DEPTH_MAX) this.#refuse('xml');
      events.open(localName(name), (wanted) => attributeOf(attributes, wanted));
    });
    parser.on('closetag', ({ name }) => {
      this.#unitsSinceEvent = 0;
      this.#depth -= 1;
      events.close(localName(name));
    });
  }

  /** Bytes of the part as text in short pieces: the result of each is bounded, and can be read before the next. */
  *texts(bytes: Uint8Array): Generator<string> {
    yield* cut(this.#decoded(bytes, true));
  }

  write(piece: string): void {
    if (this.#prolog !== null) this.#lookAtProlog(piece);
    this.#unitsSinceEvent += piece.length;
    this.#parser.write(piece);
    if (this.#unitsSinceEvent > XML_TOKEN_UNITS_MAX + XML_STEP_UNITS) {
      const problem = { of: 'token', part: this.#part, unitsMax: XML_TOKEN_UNITS_MAX } as const;
      throw new WorkbookRefusal({ code: 'workbook_too_large', ...problem });
    }
  }

  end(): void {
    for (const piece of cut(this.#decoded(new Uint8Array(), false))) this.write(piece);
    if (this.#prolog !== null) this.#refuse('xml'); // no element at all
    this.#parser.close();
  }

  /** A DOCTYPE comes before the first element; apart from comments nothing else there can contain these letters. */
  #lookAtProlog(piece: string): void {
    const prolog = `${this.#prolog ?? ''}${piece}`.slice(0, XML_PROLOG_UNITS_MAX);
    const element = /<[^?!]/.exec(prolog)?.index;
    if (prolog.slice(0, element).includes('<!DOCTYPE')) this.#refuseDoctype();
    if (element === undefined && prolog.length === XML_PROLOG_UNITS_MAX) this.#refuse('xml');
    this.#prolog = element === undefined ? prolog : null;
  }

  #decoded(bytes: Uint8Array, stream: boolean): string {
    if (this.#decoder === undefined) {
      this.#start = joined(this.#start, bytes);
      if (stream && this.#start.byteLength < 2) return '';
      this.#decoder = new TextDecoder(encodingOf(this.#start), { fatal: true, ignoreBOM: false });
      bytes = this.#start;
    }
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      return this.#refuse('encoding');
    }
  }

  #refuse(fault: 'xml' | 'encoding'): never {
    throw new WorkbookRefusal({ code: 'workbook_broken', fault, part: this.#part });
  }

  #refuseDoctype(): never {
    throw new WorkbookRefusal({ code: 'workbook_doctype', part: this.#part });
  }
}

/** Reads a part from its first byte to its last. */
export async function readXml(part: string, pieces: AsyncIterable<Uint8Array>, events: XmlEvents): Promise<void> {
  const xml = new XmlPart(part, events);
  for await (const bytes of pieces) for (const piece of xml.texts(bytes)) xml.write(piece);
  xml.end();
}

/**
 * XML of a workbook is UTF-8 or UTF-16 (ECMA-376-2 6.2.5); UTF-16 is recognised by its mark or by the zero next to the
 * first `<`.
 */
function encodingOf([first = 0, second = 0]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? 'utf-16be' : 'utf-8';
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(left.byteLength + right.byteLength);
  whole.set(left);
  whole.set(right, left.byteLength);
  return whole;
}

function* cut(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += XML_STEP_UNITS) yield text.slice(from, from + XML_STEP_UNITS);
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function attributeOf(attributes: Record<string, string>, wanted: string): string | undefined {
  if (!wanted.startsWith(ANY_PREFIX)) return attributes[wanted];
  const ending = wanted.slice(ANY_PREFIX.length - 1);
  const name = Object.keys(attributes).find((each) => each.endsWith(ending));
  return name === undefined ? undefined : attributes[name];
}

export interface Sheet {
  name: string;
  isHidden: boolean;
  part: string;
}

interface Workbook {
  /** Sheets with cells, in the order of their tabs. */
  sheets: readonly Sheet[];
  is1904: boolean;
  stylesPart: string | undefined;
  sharedStringsPart: string | undefined;
}

/** Every package of office parts has it (ECMA-376-2 6.2.3). */
const CONTENT_TYPES = '[Content_Types].xml';
const PACKAGE_RELATIONSHIPS = '_rels/.rels';

/** @returns what a ZIP is that has no such package; `archive`: a ZIP of files, judging by their names. */
export function packageKind(parts: WorkbookParts): 'package' | 'archive' | OtherDocument {
  if (parts.has(CONTENT_TYPES)) return 'package';
  return parts.has('META-INF/manifest.xml') ? 'open_document' : 'archive';
}

/** Throws a refusal. */
export async function readWorkbook(parts: WorkbookParts): Promise<Workbook> {
  const [main] = [...(await relationships(parts, PACKAGE_RELATIONSHIPS, '')).values()].filter(
    ({ kind }) => kind === 'officeDocument',
  );
  const part = main?.target ?? 'xl/workbook.xml';
  if (part.toLowerCase().endsWith('.bin')) refuse('binary_workbook');
  const declared: { name: string; state: string | undefined; id: string | undefined }[] = [];
  let root = '';
  let is1904 = false;
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (root === '') root = name;
      if (name === 'workbookPr') is1904 = isTrue(attribute('date1904'));
      if (name !== 'sheet') return;
      bounded(part, 'sheets', declared.length, SHEETS_MAX);
      declared.push({ name: attribute('name') ?? '', state: attribute('state'), id: attribute('*:id') });
    },
    text: () => undefined,
    close: () => undefined,
  });
  if (root !== 'workbook') refuse('other_office_document');
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const related = await relationships(parts, `${folder}_rels/${part.slice(slash)}.rels`, folder);
  const targetOf = (kind: string) => [...related.values()].find((relationship) => relationship.kind === kind)?.target;
  const sheets = declared.flatMap(({ name, state, id }): Sheet[] => {
    const relationship = id === undefined ? undefined : related.get(id);
    if (relationship?.kind !== 'worksheet') return []; // a chart or a dialog has no rows
    return [{ name, isHidden: state === 'hidden' || state === 'veryHidden', part: relationship.target }];
  });
  return { sheets, is1904, stylesPart: targetOf('styles'), sharedStringsPart: targetOf('sharedStrings') };
}

interface Relationship {
  /** Last word of its type, which is the same in the transitional and the strict form. */
  kind: string;
  target: string;
}

async function relationships(
  parts: WorkbookParts,
  part: string,
  folder: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const found = new Map<string, Relationship>();
  if (!parts.has(part)) return found;
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('TargetMode') === 'External') return;
      const kind = attribute('Type') ?? '';
      found.set(attribute('Id') ?? '', {
        kind: kind.slice(kind.lastIndexOf('/') + 1),
        target: resolved(folder, attribute('Target') ?? ''),
      });
    },
    text: () => undefined,
    close: () => undefined,
  });
  return found;
}

/** @param target relative to the folder, or from the root with a leading slash. */
function resolved(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : folder + path).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** @param count so far, before the next one is stored. */
export function bounded(part: string, things: string, count: number, countMax: number): void {
  if (count >= countMax) throw new WorkbookRefusal({ code: 'workbook_too_large', of: 'count', part, things, countMax });
}

const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true' || text === 'on';

function refuse(looksLike: OtherDocument): never {
  throw new WorkbookRefusal({ code: 'not_a_workbook', looksLike });
}

/** A whole number from an attribute; undefined for anything else. */
export function wholeNumber(attribute: Attributes, name: string): number | undefined {
  const text = attribute(name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
