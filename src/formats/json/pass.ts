/**
 * Skips one value in constant memory, however long it is: a refused record, or a member nobody reads.
 *
 * Its end is found by brackets, quotes and backslashes, so a fault inside a string or a word cannot shift the end of a
 * record; wrong punctuation can, and is a fault. Strict mode also checks strings and words, for the parts of a document
 * that must be valid although they hold no record; bytes that are not UTF-8 are let through, because nobody reads them.
 * Stops at any byte and continues from its state. Pure.
 */
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  escapeLength,
  FIRST_PRINTABLE,
  isValueWord,
  isWordUnit,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipBlanks,
  skipWord,
} from './characters.ts';
import type { JsonLimits } from './limits.ts';
import type { Wanted } from './problems.ts';

type PassWanted = 'value' | 'item' | 'item_or_end' | 'name' | 'name_or_end' | 'colon' | 'comma_or_end';

/**
 * State between two slices. `open`: the brackets that are open, outermost first; `within`: the token that continues.
 */
export interface PassState {
  open: string;
  wanted: PassWanted;
  within: 'string' | 'name' | 'word' | null;
}

export const passStart: PassState = { open: '', wanted: 'value', within: null };

/** `border`: the text ends inside the value, which continues at `at`; `fault`: its end cannot be found. */
export type Passed =
  | { kind: 'ended'; to: number }
  | { kind: 'border'; at: number; state: PassState }
  | { kind: 'fault'; at: number; state: PassState; wanted: Wanted | 'fewer_levels' };

type Fault = Passed & { kind: 'fault' };

export class Passer {
  private readonly text: string;
  private readonly limits: JsonLimits;
  private readonly strict: boolean;

  private at = 0;
  private open: number[] = [];
  private wanted: PassWanted = 'value';
  private within: PassState['within'] = null;

  constructor(text: string, limits: JsonLimits, strict: boolean) {
    this.text = text;
    this.limits = limits;
    this.strict = strict;
  }

  /** @param state of the value that continues at `from` */
  pass(from: number, state: PassState): Passed {
    this.at = from;
    this.open = [];
    for (let level = 0; level < state.open.length; level++) this.open.push(state.open.charCodeAt(level));
    this.wanted = state.wanted;
    this.within = state.within;
    for (;;) {
      const step = this.within === null ? this.punctuation() : this.token(this.within);
      if (step === 'ended') return { kind: 'ended', to: this.at };
      if (step === 'border') return { kind: 'border', at: this.at, state: this.state() };
      if (step !== null) return step;
    }
  }

  private state(): PassState {
    return { open: String.fromCharCode(...this.open), wanted: this.wanted, within: this.within };
  }

  private punctuation(): Fault | 'ended' | 'border' | null {
    const { text } = this;
    this.at = skipBlanks(text, this.at, text.length);
    if (this.at >= text.length) return 'border';
    const unit = text.charCodeAt(this.at);
    switch (this.wanted) {
      case 'value':
      case 'item':
        return this.begin(unit);
      case 'item_or_end':
        return unit === CLOSE_ARRAY ? this.close() : this.begin(unit);
      case 'name':
      case 'name_or_end':
        if (unit === CLOSE_OBJECT && this.wanted === 'name_or_end') return this.close();
        if (unit !== QUOTE) return this.fault(this.wanted === 'name' ? 'name' : 'name_or_end_of_object');
        return this.enter('name');
      case 'colon':
        if (unit !== COLON) return this.fault('colon');
        this.wanted = 'value';
        this.at++;
        return null;
      case 'comma_or_end':
        return this.goOn(unit);
    }
  }

  private begin(unit: number): Fault | null {
    if (unit === QUOTE) return this.enter('string');
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (this.open.length >= this.limits.passedDepthMax) return this.fault('fewer_levels');
      this.open.push(unit);
      this.wanted = unit === OPEN_OBJECT ? 'name_or_end' : 'item_or_end';
      this.at++;
      return null;
    }
    if (isWordUnit(unit)) {
      this.within = 'word';
      return null;
    }
    return this.fault(
      this.wanted === 'item_or_end' ? 'item_or_end_of_array' : this.wanted === 'item' ? 'item' : 'value',
    );
  }

  private goOn(unit: number): Fault | 'ended' | null {
    const inObject = this.open.at(-1) === OPEN_OBJECT;
    if (unit === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return this.close();
    if (unit !== COMMA) return this.fault(inObject ? 'comma_or_end_of_object' : 'comma_or_end_of_array');
    this.wanted = inObject ? 'name' : 'item';
    this.at++;
    return null;
  }

  private enter(token: 'string' | 'name'): null {
    this.within = token;
    this.at++;
    return null;
  }

  private close(): 'ended' | null {
    this.open.pop();
    this.at++;
    return this.endValue();
  }

  private endValue(): 'ended' | null {
    this.wanted = 'comma_or_end';
    return this.open.length === 0 ? 'ended' : null;
  }

  /** Continues inside a token. */
  private token(within: 'string' | 'name' | 'word'): Fault | 'ended' | 'border' | null {
    if (within === 'word') return this.word();
    const stopped = this.strict ? this.strictString() : this.string();
    if (stopped !== null) return stopped;
    this.within = null;
    if (within === 'string') return this.endValue();
    this.wanted = 'colon';
    return null;
  }

  private string(): 'border' | null {
    const { text } = this;
    let at = this.at;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.at = at + 1;
        return null;
      }
      if (unit === BACKSLASH && at + 1 === text.length) break;
      at += unit === BACKSLASH ? 2 : 1;
    }
    this.at = at;
    return 'border';
  }

  private strictString(): Fault | 'border' | null {
    const { text } = this;
    for (; this.at < text.length; this.at++) {
      const unit = text.charCodeAt(this.at);
      if (unit === QUOTE) {
        this.at++;
        return null;
      }
      if (unit < FIRST_PRINTABLE) return this.fault('printable');
      if (unit !== BACKSLASH) continue;
      const length = escapeLength(text, this.at, text.length);
      if (length === 0) return this.fault('escape');
      if (length === -1) return 'border';
      this.at += length - 1;
    }
    return 'border';
  }

  private word(): Fault | 'ended' | 'border' | null {
    const { text, at: from } = this;
    const to = skipWord(text, from, text.length);
    if (this.strict) {
      // Checked as a whole: left unread until its end is in sight.
      if (to - from > this.limits.valueBytesMax) return this.fault('value');
      if (to === text.length) return 'border';
      if (!isValueWord(text.slice(from, to))) return this.fault('value');
    }
    this.at = to;
    if (to === text.length) return 'border';
    this.within = null;
    return this.endValue();
  }

  private fault(wanted: Fault['wanted']): Fault {
    return { kind: 'fault', at: this.at, state: this.state(), wanted };
  }
}

/** What an unfinished value still needs when the file ends. With no bracket open, it is a member's value. */
export function wantedAtEnd({ within, wanted, open }: PassState): Wanted {
  if (within === 'string' || within === 'name') return 'end_of_text';
  const next = within === 'word' ? 'comma_or_end' : wanted;
  switch (next) {
    case 'item_or_end':
      return 'item_or_end_of_array';
    case 'name_or_end':
      return 'name_or_end_of_object';
    case 'comma_or_end':
      return open.endsWith('[') ? 'comma_or_end_of_array' : 'comma_or_end_of_object';
    case 'value':
    case 'item':
    case 'name':
    case 'colon':
      return next;
  }
}
