/** Follows the tags of one slice: enclosing elements, texts captured from them, and the records themselves. */

import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { Position } from '../../kernel/problem.ts';
import { headOf } from '../../kernel/text.ts';
import { type Encoding, type TextCodec, utf8InsteadAt } from '../encoding.ts';
import { hexOf, LF } from '../text-slice.ts';
import { afterClosing, afterOpening, afterText, attributesOf, type Capture, nameOf, prefixesOf } from './around.ts';
import type { CaptureState, OpenElement, XmlCheckpoint } from './checkpoint.ts';
import type { XmlSource } from './declaration.ts';
import {
  EXCERPT_CHARACTERS,
  FEED_CHARACTERS,
  LISTED_NAME_CHARACTERS_MAX,
  LISTED_NAMES_MAX,
  REFERENCE_CHARACTERS_MAX,
  type XmlLimits,
} from './limits.ts';
import { findOutside, strayAmpersand, TEXT_OUTSIDE } from './opening.ts';
import { fitsName, type NameTest, RecordBuilder, type XmlElement } from './path.ts';
import type { XmlEndProblem, XmlRecordProblem } from './problems.ts';

/** One record. `captured`: the requested texts from around it. */
export type XmlRecord = { position: Position; captured: readonly string[] } & (
  | { element: XmlElement; problem?: never }
  | { element: null; problem: XmlRecordProblem }
);

/** @property path from the root to the repeated element. */
export interface XmlReading {
  source: XmlSource;
  path: readonly NameTest[];
  captures: readonly Capture[];
  limits: XmlLimits;
}

/* A slice of a file as text for the parser; converts an offset back to a byte and a line. */

/** Most bytes of a character that can be cut off at the end of a slice. */
const CUT_UNITS_MAX = 3;
const NON_ASCII = /[\u0080-\uffff]/;

/** @property offset in the text of the slice; lines: line feeds of the file before it. */
interface SliceLocation {
  offset: number;
  byte: number;
  lines: number;
}

export class DecodedSlice {
  readonly text: string;
  /** Where the first sequence is that is not text in this encoding, directly after `text`; null: there is none. */
  readonly bad: { encoding: Encoding; hex: string } | null;
  readonly codec: TextCodec;
  private readonly isOneToOne: boolean;
  /** Of single bytes in another encoding than UTF-8; null: of any other text. */
  private readonly narrow: string | null;

  constructor(codec: TextCodec, bytes: Uint8Array, atEnd: boolean) {
    const units = codec.toUnits(bytes, atEnd);
    const badAt = NON_ASCII.test(units) ? codec.badAt(units) : -1;
    // A longer slice will show whether the last character is bad or only cut off.
    const isCut = badAt !== -1 && !atEnd && badAt >= units.length - CUT_UNITS_MAX;
    this.codec = codec;
    this.text = codec.toText(badAt === -1 ? units : units.slice(0, badAt));
    this.bad = badAt === -1 || isCut ? null : { encoding: codec.encoding, hex: hexOf(units, badAt, codec) };
    this.narrow = codec.unitBytes === 2 || codec.encoding === 'utf-8' ? null : units;
    this.isOneToOne = codec.encoding !== 'utf-8' || this.text.length === (badAt === -1 ? units.length : badAt);
  }

  /** What shows that a part of the text, or one of some texts read before, is UTF-8 and not what it is read as. */
  utf8In(from: number, to: number, before: readonly string[]): string | undefined {
    const { codec, narrow } = this;
    if (narrow === null) return undefined;
    const parts = [
      narrow.slice(from, to),
      ...before.map((text) => (NON_ASCII.test(text) ? codec.fromText(text) : null)),
    ];
    for (const units of parts) {
      const at = units === null ? -1 : utf8InsteadAt(units, codec);
      if (units !== null && at !== -1) return hexOf(units, at, codec);
    }
    return undefined;
  }

  /** @param known a position at or before the offset. */
  locationFrom(known: SliceLocation, offset: number): SliceLocation {
    const { text, codec, isOneToOne } = this;
    let { byte, lines } = known;
    for (let at = known.offset; at < offset; at++) {
      const unit = text.charCodeAt(at);
      if (unit === LF) lines++;
      byte += isOneToOne ? codec.unitBytes : utf8Bytes(unit);
    }
    return { offset, byte, lines };
  }
}

/** Bytes of one UTF-16 unit: the two halves of a surrogate pair share four bytes (RFC 3629, 3). */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
}

type Fault = FaultOf<XmlEndProblem>;
type FaultOf<Each> = Each extends unknown ? Omit<Each, 'byte' | 'line' | 'text' | 'inside'> : never;

/** The prefix of the parser's messages: line and column in its own input, which is not the file. */
const PARSER_LOCATION = /^\d+:\d+: /;
/** Of one UTF-16 unit, in any encoding that is read. */
const CHARACTER_BYTES_MAX = 3;

/** A record that has begun. */
interface Begun {
  /** Of its `<`. */
  place: SliceLocation;
  /** Offset of the end of its start tag. */
  seen: number;
  /** Elements that are open, its own the first. */
  open: OpenElement[];
  builder: RecordBuilder;
}

const NO_PREFIXES = {};

export class DocumentReader {
  private readonly reading: XmlReading;
  private readonly slice: DecodedSlice;
  private readonly parser = new SaxesParser();
  private readonly hasNamespaces: boolean;
  private readonly records: XmlRecord[] = [];
  /** At the last tag outside the records, or the last end of one; `boundary` is its position. */
  private state: XmlCheckpoint;
  private boundary: SliceLocation;
  private begun: Begun | null = null;
  /** Text since the last tag, outside the records. */
  private text = '';
  /** Attributes of the current tag. */
  private attributes = 0;
  private problem: XmlEndProblem | null = null;
  /** Characters given to the parser before the slice. */
  private before = 0;

  constructor(reading: XmlReading, from: XmlCheckpoint, slice: DecodedSlice) {
    this.reading = reading;
    this.slice = slice;
    this.state = from;
    this.boundary = { offset: 0, byte: from.byte, lines: from.line };
    this.hasNamespaces = Object.keys(reading.source.namespaces).length > 0;
    this.resume();
    this.parser.on('error', (error) => this.stopAt(error.message));
    this.parser.on('attribute', ({ name, value }) => this.validateAttribute(name, value));
    this.parser.on('opentag', (tag) => this.opened(tag));
    this.parser.on('closetag', (tag) => this.closed(tag));
    this.parser.on('text', (text) => this.textRead(text));
    this.parser.on('cdata', (text) => this.textRead(text));
  }

  /** Gives the parser the open elements, or an ended root when the document's root has ended. */
  private resume(): void {
    const { open, rootClosed } = this.state;
    const tags = rootClosed ? '<a/>' : open.map(({ name }) => `<${name}>`).join('');
    this.parser.write(tags);
    this.before = tags.length;
  }

  read(atEnd: boolean): { records: XmlRecord[]; checkpoint: XmlCheckpoint; endProblem: XmlEndProblem | null } {
    const { text, bad } = this.slice;
    const stray = strayAmpersand(text, atEnd || bad !== null, REFERENCE_CHARACTERS_MAX);
    const to = stray?.at ?? text.length;
    for (let at = 0; at < to && this.problem === null; at += FEED_CHARACTERS) {
      this.parser.write(text.slice(at, Math.min(to, at + FEED_CHARACTERS)));
    }
    if (stray?.isCertain) this.stop(stray.at, { code: 'xml_not_well_formed', detail: 'an & that begins no reference' });
    if (bad !== null && stray === null) this.stop(text.length, { code: 'bad_encoding', ...bad });
    if (atEnd) this.end();
    else if (this.exceeds(to)) this.stop(to, { code: 'xml_cut_off' });
    const checkpoint = { ...this.state, endProblem: this.problem };
    return { records: this.records, checkpoint, endProblem: this.problem };
  }

  private end(): void {
    if (this.problem !== null) return;
    const cutOff = () => this.stop(this.slice.text.length, { code: 'xml_cut_off' });
    if (!this.state.rootClosed) {
      cutOff();
      return;
    }
    // Now the parser reports a comment without an end, and the like.
    this.parser.on('error', cutOff);
    this.parser.close();
  }

  private get offset(): number {
    return this.parser.position - this.before;
  }

  private opened({ name: written, attributes: own }: SaxesTagPlain): void {
    if (this.problem !== null) return;
    this.attributes = 0;
    const { state, begun, reading, offset } = this;
    const { limits, path } = reading;
    const depth = state.open.length + (begun?.open.length ?? 0) + 1;
    if (written.length > limits.nameCharactersMax) {
      this.stop(offset, { code: 'xml_too_large', what: 'name', max: limits.nameCharactersMax });
      return;
    }
    if (depth > limits.depthMax) {
      this.stop(offset, { code: 'xml_too_deep', depthMax: limits.depthMax });
      return;
    }
    const element = { name: written, prefixes: this.hasNamespaces ? prefixesOf(own) : NO_PREFIXES };
    const around = this.hasNamespaces ? [...state.open, ...(begun?.open ?? []), element] : [];
    const name = nameOf(written, around);
    const attributes = attributesOf(own, around);
    if (begun !== null) {
      begun.open.push(element);
      begun.builder.open(name, attributes);
      return;
    }
    const step = path[state.open.length];
    const isOnPath = state.matched === state.open.length && step !== undefined && fitsName(name, step);
    if (isOnPath && depth === path.length) {
      const from = this.slice.text.lastIndexOf('<', offset - 1);
      const builder = new RecordBuilder(name, attributes, limits.nodesMax);
      this.begun = { place: this.slice.locationFrom(this.boundary, from), seen: offset, open: [element], builder };
      return;
    }
    const matched = isOnPath ? depth : state.matched;
    this.commit(
      {
        open: [...state.open, element],
        matched,
        ...this.seen(written, isOnPath, matched),
        captured: this.captured(this.withText(state.open.length), (captured, capture) =>
          afterOpening(captured, capture, { ...name, attributes, depth, matched }),
        ),
      },
      offset,
    );
  }

  /** How much of the path to the records was matched, and what was found instead of its next step. */
  private seen(name: string, isOnPath: boolean, matched: number): Pick<XmlCheckpoint, 'deepest' | 'names'> {
    const { deepest, names, open } = this.state;
    if (matched > deepest) return { deepest: matched, names: [] };
    const isBeside = !isOnPath && open.length === deepest && this.state.matched === deepest;
    const shown = headOf(name, LISTED_NAME_CHARACTERS_MAX);
    const isNew = isBeside && names.length < LISTED_NAMES_MAX && !names.includes(shown);
    return { deepest, names: isNew ? [...names, shown] : names };
  }

  private closed(tag: SaxesTagPlain): void {
    if (this.problem !== null) return;
    if (!this.isItsEnd(tag)) {
      this.stop(this.offset, { code: 'xml_not_well_formed', detail: 'an end tag of another element' });
      return;
    }
    const { begun, state, offset } = this;
    if (begun !== null) {
      begun.open.pop();
      if (begun.builder.close()) this.keep(begun, offset);
      return;
    }
    const depth = state.open.length;
    const open = state.open.slice(0, -1);
    this.commit(
      {
        open,
        matched: Math.min(state.matched, open.length),
        rootClosed: open.length === 0,
        captured: this.captured(this.withText(depth), (captured, capture) => afterClosing(captured, capture, depth)),
      },
      offset,
    );
  }

  /** The parser ends all elements that an end tag leaves open before it reports the mismatch. */
  private isItsEnd({ name, isSelfClosing }: SaxesTagPlain): boolean {
    if (isSelfClosing) return true;
    const { text } = this.slice;
    const from = text.lastIndexOf('</', this.offset - 1);
    return text.slice(from + 2, this.offset - 1).trimEnd() === name;
  }

  private keep({ place, builder }: Begun, offset: number): void {
    const { state, reading } = this;
    if (this.exceeds(offset)) {
      this.stop(offset, { code: 'xml_cut_off' });
      return;
    }
    const { byte: byteTo } = this.slice.locationFrom(place, offset);
    const line = place.lines + 1;
    const position = { record: state.record + 1, line, byteFrom: place.byte, byteTo };
    const around = this.withText(state.open.length);
    this.begun = null;
    const deepest = reading.path.length;
    this.commit({ record: state.record + 1, rootClosed: state.open.length === 0, deepest, captured: around }, offset);
    if (this.problem !== null) return;
    const captured = around.map(({ value }) => value);
    const problem = this.problemOf({ place, builder }, offset, captured);
    this.records.push(
      problem === null ? { position, element: builder.root, captured } : { position, element: null, captured, problem },
    );
  }

  private problemOf(
    { place, builder }: Pick<Begun, 'place' | 'builder'>,
    offset: number,
    captured: readonly string[],
  ): XmlRecordProblem | null {
    const line = place.lines + 1;
    const { nodesMax } = this.reading.limits;
    if (builder.isOverfull) return { code: 'too_many_nodes', line, nodesMax };
    const hex = this.slice.utf8In(place.offset, offset, captured);
    return hex === undefined ? null : { code: 'encoding_disagrees', encoding: this.slice.codec.encoding, line, hex };
  }

  private textRead(text: string): void {
    if (this.problem !== null) return;
    if (this.begun !== null) this.begun.builder.text(text);
    else if (this.reading.captures.length > 0) this.text += text;
  }

  private withText(depth: number): readonly CaptureState[] {
    const { text, state } = this;
    if (text === '') return state.captured;
    return this.captured(state.captured, (captured, capture) => afterText(captured, capture, depth, text));
  }

  private captured(
    states: readonly CaptureState[],
    next: (captured: CaptureState, capture: Capture) => CaptureState,
  ): readonly CaptureState[] {
    return states.map((captured, index) => {
      const capture = this.reading.captures[index];
      return capture === undefined ? captured : next(captured, capture);
    });
  }

  /** Reading can be resumed from here. */
  private commit(changes: Partial<XmlCheckpoint>, offset: number): void {
    if (this.exceeds(offset)) {
      this.stop(offset, { code: 'xml_cut_off' });
      return;
    }
    const max = this.reading.limits.capturedCharactersMax;
    if (changes.captured?.some(({ value }) => value.length > max)) {
      this.stop(offset, { code: 'xml_too_large', what: 'captured', max });
      return;
    }
    this.boundary = this.slice.locationFrom(this.boundary, offset);
    const { byte, lines: line } = this.boundary;
    this.text = '';
    this.state = { ...this.state, ...changes, byte, line };
  }

  private validateAttribute(name: string, value: string): void {
    const { attributesMax, attributeCharactersMax, nameCharactersMax } = this.reading.limits;
    this.attributes += 1;
    const { offset } = this;
    if (this.attributes > attributesMax) {
      this.stop(offset, { code: 'xml_too_large', what: 'attributes', max: attributesMax });
    } else if (name.length > nameCharactersMax) {
      this.stop(offset, { code: 'xml_too_large', what: 'name', max: nameCharactersMax });
    } else if (value.length > attributeCharactersMax) {
      this.stop(offset, { code: 'xml_too_large', what: 'attribute', max: attributeCharactersMax });
    }
  }

  private stopAt(message: string): void {
    const detail = message.replace(PARSER_LOCATION, '').replace(/\.$/, '');
    if (detail.includes('doctype')) {
      this.stop(this.offset, { code: 'xml_doctype' });
      return;
    }
    // The parser reports an unknown entity after its name.
    const at = detail.includes('entity') ? this.slice.text.lastIndexOf('&', this.offset - 1) : this.offset;
    this.stop(at, { code: 'xml_not_well_formed', detail });
  }

  /** The first fault counts. What is too far after the last tag was not checked. */
  private stop(met: number, as: Fault): void {
    if (this.problem !== null) return;
    const { slice, state, begun, boundary } = this;
    const { offset, fault } = this.outsideRoot(met) ?? { offset: met, fault: as };
    const isFar = this.exceeds(offset);
    const isRecord = isFar && begun !== null && !this.exceeds(begun.seen);
    const place = isRecord
      ? begun.place
      : slice.locationFrom(boundary, isFar ? boundary.offset : Math.max(offset, boundary.offset));
    const open = isFar ? state.open : [...state.open, ...(begun?.open ?? [])];
    const max = this.reading.limits.recordBytesMax;
    this.problem = {
      ...(isFar ? { code: 'xml_too_large', what: isRecord ? 'record' : 'markup', max } : fault),
      byte: place.byte,
      line: place.lines + 1,
      text: slice.text.slice(Math.max(boundary.offset, place.offset - EXCERPT_CHARACTERS), place.offset),
      inside: open.map(({ name }) => name).join('/'),
    };
  }

  /** The parser notices text after the root only where that text ends. */
  private outsideRoot(met: number): { offset: number; fault: Fault } | null {
    if (!this.state.rootClosed) return null;
    const outside = findOutside(this.slice.text, this.boundary.offset);
    if (outside.kind !== 'text' || met < outside.at) return null;
    return { offset: outside.at, fault: { code: 'xml_not_well_formed', detail: TEXT_OUTSIDE } };
  }

  /** Whether an offset is further after the last tag than allowed. */
  private exceeds(offset: number): boolean {
    const max = this.reading.limits.recordBytesMax;
    const characters = offset - this.boundary.offset;
    if (characters * CHARACTER_BYTES_MAX <= max) return false;
    return this.slice.locationFrom(this.boundary, offset).byte - this.boundary.byte > max;
  }
}
