/**
 * Parses one record, strictly by RFC 8259, into a tree in which every value is text.
 *
 * The first fault, in the order of the bytes, refuses the record; finding its end is then the task of `pass.ts`.
 * Decisions depend on the text from the record's start to the longest record, never on where a slice happens to end.
 * Recursion is bounded by the depth limit. Pure.
 */
import { badUtf8At, type TextCodec } from '../encoding.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfNumber,
  escapeLength,
  FIRST_NON_ASCII,
  FIRST_PRINTABLE,
  isDigit,
  isWordUnit,
  MINUS,
  meaningOf,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipBlanks,
  skipWord,
} from './characters.ts';
import type { JsonLimits } from './limits.ts';
import { type JsonPath, type JsonValue, MemberNames } from './path.ts';
import type { Found, Wanted } from './problems.ts';

/** `limit`: the first offset that may not be read; `ends`: what it means to reach it. */
export interface Stretch {
  from: number;
  limit: number;
  ends: 'more' | 'record_too_large' | 'end_of_file' | 'end_of_line';
}

/** Why a record is refused. */
export type Reason =
  | { code: 'invalid_json'; wanted: Wanted; found: Found }
  | { code: 'duplicate_key'; name: string }
  | { code: 'too_many_members'; counted: 'members' | 'items' }
  | { code: 'record_too_large' | 'value_too_large' | 'too_deep' | 'bad_encoding' | 'lone_surrogate' };

/** The offset at which a record is refused, and the path to it inside the record. */
export interface Refusal {
  at: number;
  path: JsonPath;
  reason: Reason;
}

/** `to` ends the value. `more`: undecided at the end of the text. */
export type Parsed =
  | { kind: 'value'; value: JsonValue; to: number }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'more' };

const MORE: Parsed = { kind: 'more' };
const NO_UNIT = -1;
/** One more than the longest literal: enough to see that a word is not one. */
const LITERAL_UNITS_MAX = 6;

/** Ours: of so many objects, of so few members, that a slice with other names in every record keeps little. */
const OBJECTS_KNOWN_MAX = 200;
const NAMES_KNOWN_MAX = 200;
const NO_NAMES = new MemberNames();

const LITERALS = new Map<string, JsonValue>([
  ['true', { kind: 'boolean', text: 'true' }],
  ['false', { kind: 'boolean', text: 'false' }],
  ['null', { kind: 'null', text: 'null' }],
]);

export class RecordParser {
  private readonly text: string;
  private readonly codec: TextCodec;
  private readonly limits: JsonLimits;

  // State of the record being parsed.
  private at = 0;
  private limit = 0;
  private ends: Stretch['ends'] = 'more';
  private members = 0;
  private items = 0;
  private reason: Reason | null = null;
  /** Path to the fault, innermost step first: filled while returning from the recursion. */
  private steps: (string | number)[] = [];
  private objects = 0;
  /** Of the objects of the records before, by their number in the record: those of a file have the same names. */
  private readonly known: MemberNames[] = [];

  constructor(text: string, codec: TextCodec, limits: JsonLimits) {
    this.text = text;
    this.codec = codec;
    this.limits = limits;
  }

  /** Parses the value that begins at `from`. */
  parse({ from, limit, ends }: Stretch): Parsed {
    this.at = from;
    this.limit = limit;
    this.ends = ends;
    this.members = 0;
    this.items = 0;
    this.objects = 0;
    this.reason = null;
    this.steps = [];
    const value = this.value(1);
    return value === null ? this.refused() : { kind: 'value', value, to: this.at };
  }

  /** Members and items of the last record parsed. */
  get values(): number {
    return this.members + this.items;
  }

  private refused(): Parsed {
    const { reason, at, steps } = this;
    return reason === null ? MORE : { kind: 'refused', refusal: { at, path: steps.reverse(), reason } };
  }

  /** The unit after any blanks, left at it; NO_UNIT at the limit. */
  private next(): number {
    this.at = skipBlanks(this.text, this.at, this.limit);
    return this.at < this.limit ? this.text.charCodeAt(this.at) : NO_UNIT;
  }

  /** @returns null when the record is refused or undecided; so do all functions below */
  private value(depth: number): JsonValue | null {
    const unit = this.next();
    if (unit === QUOTE) {
      const text = this.string();
      return text === null ? null : { kind: 'string', text };
    }
    if (unit === OPEN_OBJECT) return this.object(depth);
    if (unit === OPEN_ARRAY) return this.array(depth);
    if (unit === MINUS || isDigit(unit)) return this.number();
    return this.literal(unit);
  }

  private object(depth: number): JsonValue | null {
    if (depth > this.limits.depthMax) return this.refuse({ code: 'too_deep' });
    const number = this.objects++;
    const known = this.known[number] ?? NO_NAMES;
    /** Its own names, if they are not those that are known. */
    let own: MemberNames | null = null;
    const values: JsonValue[] = [];
    this.at++;
    let unit = this.next();
    let wanted: Wanted = 'name_or_end_of_object';
    if (unit === CLOSE_OBJECT) {
      this.at++;
      return { kind: 'object', names: NO_NAMES, values };
    }
    for (;;) {
      if (unit !== QUOTE) return this.fault(wanted);
      const nameAt = this.at;
      if (++this.members > this.limits.membersMax) return this.refuse({ code: 'too_many_members', counted: 'members' });
      const { length } = values;
      if (own === null && !this.isNext(known.written[length])) own = known.first(length);
      const name = own === null ? known.nameAt(length) : this.string();
      if (name === null) return null;
      const nameTo = this.at - 1;
      if (this.next() !== COLON) return this.fault('colon', name);
      this.at++;
      const value = this.value(depth + 1);
      if (value === null) return this.leave(name);
      values.push(value);
      if (own !== null && !own.add(name, this.text.slice(nameAt + 1, nameTo))) {
        this.at = nameAt;
        return this.refuse({ code: 'duplicate_key', name }, name);
      }
      unit = this.next();
      if (unit !== COMMA && unit !== CLOSE_OBJECT) return this.fault('comma_or_end_of_object');
      this.at++;
      if (unit === CLOSE_OBJECT)
        return { kind: 'object', names: this.namesOf(number, known, own, values.length), values };
      unit = this.next();
      wanted = 'name';
    }
  }

  /** Whether the next name is written like that; it is then read. */
  private isNext(written: string | undefined): boolean {
    if (written === undefined) return false;
    const to = this.at + 1 + written.length;
    if (to >= this.limit || this.text.charCodeAt(to) !== QUOTE || !this.text.startsWith(written, this.at + 1))
      return false;
    this.at = to + 1;
    return true;
  }

  private namesOf(number: number, known: MemberNames, own: MemberNames | null, count: number): MemberNames {
    const names = own ?? (known.count === count ? known : known.first(count));
    if (names !== known && number < OBJECTS_KNOWN_MAX && count <= NAMES_KNOWN_MAX) this.known[number] = names;
    return names;
  }

  private array(depth: number): JsonValue | null {
    if (depth > this.limits.depthMax) return this.refuse({ code: 'too_deep' });
    const items: JsonValue[] = [];
    this.at++;
    let unit = this.next();
    if (unit === CLOSE_ARRAY) {
      this.at++;
      return { kind: 'array', items };
    }
    for (;;) {
      if (++this.items > this.limits.itemsMax) return this.refuse({ code: 'too_many_members', counted: 'items' });
      const value = this.value(depth + 1);
      if (value === null) return this.leave(items.length);
      items.push(value);
      unit = this.next();
      if (unit !== COMMA && unit !== CLOSE_ARRAY) return this.fault('comma_or_end_of_array');
      this.at++;
      if (unit === CLOSE_ARRAY) return { kind: 'array', items };
      if (this.next() === CLOSE_ARRAY) return this.fault('item');
    }
  }

  private string(): string | null {
    const { text } = this;
    const openAt = this.at;
    const from = openAt + 1;
    const limit = Math.min(this.limit, from + this.limits.valueBytesMax + 1);
    let at = from;
    let seen = 0;
    let escaped = false;
    while (at < limit) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.at = at + 1;
        return seen < FIRST_NON_ASCII && !escaped ? text.slice(from, at) : this.decode(openAt, at, escaped);
      }
      if (unit === BACKSLASH) {
        const length = escapeLength(text, at, this.limit);
        this.at = length === -1 ? this.limit : at;
        if (length <= 0) return this.fault(length === -1 ? 'end_of_text' : 'escape');
        escaped = true;
        at += length;
      } else if (unit < FIRST_PRINTABLE) {
        this.at = at;
        return this.fault('printable');
      } else {
        seen |= unit;
        at++;
      }
    }
    if (at - from > this.limits.valueBytesMax) {
      this.at = openAt;
      return this.refuse({ code: 'value_too_large' });
    }
    this.at = this.limit;
    return this.fault('end_of_text');
  }

  /** The text of a string with escapes or bytes beyond ASCII, from its opening quote to its closing one. */
  private decode(openAt: number, closeAt: number, escaped: boolean): string | null {
    const units = this.text.slice(openAt + 1, closeAt);
    const badAt = badUtf8At(units);
    if (badAt !== -1) {
      this.at = openAt + 1 + badAt;
      return this.refuse({ code: 'bad_encoding' });
    }
    const text = this.codec.toText(units);
    if (!escaped) return text;
    const meant = meaningOf(text);
    if (meant.isWellFormed()) return meant;
    this.at = openAt;
    return this.refuse({ code: 'lone_surrogate' });
  }

  private number(): JsonValue | null {
    const { at: from, limit } = this;
    const to = endOfNumber(this.text, from, limit);
    if (to < 0 || (to === limit && this.cuts())) {
      this.at = to < 0 ? ~to : to;
      return this.fault('number');
    }
    if (to - from > this.limits.valueBytesMax) return this.refuse({ code: 'value_too_large' });
    this.at = to;
    return { kind: 'number', text: this.text.slice(from, to) };
  }

  private literal(unit: number): JsonValue | null {
    if (!isWordUnit(unit)) return this.fault('value');
    const { at, limit } = this;
    const to = skipWord(this.text, at, Math.min(limit, at + LITERAL_UNITS_MAX));
    const value = LITERALS.get(this.text.slice(at, to));
    const isCut = to === limit && this.cuts();
    if (value !== undefined || isCut) this.at = to;
    return value === undefined || isCut ? this.fault('value') : value;
  }

  /** The limit may fall inside a word without being the end of the text. */
  private cuts(): boolean {
    return this.ends === 'more' || this.ends === 'record_too_large';
  }

  /**
   * The limit was reached, or the text at `at` is not what is expected. @param step the member whose value is missing
   */
  private fault(wanted: Wanted, step?: string): null {
    if (this.at < this.limit) return this.refuse({ code: 'invalid_json', wanted, found: 'text' }, step);
    const { ends } = this;
    if (ends === 'more') return null;
    if (ends === 'record_too_large') return this.refuse({ code: 'record_too_large' });
    return this.refuse({ code: 'invalid_json', wanted, found: ends }, step);
  }

  private refuse(reason: Reason, step?: string): null {
    this.reason = reason;
    if (step !== undefined) this.steps.push(step);
    return null;
  }

  private leave(step: string | number): null {
    this.steps.push(step);
    return null;
  }
}
