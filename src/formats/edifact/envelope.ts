/** What EDIFACT expects of its envelopes and messages: everything that is wrong with a message that was read. */
import type { Encoding } from '../encoding.ts';
import {
  describeAll,
  type EnvelopeStandard,
  type OpenInterchange,
  type ReadSet,
  trailerFindings,
} from '../segments/envelopes.ts';
import { type Finding, pointAt } from '../segments/faults.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import { locationMessage } from '../segments/problems.ts';
import { elementText, type Segment } from '../segments/segment.ts';
import type { OpenInterchange as OpenEdifact } from './checkpoint.ts';
import type { ReadMessage } from './message.ts';
import { describeFault, EDIFACT_LEVELS, type Fault } from './problems.ts';
import { excerptText, findNul, type Note, readText } from './text.ts';

const WHOLE_NUMBER = /^\d{1,15}$/;

export const EDIFACT_ENVELOPES: EnvelopeStandard<Fault> = {
  levels: EDIFACT_LEVELS,
  count: WHOLE_NUMBER,
  number: WHOLE_NUMBER,
  countIn: {
    interchange: ({ groups, messages }) =>
      groups > 0 ? { counted: 'groups', found: groups } : { counted: 'messages', found: messages },
    group: ({ group }) => ({ counted: 'messages', found: group?.messages ?? 0 }),
  },
  text: (segment, element) => elementText(segment, element, null).trim(),
  describe: describeFault,
  moreAt({ problems }) {
    const last = problems?.at(-1);
    return last === undefined ? null : { ...pointAt(0, 1), ...last.segment, ...last.at };
  },
  groupsTell: false,
  looksAtSetsFirst: false,
};

interface Judging {
  open: OpenEdifact;
  policy: EnvelopePolicy;
  fallback: Encoding;
  problemsMax: number;
  /** The text of its segments; '' if all of it is ASCII. */
  units: string;
  hasNul: boolean;
  /** First byte after it, and its line. */
  byteTo: number;
  line: number;
}

export function validateMessage(read: ReadMessage, judging: Judging): ReadSet & { notes: Note[] } {
  const { open, units, problemsMax } = judging;
  const notes = [...read.notes];
  let { segments } = read;
  const { faults } = read;
  if (units !== '') {
    const text = readText(segments, { units, syntax: open.syntax, fallback: judging.fallback }, faults);
    segments = text.segments;
    if (text.note !== null) notes.push(text.note);
  }
  if (judging.hasNul) findNul(segments, faults);
  const [first] = segments;
  const opens = first?.tag === 'UNH' ? first : null;
  const id = opens === null ? '' : elementText(opens, 2, 1).trim();
  const at = first ?? endOf(judging);
  const isClosed = read.endedBy === null;
  const findings: Finding<Fault>[] = headFindings(open, at, isClosed);
  findings.push(...faults.shown);
  if (opens !== null) findings.push(...endFindings(read, segments, judging, opens, notes));
  const problems = describeAll(findings, describeFault, { problemsMax, more: faults.more, moreAt: at });
  return { id, segments, problems, notes, isMessage: opens !== null || isClosed };
}

const endOf = ({ byteTo, line }: Judging): Segment => pointAt(byteTo, line + 1);

function headFindings(open: OpenInterchange & { isBare: boolean }, at: Segment, isClosed: boolean): Finding<Fault>[] {
  const findings: Finding<Fault>[] = [];
  const add = (fault: Fault, element: number | null = null): void => void findings.push({ fault, at, element });
  if (open.header === null && !open.isBare) add({ code: 'header_missing', level: 'interchange', found: at.tag });
  if (at.tag !== 'UNH') {
    if (isClosed) add({ code: 'header_missing', level: 'set', found: at.tag });
    else add({ code: 'unexpected_segment', text: excerptText(at) });
    return findings;
  }
  if (elementText(at, 1, null).trim() === '') add({ code: 'element_missing', name: 'message reference number' }, 1);
  if (elementText(at, 2, 1).trim() === '') add({ code: 'element_missing', name: 'message type' }, 2);
  return findings;
}

function endFindings(
  read: ReadMessage,
  segments: readonly Segment[],
  judging: Judging,
  opens: Segment,
  notes: Note[],
): Finding<Fault>[] {
  const { policy, open } = judging;
  const reference = elementText(opens, 1, null).trim();
  const last = segments.at(-1);
  if (read.endedBy !== null || last === undefined) {
    return [
      { fault: { code: 'trailer_missing', level: 'set', reference, found: read.endedBy ?? '' }, at: endOf(judging) },
    ];
  }
  const trailer = { level: 'set', trailer: last, reference, counted: 'segments', found: segments.length } as const;
  return trailerFindings(EDIFACT_ENVELOPES, trailer).flatMap((finding): Finding<Fault>[] => {
    const { fault } = finding;
    if (fault.code !== 'count_differs') return [finding];
    const { counted: what, stated, found } = fault;
    const suspect = Number(stated) > found && read.suspect !== null ? [read.suspect] : [];
    if (policy.counts === 'strict') return [...suspect, finding];
    const place = locationMessage([open.header, open.group?.header, opens].filter((segment) => segment != null));
    if (suspect.length === 0) notes.push({ kind: 'count_differs', what, stated, found, place });
    return suspect;
  });
}
