/**
 * Sets cut out of the interchanges of a file, each in the envelopes it came in: a file of its own, whose counts are those
 * of what is in it. Byte for byte but for the trailers. Pure but for the bytes passed in.
 */
import { Buffer } from 'node:buffer';
import { LEVEL_A } from '../../formats/edifact/delimiters.ts';
import { textCodec } from '../../formats/encoding.ts';
import { type SegmentSource, segmentsOf } from '../../formats/reader.ts';
import { openingOf } from '../../formats/segments/list.ts';
import { type EnvelopePolicy, storedParts } from '../../formats/segments/parts.ts';
import { readParts } from '../../formats/segments/reader.ts';
import { elementText, type Segment, type SegmentSet } from '../../formats/segments/segment.ts';
import { type ReadPart, recordsIn } from '../../formats/segments/tree.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { X12Delimiters } from '../../formats/x12/delimiters.ts';
import { readIsaSegment } from '../../formats/x12/isa.ts';
import { ISA_WINDOW_BYTES } from '../../formats/x12/limits.ts';

export interface CutOut {
  bytes: Uint8Array<ArrayBuffer>;
  /** For each record of these sets, in order: its number in the file; null: it only comes along in its set. */
  records: (number | null)[];
}

export interface CutFrom {
  source: StoredBytes;
  declared: SegmentSource;
  policy: EnvelopePolicy;
}

/** Segments that are written otherwise, by the byte they begin at. @property sets called with each set that is cut out. */
interface Edits {
  segments: ReadonlyMap<number, { byteTo: number; bytes: Uint8Array }>;
  seen(set: SegmentSet): void;
}

const NO_EDITS: Edits = { segments: new Map(), seen: () => undefined };

/** @param wanted numbers of records. Those of refused sets and faults of envelopes are left out. @returns null: more bytes than that. */
export async function cutOut(
  { source, declared, policy }: CutFrom,
  wanted: ReadonlySet<number>,
  bytesMax: number,
  edits: Edits = NO_EDITS,
): Promise<CutOut | null> {
  const { parts, taking } = segmentsOf(declared, policy);
  const records: CutOut['records'] = [];
  const advices = new Advices(source);
  const cut = new Envelopes(source, edits.segments, advices);
  let before = 0;
  for await (const part of readParts(storedParts(parts, source), taking)) {
    advices.meet(part);
    const numbers = Array.from({ length: recordsIn(part) }, (_, index) => before + index + 1);
    before += numbers.length;
    // A set that was refused as a whole stays so: alone it would look right, such as one whose number came before.
    if (!('set' in part) || part.taken.outcome !== 'records') continue;
    if (!numbers.some((record) => wanted.has(record))) continue;
    records.push(...numbers.map((record) => (wanted.has(record) ? record : null)));
    await cut.add(part.set);
    edits.seen(part.set);
    if (cut.size > bytesMax) return null;
  }
  return { bytes: await cut.end(), records };
}

/** What closes an envelope, by what opens it: the tag, and the element of its control number. */
const TRAILERS: Readonly<Record<string, { tag: string; control: number }>> = {
  ISA: { tag: 'IEA', control: 13 },
  GS: { tag: 'GE', control: 6 },
  UNB: { tag: 'UNZ', control: 5 },
  UNG: { tag: 'UNE', control: 5 },
};

/** What stands between the elements of a trailer and after it, as units: each may be of several bytes. */
type Dividers = Pick<X12Delimiters, 'element' | 'terminator'>;

/** As the ISA is read: what follows it may show what ends segments. */
export async function x12Delimiters(source: StoredBytes, byte: number): Promise<X12Delimiters> {
  const length = Math.min(source.bytes - byte, ISA_WINDOW_BYTES);
  const window = Buffer.from(await source.read(byte, length)).toString('latin1');
  // Its texts are not looked at, so that any encoding will do.
  const isa = readIsaSegment(window, { byte, line: 1, fallback: textCodec('utf-8'), width: 'tolerant' });
  if (isa.delimiters === null) throw new Error('an interchange whose sets are read has delimiters');
  return isa.delimiters;
}

const UNA = 'UNA';
const UNA_BYTES = 9;

/** In a UNA, by what a UNB divides its elements. */
const UNA_ELEMENT = 4;

/** The service string advices (UNA) of a file, of which some senders write the first one alone. */
export class Advices {
  readonly #source: StoredBytes;
  /** Where each UNB begins that was met, and its own advice once it was looked for. */
  readonly #met = new Map<number, Uint8Array | undefined>();

  constructor(source: StoredBytes) {
    this.#source = source;
  }

  /** Each part of the file in its order, before what is asked of it. */
  meet(part: ReadPart): void {
    if ('fact' in part && part.fact.kind === 'interchange') this.#met.set(part.fact.header.byteFrom, undefined);
  }

  /** What a UNB is read with: its own, or the last one before it if that has its separator. @returns nothing where there is none. */
  async of(unb: number): Promise<Uint8Array> {
    const own = await this.#ownOf(unb);
    const [separator = 0] = await this.#source.read(unb + 3, 1);
    if (own.length > 0 || String.fromCharCode(separator) === LEVEL_A.element) return own;
    for (const at of [...this.#met.keys()].filter((met) => met < unb).reverse()) {
      const earlier = await this.#ownOf(at);
      if (earlier.length > 0) return earlier[UNA_ELEMENT] === separator ? earlier : own;
    }
    return own;
  }

  async #ownOf(unb: number): Promise<Uint8Array> {
    const known = this.#met.get(unb) ?? (await adviceBefore(this.#source, unb));
    this.#met.set(unb, known);
    return known;
  }
}

/** Line breaks may stand between it and its UNB. */
async function adviceBefore(source: StoredBytes, byteTo: number): Promise<Uint8Array> {
  const from = Math.max(0, byteTo - UNA_BYTES - 8);
  const before = Buffer.from(await source.read(from, byteTo - from));
  const at = before.lastIndexOf(UNA);
  const isIts = at !== -1 && before.toString('latin1', at + UNA_BYTES).trim() === '';
  return isIts ? before.subarray(at, at + UNA_BYTES) : new Uint8Array();
}

class Envelopes {
  size = 0;
  readonly #source: StoredBytes;
  readonly #edited: Edits['segments'];
  readonly #advices: Advices;
  readonly #written: Uint8Array[] = [];
  /** Those that are open, outermost first, and what each holds so far. */
  #open: { header: Segment; dividers: Dividers; holds: number }[] = [];

  constructor(source: StoredBytes, edited: Edits['segments'], advices: Advices) {
    this.#source = source;
    this.#edited = edited;
    this.#advices = advices;
  }

  async add(set: SegmentSet): Promise<void> {
    const { header } = set;
    const same = header.findIndex(({ byteFrom }, depth) => this.#open[depth]?.header.byteFrom !== byteFrom);
    if (same !== -1) {
      this.#close(same);
      for (const each of header.slice(same)) await this.#begin(each);
    }
    const from = openingOf(set)?.byteFrom ?? 0;
    const to = set.segments.at(-1)?.byteTo ?? from;
    await this.#copy(from, to);
    this.#hold();
  }

  async #copy(from: number, to: number): Promise<void> {
    const edited = [...this.#edited].filter(([at]) => at >= from && at < to).sort(([one], [other]) => one - other);
    let at = from;
    for (const [byteFrom, { byteTo, bytes }] of edited) {
      if (byteFrom > at) this.#write(await this.#source.read(at, byteFrom - at));
      this.#write(bytes);
      at = byteTo;
    }
    if (to > at) this.#write(await this.#source.read(at, to - at));
  }

  async end(): Promise<Uint8Array<ArrayBuffer>> {
    this.#close(0);
    return new Uint8Array(Buffer.concat(this.#written));
  }

  /** Its bytes, after those of a UNA that says its delimiters. */
  async #begin(header: Segment): Promise<void> {
    const { byteFrom, byteTo, tag } = header;
    if (tag === 'UNB') this.#write(await this.#advices.of(byteFrom));
    const raw = await this.#source.read(byteFrom, byteTo - byteFrom);
    this.#write(raw);
    this.#hold();
    this.#open.push({ header, dividers: await this.#dividersOf(header, raw), holds: 0 });
  }

  async #dividersOf({ tag, byteFrom }: Segment, raw: Uint8Array): Promise<Dividers> {
    const around = this.#open.at(-1);
    if (around !== undefined) return around.dividers;
    if (tag === 'ISA') return x12Delimiters(this.#source, byteFrom);
    const element = String.fromCharCode(raw[tag.length] ?? 0);
    return { element, terminator: String.fromCharCode(raw.at(-1) ?? 0) };
  }

  #close(depth: number): void {
    for (const { header, dividers, holds } of this.#open.splice(depth).reverse()) {
      const trailer = TRAILERS[header.tag];
      if (trailer === undefined) continue;
      const { element, terminator } = dividers;
      const control = elementText(header, trailer.control, null).trim();
      this.#write(Buffer.from(`${[trailer.tag, holds, control].join(element)}${terminator}`, 'latin1'));
    }
  }

  #hold(): void {
    const around = this.#open.at(-1);
    if (around !== undefined) around.holds += 1;
  }

  #write(bytes: Uint8Array): void {
    this.#written.push(bytes.slice());
    this.size += bytes.byteLength;
  }
}
