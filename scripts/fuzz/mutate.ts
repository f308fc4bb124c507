/** A sound file → a broken one: a few edits, each drawn from seeded dice, so that the same dice break it alike. Pure. */
import { Buffer } from 'node:buffer';

export type Dice = () => number;

/** What a file is broken with. */
export interface Tools {
  /** Sound files of the format: parts of them are spliced into each other. */
  sound: readonly Uint8Array[];
  /** What divides a file of the format: its delimiters, tags, brackets. */
  marks: readonly Buffer[];
}

/** Edits of one file, at most. Ours: more of them leave nothing that a reader would take for its format. */
const EDITS_MAX = 6;
/** How often a range is repeated: ×2, past most counts, and rarely past the bounds of a cell and of a record. */
const TIMES = [2, 3, 10, 100, 1_200] as const;
const LONG_BYTES = 70_000;
const LONGEST_BYTES = 2_200_000;
const LONG_SHARE = 0.01;
const LONGEST_SHARE = 0.01;
/** No file grows beyond this. Ours: one record above every bound. */
const FILE_BYTES_MAX = 2_500_000;
const RANGE_BYTES_MAX = 64;

const BYTES = [0x00, 0x0a, 0x0d, 0x1a, 0x20, 0x22, 0x27, 0x3f, 0x7f, 0x80, 0xa0, 0xc3, 0xed, 0xef, 0xfe, 0xff] as const;
const NUMBERS = ['0', '-1', '00', '1', '2', '999999999999', '4294967296', '1e999', '9007199254740993', ''] as const;
const OPENINGS = ['[', '{"a":', '<a>', '<!DOCTYPE a [<!ENTITY b "c">]>', '&b;', '\ufeff', '"', '<![CDATA['] as const;

export const whole = (random: Dice, below: number): number => Math.floor(random() * below);
export const oneOf = <T>(random: Dice, values: readonly T[]): T => values[whole(random, values.length)] as T;

/** Short ranges are drawn far more often than long ones. */
function rangeIn(random: Dice, bytes: Uint8Array): { from: number; to: number } {
  const from = whole(random, bytes.length + 1);
  const most = random() < 0.1 ? bytes.length : RANGE_BYTES_MAX;
  return { from, to: Math.min(bytes.length, from + whole(random, most) + 1) };
}

const put = (bytes: Uint8Array, from: number, to: number, ...instead: Uint8Array[]): Buffer =>
  Buffer.concat([bytes.subarray(0, from), ...instead, bytes.subarray(to)]);

/** Where one of the marks stands, searched from a drawn place on; null where none does. */
function markIn(random: Dice, bytes: Buffer, { marks }: Tools): { at: number; mark: Buffer } | null {
  const mark = oneOf(random, marks);
  const from = whole(random, bytes.length + 1);
  const behind = bytes.indexOf(mark, from);
  const at = behind === -1 ? bytes.indexOf(mark) : behind;
  return at === -1 ? null : { at, mark };
}

function repeated(random: Dice, range: Uint8Array): Buffer {
  if (range.length === 0) return Buffer.alloc(0);
  const isLong = random() < LONG_SHARE;
  const bytesMax = isLong && random() < LONGEST_SHARE ? LONGEST_BYTES : LONG_BYTES;
  const times = isLong ? Math.ceil(bytesMax / range.length) : oneOf(random, TIMES);
  return Buffer.alloc(Math.min(times * range.length, bytesMax), range);
}

type Edit = (random: Dice, bytes: Buffer, tools: Tools) => Buffer;

const flipBit: Edit = (random, bytes) => {
  const copy = Buffer.from(bytes);
  const at = whole(random, copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << whole(random, 8));
  return copy;
};
const setByte: Edit = (random, bytes) => {
  const at = whole(random, bytes.length);
  return put(bytes, at, at + whole(random, 2), Buffer.of(random() < 0.5 ? oneOf(random, BYTES) : whole(random, 256)));
};
const remove: Edit = (random, bytes) => {
  const { from, to } = rangeIn(random, bytes);
  return put(bytes, from, to);
};
const repeat: Edit = (random, bytes) => {
  const { from, to } = rangeIn(random, bytes);
  return put(bytes, from, to, repeated(random, bytes.subarray(from, to)));
};
const move: Edit = (random, bytes) => {
  const { from, to } = rangeIn(random, bytes);
  const rest = put(bytes, from, to);
  const at = whole(random, rest.length + 1);
  return put(rest, at, at, bytes.subarray(from, to));
};
const cut: Edit = (random, bytes) => {
  const at = whole(random, bytes.length + 1);
  return Buffer.from(random() < 0.8 ? bytes.subarray(0, at) : bytes.subarray(at));
};
const splice: Edit = (random, bytes, { sound }) => {
  const other = oneOf(random, sound);
  const at = whole(random, bytes.length + 1);
  if (random() < 0.3) return put(bytes, at, bytes.length, other.subarray(whole(random, other.length + 1)));
  const { from, to } = rangeIn(random, other);
  return put(bytes, at, random() < 0.5 ? at : Math.min(bytes.length, at + to - from), other.subarray(from, to));
};
const changeMark: Edit = (random, bytes, tools) => {
  const found = markIn(random, bytes, tools);
  if (found === null) return bytes;
  const instead = random() < 0.3 ? Buffer.alloc(0) : oneOf(random, tools.marks);
  return put(bytes, found.at, found.at + found.mark.length, instead);
};
const insertMark: Edit = (random, bytes, { marks }) => {
  const at = whole(random, bytes.length + 1);
  return put(bytes, at, at, oneOf(random, marks));
};
const changeEachMark: Edit = (random, bytes, { marks }) => {
  const [mark, instead] = [oneOf(random, marks), oneOf(random, marks)];
  return Buffer.from(
    bytes.toString('latin1').replaceAll(mark.toString('latin1'), () => instead.toString('latin1')),
    'latin1',
  );
};
const changeNumber: Edit = (random, bytes) => {
  const start = whole(random, bytes.length);
  const isDigit = (at: number): boolean => (bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39;
  let from = start;
  while (from < bytes.length && !isDigit(from)) from++;
  let to = from;
  while (to < bytes.length && isDigit(to)) to++;
  return put(bytes, from, to, Buffer.from(oneOf(random, NUMBERS)));
};
const nest: Edit = (random, bytes) => {
  const at = random() < 0.3 ? 0 : whole(random, bytes.length + 1);
  return put(bytes, at, at, repeated(random, Buffer.from(oneOf(random, OPENINGS))));
};

const EDITS: readonly Edit[] = [
  flipBit,
  setByte,
  setByte,
  remove,
  remove,
  repeat,
  move,
  cut,
  splice,
  splice,
  changeMark,
  changeMark,
  changeMark,
  insertMark,
  insertMark,
  changeEachMark,
  changeNumber,
  nest,
];

/** @returns a file of at most FILE_BYTES_MAX bytes; now and then it is sound. */
export function broken(random: Dice, file: Uint8Array, tools: Tools): Buffer {
  let bytes: Buffer = Buffer.from(file);
  const edits = 1 + whole(random, EDITS_MAX);
  for (let edit = 0; edit < edits && bytes.length > 0; edit++) bytes = oneOf(random, EDITS)(random, bytes, tools);
  return bytes.subarray(0, FILE_BYTES_MAX);
}
