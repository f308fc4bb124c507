/**
 * Runs a mapping offline: a file in, one line of JSON per record out, as an upload would map it. Nothing is sent.
 *
 * Streams: memory stays flat whatever the file's size. Results go to stdout; problems of the document or of the file as a
 * whole, and progress on a terminal, go to stderr.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readingNotes } from '../../../src/formats/reader.ts';
import type { Problem } from '../../../src/kernel/problem.ts';
import { answered, type CompiledMapping, recordLine } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { authorFix } from '../../../src/mapping/document/author-fixes.ts';
import { runExamples, sampleOf } from '../../../src/mapping/examples/examples.ts';
import { EXIT, NotRun, visible } from '../../frame/command.ts';
import type { ExitCode, Surroundings } from '../surroundings.ts';
import type { Wanted } from './arguments.ts';
import { openLookUps } from './open-look-ups.ts';
import { type OpenedMapping, openMapping, WrongDocument } from './open-mapping.ts';
import { Progress } from './progress.ts';
import { StreamBytes } from './stream-bytes.ts';

type Streams = Pick<Surroundings, 'input' | 'output' | 'errors'>;

async function mapToOutput(
  mapping: CompiledMapping,
  file: string,
  { input, output, errors }: Streams,
): Promise<ExitCode> {
  const stream = file === '-' ? input : createReadStream(file, { highWaterMark: 1024 * 1024 });
  const progress = new Progress(errors);
  let records = 0;
  let leftOut = 0;
  let inError = 0;
  let endsEarly = false;
  const codes = new Map<string, number>();
  const { observed, notes } = observing(mapping);
  for await (const step of mapFile(observed, new StreamBytes(stream))) {
    if (step.outcome === 'unreadable')
      throw new NotRun(
        step.problems.map((problem) => describeFile('The file cannot be mapped', problem, mapping)).join('\n'),
      );
    if (step.outcome === 'ends_early') {
      errors.write(visible(`${describeFile('The file breaks off', step.problem, mapping)}\n`));
      endsEarly = true;
      continue;
    }
    const lines = step.records.map((record) => `${recordLine(record)}\n`);
    if (!output.write(lines.join(''))) await once(output, 'drain');
    records += step.records.length;
    leftOut += step.records.filter(({ mapped }) => mapped.skipped).length;
    inError += step.records.filter(({ mapped }) => mapped.errors.length > 0).length;
    for (const { mapped } of step.records) {
      for (const code of new Set(mapped.errors.map((error) => error.code))) codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    progress.add(step.records.length, inError);
  }
  progress.end(inError);
  if (records > 0 && leftOut === records)
    errors.write('Every record was left out: look at skip, each and when of the mapping, and at the paths in them.\n');
  errors.write(visible(notes().join('')));
  errors.write(visible(authorLines(codes, mapping)));
  return inError === 0 && !endsEarly ? EXIT.done : EXIT.found;
}

/** The mapping, and what a person should know of how it read the file, each a line, as a batch would note it. */
function observing(mapping: CompiledMapping): { observed: CompiledMapping; notes(): string[] } {
  const { reader } = mapping;
  let last = reader.start;
  const read: CompiledMapping['reader']['read'] = (...slice) => {
    const found = reader.read(...slice);
    if (found.outcome === 'records') last = found.checkpoint;
    return found;
  };
  return {
    observed: { ...mapping, reader: { start: reader.start, read } },
    notes: () => readingNotes(last).map((note) => `${note}\n`),
  };
}

function describeFile(what: string, { code, path, message, fix }: Problem, { source }: CompiledMapping): string {
  const forAuthor = authorFix(source.format, code);
  const words = `${what} (${code}${path === '' ? '' : ` at ${path}`}). ${message}\n  ${fix}`;
  return forAuthor === undefined ? words : `${words}\n  Or change the mapping: ${forAuthor}`;
}

/** What would take such records as they are, once for each code. @param codes with the number of records that have it. */
function authorLines(codes: ReadonlyMap<string, number>, { source }: CompiledMapping): string {
  const lines = [...codes].flatMap(([code, records]) => {
    const fix = authorFix(source.format, code);
    return fix === undefined ? [] : [`  ${code} (${records === 1 ? '1 record' : `${records} records`}): ${fix}\n`];
  });
  return lines.length === 0 ? '' : `What the mapping could say instead:\n${lines.join('')}`;
}

async function check({ document, mapping }: OpenedMapping, { output, errors }: Streams): Promise<ExitCode> {
  const differences = await runExamples(mapping, document.examples);
  for (const { path, wanted, received } of differences) {
    errors.write(visible(`${path}\n  wanted:   ${wanted}\n  received: ${received}\n`));
  }
  if (differences.length > 0) return EXIT.found;
  output.write(`${mapping.name}: the document is right, and its examples (${document.examples.length}) hold\n`);
  return EXIT.done;
}

/** The file as it is: its encoding is the mapping's, not the terminal's. */
async function sample({ document, mapping }: OpenedMapping, { output }: Streams): Promise<ExitCode> {
  const made = await sampleOf(mapping, document.examples);
  if (!made.ok) throw new NotRun(`${mapping.name}: no example of the document maps without an error.`);
  if (!output.write(made.value)) await once(output, 'drain');
  return EXIT.done;
}

/** @throws NotRun */
export async function runMap(wanted: Wanted, streams: Streams): Promise<ExitCode> {
  try {
    return await runOpened(wanted, openMapping(wanted.mapping), streams);
  } catch (thrown) {
    if (wanted.does !== 'check' || !(thrown instanceof WrongDocument)) throw thrown;
    streams.errors.write(`${visible(thrown.message)}\n`);
    return EXIT.found;
  }
}

async function runOpened(wanted: Wanted, opened: OpenedMapping, streams: Streams): Promise<ExitCode> {
  switch (wanted.does) {
    case 'map': {
      const { file, lookUps } = wanted;
      const mapping = lookUps === undefined ? opened.mapping : answered(opened.mapping, openLookUps(lookUps));
      return mapToOutput(mapping, file, streams);
    }
    case 'check':
      return check(opened, streams);
    case 'sample':
      return sample(opened, streams);
  }
}
