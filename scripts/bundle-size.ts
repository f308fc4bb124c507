/** `npm run check` builds what is deployed; this holds its size: the platform refuses a Worker above 10 MB compressed, and starts small ones sooner. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUNDLE = join(resolve(import.meta.dirname, '..'), 'dist/bridge/index.js');
const MEBIBYTE = 1024 * 1024;
const BYTES_MAX = 3.5 * MEBIBYTE;
const COMPRESSED_BYTES_MAX = 1.1 * MEBIBYTE;

const bundle = readFileSync(BUNDLE);
const [bytes, compressed] = [bundle.byteLength, gzipSync(bundle).byteLength];
const words = (of: number): string => `${(of / MEBIBYTE).toFixed(2)} MiB`;
console.log(
  `bundle: ${words(bytes)} (at most ${words(BYTES_MAX)}), compressed ${words(compressed)} (${words(COMPRESSED_BYTES_MAX)})`,
);
process.exitCode = bytes <= BYTES_MAX && compressed <= COMPRESSED_BYTES_MAX ? 0 : 1;
