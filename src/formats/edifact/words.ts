/** The sentences of EDIFACT problems: what was found, what was wanted, how to put it right. */
import { ELSE_ASK, quoteValue } from '../../kernel/problem.ts';
import { LOOK_WORDS } from '../magic.ts';
import type { BadDelimiter } from './delimiters.ts';
import type { Counted, EndFault, EnvelopeFault, FileFault, Level, OtherLook, SegmentFault } from './problems.ts';

export interface Words {
  /** '' where the segment at fault says it. */
  path: string;
  value: string;
  message: string;
  fix: string;
}

const LOOKS: Record<OtherLook, string> = {
  ...LOOK_WORDS,
  tradacoms: 'a TRADACOMS transmission, which is divided like EDIFACT but has other segments',
  interactive: 'an interactive EDIFACT interchange (UIB), which is another syntax',
  hl7: 'an HL7 message',
  text: 'other text',
};

export function fileWords(fault: FileFault): Words {
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
        fix: `Send the whole interchange, UNB to UNZ. ${ELSE_ASK}`,
      };
  }
}

/** Under another reference nobody can tell what was taken, and a change of an order would count twice: a file is never to be sent whole again. */
const SEND_REFUSED =
  'Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.';

const HEADERS: Record<Level, string> = { interchange: 'UNB', group: 'UNG', message: 'UNH' };
const TRAILERS: Record<Level, string> = { interchange: 'UNZ', group: 'UNE', message: 'UNT' };

export function envelopeWords(fault: EndFault | EnvelopeFault): Words {
  switch (fault.code) {
    case 'bad_delimiters':
      return delimiterWords(fault);
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
        message: `The ${fault.level} ${quoteValue(fault.reference)} has no trailer: where ${TRAILERS[fault.level]} was wanted, ${foundWords(fault.found)}.`,
        fix: `Close each ${HEADERS[fault.level]} with its ${TRAILERS[fault.level]}; check that the terminator before it is there. ${SEND_REFUSED}`,
      };
    case 'count_differs':
      return {
        path: '',
        value: fault.stated,
        message: `The trailer counts ${quoteValue(fault.stated)}, but ${countWords(fault.counted, fault.found)}.`,
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

const foundWords = (found: string): string => (found === '' ? 'the file ends' : `${quoteValue(found)} stands`);
const countWords = (counted: Counted, found: number): string => {
  const number = found === 1 ? `1 ${counted.slice(0, -1)} was` : `${found} ${counted} were`;
  return `${number} found${counted === 'segments' ? ', UNH and UNT included' : ''}`;
};

function delimiterWords({ role, fault, character, at }: BadDelimiter): Words {
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

export function segmentWords(fault: SegmentFault): Words {
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
