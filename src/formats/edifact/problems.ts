/**
 * What can be wrong with an EDIFACT file, an envelope, a message or a segment: facts first, then the messages for
 * people.
 *
 * Lines count from 1, bytes from 0. Codes of the standard are those of list 0085, as CONTRL sends them.
 */
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { type FileLook, MAGIC_MESSAGES } from '../magic.ts';
import {
  type Counted,
  type EnvelopeFault,
  type FaultMessage,
  type FaultMessages,
  type Finding,
  messageOf,
  problemAt,
} from '../segments/faults.ts';
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import type { BadDelimiter } from './delimiters.ts';

/** The levels of an envelope. */
export const EDIFACT_LEVELS = {
  interchange: { name: 'interchange', header: 'UNB', trailer: 'UNZ', control: 5 },
  group: { name: 'group', header: 'UNG', trailer: 'UNE', control: 5 },
  set: { name: 'message', header: 'UNH', trailer: 'UNT', control: 1 },
} as const;

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

export type SegmentFault =
  | { code: 'unexpected_segment'; text: string }
  | { code: 'segment_tag_invalid'; text: string }
  | { code: 'terminator_missing'; followed: string }
  | { code: 'segment_too_large'; bytesMax: number; text: string }
  | { code: 'set_too_large'; bytesMax: number }
  | { code: 'set_segments_too_many'; segmentsMax: number }
  | { code: 'bad_encoding' | 'charset_not_read'; charset: string; hex: string }
  | { code: 'nul_character'; text: string };

export type Fault = EndFault | EnvelopeFault | SegmentFault | { code: 'element_missing'; name: string };

/** The faults of one message as they are found: as many as are shown, and how many more there are. */
export class FoundFaults {
  readonly shown: Finding<SegmentFault>[] = [];
  more = 0;
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  add(fault: SegmentFault, at: Segment, element: number | null): void {
    if (this.shown.length < this.max) this.shown.push({ fault, at, element });
    else this.more++;
  }
}

/** The problem as a message. @param segment at fault; one without a tag is a point where one is missing. */
export function describeFault(fault: Fault, segment: Segment, element: number | null = null): EnvelopeProblem {
  const message = messageOf(MESSAGES, fault);
  // No segment of the message is at fault for what is broken elsewhere.
  const at = fault.code === 'interchange_broken' ? { ...segment, tag: '', number: 0 } : segment;
  const own = message.element ?? element;
  const path = own === null ? at.tag : `${at.tag}-${String(own).padStart(2, '0')}`;
  const problem = problemAt(fault.code, { ...message, path: message.path === '' ? path : message.path }, at);
  return { ...problem, element: own };
}

/* The messages of EDIFACT problems: what was found, what was expected, how to fix it. */

/**
 * Never advise to send a whole file again: under another reference nobody can tell what was accepted, and a change of
 * an order would count twice.
 */
const SEND_REFUSED =
  'Messages that were read and not refused were taken: send only the refused and the missing ones, in an interchange with a new control reference.';
const DIVIDE = 'Divide it into several messages; if it holds others, its UNT is missing.';

const quoted = (text: string): string => JSON.stringify(quoteValue(text));

/** Of list 0085. */
const INVALID_VALUE = '0085 12';
const MISSING = '0085 13';
const NOT_HERE = '0085 15';
const UNSPECIFIED = '0085 18';
const INVALID_CHARACTER = '0085 21';

const MESSAGES: FaultMessages<Fault> = {
  bad_delimiters: ({ role, fault, character, at }) => ({
    path: 'UNA',
    value: character,
    message: `Character ${at + 1} of UNA, the ${role}, is ${delimiterMessage(fault, JSON.stringify(character))}. Nothing from here on can be read.`,
    fix: "Write UNA and six characters, all different and none a letter or digit, such as UNA:+.? '",
    standard: INVALID_CHARACTER,
  }),
  delimiters_unknown: ({ separator }) => ({
    path: 'UNB',
    value: separator,
    message: `${JSON.stringify(separator)} stands behind UNB, and no UNA says that it divides elements. Nothing from here on can be read.`,
    fix: 'Put a UNA before the interchange that names its six characters, or use the standard ones.',
    standard: INVALID_CHARACTER,
  }),
  header_unterminated: ({ terminator, hasLineBreaks, bytesMax }) => {
    const lines = hasLineBreaks ? ' Its lines end in line breaks, which no UNA declares as terminator.' : '';
    return {
      path: 'UNB',
      value: '',
      message: `UNB is not ended by ${JSON.stringify(terminator)} within ${bytesMax} bytes.${lines} Nothing from here on can be read.`,
      fix: 'End every segment with the terminator, and name it in a UNA where it is not the standard one.',
      standard: UNSPECIFIED,
    };
  },
  header_missing: ({ level }) => ({
    path: EDIFACT_LEVELS[level].header,
    value: '',
    message: `The ${EDIFACT_LEVELS[level].name} has no header: ${EDIFACT_LEVELS[level].header} is missing before this place.`,
    fix: `Write ${EDIFACT_LEVELS[level].header} before it; check that the terminator of what stands there is not lost. ${SEND_REFUSED}`,
    standard: MISSING,
  }),
  trailer_missing: ({ level, reference, found }) => ({
    path: EDIFACT_LEVELS[level].trailer,
    value: found,
    message: `The ${EDIFACT_LEVELS[level].name} ${quoteValue(reference)} has no trailer: where ${EDIFACT_LEVELS[level].trailer} was wanted, ${found === '' ? 'the file ends' : `${quoteValue(found)} stands`}.`,
    fix: `Close each ${EDIFACT_LEVELS[level].header} with its ${EDIFACT_LEVELS[level].trailer}; check that the terminator before it is there. ${SEND_REFUSED}`,
    standard: MISSING,
  }),
  count_differs: ({ counted, stated, found }) => ({
    path: '',
    value: stated,
    message: `The trailer counts ${quoteValue(stated)}, but ${countMessage(counted, found)}.`,
    fix: `Check that nothing was lost on the way and correct the count. If your system always counts so, ask the operator to take its counts as they are. ${SEND_REFUSED}`,
    standard: '0085 29',
    element: 1,
  }),
  count_invalid: ({ counted, stated }) => ({
    path: '',
    value: stated,
    message: `The count of ${counted} is ${stated === '' ? 'empty' : `${quoted(stated)}, which is no whole number`}.`,
    fix: `Write the count of ${counted} as a whole number. ${SEND_REFUSED}`,
    standard: stated === '' ? MISSING : INVALID_VALUE,
    element: 1,
  }),
  control_number_differs: ({ level, stated, wanted }) => ({
    path: '',
    value: stated,
    message: `The trailer closes the ${EDIFACT_LEVELS[level].name} ${quoted(stated)}, but its header opened ${quoted(wanted)}.`,
    fix: `Write the same reference in ${EDIFACT_LEVELS[level].header} and ${EDIFACT_LEVELS[level].trailer}. ${SEND_REFUSED}`,
    standard: '0085 28',
    element: 2,
  }),
  element_missing: ({ name }) => ({
    path: '',
    value: '',
    message: `The ${name} is missing.`,
    fix: `Send the ${name}, which the standard requires.`,
    standard: MISSING,
  }),
  text_outside_interchange: ({ text, bytes }) => ({
    path: '',
    value: text,
    message: `${bytes} bytes stand outside every interchange and were not read.`,
    fix: 'Remove what stands before UNA or UNB and behind UNZ; if these are messages, send them in an interchange of their own.',
    standard: NOT_HERE,
  }),
  interchange_broken: ({ fault }) => ({
    path: '',
    value: '',
    message: `The interchange is refused as a whole: line ${fault.at.line}: ${fault.message}`,
    fix: 'Correct that fault and send the whole interchange again.',
    standard: fault.standard,
  }),
  unexpected_segment: ({ text }) => ({
    path: '',
    value: text,
    message: 'The segment stands in no message: no UNH opened one.',
    fix: 'Send the segment inside a message, UNH to UNT; check that no UNH was lost before it.',
    standard: NOT_HERE,
  }),
  segment_tag_invalid: ({ text }) => ({
    path: '',
    value: text,
    message: 'A segment begins with something else than a tag of three capitals or digits.',
    fix: 'Check the terminator before this place, and that one inside a text stands behind a release character.',
    standard: INVALID_VALUE,
  }),
  terminator_missing: ({ followed }) => ({
    path: '',
    value: followed,
    message:
      followed === ''
        ? 'The file ends inside this segment: its terminator is missing.'
        : `The terminator of the segment is missing: ${quoteValue(followed)} begins inside it.`,
    fix: `End the segment with its terminator. ${SEND_REFUSED}`,
    standard: UNSPECIFIED,
  }),
  segment_too_large: ({ bytesMax, text }) => ({
    path: '',
    value: text,
    message: `The segment is longer than ${bytesMax} bytes, the most that are read.`,
    fix: 'Check the terminator of the segment: it seems to be missing, or released.',
    standard: '',
  }),
  set_too_large: ({ bytesMax }) => ({
    path: '',
    value: '',
    message: `The message is longer than ${bytesMax} bytes, the most that are read.`,
    fix: DIVIDE,
    standard: '',
  }),
  set_segments_too_many: ({ segmentsMax }) => ({
    path: '',
    value: '',
    message: `The message has more than ${segmentsMax} segments, the most that are read.`,
    fix: DIVIDE,
    standard: '',
  }),
  bad_encoding: ({ charset, hex }) => ({
    path: '',
    value: hex,
    message: `The text holds bytes that are not ${charset}: ${hex}.`,
    fix: 'Write the text in the character set that UNB declares, or let UNB name the one it is written in.',
    standard: INVALID_CHARACTER,
  }),
  charset_not_read: ({ charset, hex }) => ({
    path: '',
    value: hex,
    message: `UNB declares a set of letters that is not read here, ${charset}, and the text holds other characters than ASCII: ${hex}.`,
    fix: 'Write the text as UTF-8 and let UNB name UNOY, or in one of the sets UNOC to UNOK.',
    standard: INVALID_CHARACTER,
  }),
  nul_character: ({ text }) => ({
    path: '',
    value: text,
    message: 'The text holds a NUL character.',
    fix: 'Remove the NUL character (code 0) from the text and send the message again.',
    standard: INVALID_CHARACTER,
  }),
  more_problems: ({ count }) => ({
    path: '',
    value: `${count} more`,
    message: `${count} more ${count === 1 ? 'problem was' : 'problems were'} found and ${count === 1 ? 'is' : 'are'} not shown.`,
    fix: 'Correct the ones shown and send it again.',
    standard: '',
  }),
};

const delimiterMessage = (fault: BadDelimiter['fault'], shown: string): string =>
  ({
    alphanumeric: `${shown}, a letter or digit`,
    blank: 'blank',
    not_ascii: `${shown}, which is not ASCII`,
    equal: `${shown}, which UNA gives to another role too`,
    absent: 'missing, because the file ends before it',
    short: `${shown}, and the usual terminator stands before it: UNA is too short`,
  })[fault];

function countMessage(counted: Counted, found: number): string {
  const number = found === 1 ? `1 ${counted.slice(0, -1)} was` : `${found} ${counted} were`;
  return `${number} found${counted === 'segments' ? ', UNH and UNT included' : ''}`;
}

/* The messages when nothing of a file can be read. */

export function describeFileFault(fault: FileFault): Problem {
  const words = fileMessage(fault);
  return { code: fault.code, ...words, value: quoteValue(words.value) };
}

const LOOKS: Record<OtherLook, string> = {
  ...MAGIC_MESSAGES,
  tradacoms: 'a TRADACOMS transmission, which is divided like EDIFACT but has other segments',
  interactive: 'an interactive EDIFACT interchange (UIB), which is another syntax',
  hl7: 'an HL7 message',
  text: 'other text',
};

function fileMessage(fault: FileFault): Omit<FaultMessage, 'standard'> {
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
        fix: 'Send an interchange that begins with UNA or UNB, or choose the kind that this file is of.',
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
