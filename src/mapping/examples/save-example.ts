/**
 * A record of a sample, with what a mapping makes of it now → an entry under `examples:` of that mapping's text.
 *
 * Nothing else of the text changes: comments, order and quotes stay as their author wrote them. Pure.
 */
import { Document, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { encodedText } from '../../formats/encoding.ts';
import { encodingOf } from '../../formats/reader.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import type { Position } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CompiledMapping, LocatedRecord } from '../compile/compile.ts';
import { fileContent, mapFile } from '../compile/map-file.ts';
import { canonicalJson, type Json } from '../document/canonical.ts';
import type { ExampleSpec } from '../document/document.ts';
import { EXAMPLE_CHARACTERS_MAX } from '../limits.ts';

export type NoExample =
  /** The sample has no such record, or cannot be read so far. */
  | { code: 'record_unknown'; record: number }
  /** Neither the record alone nor the whole sample fits. */
  | { code: 'example_too_large'; charactersMax: number }
  /** What an example holds is a text, and this file is not read from one: its encoding or its counts say otherwise. */
  | { code: 'example_unwritable' }
  /** What is looked up elsewhere would have to be written into it. */
  | { code: 'example_looks_up' };

/** @returns the record alone with what is around all records (a header), where that maps alike; else the whole sample. */
export async function exampleOf(
  mapping: CompiledMapping,
  bytes: Uint8Array,
  { record, about }: { record: number; about: string },
): Promise<Result<ExampleSpec, NoExample>> {
  if (mapping.enrichment !== null) return err({ code: 'example_looks_up' });
  const content = await fileContent(mapping, bytesInMemory(bytes));
  if (!content.ok) return err({ code: 'record_unknown', record });
  const { source } = content.value;
  const whole = await source.read(0, source.bytes);
  const all = await recordsIn(mapping, whole);
  const chosen = all?.find(({ position }) => position.record === record);
  if (all === null || chosen === undefined) return err({ code: 'record_unknown', record });
  const head = chosen.mapped.group ?? record;
  const rows = all.filter(({ position, mapped }) => [record, head].includes(position.record) || mapped.group === head);
  const alone = await proven(mapping, withoutOthers(whole, all, rows), rows);
  const input = alone ?? (await proven(mapping, whole, all));
  if (input === null) return err({ code: 'example_unwritable' });
  if (input.text.length > EXAMPLE_CHARACTERS_MAX) {
    return err({ code: 'example_too_large', charactersMax: EXAMPLE_CHARACTERS_MAX });
  }
  return ok({ ...(about === '' ? {} : { about }), input: input.text, records: input.records.map(wantedRecord) });
}

/** What stands before the first record, the rows, and what stands after the last record. */
function withoutOthers(whole: Uint8Array, all: readonly LocatedRecord[], rows: readonly LocatedRecord[]): Uint8Array {
  const [first, last] = [all.at(0), all.at(-1)];
  return joined([
    whole.subarray(0, first?.position.byteFrom),
    ...rows.flatMap(({ position }, index) => [
      whole.subarray(position.byteFrom, position.byteTo),
      index === rows.length - 1 ? NOTHING : between(whole, all, position),
    ]),
    whole.subarray(last?.position.byteTo),
  ]);
}

/** @returns the text, if it becomes the wanted records when an example is run. */
async function proven(
  mapping: CompiledMapping,
  bytes: Uint8Array,
  wanted: readonly LocatedRecord[],
): Promise<{ text: string; records: LocatedRecord[] } | null> {
  const encoding = encodingOf(mapping.source);
  const text = new TextDecoder(encoding, { ignoreBOM: false, fatal: false }).decode(bytes);
  const written = encodedText(text, encoding);
  const records = written === undefined ? null : await recordsIn(mapping, written);
  return records !== null && sameRecords(records, wanted) ? { text, records } : null;
}

const NOTHING = new Uint8Array();

/** What parts a record from the next one. */
function between(whole: Uint8Array, all: readonly LocatedRecord[], { record, byteTo }: Position): Uint8Array {
  const next = all.find(({ position }) => position.record > record);
  return next === undefined ? NOTHING : whole.subarray(byteTo, next.position.byteFrom);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const each of pieces) {
    bytes.set(each, at);
    at += each.byteLength;
  }
  return bytes;
}

/** @returns null: it cannot be read to its end. */
async function recordsIn(mapping: CompiledMapping, bytes: Uint8Array): Promise<LocatedRecord[] | null> {
  const records: LocatedRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome !== 'records') return null;
    records.push(...step.records);
  }
  return records;
}

/** Numbers of records differ where others were left out. */
function sameRecords(made: readonly LocatedRecord[], wanted: readonly LocatedRecord[]): boolean {
  const texts = (records: readonly LocatedRecord[]) =>
    records.map((each) => {
      const { group: _, ...record } = wantedRecord(each);
      return canonicalJson(record as unknown as Json);
    });
  return made.length === wanted.length && canonicalJson(texts(made)) === canonicalJson(texts(wanted));
}

const wantedRecord = ({
  mapped: { requests, errors, skipped, group },
}: LocatedRecord): ExampleSpec['records'][number] => ({
  ...(group === undefined ? {} : { group }),
  ...(requests.length === 0
    ? {}
    : { requests: requests as unknown as NonNullable<ExampleSpec['records'][number]['requests']> }),
  ...(errors.length === 0 ? {} : { errors: errors.map(({ code, path }) => ({ code, path })) }),
  ...(skipped ? { skipped } : {}),
});

/** @param written the text of a document that can be read as YAML. @returns the text with one example more, its last. */
export function withExample(written: string, example: ExampleSpec): string {
  const document = parseDocument(written, { logLevel: 'silent' });
  const examples = document.get('examples', true);
  const isEmpty = examples === undefined || (isScalar(examples) && examples.value === null);
  if (isEmpty && !document.has('examples')) return `${ended(written)}examples:\n${entryText(example, '  ')}`;
  if (isSeq(examples) && examples.flow !== true && examples.range) {
    const [from, to] = examples.range;
    const indent = written.slice(written.lastIndexOf('\n', from - 1) + 1, from);
    if (/^ *$/.test(indent)) {
      const end = written[to - 1] === '\n' ? to : lineEnd(written, to);
      return ended(written.slice(0, end)) + entryText(example, indent) + written.slice(end);
    }
  }
  if (isSeq(examples)) document.addIn(['examples'], document.createNode(example));
  else document.set('examples', [example]);
  return document.toString({ lineWidth: 0 });
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

/** Bodies stand in one line each, as authors write them. */
function entryText(example: ExampleSpec, indent: string): string {
  const document = new Document([example]);
  visit(document, {
    Pair: (_, { key, value }) => {
      if (
        isScalar(key) &&
        (key.value === 'body' || key.value === 'errors') &&
        value !== null &&
        typeof value === 'object'
      )
        (value as { flow?: boolean }).flow = true;
    },
  });
  const lines = document.toString({ lineWidth: 0, blockQuote: 'literal' }).split('\n');
  return `${lines
    .map((line) => (line === '' ? line : indent + line))
    .join('\n')
    .trimEnd()}\n`;
}
