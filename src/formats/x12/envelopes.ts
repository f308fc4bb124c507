/** What X12 expects of its envelopes: of headers, of trailers, and of what stands between them. */
import type { EnvelopeStandard, EnvelopeState } from '../segments/envelopes.ts';
import type { Finding, Level } from '../segments/faults.ts';
import { elementOf, type Segment } from '../segments/segment.ts';
import { isTag } from '../segments/tags.ts';
import type { OpenInterchange, X12Checkpoint } from './checkpoint.ts';
import type { X12Delimiters } from './delimiters.ts';
import { describeX12Problem } from './messages.ts';
import { X12_LEVELS, type X12Problem } from './problems.ts';

const DIGITS = /^\d+$/;

export const X12_ENVELOPES: EnvelopeStandard<X12Problem> = {
  levels: X12_LEVELS,
  count: /^\d{1,10}$/,
  number: DIGITS,
  countIn: {
    interchange: ({ groups }) => ({ counted: 'groups', found: groups }),
    group: ({ group }) => ({ counted: 'sets', found: group?.sets ?? 0 }),
  },
  text: textAt,
  describe: describeX12Problem,
  moreAt: ({ header }) => header,
  groupsTell: true,
  looksAtSetsFirst: true,
};

/** Text of an element as a whole: an element with components is not a number, even if the first of them is. */
function textAt(segment: Segment, element: number): string {
  const found = elementOf(segment, element) ?? '';
  return (typeof found === 'string' ? found : found.join(':')).trim();
}

const SET_ID = /^\d{3}$/;
/** X12 GS01 to GS08, all mandatory. */
const GROUP_HEADER_ELEMENTS = 8;

/** X12: ISA13 and GS06 are numbers, ST02 may have letters. */
export function validateHeader(level: Level, at: Segment): Finding<X12Problem>[] {
  const findings: Finding<X12Problem>[] = [];
  if (level === 'set') {
    const id = textAt(at, 1);
    if (!SET_ID.test(id)) findings.push({ fault: { code: 'set_id_invalid', found: id }, at });
  }
  if (level === 'group' && at.elements.length < GROUP_HEADER_ELEMENTS) {
    findings.push({ fault: { code: 'group_header_incomplete', found: at.elements.length }, at });
  }
  const found = controlNumber(level, at);
  if (level === 'set' ? found === '' : !DIGITS.test(found)) {
    findings.push({ fault: { code: 'control_number_invalid', level, found }, at });
  }
  return findings;
}

export const controlNumber = (level: Level, header: Segment): string => textAt(header, X12_LEVELS[level].control);

const LINE_BREAK = /[\r\n]+/;

/** The tag of a segment that began on a line of its own inside another one, whose terminator was lost; null when none did. */
export function mergedTag(raw: string, separator: string): string | null {
  for (const piece of raw.split(LINE_BREAK).slice(1)) {
    const line = piece.trimStart();
    const at = line.indexOf(separator);
    if (at !== -1 && isTag(line.slice(0, at))) return line.slice(0, at);
  }
  return null;
}

/* What is open, as the checkpoint stores it. */

type StoredEnvelopes = Pick<X12Checkpoint, 'interchanges' | 'open' | 'group' | 'judging' | 'verdict'>;
type Unexpected = Pick<OpenInterchange, 'unexpected' | 'unexpectedCount'>;

export interface X12Envelopes extends EnvelopeState {
  judging: X12Checkpoint['judging'];
  /** Of the open interchange. */
  delimiters: X12Delimiters | null;
}

export function loadEnvelopes({ interchanges, open, group, judging, verdict }: StoredEnvelopes): X12Envelopes {
  const state = { interchange: interchanges, judging, judged: verdict };
  if (open === null) return { ...state, open, delimiters: null };
  const { header, delimiters, groups, looseSets: sets } = open;
  const inGroup = group && {
    ...{ header: group.header, reference: controlNumber('group', group.header) },
    ...{ sets: group.sets, messages: group.sets, ...problemsOf(group) },
  };
  const reference = controlNumber('interchange', header);
  const opened = { header, reference, sets, messages: sets, groups, group: inGroup, ...problemsOf(open) };
  return { ...state, delimiters, open: { ...opened, broken: verdict?.fault ?? null } };
}

const problemsOf = ({ unexpected, unexpectedCount }: Unexpected) => ({
  problems: unexpected,
  moreProblems: unexpectedCount - unexpected.length,
});

export function storedEnvelopes({ interchange, open, judging, judged, delimiters }: X12Envelopes): StoredEnvelopes {
  const state = { judging, verdict: judged };
  if (open?.header == null) return { interchanges: interchange, open: null, group: null, ...state };
  const { header, groups, sets: looseSets, group } = open;
  return {
    interchanges: interchange,
    open: { header, delimiters, groups, looseSets, ...unexpectedOf(open) },
    group: group && { header: group.header, sets: group.sets, ...unexpectedOf(group) },
    ...state,
  };
}

const unexpectedOf = ({
  problems: unexpected = [],
  moreProblems = 0,
}: Partial<ReturnType<typeof problemsOf>>): Unexpected => ({
  unexpected,
  unexpectedCount: unexpected.length + moreProblems,
});
