/**
 * Rows of X12 and EDIFACT as cells, and sets with changed cells: cut out of their interchange, with its control numbers,
 * and byte for byte as they came but for what was changed. What was written is read again: it must differ there alone.
 * Pure but for the bytes passed in.
 */
import { Buffer } from 'node:buffer';
import { delimitersOf, LEVEL_A } from '../../formats/edifact/delimiters.ts';
import { charsetOf, declaredSet, isAscii, isEscaped } from '../../formats/edifact/text.ts';
import { badUtf8At, ENCODINGS, type Encoding, textCodec } from '../../formats/encoding.ts';
import { segmentsOf } from '../../formats/reader.ts';
import type { RecordShape } from '../../formats/record-reader.ts';
import { releasedText, type SegmentSyntax, withText } from '../../formats/segments/edit.ts';
import { openingOf } from '../../formats/segments/list.ts';
import { storedParts } from '../../formats/segments/parts.ts';
import { readParts } from '../../formats/segments/reader.ts';
import { elementText, type Segment, type SegmentSet } from '../../formats/segments/segment.ts';
import { recordsIn } from '../../formats/segments/tree.ts';
import { bytesInMemory, type StoredBytes } from '../../formats/slices.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type SegmentCell, segmentCells } from '../report/segment-cells.ts';
import { Advices, type CutFrom, type CutOut, cutOut, x12Delimiters } from './cut-out.ts';

/** How its set is written. */
interface Writing extends SegmentSyntax {
  /** @returns the bytes of a text as units; null: the set cannot hold it. */
  encode(text: string): string | null;
}

export interface SegmentRow {
  cells: readonly SegmentCell[];
  writing: Writing;
}

/** @param wanted by number of the record, the paths that its problems name. @returns none for a set refused as a whole. */
export async function segmentRows(
  { source, declared, policy }: CutFrom,
  shape: RecordShape,
  wanted: ReadonlyMap<number, readonly string[]>,
): Promise<Map<number, SegmentRow>> {
  const { parts, taking } = segmentsOf(declared, policy);
  const rows = new Map<number, SegmentRow>();
  const last = Math.max(0, ...wanted.keys());
  const advices = new Advices(source);
  let before = 0;
  for await (const part of readParts(storedParts(parts, source), taking)) {
    if (before >= last) break;
    advices.meet(part);
    const first = before + 1;
    before += recordsIn(part);
    if (!('set' in part) || part.taken.outcome !== 'records') continue;
    const opening = openingOf(part.set);
    const nodes = part.taken.tree.records.map((node, at) => ({
      node,
      paths: wanted.get(first + at),
      record: first + at,
    }));
    if (opening === undefined || nodes.every(({ paths }) => paths === undefined)) continue;
    const writing = await writingOf({ source, declared }, part.set, advices);
    for (const { node, paths, record } of nodes)
      if (paths !== undefined)
        rows.set(record, { cells: segmentCells(node, shape, { opening, ...taking.reads }, paths), writing });
  }
  return rows;
}

const unitsIn = async (source: StoredBytes, { byteFrom, byteTo }: { byteFrom: number; byteTo: number }) =>
  Buffer.from(await source.read(byteFrom, byteTo - byteFrom)).toString('latin1');

async function writingOf(
  { source, declared }: Pick<CutFrom, 'source' | 'declared'>,
  set: SegmentSet,
  advices: Advices,
): Promise<Writing> {
  const [opening, end] = [openingOf(set), set.segments.at(-1)];
  const units = await unitsIn(source, { byteFrom: opening?.byteFrom ?? 0, byteTo: end?.byteTo ?? 0 });
  const [outermost] = set.header;
  const fallback = declared.encoding;
  if (declared.format === 'x12') {
    const encode = (text: string) => encodedAs(badUtf8At(units) === -1 ? 'utf-8' : fallback, text);
    const { element, component, repetition, terminator } = await x12Delimiters(source, outermost?.byteFrom ?? 0);
    return { element, component, repetition, release: '', terminator, encode };
  }
  const header = outermost === undefined ? '' : await unitsIn(source, outermost);
  const syntax = outermost?.tag === 'UNB' ? elementText(outermost, 1, 1) : '';
  const advice = outermost === undefined ? '' : Buffer.from(await advices.of(outermost.byteFrom)).toString('latin1');
  return { ...edifactSyntax(header, advice), encode: (text) => edifactText(text, { syntax, fallback, units }) };
}

function edifactSyntax(unb: string, advice: string): SegmentSyntax {
  const una = delimitersOf(advice);
  const known = advice !== '' && una.ok ? una.value : LEVEL_A;
  const element = unb.charAt(3) || known.element;
  const repetition = /^UNB.[^:+]{4}.[4-9]/.test(unb) && known.reserved !== '' ? known.reserved : null;
  return { element, component: known.component, repetition, release: known.release, terminator: known.terminator };
}

/** UNOA and UNOB have no letters beyond ASCII: an interchange that declares them is given none. */
function edifactText(text: string, { syntax, fallback, units }: { syntax: string; fallback: Encoding; units: string }) {
  if (isAscii(text)) return text;
  if (isEscaped(syntax)) return null;
  const name = isAscii(units) ? declaredSet(syntax) : charsetOf(syntax, fallback, units.replace(/[\r\n]/g, '')).name;
  const encoding = ENCODINGS.find((known) => known === name);
  const encoded = encoding === undefined ? null : encodedAs(encoding, text);
  // What decoders call iso-8859-1 has letters that the standard's own has not.
  return encoding !== 'utf-8' && encoded !== null && CONTROL_UNITS.test(encoded) ? null : encoded;
}

const CONTROL_UNITS = /[\x80-\x9f]/;

const encodedAs = (encoding: Encoding, text: string): string | null => textCodec(encoding).fromText(text);

/** A text that is to stand in a cell. */
export interface CellChange {
  record: number;
  cell: SegmentCell;
  writing: Writing;
  text: string;
}

/** @property why it cannot be written, the end of a sentence. */
interface NotWritten {
  change: CellChange;
  why: string;
}

const ANY_BYTES = Number.POSITIVE_INFINITY;
const DIVIDES = 'it holds a sign by which this file divides its texts, or letters that the file cannot hold';
const UNCOMMON = 'its interchange is written in a way that cannot be changed here';

/** @param records that are corrected. */
export async function correctedSets(
  from: CutFrom,
  records: ReadonlySet<number>,
  changes: readonly CellChange[],
): Promise<Result<CutOut, NotWritten>> {
  const edits = new Map<number, { segment: Segment; units: string; changes: CellChange[] }>();
  for (const change of changes) {
    const { cell, writing, text } = change;
    const { segment, element, component } = cell;
    const edit = edits.get(segment.byteFrom) ?? { segment, units: await unitsIn(from.source, segment), changes: [] };
    const other = edit.changes.find(({ cell: its }) => its.element === element && its.component === component);
    if (other !== undefined && other.text !== text)
      return err({
        change,
        why: `row ${other.record} stands in the same place of the file and has another text there`,
      });
    const released = releasedText(text, writing);
    const encoded = released === null ? null : writing.encode(released);
    if (encoded === null) return err({ change, why: DIVIDES });
    edits.set(segment.byteFrom, {
      segment,
      units: withText(edit.units, writing, { element, component }, encoded),
      changes: [...edit.changes, change],
    });
  }
  const sets: SegmentSet[] = [];
  const segments = new Map(
    [...edits].map(([at, { segment, units }]) => [at, { byteTo: segment.byteTo, bytes: Buffer.from(units, 'latin1') }]),
  );
  const cut = await cutOut(from, records, ANY_BYTES, { segments, seen: (set) => void sets.push(set) });
  if (cut === null) throw new Error('any number of bytes is cut out');
  const wanted = sets.map((set) =>
    set.segments.map((segment) => withChanges(segment, edits.get(segment.byteFrom)?.changes)),
  );
  const [change] = changes;
  const isExact = JSON.stringify(wanted) === JSON.stringify(await textsOf(from, cut.bytes));
  return isExact || change === undefined ? ok(cut) : err({ change, why: UNCOMMON });
}

/** All sets that are read of the bytes, segment by segment. */
async function textsOf({ declared, policy }: CutFrom, bytes: Uint8Array): Promise<string[][][][]> {
  const { parts } = segmentsOf(declared, policy);
  const sets: string[][][][] = [];
  for await (const part of storedParts(parts, bytesInMemory(bytes)))
    if ('set' in part) sets.push(part.set.segments.map((segment) => withChanges(segment, undefined)));
  return sets;
}

/** A segment's texts without what is empty at their ends: the tag first, then the components of each element. */
function withChanges({ tag, elements }: Segment, changes: readonly CellChange[] = []): string[][] {
  const texts = elements.map((element) => (typeof element === 'string' ? [element] : [...element]));
  for (const { cell, text } of changes) {
    while (texts.length < cell.element) texts.push([]);
    const components = texts[cell.element - 1] ?? [];
    if (cell.component === null) components.length = 0;
    const at = (cell.component ?? 1) - 1;
    while (components.length <= at) components.push('');
    components[at] = text;
  }
  return withoutEmpty(
    [[tag], ...texts.map((each) => withoutEmpty(each, (text) => text === ''))],
    (each) => each.length === 0,
  );
}

const withoutEmpty = <Each>(all: readonly Each[], isEmpty: (each: Each) => boolean): Each[] =>
  all.slice(0, all.findLastIndex((each) => !isEmpty(each)) + 1);
