/**
 * The envelopes that are open while a file is read: opens and closes interchanges and groups, counts their content, and
 * reports facts. If the partner's policy rejects whole interchanges, a first pass only looks for faults.
 */
import type { Encoding } from '../encoding.ts';
import { WellFormedSet } from '../segments/list.ts';
import type { EnvelopePolicy, TakePart } from '../segments/parts.ts';
import { locationMessage } from '../segments/problems.ts';
import {
  type EnvelopeProblem,
  elementText,
  type Segment,
  type SegmentList,
  type SegmentPart,
  type SetRef,
} from '../segments/segment.ts';
import type { EdifactCheckpoint, OpenInterchange } from './checkpoint.ts';
import { NOTES_MAX } from './limits.ts';
import type { ReadMessage } from './message.ts';
import { type Counted, describeFault, type Fault, type Level } from './problems.ts';
import type { Dividers } from './scan.ts';
import { excerptText, findNul, type Note, noteKind, noteMessage, readText } from './text.ts';
import { validateTrailer } from './validate.ts';

/* Makes a set of a message that was read: its text, and everything that is wrong with it. */

interface Audited {
  id: string;
  segments: Segment[];
  problems: EnvelopeProblem[];
  notes: Note[];
  /** It has UNH or UNT, so it is a message, whatever is wrong with it. */
  isMessage: boolean;
}

interface Judging {
  open: OpenInterchange;
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

/** A fault of the message, of one of its segments, or (segment null) of a point at its end. */
interface Located {
  fault: Fault;
  segment: Segment | null;
  element: number | null;
}

export function validateMessage(read: ReadMessage, judging: Judging): Audited {
  const { open, policy } = judging;
  const notes = [...read.notes];
  let { segments } = read;
  const { faults } = read;
  if (judging.units !== '') {
    const { units, fallback } = judging;
    const text = readText(segments, { units, syntax: open.syntax, fallback }, faults);
    segments = text.segments;
    if (text.note !== null) notes.push(text.note);
  }
  if (judging.hasNul) findNul(segments, faults);
  const first = segments[0];
  const opens = first?.tag === 'UNH' ? first : null;
  const reference = opens === null ? '' : elementText(opens, 1, null).trim();
  const id = opens === null ? '' : elementText(opens, 2, 1).trim();
  const heads = headFaults(first ?? null, opens, { open, reference, id, isClosed: read.endedBy === null });
  const ends =
    opens === null
      ? []
      : endFaults(read, segments, {
          policy,
          reference,
          notes,
          place: () => locationMessage([...headersOf(open), opens]),
        });
  const located = [...heads, ...faults.shown, ...ends];
  const isMessage = opens !== null || read.endedBy === null;
  if (located.length === 0 && faults.more === 0) return { id, segments, problems: [], notes, isMessage };
  const describe = ({ fault, segment, element }: Located): EnvelopeProblem =>
    describeFault(fault, {
      segment: segment === null ? null : { tag: segment.tag, number: segment.number },
      element,
      line: segment?.line ?? judging.line + 1,
      byteFrom: segment?.byteFrom ?? judging.byteTo,
      byteTo: segment?.byteTo ?? judging.byteTo,
    });
  const shown = located.slice(0, judging.problemsMax).map(describe);
  const more = located.length - shown.length + faults.more;
  if (more > 0)
    shown.push(describe({ fault: { code: 'more_problems', count: more }, segment: first ?? null, element: null }));
  return { id, segments, problems: shown, notes, isMessage };
}

function headFaults(
  first: Segment | null,
  opens: Segment | null,
  { open, reference, id, isClosed }: { open: OpenInterchange; reference: string; id: string; isClosed: boolean },
): Located[] {
  const faults: Located[] = [];
  const missing = (fault: Fault, element: number | null): void => {
    faults.push({ fault, segment: first, element });
  };
  if (open.header === null && !open.isBare) missing({ code: 'header_missing', level: 'interchange' }, null);
  if (opens === null) {
    missing(
      isClosed
        ? { code: 'header_missing', level: 'message' }
        : { code: 'unexpected_segment', text: first === null ? '' : excerptText(first) },
      null,
    );
    return faults;
  }
  if (reference === '') missing({ code: 'element_missing', name: 'message reference number' }, 1);
  if (id === '') missing({ code: 'element_missing', name: 'message type' }, 2);
  return faults;
}

function endFaults(
  read: ReadMessage,
  segments: readonly Segment[],
  {
    policy,
    reference,
    notes,
    place,
  }: { policy: EnvelopePolicy; reference: string; notes: Note[]; place: () => string },
): Located[] {
  const last = segments.at(-1);
  if (read.endedBy !== null || last === undefined) {
    const found = read.endedBy ?? '';
    return [{ fault: { code: 'trailer_missing', level: 'message', reference, found }, segment: null, element: null }];
  }
  const faults: Located[] = [];
  const trailer = { level: 'message', segment: last, reference, counted: 'segments', found: segments.length } as const;
  for (const { fault, element } of validateTrailer(trailer)) {
    const suspect = fault.code === 'count_differs' && Number(fault.stated) > fault.found ? read.suspect : null;
    if (suspect !== null) faults.push(suspect);
    if (fault.code === 'count_differs' && policy.counts === 'lenient') {
      if (suspect === null) {
        notes.push({
          kind: 'count_differs',
          what: fault.counted,
          stated: fault.stated,
          found: fault.found,
          place: place(),
        });
      }
    } else faults.push({ fault, segment: last, element });
  }
  return faults;
}

/** Where something is missing: there is no segment. */
export interface MissingAt {
  /** The tag found there; '' at the end of the file. */
  found: string;
  byte: number;
  line: number;
}

export class Envelopes {
  /** A part was given. */
  hasGiven = false;
  /** Changed in place; the caller's checkpoint is not. */
  readonly state: EdifactCheckpoint;
  private readonly policy: EnvelopePolicy;
  private readonly problemsMax: number;
  private readonly take: TakePart;
  private headers: readonly Segment[] = [];

  constructor(
    checkpoint: EdifactCheckpoint,
    { policy, problemsMax, take }: { policy: EnvelopePolicy; problemsMax: number; take: TakePart },
  ) {
    const { open, passing } = checkpoint;
    this.state = { ...checkpoint, open: copyOf(open), passing: passing === null ? null : { ...passing } };
    this.policy = policy;
    this.problemsMax = problemsMax;
    this.take = take;
  }

  note(note: Note): void {
    const { state } = this;
    const kind = noteKind(note);
    // An interchange that is only checked is read again: its notes come then.
    if (state.judging !== null || state.noted.includes(kind) || state.noted.length >= NOTES_MAX) return;
    state.noted = [...state.noted, kind];
    state.notes = [...state.notes, noteMessage(note)];
  }

  /** @param header null: messages without UNB; isBare: which may be so. */
  openInterchange(header: Segment | null, dividers: Dividers, faults: readonly Fault[], isBare: boolean): void {
    const { state } = this;
    const reference = header === null ? '' : elementText(header, 5, 1).trim();
    const open: OpenInterchange = {
      header,
      isBare,
      reference,
      syntax: header === null ? '' : elementText(header, 1, 1).trim(),
      dividers,
      sets: 0,
      messages: 0,
      groups: 0,
      group: null,
      problems: [],
      moreProblems: 0,
      broken: state.judged?.fault ?? null,
    };
    state.interchange++;
    Object.assign(state, { open, stage: 'inside', una: null, judged: null, garbage: null });
    const before = state.pending;
    state.pending = [];
    if (header === null) {
      for (const problem of before) this.addProblem(problem);
      return;
    }
    const found = faults.map((fault) => this.problemOf(fault, header, null));
    if (reference === '') {
      found.push(this.problemOf({ code: 'element_missing', name: 'interchange control reference' }, header, 5));
    }
    this.classify(found);
    const ref = { interchange: state.interchange, group: 0, set: 0 };
    this.give({ fact: { kind: 'interchange', ref, header, problems: [...before, ...found] } });
  }

  openGroup(open: OpenInterchange, header: Segment, faults: readonly Fault[], at: MissingAt): void {
    this.closeGroupWithout(open, at);
    const reference = elementText(header, 5, 1).trim();
    open.groups++;
    open.group = { header, reference, sets: 0, messages: 0 };
    const problems = faults.map((fault) => this.problemOf(fault, header, null));
    if (reference === '' && faults.length === 0) {
      problems.push(this.problemOf({ code: 'element_missing', name: 'group reference number' }, header, 5));
    }
    this.classify(problems);
    this.give({ fact: { kind: 'group', ref: this.refOf(open), header, problems } });
  }

  /** A UNE. */
  closeGroup(open: OpenInterchange, trailer: Segment, faults: readonly Fault[]): void {
    const { group } = open;
    const own = faults.map((fault) => this.problemOf(fault, trailer, null));
    if (group === null) {
      this.addProblem(this.problemOf({ code: 'header_missing', level: 'group' }, trailer, null));
      for (const problem of own) this.addProblem(problem);
      return;
    }
    const { reference, messages } = group;
    const problems = [...own, ...this.validateTrailer('group', trailer, reference, 'messages', messages)];
    this.endGroup(open, messages, elementText(trailer, 1, null).trim(), problems);
  }

  closeGroupWithout(open: OpenInterchange, at: MissingAt): void {
    if (open.group !== null)
      this.endGroup(open, open.group.messages, '', [this.missing('group', open.group.reference, at)]);
  }

  /** A UNZ. */
  closeInterchange(open: OpenInterchange, trailer: Segment, faults: readonly Fault[], at: MissingAt): void {
    this.closeGroupWithout(open, at);
    const own = faults.map((fault) => this.problemOf(fault, trailer, null));
    if (open.header === null) {
      const none = this.problemOf({ code: 'header_missing', level: 'interchange' }, trailer, null);
      this.endInterchange(open, [none, ...own]);
      return;
    }
    const counted = open.groups > 0 ? 'groups' : 'messages';
    const judged = this.validateTrailer('interchange', trailer, open.reference, counted, countedIn(open));
    this.endInterchange(open, [...own, ...judged]);
  }

  /** The end of the file, or another interchange, comes before UNZ. */
  closeInterchangeWithout(open: OpenInterchange, at: MissingAt): void {
    this.closeGroupWithout(open, at);
    this.endInterchange(open, open.header === null ? [] : [this.missing('interchange', open.reference, at)]);
  }

  giveSet(open: OpenInterchange, { id, segments, problems, notes, isMessage }: Audited): void {
    const ref = this.countedSet(open, isMessage);
    for (const note of notes) this.note(note);
    this.classify(problems);
    const all = open.broken === null ? problems : [...problems, ...brokenBy(open, problems, segments[0] ?? null)];
    this.give({ set: { ref, id, header: this.headersAround(open), segments, problems: all } });
  }

  /** A message without a fault, in an interchange without one. */
  giveWellFormed(open: OpenInterchange, id: string, segments: SegmentList): void {
    const ref = this.countedSet(open, true);
    this.give({ set: new WellFormedSet(ref, id, this.headersAround(open), segments) });
  }

  private countedSet(open: OpenInterchange, isMessage: boolean): SetRef {
    const counter = open.group ?? open;
    counter.sets++;
    if (isMessage) counter.messages++;
    const { interchange } = this.state;
    return { interchange, group: open.group === null ? 0 : open.groups, set: counter.sets };
  }

  problemOf(fault: Fault, segment: Segment, element: number | null): EnvelopeProblem {
    const { tag, number, line, byteFrom, byteTo } = segment;
    return describeFault(fault, { segment: { tag, number }, element, line, byteFrom, byteTo });
  }

  /** A problem that the fact of its interchange reports at the end. */
  addProblem(problem: EnvelopeProblem): void {
    const { open } = this.state;
    if (open === null) return;
    this.classify([problem]);
    if (open.problems.length >= this.problemsMax) open.moreProblems++;
    else open.problems = [...open.problems, problem];
  }

  /** One list for all messages of the open interchange and group. */
  private headersAround(open: OpenInterchange): readonly Segment[] {
    const { headers } = this;
    const [outer = null, inner = null] = headers;
    if (headers.length === 0 || outer !== open.header || inner !== (open.group?.header ?? null))
      this.headers = headersOf(open);
    return this.headers;
  }

  private validateTrailer(
    level: Level,
    segment: Segment,
    reference: string,
    counted: Counted,
    found: number,
  ): EnvelopeProblem[] {
    const faults = validateTrailer({ level, segment, reference, counted, found });
    const place = [locationMessage(headersOf(this.state.open)), segment.tag].filter((words) => words !== '').join(', ');
    return faults.flatMap(({ fault, element }) => {
      if (fault.code !== 'count_differs' || this.policy.counts === 'strict') {
        return [this.problemOf(fault, segment, element)];
      }
      this.note({ kind: 'count_differs', what: counted, stated: fault.stated, found, place });
      return [];
    });
  }

  private missing(level: Level, reference: string, { found, byte, line }: MissingAt): EnvelopeProblem {
    const at = { segment: null, element: null, line: line + 1, byteFrom: byte, byteTo: byte };
    return describeFault({ code: 'trailer_missing', level, reference, found }, at);
  }

  private endGroup(open: OpenInterchange, counted: number, stated: string, problems: EnvelopeProblem[]): void {
    this.classify(problems);
    this.give({ fact: { kind: 'group_end', ref: this.refOf(open), counted, stated, problems } });
    open.group = null;
  }

  private endInterchange(open: OpenInterchange, last: EnvelopeProblem[]): void {
    const { state } = this;
    this.classify(last);
    const problems = [...open.problems, ...this.moreOf(open), ...last];
    const ref = { interchange: state.interchange, group: 0, set: 0 };
    if (open.header !== null || problems.length > 0) {
      this.give({ fact: { kind: 'interchange_end', ref, counted: countedIn(open), problems } });
    }
    state.open = null;
    state.stage = 'between';
  }

  private moreOf({ problems, moreProblems: count }: OpenInterchange): EnvelopeProblem[] {
    const last = problems.at(-1);
    if (count === 0 || last === undefined) return [];
    return [describeFault({ code: 'more_problems', count }, { ...last.at, segment: last.segment, element: null })];
  }

  private refOf(open: OpenInterchange): SetRef {
    return { interchange: this.state.interchange, group: open.group === null ? 0 : open.groups, set: 0 };
  }

  private give(part: SegmentPart): void {
    if (this.state.judging !== null) return;
    this.hasGiven = true;
    this.take(part);
  }

  private classify(problems: readonly EnvelopeProblem[]): void {
    const { judging } = this.state;
    const fault = problems[0];
    if (judging !== null && judging.fault === null && fault !== undefined) {
      this.state.judging = { ...judging, fault };
    }
  }
}

/** The envelope segments around its content, outermost first. */
const headersOf = (open: OpenInterchange | null): Segment[] =>
  [open?.header ?? null, open?.group?.header ?? null].filter((segment) => segment !== null);

const countedIn = ({ groups, messages }: OpenInterchange): number => (groups > 0 ? groups : messages);

const copyOf = (open: OpenInterchange | null): OpenInterchange | null =>
  open === null ? null : { ...open, group: open.group === null ? null : { ...open.group } };

/** The set at fault reports the fault itself. */
function brokenBy(
  { broken }: OpenInterchange,
  problems: readonly EnvelopeProblem[],
  first: Segment | null,
): EnvelopeProblem[] {
  if (broken === null) return [];
  const isOwn = problems.some(({ code, at }) => code === broken.code && at.byteFrom === broken.at.byteFrom);
  if (isOwn) return [];
  const { line = 1, byteFrom = 0, byteTo = 0 } = first ?? {};
  const at = { segment: null, element: null, line, byteFrom, byteTo };
  const fault = `line ${broken.at.line}: ${broken.message}`;
  return [describeFault({ code: 'interchange_broken', fault, standard: broken.standard }, at)];
}
