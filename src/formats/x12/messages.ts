/** The messages for people when something in an X12 file is wrong. Pure. */
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { headOf } from '../../kernel/text.ts';
import { MAGIC_MESSAGES } from '../magic.ts';
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import type { DelimiterFault, DelimiterRole } from './delimiters.ts';
import { type Level, standardCode, type X12FileProblem, type X12Problem } from './problems.ts';

type MessageTable = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

/** The problem as a message. @param segment at fault; one without a tag is a point where one is missing. */
export function describeX12Problem(problem: X12Problem, segment: Segment): EnvelopeProblem {
  const { element, ...words } = messageFor(problem);
  const { tag, number, line, byteFrom, byteTo } = segment;
  return {
    code: problem.code,
    ...words,
    value: quoteValue(words.value),
    standard: standardCode(problem),
    at: { line, byteFrom, byteTo },
    segment: tag === '' && number === 0 ? null : { tag: short(tag), number },
    element: element ?? null,
  };
}

const HEADERS: Record<Level, string> = { interchange: 'ISA', group: 'GS', set: 'ST' };
const TRAILERS: Record<Level, string> = { interchange: 'IEA', group: 'GE', set: 'SE' };
const LEVELS: Record<Level, string> = { interchange: 'interchange', group: 'functional group', set: 'transaction set' };
const INSIDE: Record<Level, string> = { interchange: 'groups', group: 'sets', set: 'segments' };
/** Elements that hold the control number of header and trailer. */
const CONTROL_ELEMENTS: Record<Level, readonly [string, number]> = {
  interchange: ['ISA13', 13],
  group: ['GS06', 6],
  set: ['ST02', 2],
};
/** What is found instead of a tag can be a whole segment, when its separators are others. */
const TAG_CHARACTERS_MAX = 10;
const short = (tag: string): string => (tag.length <= TAG_CHARACTERS_MAX ? tag : `${headOf(tag, TAG_CHARACTERS_MAX)}…`);

/**
 * Never advise to send a whole file again: under another control number nobody can tell what was accepted, and a change
 * of an order would count twice.
 */
const SEND_REFUSED =
  'Sets that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control number.';
const RESEND = `Correct the envelope in the system that writes the file. ${SEND_REFUSED}`;

type ElementMessages = MessageTable & { element?: number };

function messageFor(problem: X12Problem): ElementMessages {
  switch (problem.code) {
    case 'isa_incomplete':
    case 'isa_end_unclear':
    case 'isa_width':
      return isaMessage(problem);
    case 'delimiter_alphanumeric':
    case 'delimiter_blank':
    case 'delimiters_equal':
      return delimiterMessage(problem);
    case 'text_outside_interchange':
      return {
        path: '',
        value: problem.text,
        message: `${problem.bytes} bytes stand outside any interchange, where only an ISA may follow; they were not read.`,
        fix: 'Send interchanges alone, each from its ISA to its IEA.',
      };
    case 'header_missing':
    case 'trailer_missing':
      return missingMessage(problem);
    case 'count_differs':
    case 'count_invalid':
    case 'control_number_differs':
    case 'control_number_invalid':
    case 'group_header_incomplete':
    case 'set_id_invalid':
      return envelopeMessage(problem);
    case 'unexpected_segment':
    case 'terminator_missing':
    case 'segment_tag_invalid':
    case 'bad_encoding':
    case 'nul_character':
      return segmentMessage(problem);
    case 'segment_too_large':
    case 'set_too_large':
    case 'set_segments_too_many':
      return sizeMessage(problem);
    case 'more_problems':
      return {
        path: '',
        value: String(problem.count),
        message: `${problem.count} more ${problem.count === 1 ? 'problem is' : 'problems are'} not told here.`,
        fix: 'Correct those told first; the rest often goes with them.',
      };
    case 'interchange_broken':
      return {
        path: problem.fault.path,
        value: problem.fault.value,
        message: `The interchange is broken elsewhere (line ${problem.fault.at.line}), and none of its sets is taken: ${problem.fault.message}`,
        fix: 'Correct that fault and send the whole interchange again.',
      };
  }
}

function isaMessage(
  problem: X12Problem & { code: 'isa_incomplete' | 'isa_end_unclear' | 'isa_width' },
): ElementMessages {
  switch (problem.code) {
    case 'isa_incomplete':
      return {
        path: 'ISA',
        value: `${problem.found} elements`,
        message: `ISA has 16 elements; only ${problem.found} ${problem.found === 1 ? 'is' : 'are'} found before it ends.`,
        fix: RESEND,
      };
    case 'isa_end_unclear':
      return {
        path: 'ISA16',
        value: problem.found,
        message:
          'ISA ends with one component separator and one segment terminator; what stands there is something else, so the segments cannot be told apart.',
        fix: 'Write exactly the two characters behind the last separator of ISA.',
        element: 16,
      };
    case 'isa_width': {
      const name = elementName('ISA', problem.element);
      return {
        path: name,
        value: problem.text,
        message: `${name} has ${problem.found} characters; the standard fixes ${problem.wanted}.`,
        fix: 'Fill the elements of ISA with blanks to their fixed widths; the whole segment has 106 characters.',
        element: problem.element,
      };
    }
  }
}

const ROLES: Record<DelimiterRole, string> = {
  element: 'element separator',
  component: 'component separator (ISA16)',
  repetition: 'repetition separator (ISA11)',
  terminator: 'segment terminator',
};
const ROLE_PATHS: Record<DelimiterRole, string> = {
  element: 'ISA',
  component: 'ISA16',
  repetition: 'ISA11',
  terminator: 'ISA',
};

function delimiterMessage(problem: DelimiterFault): ElementMessages {
  const shown = JSON.stringify(problem.found);
  const element = problem.role === 'component' ? 16 : problem.role === 'repetition' ? 11 : undefined;
  const message = {
    delimiter_alphanumeric: `The ${ROLES[problem.role]} that ISA chooses is ${shown}, a letter or digit: it would divide the text itself.`,
    delimiter_blank: `The ${ROLES[problem.role]} that ISA chooses is ${shown}, a blank: it would divide the text itself.`,
    delimiters_equal: `ISA chooses ${shown} as ${ROLES[problem.role]} and as ${problem.code === 'delimiters_equal' ? ROLES[problem.other] : ''}: they must differ.`,
  }[problem.code];
  return {
    path: ROLE_PATHS[problem.role],
    value: problem.found,
    message,
    fix: 'Choose four different characters that are neither letters, digits nor blanks, such as * > ^ ~; check that no character of ISA is lost.',
    ...(element === undefined ? {} : { element }),
  };
}

function missingMessage(problem: X12Problem & { code: 'header_missing' | 'trailer_missing' }): ElementMessages {
  const header = HEADERS[problem.level];
  const trailer = TRAILERS[problem.level];
  if (problem.code === 'header_missing') {
    return {
      path: header,
      value: problem.found,
      message: `${short(problem.found)} stands where ${header} should open a ${LEVELS[problem.level]}.`,
      fix: `Write ${header} before it; check that no segment terminator is lost. ${SEND_REFUSED}`,
    };
  }
  const place = problem.found === null ? 'the file ends' : `${problem.found} stands`;
  return {
    path: trailer,
    value: problem.found ?? '',
    message: `The ${LEVELS[problem.level]} is not closed: ${place} where ${trailer} should.`,
    fix: `Close each ${header} with its ${trailer}. ${SEND_REFUSED}`,
  };
}

type EnvelopeFault = X12Problem & {
  code:
    | 'count_differs'
    | 'count_invalid'
    | 'control_number_differs'
    | 'control_number_invalid'
    | 'group_header_incomplete'
    | 'set_id_invalid';
};

function envelopeMessage(problem: EnvelopeFault): ElementMessages {
  switch (problem.code) {
    case 'count_differs': {
      const trailer = TRAILERS[problem.level];
      return {
        path: `${trailer}01`,
        value: problem.written,
        message: `${trailer}01 says ${JSON.stringify(quoteValue(problem.written))}, but the ${LEVELS[problem.level]} has ${problem.counted} ${INSIDE[problem.level]}.`,
        fix: `If nothing is lost, correct how the count is written, or ask the operator to take your counts as they are. ${SEND_REFUSED}`,
        element: 1,
      };
    }
    case 'count_invalid': {
      const trailer = TRAILERS[problem.level];
      const shown =
        problem.written === '' ? 'empty' : `${JSON.stringify(quoteValue(problem.written))}, which is no count`;
      return {
        path: `${trailer}01`,
        value: problem.written,
        message: `${trailer}01 is ${shown}; it is the number of ${INSIDE[problem.level]} in the ${LEVELS[problem.level]}.`,
        fix: `Write the number of ${INSIDE[problem.level]} in ${trailer}01. ${SEND_REFUSED}`,
        element: 1,
      };
    }
    case 'control_number_differs': {
      const path = `${TRAILERS[problem.level]}02`;
      const header = CONTROL_ELEMENTS[problem.level][0];
      return {
        path,
        value: problem.trailer,
        message: `${path} is ${JSON.stringify(quoteValue(problem.trailer))}, but ${header} is ${JSON.stringify(quoteValue(problem.header))}: they must be the same number.`,
        fix: RESEND,
        element: 2,
      };
    }
    case 'control_number_invalid': {
      const [path, element] = CONTROL_ELEMENTS[problem.level];
      return {
        path,
        value: problem.found,
        message: `${path}, the control number, is ${problem.found === '' ? 'empty' : 'no number'}.`,
        fix: RESEND,
        element,
      };
    }
    case 'group_header_incomplete':
      return {
        path: 'GS',
        value: `${problem.found} elements`,
        message: `GS has 8 elements, the version last; this one has ${problem.found}.`,
        fix: RESEND,
      };
    case 'set_id_invalid':
      return {
        path: 'ST01',
        value: problem.found,
        message: `ST01 is ${JSON.stringify(quoteValue(problem.found))}; the id of a set has three digits, such as 214.`,
        fix: RESEND,
        element: 1,
      };
  }
}

type SegmentFault = X12Problem & {
  code: 'unexpected_segment' | 'terminator_missing' | 'segment_tag_invalid' | 'bad_encoding' | 'nul_character';
};

function segmentMessage(problem: SegmentFault): ElementMessages {
  switch (problem.code) {
    case 'unexpected_segment':
      return {
        path: short(problem.tag),
        value: problem.tag,
        message: `${short(problem.tag)} stands outside any transaction set, where no such segment may stand.`,
        fix: 'Check the order of ISA, GS, ST, SE, GE and IEA, and that no segment terminator is lost.',
      };
    case 'terminator_missing':
      return {
        path: short(problem.tag),
        value: problem.merged,
        message: `The terminator of ${short(problem.tag)} is lost: ${problem.merged} begins on the next line and is read as a part of it.`,
        fix: 'End each segment with the terminator that stands behind ISA.',
      };
    case 'segment_tag_invalid':
      return {
        path: '',
        value: problem.tag,
        message: `A segment begins with ${JSON.stringify(quoteValue(problem.tag))}; a tag has two or three capital letters and digits.`,
        fix: 'Check for a lost separator or terminator, and for text that holds one of the delimiters.',
      };
    case 'bad_encoding':
      return {
        ...elementMessage(problem),
        message: `The segment ${short(problem.tag)} holds bytes that are no text in ${problem.encoding}: ${problem.hex}.`,
        fix: `Export the file as UTF-8. ${ELSE_CONTACT}`,
      };
    case 'nul_character':
      return {
        ...elementMessage(problem),
        message: `The segment ${short(problem.tag)} holds a NUL character.`,
        fix: 'Remove the NUL character (code 0) from the text and send the set again.',
      };
  }
}

const elementMessage = ({
  tag,
  element,
  text,
}: {
  tag: string;
  element: number;
  text: string;
}): Pick<ElementMessages, 'path' | 'value' | 'element'> => ({
  path: element === 0 ? short(tag) : elementName(short(tag), element),
  value: text,
  ...(element === 0 ? {} : { element }),
});

function sizeMessage(
  problem: X12Problem & { code: 'segment_too_large' | 'set_too_large' | 'set_segments_too_many' },
): ElementMessages {
  const fix = 'Divide the content among several sets; if segments run into each other, a terminator or an SE is lost.';
  switch (problem.code) {
    case 'segment_too_large':
      return {
        path: problem.tag,
        value: problem.tag,
        message: `The segment does not end within ${problem.bytesMax} bytes.`,
        fix,
      };
    case 'set_too_large':
      return { path: 'ST', value: '', message: `The set does not end within ${problem.bytesMax} bytes.`, fix };
    case 'set_segments_too_many':
      return { path: 'ST', value: '', message: `The set has more than ${problem.segmentsMax} segments.`, fix };
  }
}

const elementName = (tag: string, element: number): string => `${tag}${String(element).padStart(2, '0')}`;

/* The messages when a file contains no interchange at all. */

type FileMessage = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

export function describeX12FileProblem(problem: X12FileProblem): Problem {
  const words = fileMessage(problem);
  return { code: problem.code, ...words, value: quoteValue(words.value) };
}

function fileMessage(problem: X12FileProblem): FileMessage {
  switch (problem.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: 'The file is empty: it holds no interchange.',
        fix: 'Check the export and send the file again.',
      };
    case 'not_x12':
      return {
        path: '',
        value: problem.looksLike,
        message: `The file is not X12. It looks like ${MAGIC_MESSAGES[problem.looksLike]}.`,
        fix: 'Send an X12 interchange, or choose a mapping made for this kind of file.',
      };
    case 'encoding_disagrees':
      return {
        path: '',
        value: problem.hex,
        message: `X12 has one byte for each character of its envelope, but the file has NUL bytes, as UTF-16 has them; the first is at byte ${problem.byte}.`,
        fix: 'Export the file as UTF-8 or in an encoding of single bytes.',
      };
    case 'no_interchange':
      return {
        path: 'ISA',
        value: problem.text,
        message: `An interchange begins with ISA; in line ${problem.line}, at byte ${problem.byte} of the file, something else stands and no ISA follows.`,
        fix: 'Send the file with its ISA and GS segments, each once, before the first ST.',
      };
  }
}
