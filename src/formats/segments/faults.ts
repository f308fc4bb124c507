/** Faults of envelopes, which X12 and EDIFACT share, and how a fault becomes a problem. Their messages are the standards' own. */
import { quoteValue } from '../../kernel/problem.ts';
import type { EnvelopeProblem, Segment } from './segment.ts';

export type Level = 'interchange' | 'group' | 'set';
export type Counted = 'groups' | 'sets' | 'messages' | 'segments';

/**
 * `found`, a text: the tag found instead of what is missing, '' at the end of the file. `stated`: as written in the
 * trailer; `wanted`: the control number of the header. `fault`: the one for which all sets of the interchange are
 * refused.
 */
export type EnvelopeFault =
  | { code: 'text_outside_interchange'; text: string; bytes: number }
  | { code: 'header_missing'; level: Level; found: string }
  | { code: 'trailer_missing'; level: Level; reference: string; found: string }
  | { code: 'count_differs'; level: Level; counted: Counted; stated: string; found: number }
  | { code: 'count_invalid'; level: Level; counted: Counted; stated: string }
  | { code: 'control_number_differs'; level: Level; stated: string; wanted: string }
  | { code: 'more_problems'; count: number }
  | { code: 'interchange_broken'; fault: EnvelopeProblem };

/** @property at the segment at fault; without a tag it is a point where one is missing. @property element if it is one. */
export interface Finding<Fault> {
  fault: Fault;
  at: Segment;
  element?: number | null;
}

/** A point of the file at which there is no segment: no tag, no bytes. */
export const pointAt = (byte: number, line: number): Segment => ({
  tag: '',
  elements: [],
  number: 0,
  line,
  byteFrom: byte,
  byteTo: byte,
});

/** @property standard its own code for the fault, with the list; '' if it has none. */
export interface FaultMessage {
  path: string;
  value: string;
  message: string;
  fix: string;
  standard: string;
  element?: number;
}

/** By code, from the facts of each. */
export type FaultMessages<Fault extends { code: string }> = {
  readonly [Code in Fault['code']]: (fault: Fault & { code: Code }) => FaultMessage;
};

export function messageOf<Fault extends { code: string }>(messages: FaultMessages<Fault>, fault: Fault): FaultMessage {
  return messages[fault.code as Fault['code']](fault as Fault & { code: Fault['code'] });
}

export function problemAt(
  code: string,
  { path, value, message, fix, standard, element = undefined }: FaultMessage,
  { tag, number, line, byteFrom, byteTo }: Segment,
): EnvelopeProblem {
  return {
    ...{ code, path, value: quoteValue(value), message, fix, standard },
    at: { line, byteFrom, byteTo },
    segment: tag === '' && number === 0 ? null : { tag, number },
    element: element ?? null,
  };
}
