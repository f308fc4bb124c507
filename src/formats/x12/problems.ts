/**
 * What can be wrong with an X12 file: facts. `messages.ts` turns them into messages.
 *
 * Elements and segments count from 1. Texts of facts are units; `messages.ts` decodes them.
 */
import type { FileLook } from '../magic.ts';
import type { EnvelopeFault, Level } from '../segments/faults.ts';
import type { DelimiterFault } from './delimiters.ts';
import { NOTES_MAX } from './limits.ts';

/** There is no interchange here at all. */
export type X12FileProblem =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_x12'; looksLike: FileLook }
  | { code: 'encoding_disagrees'; byte: number; hex: string }
  | { code: 'no_interchange'; text: string; byte: number; line: number };

/** The levels of an envelope, and the standard's own code for each fault of one. */
export const X12_LEVELS = {
  interchange: {
    ...{ name: 'interchange', header: 'ISA', trailer: 'IEA', control: 13 },
    codes: { trailerMissing: 'TA1 023', count: 'TA1 021', controlDiffers: 'TA1 001', controlInvalid: 'TA1 018' },
  },
  group: {
    ...{ name: 'functional group', header: 'GS', trailer: 'GE', control: 6 },
    codes: { trailerMissing: 'AK905 3', count: 'AK905 5', controlDiffers: 'AK905 4', controlInvalid: 'AK905 6' },
  },
  set: {
    ...{ name: 'transaction set', header: 'ST', trailer: 'SE', control: 2 },
    codes: { trailerMissing: 'AK502 2', count: 'AK502 4', controlDiffers: 'AK502 3', controlInvalid: 'AK502 7' },
  },
} as const;

/** The delimiters of an interchange cannot be determined: nothing of it is read. */
export type IsaFault =
  | { code: 'isa_incomplete'; found: number }
  | { code: 'isa_end_unclear'; found: string }
  | DelimiterFault;

/** `found`: the tag found instead of what is missing. */
export type X12Problem =
  | IsaFault
  | EnvelopeFault
  | { code: 'isa_width'; element: number; wanted: number; found: number; text: string }
  | { code: 'control_number_invalid'; level: Level; found: string }
  | { code: 'group_header_incomplete'; found: number }
  | { code: 'set_id_invalid'; found: string }
  | { code: 'unexpected_segment'; tag: string }
  | { code: 'terminator_missing'; tag: string; merged: string }
  | { code: 'segment_tag_invalid'; tag: string }
  | { code: 'bad_encoding'; tag: string; element: number; encoding: string; hex: string; text: string }
  | { code: 'nul_character'; tag: string; element: number; text: string }
  | { code: 'segment_too_large'; tag: string; bytesMax: number }
  | { code: 'set_too_large'; bytesMax: number }
  | { code: 'set_segments_too_many'; segmentsMax: number };

/* What a person should know of an X12 file though nothing is wrong with it. */

export type NoteCode =
  | 'byte_order_mark'
  | 'blanks_before_isa'
  | 'break_in_isa'
  | 'isa_width'
  | 'isa16_absent'
  | 'isa16_doubled'
  | 'isa_terminator_lost'
  | 'breaks_in_segments'
  | 'empty_segments'
  | 'last_terminator_absent'
  | 'repeated_elements'
  | 'interchange_acknowledgments'
  | 'read_as_utf_8';

export const NOTES: Record<NoteCode, string> = {
  byte_order_mark: 'A byte-order mark stands before an ISA; it was passed over.',
  blanks_before_isa: 'Blanks or line breaks stand before the first ISA; they were passed over.',
  break_in_isa: 'A line break stands inside an ISA; it was removed.',
  isa_width: 'An ISA has elements of another width than the standard fixes; its separators were counted instead.',
  isa16_absent: 'ISA16, the component separator, is absent in an ISA; its elements were read as having no components.',
  isa16_doubled: 'ISA16, the component separator, is written twice in an ISA; it was read once.',
  isa_terminator_lost: 'An ISA has no segment terminator; the one of the segment behind it was used.',
  breaks_in_segments: 'Line breaks stand inside segments; they were removed.',
  empty_segments: 'Segment terminators stand with nothing before them; they were passed over.',
  last_terminator_absent: 'The last segment of the file has no terminator.',
  repeated_elements: 'Elements are repeated; only the first of each was read.',
  interchange_acknowledgments: 'TA1 segments stand in the interchange; they were passed over.',
  read_as_utf_8: 'Letters beyond ASCII were read as utf-8.',
};

export const readAsNote = (encoding: string): string =>
  `Letters beyond ASCII that are not utf-8 were read as ${encoding}.`;

/* Collects the notes of a file: each once, in the order in which they were met, up to a limit. */

export class Notes {
  private readonly texts: string[];

  constructor(texts: readonly string[]) {
    this.texts = [...texts];
  }

  get all(): readonly string[] {
    return this.texts;
  }

  add(code: NoteCode): void {
    this.addText(NOTES[code]);
  }

  addText(text: string): void {
    if (this.texts.length < NOTES_MAX && !this.texts.includes(text)) this.texts.push(text);
  }
}
