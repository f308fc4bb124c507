/**
 * Reads a JSON document slice by slice into the records of one array, with exact positions.
 *
 * A slice begins at the checkpoint and may end anywhere; records, positions and problems do not depend on where. A
 * fault inside a record costs that record, as long as its end can be found; wrong punctuation ends the reading, because
 * a guessed end could mix the values of two records. Everything outside the records must be valid JSON too. Pure: no
 * clock, no I/O.
 */

import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  isWordUnit,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipBlanks,
} from './characters.ts';
import type { JsonCheckpoint, Stage } from './checkpoint.ts';
import type { JsonSource } from './declaration.ts';
import {
  FOLLOWING_BYTES,
  JSON_LIMITS,
  type JsonLimits,
  LISTED_MEMBERS_MAX,
  LISTED_NAME_CHARACTERS_MAX,
} from './limits.ts';
import { sniffJson } from './opening.ts';
import { type Passed, Passer, passStart, wantedAtEnd } from './pass.ts';
import { compileRecordsPath, type JsonKind, pathText } from './path.ts';
import type { BreakCause, JsonProblem, Wanted } from './problems.ts';
import { breakCause, JsonSlice, type JsonSlices, RecordTaker } from './records.ts';

/* What each stage of reading a document expects, and what a first character says about a value. */

/** Stages at which the next character decides; at the others something is being skipped. */
type ReadingStage = Exclude<Stage, 'skipped_name' | 'skipped_value' | 'refused_record'>;

const WANTED_AT: Record<ReadingStage, Wanted> = {
  start: 'value',
  value: 'value',
  name_or_end: 'name_or_end_of_object',
  name: 'name',
  colon_to_path: 'colon',
  colon_to_skip: 'colon',
  after_member: 'comma_or_end_of_object',
  item_or_end: 'item_or_end_of_array',
  item: 'item',
  after_item: 'comma_or_end_of_array',
  end: 'end_of_file',
};

const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;

/** The kind of value that a unit begins; null if it begins none. A word is recognised by its first letter only. */
function kindBegunBy(unit: number): JsonKind | null {
  if (unit === OPEN_OBJECT) return 'object';
  if (unit === OPEN_ARRAY) return 'array';
  if (unit === QUOTE) return 'string';
  if (unit === MINUS || isDigit(unit)) return 'number';
  if (unit === LETTER_T || unit === LETTER_F) return 'boolean';
  return unit === LETTER_N ? 'null' : null;
}

/**
 * True also for words that are not values, such as `NaN`: if one is there instead of a record, it costs that record.
 */
const beginsRecord = (unit: number): boolean => isWordUnit(unit) || kindBegunBy(unit) !== null;

/*
 * Walks through a JSON document: along the path to the array of records, from record to record, and to the document's
 * end. A state machine whose state is the checkpoint.
 */

/** What one slice is read with. `path`: the names that lead to the records. */
interface Reading {
  path: readonly string[];
  limits: JsonLimits;
  slice: JsonSlice;
}

class DocumentReader {
  private readonly reading: Reading;
  private readonly taker: RecordTaker;
  private readonly passers: Record<'strict' | 'lenient', Passer>;
  private readonly state: JsonCheckpoint;
  /** Offset in the slice. */
  private at = 0;
  private unreadable: JsonProblem[] | null = null;

  constructor(reading: Reading, checkpoint: JsonCheckpoint) {
    this.reading = reading;
    const { slice, limits } = reading;
    this.taker = new RecordTaker(slice, limits, checkpoint);
    this.passers = { strict: new Passer(slice.text, limits, true), lenient: new Passer(slice.text, limits, false) };
    this.state = { ...checkpoint };
  }

  /** @param at offset in the slice of what is read next */
  read(at: number): ReturnType<JsonSlices<JsonCheckpoint>> {
    const { slice } = this.reading;
    this.at = at;
    let moved = true;
    while (moved && !this.taker.isFull) moved = this.step();
    if (this.unreadable !== null) return { outcome: 'unreadable', problems: this.unreadable };
    const { endProblem, stage } = this.state;
    const isRead = stage === 'end' && slice.atEnd && this.at === slice.text.length;
    const finished = endProblem !== null || isRead;
    if (this.at === 0 && !finished) return { outcome: 'more' };
    const { records, count: record } = this.taker;
    const checkpoint = { ...this.state, byte: slice.byteAt(this.at), line: this.taker.linesBefore(this.at), record };
    return { outcome: 'records', records, checkpoint, finished, endProblem };
  }

  /** @returns false when the slice ends before the next token can be recognised, or when reading has ended */
  private step(): boolean {
    const { stage } = this.state;
    switch (stage) {
      case 'skipped_name':
        return this.passMember('colon_to_skip');
      case 'skipped_value':
        return this.passMember('after_member');
      case 'refused_record':
        return this.passRefused();
      default:
        return this.request(stage);
    }
  }

  private request(stage: ReadingStage): boolean {
    const { text, atEnd } = this.reading.slice;
    this.at = skipBlanks(text, this.at, text.length);
    if (this.at === text.length) return atEnd && stage !== 'end' ? this.endOfFile(stage) : false;
    const unit = text.charCodeAt(this.at);
    switch (stage) {
      case 'start':
      case 'value':
        return this.openValue(unit);
      case 'name_or_end':
      case 'name':
        if (unit === CLOSE_OBJECT && stage === 'name_or_end') return this.closeObject();
        return unit === QUOTE ? this.readName() : this.fault(WANTED_AT[stage]);
      case 'colon_to_path':
        return unit === COLON ? this.goOn('value') : this.fault(WANTED_AT[stage]);
      case 'colon_to_skip':
        return unit === COLON ? this.goOn('skipped_value') : this.fault(WANTED_AT[stage]);
      case 'after_member':
        if (unit === CLOSE_OBJECT) return this.closeObject();
        return unit === COMMA ? this.goOn('name') : this.fault(WANTED_AT[stage]);
      case 'item_or_end':
      case 'item':
        if (unit === CLOSE_ARRAY && stage === 'item_or_end') return this.goOn(this.afterValue());
        return beginsRecord(unit) ? this.takeRecord(false) : this.fault(WANTED_AT[stage]);
      case 'after_item':
        if (unit === CLOSE_ARRAY) return this.goOn(this.afterValue());
        return unit === COMMA ? this.goOn('item') : this.fault(WANTED_AT[stage]);
      case 'end':
        return this.fault(WANTED_AT[stage]);
    }
  }

  /** Consumes the current character. */
  private goOn(stage: Stage): true {
    this.at++;
    this.state.stage = stage;
    return true;
  }

  /** The stage after a value that was the document, or a member of an object on the path. */
  private afterValue(): Stage {
    return this.state.depth === 0 ? 'end' : 'after_member';
  }

  /** The document, or the value of a member on the path. */
  private openValue(unit: number): boolean {
    const { state } = this;
    const kind = kindBegunBy(unit);
    if (kind === null) return this.fault('value');
    if (state.depth === this.reading.path.length) {
      if (unit !== OPEN_ARRAY && unit !== OPEN_OBJECT) return this.notFound(state.depth, kind);
      state.found = true;
      return unit === OPEN_ARRAY ? this.goOn('item_or_end') : this.takeRecord(true);
    }
    if (unit !== OPEN_OBJECT) return this.notFound(state.depth, kind);
    state.depth++;
    state.members = [];
    return this.goOn('name_or_end');
  }

  private closeObject(): boolean {
    const { state } = this;
    if (!state.found) return this.notFound(state.depth - 1, 'object');
    state.depth--;
    return this.goOn(this.afterValue());
  }

  /** The name of a member in an object on the path. */
  private readName(): boolean {
    const { state } = this;
    const parsed = this.taker.parse(this.at);
    if (parsed.kind === 'more') return false;
    if (parsed.kind === 'refused') {
      // Too long, or not text: not the name that is looked for. Skipping it checks whether it is valid JSON.
      state.stage = 'skipped_name';
      return true;
    }
    const name = parsed.value.kind === 'string' ? parsed.value.text : '';
    const isOnPath = name === this.reading.path[state.depth - 1];
    if (isOnPath && state.found) {
      const path = pathText(this.reading.path.slice(0, state.depth));
      return this.breakWith({ code: 'duplicate_key', ...this.place(), path, name });
    }
    if (!state.found && !isOnPath && state.members.length < LISTED_MEMBERS_MAX) {
      state.members = [...state.members, name.slice(0, LISTED_NAME_CHARACTERS_MAX).toWellFormed()];
    }
    this.at = parsed.to;
    state.stage = isOnPath ? 'colon_to_path' : 'colon_to_skip';
    return true;
  }

  /** @param single an object instead of the array */
  private takeRecord(single: boolean): boolean {
    const { state, taker, at: from } = this;
    const parsed = taker.parse(from);
    if (parsed.kind === 'more') return false;
    if (parsed.kind === 'refused') {
      state.refused = taker.refuse(from, parsed.refusal, single);
      state.stage = 'refused_record';
      return true;
    }
    const { to, value } = parsed;
    if (single && state.depth === 0) {
      const next = this.afterDocument(to);
      if (next === 'more') return false;
      if (next !== 'blank') return this.fault('end_of_file', next);
    }
    taker.keep(from, to, value);
    this.at = to;
    state.stage = single ? this.afterValue() : 'after_item';
    return true;
  }

  /**
   * Checks what follows a document that is one record before the record is returned: several documents in a row are
   * most likely NDJSON with a wrong declaration, and then nothing must be sent.
   *
   * @returns the offset of what should not be there
   */
  private afterDocument(to: number): number | 'blank' | 'more' {
    const { text, atEnd } = this.reading.slice;
    const limit = Math.min(to + FOLLOWING_BYTES, text.length);
    const next = skipBlanks(text, to, limit);
    if (next < limit) return next;
    return limit === to + FOLLOWING_BYTES || atEnd ? 'blank' : 'more';
  }

  /** Skips the name or value of a member that nobody reads. */
  private passMember(then: Stage): boolean {
    const passed = this.passers.strict.pass(this.at, this.state.passing ?? passStart);
    if (passed.kind === 'ended') this.state.stage = then;
    return this.settle(passed);
  }

  /** Skips a refused record, up to its end. */
  private passRefused(): boolean {
    const { state, taker } = this;
    const passed = this.passers.lenient.pass(this.at, state.passing ?? passStart);
    if (passed.kind === 'ended' && state.refused !== null) {
      taker.keepRefused(state.refused, passed.to);
      state.stage = state.refused.single ? this.afterValue() : 'after_item';
      state.refused = null;
    }
    return this.settle(passed);
  }

  private settle(passed: Passed): boolean {
    const { state } = this;
    const { text, atEnd } = this.reading.slice;
    state.passing = null;
    switch (passed.kind) {
      case 'ended':
        this.at = passed.to;
        return true;
      case 'fault':
        this.at = passed.at;
        state.passing = passed.state;
        return this.fault(passed.wanted);
      case 'border':
        this.at = atEnd ? text.length : passed.at;
        if (atEnd) return this.fault(wantedAtEnd(passed.state));
        state.passing = passed.state;
        return false;
    }
  }

  private endOfFile(stage: ReadingStage): false {
    const isEmpty = stage === 'value' && this.state.depth === 0;
    if (!isEmpty) return this.fault(WANTED_AT[stage]);
    this.unreadable = [{ code: 'empty_file', bytes: this.place().byte }];
    return false;
  }

  private place(): { byte: number; line: number } {
    return { byte: this.reading.slice.byteAt(this.at), line: this.taker.linesBefore(this.at) + 1 };
  }

  /** @param reached how many names of the path lead to what was found */
  private notFound(reached: number, found: JsonKind): false {
    const { path } = this.reading;
    const problem: JsonProblem = {
      code: 'records_not_found',
      ...this.place(),
      path: pathText(path),
      reached: pathText(path.slice(0, reached)),
      missing: path[reached] ?? null,
      found,
      members: found === 'object' ? [...this.state.members] : [],
    };
    this.unreadable = [problem];
    return false;
  }

  /** The text at an offset is not what is expected. If not enough of it is in sight, the next slice finds it again. */
  private fault(wanted: Wanted | 'fewer_levels', at: number = this.at): false {
    const { slice, limits } = this.reading;
    if (!slice.shows(at)) return false;
    this.at = at;
    return this.breakWith(breakCause(slice, limits, { at, line: this.place().line }, wanted));
  }

  /**
   * Ends the reading here: the file is unreadable if no record was returned, else its records up to here stay valid.
   */
  private breakWith(found: BreakCause): false {
    const { state, taker } = this;
    const first = state.refused?.problem;
    // If both find the same fault, the record's problem has the path to it.
    const cause = first?.code === 'invalid_json' && first.byte === found.byte ? first : found;
    const recordsBefore = taker.count;
    if (recordsBefore === 0) {
      const isEarlier = first !== undefined && 'byte' in first && first.byte < cause.byte;
      this.unreadable = isEarlier ? [first, cause] : [cause];
      return false;
    }
    if (state.refused !== null) taker.keepRefused(state.refused, this.at);
    state.refused = null;
    state.passing = null;
    state.endProblem = { code: 'json_broken_from_here', ...this.place(), recordsBefore, cause };
    return false;
  }
}

/** @returns what reads the slices; `JSON_SLICE_BYTES_ENOUGH` bytes never give `more`. */
export function jsonSlices(declaration: JsonSource, limits: JsonLimits = JSON_LIMITS): JsonSlices<JsonCheckpoint> {
  const path = compileRecordsPath(declaration.records);
  // Only reached with a declaration that did not pass `jsonSource`, which is a bug of the caller.
  if (!path.ok) throw new Error(`records is no path: ${path.error}`);
  return (checkpoint, bytes, atEnd) => {
    if (checkpoint.endProblem !== null) {
      return { outcome: 'records', records: [], checkpoint, finished: true, endProblem: checkpoint.endProblem };
    }
    const slice = new JsonSlice(checkpoint.byte, bytes, atEnd);
    const open = (from: JsonCheckpoint) => new DocumentReader({ path: path.value, limits, slice }, from);
    if (checkpoint.stage !== 'start') return open(checkpoint).read(0);
    if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
    const sniffed = sniffJson(bytes.subarray(0, limits.sniffBytes));
    if (!sniffed.ok) return { outcome: 'unreadable', problems: [sniffed.error] };
    return open({ ...checkpoint, stage: 'value' }).read(sniffed.value);
  };
}
