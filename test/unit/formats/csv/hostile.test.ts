import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../cpu-time.ts';
import { filledWith, noise } from '../hostile.ts';
import { type Declared, declare, readWhole } from './reading.ts';

/** Time allowed for 64 KB of anything, in ms. */
const TIME_MS_MAX = 200;

const filled = (row: string, header = 'x,y\n'): Buffer => filledWith(row, header);

const FILES: [string, Buffer, Declared?][] = [
  ['noise', noise(256)],
  ['noise without quoting', noise(256), { quote: '', encoding: 'windows-1252' }],
  ['noise of ASCII', Buffer.from(noise(95).map((byte) => byte + 32))],
  ['noise in UTF-16', Buffer.concat([Buffer.from('\ufeffx,y\n', 'utf16le'), noise(256)]), { encoding: 'utf-16le' }],
  ['short rows', filled('a\n')],
  ['long rows', filled('a,b,c\n')],
  ['wide rows', filled(`${','.repeat(5_000)}\n`)],
  ['one quote per row', filled('"\n')],
  ['a quote in every cell', filled('a"\n')],
  ['text after every quote', filled('"a"x\n')],
  ['quotes in pairs', filled('""')],
  ['quotes and line breaks', filled('""\n')],
  ['a quote that opens, and pairs in every row after it', filled('""a\n', 'x,y\n"')],
  ['a quote opening at the end of every row', filled('a,"\n')],
  ['bytes that are no text', filled('\xff\n', 'x\n')],
  ['truncated characters', filled('\xf0\x9f,\xe2\n')],
  ['unassigned bytes', filled('\x81\n', 'x\n'), { encoding: 'windows-1252' }],
  ['NUL characters', filled('\0\n', `x\n${'a\n'.repeat(1_000)}`)],
  ['line ends', filled('\r')],
  ['commas', filled(',')],
  ['blanks', filled(' '), { trim: true }],
  ['half a delimiter', filled('|', 'x||y\n'), { delimiter: '|||' }],
];

describe('64 KB of anything', () => {
  it.each(FILES)(`is read in ${TIME_MS_MAX} ms: %s`, (_, file, declared = {}) => {
    const source = declare(declared);
    // The fastest of some runs: the machine may be busy with something else.
    const times = Array.from({ length: 5 }, () => {
      const beganMs = cpuMs();
      const read = readWhole(file, source);
      expect(read.problems.length + read.records.length + read.checkpoint.line).toBeGreaterThan(0);
      return cpuMs() - beganMs;
    });
    expect(Math.min(...times)).toBeLessThan(TIME_MS_MAX);
  });
});
