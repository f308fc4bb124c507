/** Files of 64 KB made to cost time, and, run by itself, the time that each of them takes. */

import { Buffer } from 'node:buffer';
import { cpuMs } from '../../../cpu-time.ts';
import { filledWith, noise } from '../hostile.ts';
import { readJson, readNdjson } from './reading.ts';

const filled = (row: string, start = '['): Buffer => filledWith(row, start);

/** A name, 64 KB, and the path to the records. */
export const FILES: [string, Buffer, string?][] = [
  ['noise', noise(256)],
  ['noise of ASCII', Buffer.from(noise(95).map((byte) => byte + 32))],
  ['noise of punctuation', Buffer.from(noise(8).map((at) => '{}[],:"1'.charCodeAt(at)))],
  ['empty objects', filled('{},')],
  ['empty arrays', filled('[],')],
  ['numbers', filled('1,')],
  ['one number', filled('1')],
  ['words', filled('NaN,')],
  ['one word', filled('x')],
  ['one string', filled('x', '[{"a":"')],
  ['one name', filled('x', '[{"')],
  ['open arrays', filled('[')],
  ['open objects', filled('{"":')],
  ['brackets in turn', filled('[{"a":')],
  ['closed arrays', filled(']')],
  ['arrays in a record', filled('[],', '[{"a":[')],
  ['members in a record', filled('"aaaa":1,', '[{')],
  ['the same member again and again', filled('{"a":1,"a":1},')],
  ['duplicate names at every level', filled('{"a":{"a":{"a":1,"a":1}}},')],
  ['quotes', filled('"')],
  ['backslashes', filled('\\', '[{"a":"')],
  ['escaped quotes', filled('\\"', '[{"a":"')],
  ['escapes', filled('\\u0041', '[{"a":"')],
  ['bad escapes', filled('{"a":"\\x"},')],
  ['control characters', filled('{"a":"\x01"},')],
  ['half characters', filled('{"a":"\\ud800"},')],
  ['bytes that are no text', filled('{"a":"\xff"},')],
  ['truncated characters', filled('{"a":"\xf0\x9f"},')],
  ['NUL characters', filled('\0', '[{}')],
  ['blanks', filled(' ')],
  ['line ends', filled('\n')],
  ['line ends between records', filled('{}\n,\n\n')],
  ['minus signs', filled('-,')],
  ['members before the path', filled('"a":1,', '{'), 'data'],
  ['long members before the path', filled(`"${'a'.repeat(300)}":[1],`, '{'), 'data'],
  ['words before the path', filled('1', '{"x":'), 'data'],
  ['the path again and again', filled('{"data":', ''), 'data.data.data.data'],
  ['lines of nothing', filled('\n', '')],
  ['lines of letters', filled('x\n', '')],
  ['lines of brackets', filled('[\n', '1\n')],
  ['lines of records', filled('{"a":1}\n', '')],
];

/** The fastest of some runs, in ms: the machine may be busy with something else. */
function fastestMs(read: () => unknown): number {
  const times = Array.from({ length: 8 }, () => {
    const beganMs = cpuMs();
    read();
    return cpuMs() - beganMs;
  });
  return Math.min(...times);
}

if (import.meta.main) {
  const times = FILES.map(([name, file, path]) => [
    name,
    fastestMs(() => readJson(file, path)),
    fastestMs(() => readNdjson(file)),
    fastestMs(() => readJson(file, path, { sliceBytes: 8_192 })),
  ]);
  console.log(JSON.stringify(times));
}
