/** An ISA as a segment: its texts, what is wrong with it and what a person should know of it. Pure. */
import type { TextCodec } from '../encoding.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import type { Segment } from '../segments/segment.ts';
import type { X12Delimiters } from './delimiters.ts';
import { ISA_WIDTHS, readIsa } from './isa.ts';
import { type Finding, judgeHeader } from './judge.ts';
import { NOTES } from './notes.ts';
import type { IsaFault } from './problems.ts';
import { readingOf, shown, textOf } from './split.ts';

export interface IsaSegment {
  header: Segment;
  delimiters: X12Delimiters | null;
  findings: Finding[];
  notes: string[];
  /** Offset in the window behind its terminator. */
  to: number;
}

export interface IsaPlace {
  byte: number;
  line: number;
  fallback: TextCodec;
  width: EnvelopePolicy['width'];
}

/** @param window as for `readIsa` */
export function readIsaSegment(window: string, { byte, line, fallback, width }: IsaPlace): IsaSegment {
  const { elements, to, delimiters, fault, notes } = readIsa(window);
  const reading = readingOf(elements.join(''), fallback);
  const texts = elements.map((element) => textOf(element, reading));
  const header = { tag: 'ISA', elements: texts, number: 0, line, byteFrom: byte, byteTo: byte + to };
  const told = notes.map((note) => NOTES[note]);
  if (reading.note !== null) told.push(reading.note);
  const isa = { header, delimiters, notes: told, to };
  if (fault !== null) return { ...isa, findings: [{ problem: readable(fault, fallback), segment: header }] };
  const findings = judgeHeader('interchange', header);
  const off = ISA_WIDTHS.findIndex((wanted, index) => characters(texts[index]) !== wanted);
  if (off === -1) return { ...isa, findings };
  told.push(NOTES.isa_width);
  if (width === 'tolerant') return { ...isa, findings };
  const [text = '', wanted = 0] = [texts[off], ISA_WIDTHS[off]];
  const problem = { code: 'isa_width', element: off + 1, wanted, found: characters(text), text } as const;
  return { ...isa, findings: [...findings, { problem, segment: header }] };
}

const characters = (text = ''): number => [...text].length;

/** Delimiters of a fault as a person reads them. */
function readable(fault: IsaFault, fallback: TextCodec): IsaFault {
  return fault.code === 'isa_incomplete' ? fault : { ...fault, found: shown(fault.found, fallback) };
}
