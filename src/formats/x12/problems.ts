/**
 * What can be wrong with an X12 file: facts. `messages.ts` turns them into messages.
 *
 * Elements and segments count from 1. Texts of facts are units; `messages.ts` decodes them.
 */
import type { FileLook } from '../magic.ts';
import type { EnvelopeProblem } from '../segments/segment.ts';
import type { DelimiterFault } from './delimiters.ts';
import { NOTES_MAX } from './limits.ts';

/** There is no interchange here at all. */
export type X12FileProblem =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_x12'; looksLike: FileLook }
  | { code: 'encoding_disagrees'; byte: number; hex: string }
  | { code: 'no_interchange'; text: string; byte: number; line: number };

export type Level = 'interchange' | 'group' | 'set';

/** The delimiters of an interchange cannot be determined: nothing of it is read. */
export type IsaFault =
  | { code: 'isa_incomplete'; found: number }
  | { code: 'isa_end_unclear'; found: string }
  | DelimiterFault;

/** `written`: as in the trailer. `found`: the tag found instead of what is missing, null at the end of the file. */
export type X12Problem =
  | IsaFault
  | { code: 'isa_width'; element: number; wanted: number; found: number; text: string }
  | { code: 'text_outside_interchange'; text: string; bytes: number }
  | { code: 'header_missing'; level: 'group' | 'set'; found: string }
  | { code: 'trailer_missing'; level: Level; found: string | null }
  | { code: 'count_differs'; level: Level; written: string; counted: number }
  | { code: 'count_invalid'; level: Level; written: string }
  | { code: 'control_number_differs'; level: Level; header: string; trailer: string }
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
  | { code: 'set_segments_too_many'; segmentsMax: number }
  | { code: 'more_problems'; count: number }
  | { code: 'interchange_broken'; fault: EnvelopeProblem };

/*
 * The standard's own code for each problem, with the list it is from: TA105 for interchanges, the reasons in AK5 for sets
 * and in AK9 for groups, AK304 for segments, AK403 for elements.
 */

const SET = 'AK502';
const GROUP = 'AK905';
const INTERCHANGE = 'TA1';

const TRAILER_MISSING: Record<Level, string> = {
  interchange: `${INTERCHANGE} 023`,
  group: `${GROUP} 3`,
  set: `${SET} 2`,
};
const COUNT: Record<Level, string> = { interchange: `${INTERCHANGE} 021`, group: `${GROUP} 5`, set: `${SET} 4` };
const CONTROL_DIFFERS: Record<Level, string> = {
  interchange: `${INTERCHANGE} 001`,
  group: `${GROUP} 4`,
  set: `${SET} 3`,
};
const CONTROL_INVALID: Record<Level, string> = {
  interchange: `${INTERCHANGE} 018`,
  group: `${GROUP} 6`,
  set: `${SET} 7`,
};

/** @returns '' if the standard has none. */
export function standardCode(problem: X12Problem): string {
  switch (problem.code) {
    case 'isa_incomplete':
    case 'isa_width':
      return `${INTERCHANGE} 022`;
    case 'isa_end_unclear':
      return `${INTERCHANGE} 004`;
    case 'delimiter_alphanumeric':
    case 'delimiter_blank':
    case 'delimiters_equal':
      if (problem.role === 'terminator') return `${INTERCHANGE} 004`;
      return problem.role === 'component' ? `${INTERCHANGE} 027` : `${INTERCHANGE} 022`;
    case 'text_outside_interchange':
    case 'more_problems':
    // The set itself has no fault for which a list has a code.
    case 'interchange_broken':
      return '';
    case 'header_missing':
      return problem.level === 'group' ? `${INTERCHANGE} 022` : `${SET} 6`;
    case 'trailer_missing':
      return TRAILER_MISSING[problem.level];
    case 'count_differs':
    case 'count_invalid':
      return COUNT[problem.level];
    case 'control_number_differs':
      return CONTROL_DIFFERS[problem.level];
    case 'control_number_invalid':
      return CONTROL_INVALID[problem.level];
    case 'group_header_incomplete':
      return `${GROUP} 6`;
    case 'set_id_invalid':
      return `${SET} 6`;
    case 'unexpected_segment':
      return 'AK304 2';
    case 'terminator_missing':
      return 'AK304 8';
    case 'segment_tag_invalid':
      return 'AK304 1';
    case 'bad_encoding':
    case 'nul_character':
      return 'AK403 6';
    case 'segment_too_large':
      return 'AK304 8';
    case 'set_too_large':
    case 'set_segments_too_many':
      return `${SET} 5`;
  }
}

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
