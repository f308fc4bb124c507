/**
 * Bytes of one part of a workbook → opening tags, texts and closing tags as they come.
 *
 * Names are without their prefix. A DOCTYPE is refused, as a rule before the parser sees it, and the parser knows no entity
 * but the five of XML itself. What it holds back until it ends (a text, a tag, a comment) is bounded.
 */
import { SaxesParser } from 'saxes';
import { XML_DEPTH_MAX, XML_PROLOG_UNITS_MAX, XML_STEP_UNITS, XML_TOKEN_UNITS_MAX } from './limits.ts';
import { WorkbookRefusal } from './problems.ts';

/** `*:id` is the attribute `id` of whatever prefix. */
export type Attributes = (name: string) => string | undefined;
const ANY_PREFIX = '*:';

export interface XmlEvents {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** Takes the bytes piece by piece; every fault is a refusal that names the part. */
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

  /** Bytes of the part as text in short pieces: what one of them becomes is bounded, and can be taken away before the next. */
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

  /** A DOCTYPE stands before the first element; nothing else there can hold these letters but a comment. */
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

/** XML of a workbook is UTF-8 or UTF-16 (ECMA-376-2 6.2.5); UTF-16 is told by its mark or by the zero beside the first `<`. */
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
