/**
 * Runs a mapping offline: a file in, one line of JSON per record out, as an upload would map it. Nothing is sent.
 *
 * Streams: memory stays flat whatever the file's size. Results go to stdout; problems of the document or of the file as a
 * whole, and progress on a terminal, go to stderr.
 */
import { once } from 'node:events';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { StoredBytes } from '../src/formats/slices.ts';
import { SLICE_BYTES } from '../src/kernel/limits.ts';
import type { Problem } from '../src/kernel/problem.ts';
import { checkMapping } from '../src/mapping/check.ts';
import { checkCodeLists } from '../src/mapping/check-code-list.ts';
import type { CodeLists } from '../src/mapping/code-list.ts';
import { type CompiledMapping, compileMapping } from '../src/mapping/compile.ts';
import type { MappingDocument } from '../src/mapping/document.ts';
import { type DocumentProblem, problemLine } from '../src/mapping/document-problem.ts';
import { runExamples } from '../src/mapping/examples.ts';
import { mapFile, recordLine } from '../src/mapping/map-file.ts';
import { didYouMean } from '../src/mapping/nearest.ts';

const MAPPINGS_FOLDER = join(import.meta.dirname, '..', 'mappings');

const USAGE = `Usage:
  npm run --silent map -- MAPPING FILE                   map FILE with mappings/MAPPING.yaml
  npm run --silent map -- --mapping-file PATH FILE       map FILE with a mapping document anywhere
  npm run --silent map -- --check MAPPING                check the document and run its examples
  npm run --silent map -- --check --mapping-file PATH    the same for a document anywhere
FILE may be - for standard input. Code lists are read from mappings/code-lists, and from code-lists beside PATH.
Exit: 0 all records mapped, 1 some records in error (or an example failed), 2 could not run.`;

const EXIT_DONE = 0;
const EXIT_RECORDS_IN_ERROR = 1;
const EXIT_NOT_RUN = 2;
/** How often progress is written, in ms. */
const PROGRESS_MS = 200;

/** The reason why nothing can be run, as lines for stderr. */
class NotRun extends Error {}

/** The process's own streams, or a test's. */
export interface Streams {
  input: Readable;
  output: Writable;
  errors: Writable & { isTTY?: boolean };
}

interface Wanted {
  check: boolean;
  mapping: { name: string } | { path: string };
  file: string;
}

function readArguments(args: string[]): Wanted {
  const { values, positionals } = parseArgs({
    args,
    options: { 'mapping-file': { type: 'string' }, check: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const path = values['mapping-file'];
  const [name, ...others] = path === undefined ? positionals : ['', ...positionals];
  const [file, ...surplus] = others;
  if (name === undefined || surplus.length > 0 || (file === undefined) !== values.check) throw new NotRun(USAGE);
  return { check: values.check, mapping: path === undefined ? { name } : { path }, file: file ?? '' };
}

function yamlTexts(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return new Map(files.map((file) => [file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')]));
}

function openMapping(wanted: Wanted['mapping']): { document: MappingDocument; mapping: CompiledMapping } {
  const ownLists = 'path' in wanted ? yamlTexts(join(dirname(wanted.path), 'code-lists')) : [];
  const lists = sound(
    'code lists',
    checkCodeLists(new Map([...yamlTexts(join(MAPPINGS_FOLDER, 'code-lists')), ...ownLists])),
  );
  const document = 'path' in wanted ? documentAt(wanted.path, lists) : documentNamed(wanted.name, lists);
  return { document, mapping: compileMapping(document, lists) };
}

const documentAt = (path: string, lists: CodeLists): MappingDocument =>
  sound(path, checkMapping(readFileSync(path, 'utf8'), lists));

function documentNamed(name: string, lists: CodeLists): MappingDocument {
  const texts = yamlTexts(MAPPINGS_FOLDER);
  const text = texts.get(name);
  if (text !== undefined) return sound(`mapping ${name}`, checkMapping(text, lists, name));
  const known = [...texts.keys()].join(', ');
  throw new NotRun(`There is no mapping "${name}".${didYouMean(name, texts.keys())} There are: ${known}.`);
}

function sound<T>(what: string, checked: { ok: true; value: T } | { ok: false; error: DocumentProblem[] }): T {
  if (checked.ok) return checked.value;
  const lines = checked.error.map((problem) => `  ${problemLine(problem)}`);
  throw new NotRun(
    [`${what}: ${lines.length === 1 ? 'one problem' : `${lines.length} problems`}`, ...lines].join('\n'),
  );
}

/** A stream read by range, forwards only. How many bytes there are is known once the stream has ended. */
class StreamBytes implements StoredBytes {
  bytes = Number.POSITIVE_INFINITY;
  readonly #chunks: AsyncIterator<Buffer>;
  #kept: Buffer = Buffer.alloc(0);
  #keptFrom = 0;

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const left = this.#kept.subarray(offset - this.#keptFrom);
    const pieces = [left];
    let bytes = left.byteLength;
    while (bytes < length && this.bytes === Number.POSITIVE_INFINITY) {
      const next = await this.#chunks.next();
      if (next.done) this.bytes = offset + bytes;
      else {
        pieces.push(next.value);
        bytes += next.value.byteLength;
      }
    }
    this.#kept = pieces.length === 1 ? left : Buffer.concat(pieces);
    this.#keptFrom = offset;
    return this.#kept.subarray(0, length);
  }
}

async function mapToOutput(
  mapping: CompiledMapping,
  file: string,
  { input, output, errors }: Streams,
): Promise<number> {
  const stream = file === '-' ? input : createReadStream(file, { highWaterMark: SLICE_BYTES });
  const progress = new Progress(errors);
  let inError = 0;
  let endsEarly = false;
  for await (const step of mapFile(mapping, new StreamBytes(stream))) {
    if (step.outcome === 'unreadable') throw new NotRun(step.problems.map(fileProblem).join('\n'));
    if (step.outcome === 'ends_early') {
      errors.write(`${describeFile('The file breaks off', step.problem)}\n`);
      endsEarly = true;
      continue;
    }
    const lines = step.records.map((record) => `${recordLine(record)}\n`);
    if (!output.write(lines.join(''))) await once(output, 'drain');
    inError += step.records.filter(({ mapped }) => mapped.errors.length > 0).length;
    progress.add(step.records.length, inError);
  }
  progress.end(inError);
  return inError === 0 && !endsEarly ? EXIT_DONE : EXIT_RECORDS_IN_ERROR;
}

const fileProblem = (problem: Problem): string => describeFile('The file cannot be mapped', problem);

const describeFile = (what: string, { code, path, message, fix }: Problem): string =>
  `${what} (${code}${path === '' ? '' : ` at ${path}`}). ${message}\n  ${fix}`;

/** A counter on the terminal; silent anywhere else. */
class Progress {
  readonly #errors: Streams['errors'];
  #records = 0;
  #shownMs = 0;

  constructor(errors: Streams['errors']) {
    this.#errors = errors;
  }

  add(records: number, inError: number): void {
    this.#records += records;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < PROGRESS_MS) return;
    this.#shownMs = nowMs;
    this.#show(inError, '');
  }

  end(inError: number): void {
    this.#show(inError, '\n');
  }

  #show(inError: number, lineEnd: string): void {
    if (this.#errors.isTTY !== true) return;
    const [records, wrong] = [this.#records, inError].map((count) => count.toLocaleString('en-US'));
    this.#errors.write(`\r${records} records, ${wrong} in error${lineEnd}`);
  }
}

async function check(
  document: MappingDocument,
  mapping: CompiledMapping,
  { output, errors }: Streams,
): Promise<number> {
  const differences = await runExamples(mapping, document.examples);
  for (const { path, wanted, received } of differences) {
    errors.write(visible(`${path}\n  wanted:   ${wanted}\n  received: ${received}\n`));
  }
  if (differences.length > 0) return EXIT_RECORDS_IN_ERROR;
  output.write(`${mapping.name}: the document is right, and its examples (${document.examples.length}) hold\n`);
  return EXIT_DONE;
}

/** Column names and cells stand in messages: what could steer a terminal is shown by its number. */
const visible = (text: string): string =>
  text.replace(/[^\P{C}\n]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);

/** @param args as on the command line, without the program. @returns the exit code. */
export async function runMap(args: string[], streams: Streams): Promise<number> {
  try {
    const wanted = readArguments(args);
    const { document, mapping } = openMapping(wanted.mapping);
    return wanted.check ? await check(document, mapping, streams) : await mapToOutput(mapping, wanted.file, streams);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isArgument = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    streams.errors.write(`${visible(isArgument ? `${message}\n${USAGE}` : message)}\n`);
    return EXIT_NOT_RUN;
  }
}

if (import.meta.main) {
  // `… | head` closes the pipe when it has enough: that is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT_DONE : EXIT_NOT_RUN),
  );
  const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
  process.exitCode = await runMap(process.argv.slice(2), streams);
}
