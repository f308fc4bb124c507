/**
 * A checked document and its code lists → a small file that maps under them without a single error, and shows what the
 * document can do: every kind of record, several words of its lists, every pattern of its times.
 *
 * Nothing leaves here unproved: each record is mapped on its own, and all of them together as the file. Pure and
 * repeatable: the day is passed in, and there are no dice.
 */
import type { Problem } from '../kernel/problem.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { CodeLists } from './code-list.ts';
import { answered, type CompiledMapping, compileMapping } from './compile.ts';
import type { MappingDocument } from './document.ts';
import { documentParts } from './document-parts.ts';
import { answersOfExamples } from './look-up-lists.ts';
import { type Collected, collect, isSound } from './sample-collect.ts';
import { firstSoundExample, readExamples } from './sample-examples.ts';
import { type FileWriter, fileWriter, isComposed, mapGroups } from './sample-file.ts';

export interface SampleWanted {
  /** The day, at midnight UTC, around which times lie. */
  dayMs: number;
  /** SCACs the sender of the file may use; none: any. Of use where a mapping reads the SCAC from the record. */
  scacs: readonly string[];
}

export interface SampleFile {
  bytes: Uint8Array<ArrayBuffer>;
  records: number;
  /** Places in the document of what no record of the file becomes. */
  uncovered: string[];
}

/** No record could be made that maps. `problems`: what was wrong with the last one that was tried; none where none was. */
export interface SampleFault {
  code: 'sample_impossible';
  uncovered: string[];
  problems: readonly Problem[];
}

/** The day of the samples that are shown: a Monday on which few zones change their clocks, its day no possible month. */
export const SAMPLE_DAY_MS = Date.UTC(2026, 2, 16);

export async function sampleFile(
  document: MappingDocument,
  lists: CodeLists,
  { dayMs, scacs }: SampleWanted,
): Promise<Result<SampleFile, SampleFault>> {
  const answers = answersOfExamples(document.examples);
  const mapping = answered(compileMapping(document, lists), answers);
  if (!isComposed(mapping)) return await exampleFile(mapping, document);
  const parts = documentParts(document);
  const examples = await readExamples(mapping, document);
  const writer = fileWriter(mapping, parts, examples);
  const { columns, writes } = writer;
  const collected = await collect({ mapping, parts, lists, answers, examples, scacs, dayMs, columns, writes }, writer);
  return await wholeFile(mapping, writer, collected);
}

/** A file of such a format is more than its records: the first example that maps without an error is shown as it is. */
async function exampleFile(
  mapping: CompiledMapping,
  document: MappingDocument,
): Promise<Result<SampleFile, SampleFault>> {
  const { sound, problems } = await firstSoundExample(mapping, document);
  return sound === undefined
    ? err({ code: 'sample_impossible', uncovered: ['examples'], problems })
    : ok({ bytes: new Uint8Array(sound.bytes), records: sound.records, uncovered: [] });
}

/** Maps all records together: what spoils the file, or is spoilt by others in it, is left out. */
async function wholeFile(
  mapping: CompiledMapping,
  writer: FileWriter,
  { kept, places, problems }: Collected,
): Promise<Result<SampleFile, SampleFault>> {
  let left = kept;
  while (left.length > 0) {
    const mapped = await mapGroups(
      mapping,
      writer,
      left.map(({ group }) => group),
    );
    if (mapped === undefined) break;
    const { bytes, records, groupOf } = mapped;
    const unsound = new Set(records.flatMap((record, index) => (isSound(record) ? [] : [groupOf[index]])));
    if (unsound.size === 0) {
      const shown = new Set(left.map(({ place }) => place));
      return ok({
        bytes: new Uint8Array(bytes),
        records: records.length,
        uncovered: places.filter((place) => !shown.has(place)),
      });
    }
    left = left.filter((_, index) => !unsound.has(index));
  }
  return err({ code: 'sample_impossible', uncovered: [...places], problems });
}
