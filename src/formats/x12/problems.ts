/**
 * What can be wrong with an X12 file: facts. `words.ts` turns them into sentences.
 *
 * Elements and segments count from 1. Texts of facts are units; who describes them makes text of them.
 */
import type { FileLook } from '../magic.ts';
import type { EnvelopeProblem } from '../segments/segment.ts';
import type { DelimiterFault } from './delimiters.ts';

/** There is no interchange here at all. */
export type X12FileProblem =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_x12'; looksLike: FileLook }
  | { code: 'encoding_disagrees'; byte: number; hex: string }
  | { code: 'no_interchange'; text: string; byte: number; line: number };

export type Level = 'interchange' | 'group' | 'set';

/** The delimiters of an interchange cannot be told: nothing of it is read. */
export type IsaFault =
  | { code: 'isa_incomplete'; found: number }
  | { code: 'isa_end_unclear'; found: string }
  | DelimiterFault;

/** `written`: as it stands in the trailer. `found`: tag in the place of what is missing, null at the end of the file. */
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
