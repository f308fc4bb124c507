/** The messages for people when something in an X12 file is wrong, and the standard's own code for it. Pure. */
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { headOf } from '../../kernel/text.ts';
import { MAGIC_MESSAGES } from '../magic.ts';
import { type FaultMessage, type FaultMessages, messageOf, problemAt } from '../segments/faults.ts';
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import type { DelimiterFault, DelimiterRole } from './delimiters.ts';
import { X12_LEVELS, type X12FileProblem, type X12Problem } from './problems.ts';

/** The problem as a message. @param at the segment at fault; one without a tag is a point where one is missing. */
export function describeX12Problem(problem: X12Problem, at: Segment): EnvelopeProblem {
  return problemAt(problem.code, messageOf(MESSAGES, problem), { ...at, tag: short(at.tag) });
}

/** What is found instead of a tag can be a whole segment, when its separators are others. */
const TAG_CHARACTERS_MAX = 10;
const short = (tag: string): string => (tag.length <= TAG_CHARACTERS_MAX ? tag : `${headOf(tag, TAG_CHARACTERS_MAX)}…`);

const quoted = (text: string): string => JSON.stringify(quoteValue(text));
const elementName = (tag: string, element: number): string => `${tag}${String(element).padStart(2, '0')}`;

/**
 * Never advise to send a whole file again: under another control number nobody can tell what was accepted, and a change
 * of an order would count twice.
 */
const SEND_REFUSED =
  'Sets that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control number.';
const RESEND = `Correct the envelope in the system that writes the file. ${SEND_REFUSED}`;
const DIVIDE = 'Divide the content among several sets; if segments run into each other, a terminator or an SE is lost.';
const FOUR_CHARACTERS =
  'Choose four different characters that are neither letters, digits nor blanks, such as * > ^ ~; check that no character of ISA is lost.';

/** `TA1`: TA105, for interchanges. `AK502` and `AK905`: for sets and groups. `AK304`, `AK403`: for segments and elements. */
const MESSAGES: FaultMessages<X12Problem> = {
  isa_incomplete: ({ found }) => ({
    path: 'ISA',
    value: `${found} elements`,
    message: `ISA has 16 elements; only ${found} ${found === 1 ? 'is' : 'are'} found before it ends.`,
    fix: RESEND,
    standard: 'TA1 022',
  }),
  isa_end_unclear: ({ found }) => ({
    path: 'ISA16',
    value: found,
    message:
      'ISA ends with one component separator and one segment terminator; what stands there is something else, so the segments cannot be told apart.',
    fix: 'Write exactly the two characters behind the last separator of ISA.',
    standard: 'TA1 004',
    element: 16,
  }),
  isa_width: ({ element, wanted, found, text }) => {
    const name = elementName('ISA', element);
    return {
      path: name,
      value: text,
      message: `${name} has ${found} characters; the standard fixes ${wanted}.`,
      fix: 'Fill the elements of ISA with blanks to their fixed widths; the whole segment has 106 characters.',
      standard: 'TA1 022',
      element,
    };
  },
  delimiter_alphanumeric: (problem) => ({
    ...delimiterMessage(problem),
    message: `The ${ROLES[problem.role].name} that ISA chooses is ${JSON.stringify(problem.found)}, a letter or digit: it would divide the text itself.`,
    fix: FOUR_CHARACTERS,
  }),
  delimiter_blank: (problem) => ({
    ...delimiterMessage(problem),
    message: `The ${ROLES[problem.role].name} that ISA chooses is ${JSON.stringify(problem.found)}, a blank: it would divide the text itself.`,
    fix: FOUR_CHARACTERS,
  }),
  delimiters_equal: (problem) => ({
    ...delimiterMessage(problem),
    message: `ISA chooses ${JSON.stringify(problem.found)} as ${ROLES[problem.role].name} and as ${ROLES[problem.other].name}: they must differ.`,
    fix: FOUR_CHARACTERS,
  }),
  text_outside_interchange: ({ text, bytes }) => ({
    path: '',
    value: text,
    message: `${bytes} bytes stand outside any interchange, where only an ISA may follow; they were not read.`,
    fix: 'Send interchanges alone, each from its ISA to its IEA.',
    standard: '',
  }),
  header_missing: ({ level, found }) => ({
    path: X12_LEVELS[level].header,
    value: found,
    message: `${short(found)} stands where ${X12_LEVELS[level].header} should open a ${X12_LEVELS[level].name}.`,
    fix: `Write ${X12_LEVELS[level].header} before it; check that no segment terminator is lost. ${SEND_REFUSED}`,
    standard: level === 'group' ? 'TA1 022' : 'AK502 6',
  }),
  trailer_missing: ({ level, found }) => ({
    path: X12_LEVELS[level].trailer,
    value: found,
    message: `The ${X12_LEVELS[level].name} is not closed: ${found === '' ? 'the file ends' : `${found} stands`} where ${X12_LEVELS[level].trailer} should.`,
    fix: `Close each ${X12_LEVELS[level].header} with its ${X12_LEVELS[level].trailer}. ${SEND_REFUSED}`,
    standard: X12_LEVELS[level].codes.trailerMissing,
  }),
  count_differs: ({ level, counted, stated, found }) => ({
    path: `${X12_LEVELS[level].trailer}01`,
    value: stated,
    message: `${X12_LEVELS[level].trailer}01 says ${quoted(stated)}, but the ${X12_LEVELS[level].name} has ${found} ${counted}.`,
    fix: `If nothing is lost, correct how the count is written, or ask the operator to take your counts as they are. ${SEND_REFUSED}`,
    standard: X12_LEVELS[level].codes.count,
    element: 1,
  }),
  count_invalid: ({ level, counted, stated }) => ({
    path: `${X12_LEVELS[level].trailer}01`,
    value: stated,
    message: `${X12_LEVELS[level].trailer}01 is ${stated === '' ? 'empty' : `${quoted(stated)}, which is no count`}; it is the number of ${counted} in the ${X12_LEVELS[level].name}.`,
    fix: `Write the number of ${counted} in ${X12_LEVELS[level].trailer}01. ${SEND_REFUSED}`,
    standard: X12_LEVELS[level].codes.count,
    element: 1,
  }),
  control_number_differs: ({ level, stated, wanted }) => ({
    path: `${X12_LEVELS[level].trailer}02`,
    value: stated,
    message: `${X12_LEVELS[level].trailer}02 is ${quoted(stated)}, but ${controlName(level)} is ${quoted(wanted)}: they must be the same number.`,
    fix: RESEND,
    standard: X12_LEVELS[level].codes.controlDiffers,
    element: 2,
  }),
  control_number_invalid: ({ level, found }) => ({
    path: controlName(level),
    value: found,
    message: `${controlName(level)}, the control number, is ${found === '' ? 'empty' : 'no number'}.`,
    fix: RESEND,
    standard: X12_LEVELS[level].codes.controlInvalid,
    element: X12_LEVELS[level].control,
  }),
  group_header_incomplete: ({ found }) => ({
    path: 'GS',
    value: `${found} elements`,
    message: `GS has 8 elements, the version last; this one has ${found}.`,
    fix: RESEND,
    standard: 'AK905 6',
  }),
  set_id_invalid: ({ found }) => ({
    path: 'ST01',
    value: found,
    message: `ST01 is ${quoted(found)}; the id of a set has three digits, such as 214.`,
    fix: RESEND,
    standard: 'AK502 6',
    element: 1,
  }),
  unexpected_segment: ({ tag }) => ({
    path: short(tag),
    value: tag,
    message: `${short(tag)} stands outside any transaction set, where no such segment may stand.`,
    fix: 'Check the order of ISA, GS, ST, SE, GE and IEA, and that no segment terminator is lost.',
    standard: 'AK304 2',
  }),
  terminator_missing: ({ tag, merged }) => ({
    path: short(tag),
    value: merged,
    message: `The terminator of ${short(tag)} is lost: ${merged} begins on the next line and is read as a part of it.`,
    fix: 'End each segment with the terminator that stands behind ISA.',
    standard: 'AK304 8',
  }),
  segment_tag_invalid: ({ tag }) => ({
    path: '',
    value: tag,
    message: `A segment begins with ${quoted(tag)}; a tag has two or three capital letters and digits.`,
    fix: 'Check for a lost separator or terminator, and for text that holds one of the delimiters.',
    standard: 'AK304 1',
  }),
  bad_encoding: (problem) => ({
    ...elementMessage(problem),
    message: `The segment ${short(problem.tag)} holds bytes that are no text in ${problem.encoding}: ${problem.hex}.`,
    fix: `Export the file as UTF-8. ${ELSE_CONTACT}`,
  }),
  nul_character: (problem) => ({
    ...elementMessage(problem),
    message: `The segment ${short(problem.tag)} holds a NUL character.`,
    fix: 'Remove the NUL character (code 0) from the text and send the set again.',
  }),
  segment_too_large: ({ tag, bytesMax }) => ({
    path: tag,
    value: tag,
    message: `The segment does not end within ${bytesMax} bytes.`,
    fix: DIVIDE,
    standard: 'AK304 8',
  }),
  set_too_large: ({ bytesMax }) => ({
    path: 'ST',
    value: '',
    message: `The set does not end within ${bytesMax} bytes.`,
    fix: DIVIDE,
    standard: 'AK502 5',
  }),
  set_segments_too_many: ({ segmentsMax }) => ({
    path: 'ST',
    value: '',
    message: `The set has more than ${segmentsMax} segments.`,
    fix: DIVIDE,
    standard: 'AK502 5',
  }),
  more_problems: ({ count }) => ({
    path: '',
    value: String(count),
    message: `${count} more ${count === 1 ? 'problem is' : 'problems are'} not told here.`,
    fix: 'Correct those told first; the rest often goes with them.',
    standard: '',
  }),
  // The set itself has no fault for which a list has a code.
  interchange_broken: ({ fault }) => ({
    path: fault.path,
    value: fault.value,
    message: `The interchange is broken elsewhere (line ${fault.at.line}), and none of its sets is taken: ${fault.message}`,
    fix: 'Correct that fault and send the whole interchange again.',
    standard: '',
  }),
};

const controlName = (level: keyof typeof X12_LEVELS): string =>
  elementName(X12_LEVELS[level].header, X12_LEVELS[level].control);

const ROLES: Record<DelimiterRole, { name: string; path: string; element?: number; standard: string }> = {
  element: { name: 'element separator', path: 'ISA', standard: 'TA1 022' },
  component: { name: 'component separator (ISA16)', path: 'ISA16', element: 16, standard: 'TA1 027' },
  repetition: { name: 'repetition separator (ISA11)', path: 'ISA11', element: 11, standard: 'TA1 022' },
  terminator: { name: 'segment terminator', path: 'ISA', standard: 'TA1 004' },
};

function delimiterMessage({ role, found }: DelimiterFault): Omit<FaultMessage, 'message' | 'fix'> {
  const { name: _, ...located } = ROLES[role];
  return { ...located, value: found };
}

const elementMessage = ({
  tag,
  element,
  text,
}: {
  tag: string;
  element: number;
  text: string;
}): Omit<FaultMessage, 'message' | 'fix'> => ({
  path: element === 0 ? short(tag) : elementName(short(tag), element),
  value: text,
  standard: 'AK403 6',
  ...(element === 0 ? {} : { element }),
});

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
        fix: 'Send an X12 interchange, or choose the kind that this file is of.',
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
