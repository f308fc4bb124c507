/**
 * What can be wrong with an EDIFACT file, an envelope, a message or a segment: facts first, then the sentences a person reads.
 *
 * Lines count from 1, bytes from 0. Codes of the standard are those of list 0085, as CONTRL sends them.
 */
import { type Problem, quoteValue } from '../../kernel/problem.ts';
import type { FileLook } from '../magic.ts';
import type { EnvelopeProblem } from '../segments/segment.ts';
import type { BadDelimiter } from './delimiters.ts';
import { envelopeWords, fileWords, segmentWords, type Words } from './words.ts';

export type Level = 'interchange' | 'group' | 'message';
export type Counted = 'segments' | 'messages' | 'groups';

/** What the file looks like that is no EDIFACT interchange. */
export type OtherLook = FileLook | 'tradacoms' | 'interactive' | 'hl7' | 'text';

/** The file as a whole cannot be read: nothing of it is sent. */
export type FileFault =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_edifact'; looksLike: OtherLook; text: string }
  | { code: 'encoding_disagrees'; hex: string }
  | { code: 'interchange_header_missing'; text: string };

/** From here on the file cannot be read: alone if nothing was read before, else what was read stays. */
export type EndFault =
  | ({ code: 'bad_delimiters' } & BadDelimiter)
  | { code: 'delimiters_unknown'; separator: string }
  | { code: 'header_unterminated'; terminator: string; hasLineBreaks: boolean; bytesMax: number };

export type EnvelopeFault =
  | { code: 'header_missing'; level: Level }
  | { code: 'trailer_missing'; level: Level; reference: string; found: string }
  | { code: 'count_differs'; counted: Counted; stated: string; found: number }
  | { code: 'count_invalid'; counted: Counted; stated: string }
  | { code: 'control_number_differs'; level: Level; stated: string; wanted: string }
  | { code: 'element_missing'; name: string }
  | { code: 'text_outside_interchange'; text: string; bytes: number }
  | { code: 'interchange_broken'; fault: string; standard: string };

export type SegmentFault =
  | { code: 'unexpected_segment'; text: string }
  | { code: 'segment_tag_invalid'; text: string }
  | { code: 'terminator_missing'; followed: string }
  | { code: 'segment_too_large'; bytesMax: number; text: string }
  | { code: 'set_too_large'; bytesMax: number }
  | { code: 'set_segments_too_many'; segmentsMax: number }
  | { code: 'bad_encoding' | 'charset_not_read'; charset: string; hex: string }
  | { code: 'nul_character'; text: string }
  | { code: 'more_problems'; count: number };

export type Fault = EndFault | EnvelopeFault | SegmentFault;

export interface At {
  segment: { tag: string; number: number } | null;
  element: number | null;
  line: number;
  byteFrom: number;
  byteTo: number;
}

export function describeFileFault(fault: FileFault): Problem {
  const words = fileWords(fault);
  return { code: fault.code, ...words, value: quoteValue(words.value) };
}

/** The problem in words. */
export function describeFault(fault: Fault, { segment, element, line, byteFrom, byteTo }: At): EnvelopeProblem {
  const { value, message, fix, path } = wordsFor(fault);
  const own = segment === null ? '' : element === null ? segment.tag : `${segment.tag}-${twoDigits(element)}`;
  return {
    code: fault.code,
    path: path === '' ? own : path,
    value: quoteValue(value),
    message,
    fix,
    standard: standardCode(fault),
    at: { line, byteFrom, byteTo },
    segment,
    element,
  };
}

function wordsFor(fault: Fault): Words {
  switch (fault.code) {
    case 'bad_delimiters':
    case 'delimiters_unknown':
    case 'header_unterminated':
    case 'header_missing':
    case 'trailer_missing':
    case 'count_differs':
    case 'count_invalid':
    case 'control_number_differs':
    case 'element_missing':
    case 'text_outside_interchange':
    case 'interchange_broken':
      return envelopeWords(fault);
    default:
      return segmentWords(fault);
  }
}

/** List 0085: 12 invalid value, 13 missing, 15 not supported in this position, 18 unspecified, 21 invalid character, 28, 29. */
function standardCode(fault: Fault): string {
  switch (fault.code) {
    case 'count_invalid':
      return fault.stated === '' ? '0085 13' : '0085 12';
    case 'segment_tag_invalid':
      return '0085 12';
    case 'header_missing':
    case 'trailer_missing':
    case 'element_missing':
      return '0085 13';
    case 'unexpected_segment':
    case 'text_outside_interchange':
      return '0085 15';
    case 'terminator_missing':
    case 'header_unterminated':
      return '0085 18';
    case 'bad_delimiters':
    case 'delimiters_unknown':
    case 'bad_encoding':
    case 'charset_not_read':
    case 'nul_character':
      return '0085 21';
    case 'control_number_differs':
      return '0085 28';
    case 'count_differs':
      return '0085 29';
    case 'interchange_broken':
      return fault.standard;
    case 'segment_too_large':
    case 'set_too_large':
    case 'set_segments_too_many':
    case 'more_problems':
      return '';
  }
}

const twoDigits = (element: number): string => String(element).padStart(2, '0');
