/**
 * What can be wrong with an EDIFACT file, an envelope, a message or a segment: facts first, then the messages for
 * people.
 *
 * Lines count from 1, bytes from 0. Codes of the standard are those of list 0085, as CONTRL sends them.
 */
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';
import type { EnvelopeProblem } from '../segments/segment.ts';
import type { BadDelimiter } from './delimiters.ts';

/* The messages of EDIFACT problems: what was found, what was expected, how to fix it. */

interface MessageTable {
  /** '' if the segment at fault says it. */
  path: string;
  value: string;
  message: string;
  fix: string;
}

const LOOKS: Record<OtherLook, string> = {
  ...MAGIC_MESSAGES,
  tradacoms: 'a TRADACOMS transmission, which is divided like EDIFACT but has other segments',
  interactive: 'an interactive EDIFACT interchange (UIB), which is another syntax',
  hl7: 'an HL7 message',
  text: 'other text',
};

function fileMessage(fault: FileFault): MessageTable {
  switch (fault.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${fault.bytes} bytes`,
        message: 'The file is empty: it has no interchange.',
        fix: 'Check the export and send the file again.',
      };
    case 'not_edifact':
      return {
        path: '',
        value: fault.text,
        message: `The file is not an EDIFACT interchange: neither UNA nor UNB stands at its start. It looks like ${LOOKS[fault.looksLike]}.`,
        fix: 'Send an interchange that begins with UNA or UNB, or choose a mapping made for this kind of file.',
      };
    case 'encoding_disagrees':
      return {
        path: '',
        value: fault.hex,
        message: 'EDIFACT has one byte for each character of its envelope, but the file is written in UTF-16.',
        fix: 'Export the file as UTF-8 or in an encoding of single bytes.',
      };
    case 'interchange_header_missing':
      return {
        path: 'UNB',
        value: fault.text,
        message: 'The file has messages but no interchange header (UNB) before them, so nothing says who sent it.',
        fix: `Send the whole interchange, UNB to UNZ. ${ELSE_CONTACT}`,
      };
  }
}

/**
 * Never advise to send a whole file again: under another reference nobody can tell what was accepted, and a change of
 * an order would count twice.
 */
const SEND_REFUSED =
  'Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.';

const HEADERS: Record<Level, string> = { interchange: 'UNB', group: 'UNG', message: 'UNH' };
const TRAILERS: Record<Level, string> = { interchange: 'UNZ', group: 'UNE', message: 'UNT' };

function envelopeMessage(fault: EndFault | EnvelopeFault): MessageTable {
  switch (fault.code) {
    case 'bad_delimiters':
      return delimiterMessage(fault);
    case 'delimiters_unknown':
      return {
        path: 'UNB',
        value: fault.separator,
        message: `${JSON.stringify(fault.separator)} stands behind UNB, and no UNA says that it divides elements. Nothing from here on can be read.`,
        fix: 'Put a UNA before the interchange that names its six characters, or use the standard ones.',
      };
    case 'header_unterminated': {
      const lines = fault.hasLineBreaks ? ' Its lines end in line breaks, which no UNA declares as terminator.' : '';
      return {
        path: 'UNB',
        value: '',
        message: `UNB is not ended by ${JSON.stringify(fault.terminator)} within ${fault.bytesMax} bytes.${lines} Nothing from here on can be read.`,
        fix: 'End every segment with the terminator, and name it in a UNA where it is not the standard one.',
      };
    }
    case 'header_missing':
      return {
        path: HEADERS[fault.level],
        value: '',
        message: `The ${fault.level} has no header: ${HEADERS[fault.level]} is missing before this place.`,
        fix: `Write ${HEADERS[fault.level]} before it; check that the terminator of what stands there is not lost. ${SEND_REFUSED}`,
      };
    case 'trailer_missing':
      return {
        path: TRAILERS[fault.level],
        value: fault.found,
        message: `The ${fault.level} ${quoteValue(fault.reference)} has no trailer: where ${TRAILERS[fault.level]} was wanted, ${foundMessage(fault.found)}.`,
        fix: `Close each ${HEADERS[fault.level]} with its ${TRAILERS[fault.level]}; check that the terminator before it is there. ${SEND_REFUSED}`,
      };
    case 'count_differs':
      return {
        path: '',
        value: fault.stated,
        message: `The trailer counts ${quoteValue(fault.stated)}, but ${countMessage(fault.counted, fault.found)}.`,
        fix: `Check that nothing was lost on the way and correct the count. If your system always counts so, ask the operator to take its counts as they are. ${SEND_REFUSED}`,
      };
    case 'count_invalid':
      return {
        path: '',
        value: fault.stated,
        message: `The count of ${fault.counted} is ${fault.stated === '' ? 'empty' : `${JSON.stringify(quoteValue(fault.stated))}, which is no whole number`}.`,
        fix: `Write the count of ${fault.counted} as a whole number. ${SEND_REFUSED}`,
      };
    case 'control_number_differs':
      return {
        path: '',
        value: fault.stated,
        message: `The trailer closes the ${fault.level} ${JSON.stringify(quoteValue(fault.stated))}, but its header opened ${JSON.stringify(quoteValue(fault.wanted))}.`,
        fix: `Write the same reference in ${HEADERS[fault.level]} and ${TRAILERS[fault.level]}. ${SEND_REFUSED}`,
      };
    case 'element_missing':
      return {
        path: '',
        value: '',
        message: `The ${fault.name} is missing.`,
        fix: `Send the ${fault.name}, which the standard requires.`,
      };
    case 'text_outside_interchange':
      return {
        path: '',
        value: fault.text,
        message: `${fault.bytes} bytes stand outside every interchange and were not read.`,
        fix: 'Remove what stands before UNA or UNB and behind UNZ; if these are messages, send them in an interchange of their own.',
      };
    case 'interchange_broken':
      return {
        path: '',
        value: '',
        message: `The interchange is refused as a whole: ${fault.fault}`,
        fix: 'Correct that fault and send the whole interchange again.',
      };
  }
}

const foundMessage = (found: string): string => (found === '' ? 'the file ends' : `${quoteValue(found)} stands`);
const countMessage = (counted: Counted, found: number): string => {
  const number = found === 1 ? `1 ${counted.slice(0, -1)} was` : `${found} ${counted} were`;
  return `${number} found${counted === 'segments' ? ', UNH and UNT included' : ''}`;
};

function delimiterMessage({ role, fault, character, at }: BadDelimiter): MessageTable {
  const shown = JSON.stringify(character);
  const why = {
    alphanumeric: `${shown}, a letter or digit`,
    blank: 'blank',
    not_ascii: `${shown}, which is not ASCII`,
    equal: `${shown}, which UNA gives to another role too`,
    absent: 'missing, because the file ends before it',
    short: `${shown}, and the usual terminator stands before it: UNA is too short`,
  }[fault];
  return {
    path: 'UNA',
    value: character,
    message: `Character ${at + 1} of UNA, the ${role}, is ${why}. Nothing from here on can be read.`,
    fix: "Write UNA and six characters, all different and none a letter or digit, such as UNA:+.? '",
  };
}

function segmentMessage(fault: SegmentFault): MessageTable {
  switch (fault.code) {
    case 'unexpected_segment':
      return {
        path: '',
        value: fault.text,
        message: 'The segment stands in no message: no UNH opened one.',
        fix: 'Send the segment inside a message, UNH to UNT; check that no UNH was lost before it.',
      };
    case 'segment_tag_invalid':
      return {
        path: '',
        value: fault.text,
        message: 'A segment begins with something else than a tag of three capitals or digits.',
        fix: 'Check the terminator before this place, and that one inside a text stands behind a release character.',
      };
    case 'terminator_missing':
      return {
        path: '',
        value: fault.followed,
        message:
          fault.followed === ''
            ? 'The file ends inside this segment: its terminator is missing.'
            : `The terminator of the segment is missing: ${quoteValue(fault.followed)} begins inside it.`,
        fix: `End the segment with its terminator. ${SEND_REFUSED}`,
      };
    case 'segment_too_large':
      return {
        path: '',
        value: fault.text,
        message: `The segment is longer than ${fault.bytesMax} bytes, the most that are read.`,
        fix: 'Check the terminator of the segment: it seems to be missing, or released.',
      };
    case 'set_too_large':
      return {
        path: '',
        value: '',
        message: `The message is longer than ${fault.bytesMax} bytes, the most that are read.`,
        fix: 'Divide it into several messages; if it holds others, its UNT is missing.',
      };
    case 'set_segments_too_many':
      return {
        path: '',
        value: '',
        message: `The message has more than ${fault.segmentsMax} segments, the most that are read.`,
        fix: 'Divide it into several messages; if it holds others, its UNT is missing.',
      };
    case 'bad_encoding':
      return {
        path: '',
        value: fault.hex,
        message: `The text holds bytes that are not ${fault.charset}: ${fault.hex}.`,
        fix: 'Write the text in the character set that UNB declares, or let UNB name the one it is written in.',
      };
    case 'charset_not_read':
      return {
        path: '',
        value: fault.hex,
        message: `UNB declares a set of letters that is not read here, ${fault.charset}, and the text holds other characters than ASCII: ${fault.hex}.`,
        fix: 'Write the text as UTF-8 and let UNB name UNOY, or in one of the sets UNOC to UNOK.',
      };
    case 'nul_character':
      return {
        path: '',
        value: fault.text,
        message: 'The text holds a NUL character.',
        fix: 'Remove the NUL character (code 0) from the text and send the message again.',
      };
    case 'more_problems':
      return {
        path: '',
        value: `${fault.count} more`,
        message: `${fault.count} more ${fault.count === 1 ? 'problem was' : 'problems were'} found and ${fault.count === 1 ? 'is' : 'are'} not shown.`,
        fix: 'Correct the ones shown and send it again.',
      };
  }
}

export type Level = 'interchange' | 'group' | 'message';
export type Counted = 'segments' | 'messages' | 'groups';

/** What the file looks like, if not an EDIFACT interchange. */
export type OtherLook = FileLook | 'tradacoms' | 'interactive' | 'hl7' | 'text';

/** The file as a whole cannot be read: nothing of it is sent. */
export type FileFault =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_edifact'; looksLike: OtherLook; text: string }
  | { code: 'encoding_disagrees'; hex: string }
  | { code: 'interchange_header_missing'; text: string };

/** From here on the file cannot be read: unreadable as a whole if nothing was read before, else what was read stays. */
type EndFault =
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

interface At {
  segment: { tag: string; number: number } | null;
  element: number | null;
  line: number;
  byteFrom: number;
  byteTo: number;
}

export function describeFileFault(fault: FileFault): Problem {
  const words = fileMessage(fault);
  return { code: fault.code, ...words, value: quoteValue(words.value) };
}

/** The problem as a message. */
export function describeFault(fault: Fault, { segment, element, line, byteFrom, byteTo }: At): EnvelopeProblem {
  const { value, message, fix, path } = messageFor(fault);
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

function messageFor(fault: Fault): MessageTable {
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
      return envelopeMessage(fault);
    default:
      return segmentMessage(fault);
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
