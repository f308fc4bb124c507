/** Reads a file through slices to its end, and holds what a reader promises at every step. */
import type { Checkpoint } from '../../src/formats/reader.ts';
import { readingNotes } from '../../src/formats/reader.ts';
import type { ReadRecord, RecordReader } from '../../src/formats/record-reader.ts';
import type { Problem } from '../../src/kernel/problem.ts';

/** A promise that was not kept, in words. */
export class Breach extends Error {}

/** All that a batch would see of a file. */
interface Outcome {
  columns: readonly string[];
  records: ReadRecord[];
  problems: readonly Problem[];
  endProblem: Problem | null;
  notes: readonly string[];
}

/** @property sliceBytes drawn anew after every slice that gave something. mayGoBack: some parts of the file are read twice. */
interface Reading {
  sliceBytes: () => number;
  msMax: number;
  mayGoBack?: boolean;
}

const CODE = /^[a-z][a-z0-9_]*$/;
/** A fact that was not there when the words were made. */
const NO_VALUE = /\bundefined\b|\bNaN\b|\[object /;
/** What the XML parser says of a reference that is not defined. */
const XML_WORDS = 'undefined entity';
/** Characters of a problem's value, path, message and fix. Ours: what is shown of a file stays short, whatever it holds. */
const VALUE_CHARACTERS_MAX = 400;
const WORDS_CHARACTERS_MAX = 4_000;

/** Of the place of a record, which each one bears, and of all notes of a file. */
const PLACE_CHARACTERS_MAX = 600;
const NOTES_CHARACTERS_MAX = 40_000;

/** Of a checkpoint beside the names of columns. Ours: envelopes of some kilobytes and their problems. */
const CHECKPOINT_CHARACTERS_MAX = 300_000;

/** Below this a longer slice is one byte longer, so that each place of a file is once the end of a slice. */
const STEPWISE_BYTES = 64;

/** @throws Breach. What a reader throws is thrown on. */
export function readThrough(
  reader: RecordReader<Checkpoint>,
  file: Uint8Array,
  { sliceBytes, msMax, mayGoBack = false }: Reading,
): Outcome {
  const records: ReadRecord[] = [];
  const stepsMax = 8 * file.byteLength + 200;
  const before = process.cpuUsage();
  let columns: readonly string[] = [];
  let checkpoint = reader.start;
  let length = sliceBytes();
  for (let steps = 0; steps <= stepsMax; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const read = reader.read(checkpoint, Uint8Array.from(file.subarray(checkpoint.byte, to)), to === file.byteLength);
    const { user, system } = process.cpuUsage(before); // the processor's: the machine may be busy
    const ms = (user + system) / 1_000;
    if (ms > msMax) throw new Breach(`it takes longer than ${msMax} ms: at byte ${checkpoint.byte} after ${ms} ms`);
    if (read.outcome === 'more') {
      if (to === file.byteLength) throw new Breach('more is wanted at the end of the file');
      length = length < STEPWISE_BYTES ? length + 1 : length * 2;
      continue;
    }
    if (read.outcome === 'unreadable') {
      if (records.length > 0) throw new Breach('the file is called unreadable after a record was given');
      if (read.problems.length === 0) throw new Breach('the file is called unreadable and no problem says why');
      for (const problem of read.problems) checkProblem(problem);
      return { columns: [], records, problems: read.problems, endProblem: null, notes: [] };
    }
    checkRecords(read.records, records.length, file.byteLength);
    if (records.length === 0) ({ columns } = read);
    for (const record of read.records) records.push(record);
    const { byte } = read.checkpoint;
    if (byte > file.byteLength) throw new Breach(`the checkpoint is at byte ${byte}, behind the end of the file`);
    const stored = JSON.stringify(read.checkpoint);
    const columnCharacters = read.columns.reduce((sum, name) => sum + name.length, 0);
    if (stored.length > CHECKPOINT_CHARACTERS_MAX + 2 * columnCharacters)
      throw new Breach(`a checkpoint of ${stored.length} characters`);
    if (!read.finished && byte <= checkpoint.byte) {
      // An interchange that is checked as a whole is read twice: the bound of steps holds for both readings.
      if (stored === JSON.stringify(checkpoint)) throw new Breach(`the checkpoint stays at byte ${byte}`);
      if (byte < checkpoint.byte && !mayGoBack) throw new Breach(`the checkpoint goes back to byte ${byte}`);
    }
    checkpoint = JSON.parse(stored) as Checkpoint; // as it comes back from storage
    length = sliceBytes();
    if (!read.finished) continue;
    if (read.endProblem !== null) checkProblem(read.endProblem);
    const notes = readingNotes(checkpoint);
    const characters = notes.reduce((sum, note) => sum + note.length, 0);
    if (characters > NOTES_CHARACTERS_MAX) throw new Breach(`${notes.length} notes say ${characters} characters`);
    return { columns, records, problems: [], endProblem: read.endProblem, notes };
  }
  throw new Breach(`it does not end in ${stepsMax} steps`);
}

function checkRecords(records: readonly ReadRecord[], before: number, bytes: number): void {
  for (const [index, { position, problem, otherProblems, fields }] of records.entries()) {
    const { record, byteFrom, byteTo, line } = position;
    if (record !== before + index + 1) throw new Breach(`record ${before + index + 1} is called record ${record}`);
    if (!(byteFrom >= 0 && byteFrom <= byteTo && byteTo <= bytes && line >= 1)) {
      throw new Breach(`record ${record} stands at ${JSON.stringify(position)} of ${bytes} bytes`);
    }
    if ((position.place ?? '').length > PLACE_CHARACTERS_MAX) {
      throw new Breach(`the place of record ${record} has ${position.place?.length} characters`);
    }
    if (fields.some((field) => typeof field !== 'string'))
      throw new Breach(`record ${record} has a cell that is no text`);
    if (problem !== undefined) checkProblem(problem);
    for (const other of otherProblems ?? []) checkProblem(other);
  }
}

/** Of a problem that someone reads: which it is, what is wrong, and what to do about it. */
export function checkProblem(problem: Problem): void {
  const { code, path, value, message, fix } = problem;
  const shown = JSON.stringify(problem).slice(0, 1_000);
  if (!CODE.test(code)) throw new Breach(`a problem has no sound code: ${shown}`);
  if (message.trim() === '' || fix.trim() === '') throw new Breach(`a problem is without words: ${shown}`);
  const own = (message + fix).replaceAll(value, '').replaceAll(XML_WORDS, '');
  if (NO_VALUE.test(own) && !NO_VALUE.test(value + path)) {
    throw new Breach(`a problem speaks of a value that is none: ${shown}`);
  }
  if (value.length > VALUE_CHARACTERS_MAX) throw new Breach(`a problem quotes ${value.length} characters: ${shown}`);
  const words = path.length + message.length + fix.length;
  if (words > WORDS_CHARACTERS_MAX) throw new Breach(`a problem says ${words} characters: ${shown}`);
}

/** What differs between two readings of one file; null where nothing does. */
export function differenceOf(one: Outcome, other: Outcome): string | null {
  const names = ['columns', 'problems', 'endProblem', 'notes'] as const;
  for (const name of names) {
    const [left, right] = [JSON.stringify(one[name]), JSON.stringify(other[name])];
    if (left !== right) return `${name}: ${left.slice(0, 1_500)}\n  and: ${right.slice(0, 1_500)}`;
  }
  if (one.records.length !== other.records.length) return `${one.records.length} records and ${other.records.length}`;
  for (const [index, record] of one.records.entries()) {
    const [left, right] = [JSON.stringify(record), JSON.stringify(other.records[index])];
    if (left !== right) return `${left.slice(0, 1_500)}\n  and: ${right.slice(0, 1_500)}`;
  }
  return null;
}
