/**
 * The envelopes that are open while a file is read: opens and closes interchanges and groups, counts their content,
 * compares headers with trailers, and gives sets and facts in the order of the file. What differs between standards is
 * data.
 *
 * If the partner's policy rejects whole interchanges, a first pass gives nothing and only looks for the first fault.
 */
import { type Counted, type EnvelopeFault, type Finding, type Level, pointAt } from './faults.ts';
import { WellFormedSet } from './list.ts';
import type { EnvelopePolicy, TakePart } from './parts.ts';
import {
  type EnvelopeProblem,
  elementText,
  type Segment,
  type SegmentList,
  type SegmentPart,
  type SegmentSet,
  type SetRef,
} from './segment.ts';

/** @property control element of the header that holds the control number. */
interface LevelRow {
  control: number;
}

/** What differs between X12 and EDIFACT in envelopes. */
export interface EnvelopeStandard<Fault> {
  levels: Record<Level, LevelRow>;
  /** What is a count, and what is a control number whose leading zeros mean nothing. */
  count: RegExp;
  number: RegExp;
  /** What the trailer of a level counts, and what was found of it. */
  countIn: Record<'interchange' | 'group', (open: OpenInterchange) => { counted: Counted; found: number }>;
  /** Text of an element that is a count or a control number. */
  text: (segment: Segment, element: number) => string;
  describe(fault: Fault | EnvelopeFault, at: Segment, element?: number | null): EnvelopeProblem;
  /** Where it is said that more problems were found between sets than are shown. */
  moreAt(level: OpenLevel): Segment | null;
  /** Problems between the sets of a group are told with the group, not with its interchange. */
  groupsTell: boolean;
  /** Problems between sets can be the first fault of an interchange only when their envelope ends. */
  looksAtSetsFirst: boolean;
}

/** @property problems between sets, as many as are shown, if they are told with this level; `moreProblems` how many besides. */
interface OpenLevel {
  header: Segment | null;
  /** Control number of the header. */
  reference: string;
  /** Sets outside groups, or of the group; `messages`: those of them that have a header or a trailer. */
  sets: number;
  messages: number;
  problems?: readonly EnvelopeProblem[];
  moreProblems?: number;
}

/** @property header null: sets without one. @property broken why all its sets are refused. */
export interface OpenInterchange extends OpenLevel {
  groups: number;
  group: (OpenLevel & { header: Segment }) | null;
  problems: readonly EnvelopeProblem[];
  moreProblems: number;
  broken: EnvelopeProblem | null;
}

/** `fault`: the first one found in the interchange; null: none so far. */
export interface EnvelopeValidation {
  fault: EnvelopeProblem | null;
}

/**
 * @property interchange those begun. @property judging the open one is in its first pass; `judged`: the result of that
 * pass, null where there was none.
 */
export interface EnvelopeState {
  interchange: number;
  open: OpenInterchange | null;
  judging: EnvelopeValidation | null;
  judged: EnvelopeValidation | null;
}

/** Where something is missing. @property found the tag found there; '' at the end of the file. */
export interface MissingAt {
  found: string;
  byte: number;
  line: number;
}

/** A set that was read, without its place among the others. @property isMessage it has a header or a trailer. */
export type ReadSet = Pick<SegmentSet, 'id' | 'segments' | 'problems'> & { isMessage: boolean };

interface EnvelopeRules {
  policy: EnvelopePolicy;
  problemsMax: number;
  take: TakePart;
  /** Notes a wrong count that the policy allows. */
  excuse(finding: Finding<EnvelopeFault>): void;
}

export class Envelopes<Fault> {
  /** A part was given. */
  hasGiven = false;
  /** Changed in place. */
  private readonly state: EnvelopeState;
  private readonly standard: EnvelopeStandard<Fault>;
  private readonly rules: EnvelopeRules;
  /** One list for all sets of the open interchange and group. */
  private headers: readonly Segment[] | null = null;

  constructor(standard: EnvelopeStandard<Fault>, state: EnvelopeState, rules: EnvelopeRules) {
    this.standard = standard;
    this.state = state;
    this.rules = rules;
  }

  /** @param before problems found before it, which are not its own. */
  openInterchange(
    open: OpenInterchange,
    findings: readonly Finding<Fault>[],
    before: readonly EnvelopeProblem[],
  ): void {
    const { state } = this;
    state.interchange++;
    state.open = open;
    this.headers = null;
    const { header } = open;
    if (header === null) for (const problem of before) this.addProblem(problem);
    else {
      const problems = [...before, ...this.classified(this.described(findings))];
      this.give({ fact: { kind: 'interchange', ref: this.refOf(null), header, problems } });
    }
  }

  /** @param at where the trailer of the group before it is missing, if that is open. */
  openGroup(header: Segment, findings: readonly Finding<Fault>[], at: MissingAt): void {
    const open = this.opened();
    this.closeGroupWithout(at);
    const reference = this.controlNumber('group', header);
    open.groups++;
    open.group = { header, reference, sets: 0, messages: 0 };
    this.headers = null;
    const problems = this.classified(this.described(findings));
    this.give({ fact: { kind: 'group', ref: this.refOf(open), header, problems } });
  }

  closeGroup(trailer: Segment, own: readonly Finding<Fault>[] = []): void {
    const open = this.opened();
    if (open.group === null) {
      this.addFault({ code: 'header_missing', level: 'group', found: trailer.tag }, trailer);
      for (const problem of this.described(own)) this.addProblem(problem);
      return;
    }
    const stated = elementText(trailer, 1, null).trim();
    this.endGroup(open, stated, [...this.described(own), ...this.validateTrailer('group', trailer, open.group)]);
  }

  /** Where another segment shows that its trailer is missing, if a group is open. */
  closeGroupWithout(at: MissingAt): void {
    const open = this.opened();
    if (open.group !== null) this.endGroup(open, '', [this.missing('group', open.group, at)]);
  }

  closeInterchange(trailer: Segment, at: MissingAt, own: readonly Finding<Fault>[] = []): void {
    const open = this.opened();
    this.closeGroupWithout(at);
    const problems = this.described(own);
    if (open.header === null) {
      const fault = { code: 'header_missing', level: 'interchange', found: trailer.tag } as const;
      this.endInterchange([this.standard.describe(fault, trailer), ...problems]);
    } else this.endInterchange([...problems, ...this.validateTrailer('interchange', trailer, open)]);
  }

  /** The end of the file, or another interchange, comes before its trailer. */
  closeInterchangeWithout(at: MissingAt): void {
    const open = this.opened();
    this.closeGroupWithout(at);
    this.endInterchange(open.header === null ? [] : [this.missing('interchange', open, at)]);
  }

  endInterchange(last: readonly EnvelopeProblem[]): void {
    const open = this.opened();
    const problems = this.closing(open, last);
    if (open.header !== null || problems.length > 0) {
      const counted = this.standard.countIn.interchange(open).found;
      this.give({ fact: { kind: 'interchange_end', ref: this.refOf(null), counted, problems } });
    }
    this.state.open = null;
  }

  giveSet({ id, segments, problems, isMessage }: ReadSet): void {
    const open = this.opened();
    const ref = this.countedSet(open, isMessage);
    this.classified(problems);
    const { broken } = open;
    const isOwn = problems.some(({ code, at }) => code === broken?.code && at.byteFrom === broken.at.byteFrom);
    // The set at fault reports the fault itself.
    const all = broken === null || isOwn ? problems : [...problems, this.brokenBy(broken, segments[0])];
    this.give({ set: { ref, id, header: this.headersAround(), segments, problems: all } });
  }

  /** A set without a fault, in an interchange without one. */
  giveWellFormed(id: string, segments: SegmentList): void {
    const ref = this.countedSet(this.opened(), true);
    this.give({ set: new WellFormedSet(ref, id, this.headersAround(), segments) });
  }

  addFault(fault: Fault | EnvelopeFault, at: Segment): void {
    this.addProblem(this.standard.describe(fault, at));
  }

  /** A problem that is reported at the end of what is open: facts of envelopes are in the order of the file. */
  private addProblem(problem: EnvelopeProblem): void {
    const open = this.opened();
    const { groupsTell, looksAtSetsFirst } = this.standard;
    const level = groupsTell && open.group !== null ? open.group : open;
    if (!looksAtSetsFirst) this.classified([problem]);
    const { problems = [], moreProblems = 0 } = level;
    if (problems.length >= this.rules.problemsMax) level.moreProblems = moreProblems + 1;
    else level.problems = [...problems, problem];
  }

  /** The segments around its content, outermost first. */
  headersAround(): readonly Segment[] {
    const { open } = this.state;
    this.headers ??= [open?.header, open?.group?.header].filter((segment) => segment != null);
    return this.headers;
  }

  controlNumber(level: Level, header: Segment): string {
    return this.standard.text(header, this.standard.levels[level].control);
  }

  private opened(): OpenInterchange {
    if (this.state.open === null) throw new Error('segments stand inside an interchange');
    return this.state.open;
  }

  private countedSet(open: OpenInterchange, isMessage: boolean): SetRef {
    const counter = open.group ?? open;
    counter.sets++;
    if (isMessage) counter.messages++;
    const group = open.group === null ? 0 : open.groups;
    return { interchange: this.state.interchange, group, set: counter.sets };
  }

  private brokenBy(fault: EnvelopeProblem, first: Segment = pointAt(0, 1)): EnvelopeProblem {
    return this.standard.describe({ code: 'interchange_broken', fault }, first);
  }

  private described(findings: readonly Finding<Fault | EnvelopeFault>[]): EnvelopeProblem[] {
    return findings.map(({ fault, at, element }) => this.standard.describe(fault, at, element));
  }

  private validateTrailer(
    level: 'interchange' | 'group',
    trailer: Segment,
    { reference }: OpenLevel,
  ): EnvelopeProblem[] {
    const count = this.standard.countIn[level](this.opened());
    const findings = trailerFindings(this.standard, { level, trailer, reference, ...count });
    if (this.rules.policy.counts === 'strict') return this.described(findings);
    const [excused, wrong] = [findings.filter(isWrongCount), findings.filter((finding) => !isWrongCount(finding))];
    for (const finding of excused) this.rules.excuse(finding);
    return this.described(wrong);
  }

  private missing(level: Level, { reference }: OpenLevel, { found, byte, line }: MissingAt): EnvelopeProblem {
    return this.standard.describe({ code: 'trailer_missing', level, reference, found }, pointAt(byte, line + 1));
  }

  private endGroup(open: OpenInterchange, stated: string, last: readonly EnvelopeProblem[]): void {
    if (open.group === null) return;
    const problems = this.closing(open.group, last);
    const counted = this.standard.countIn.group(open).found;
    this.give({ fact: { kind: 'group_end', ref: this.refOf(open), counted, stated, problems } });
    open.group = null;
    this.headers = null;
  }

  private closing(level: OpenLevel, last: readonly EnvelopeProblem[]): readonly EnvelopeProblem[] {
    const { problems = [], moreProblems: count = 0 } = level;
    const at = count > 0 ? this.standard.moreAt(level) : null;
    const more = at === null ? [] : [this.standard.describe({ code: 'more_problems', count }, at)];
    return this.classified([...problems, ...more, ...last]);
  }

  /** The sets of a checked interchange are refused with its first fault. */
  private classified(problems: readonly EnvelopeProblem[]): readonly EnvelopeProblem[] {
    const { judging } = this.state;
    const [fault] = problems;
    if (judging !== null && judging.fault === null && fault !== undefined) this.state.judging = { ...judging, fault };
    return problems;
  }

  /** @param open null: the interchange itself. */
  private refOf(open: OpenInterchange | null): SetRef {
    return { interchange: this.state.interchange, group: open?.group == null ? 0 : open.groups, set: 0 };
  }

  private give(part: SegmentPart): void {
    if (this.state.judging !== null) return;
    this.hasGiven = true;
    this.rules.take(part);
  }
}

export const isWrongCount = ({ fault }: Finding<{ code: string }>): boolean => fault.code === 'count_differs';

interface Trailer {
  level: Level;
  trailer: Segment;
  /** Of the header; null: it is missing, so there is nothing to compare. */
  reference: string | null;
  counted: Counted;
  found: number;
}

/** All trailers are alike: a count, then the control number of the header. */
export function trailerFindings(
  { text, count, number }: Pick<EnvelopeStandard<never>, 'text' | 'count' | 'number'>,
  { level, trailer: at, reference, counted, found }: Trailer,
): Finding<EnvelopeFault>[] {
  const findings: Finding<EnvelopeFault>[] = [];
  const stated = text(at, 1);
  if (!count.test(stated)) findings.push({ fault: { code: 'count_invalid', level, counted, stated }, at });
  else if (Number(stated) !== found) {
    findings.push({ fault: { code: 'count_differs', level, counted, stated, found }, at });
  }
  const closes = text(at, 2);
  if (reference !== null && !isSameNumber(closes, reference, number)) {
    findings.push({ fault: { code: 'control_number_differs', level, stated: closes, wanted: reference }, at });
  }
  return findings;
}

const LEADING_ZEROS = /^0+(?=\d)/;

/** Senders pad differently: compared as numbers, or as texts if they are not numbers. */
function isSameNumber(one: string, other: string, number: RegExp): boolean {
  if (one === other) return true;
  if (!number.test(one) || !number.test(other)) return false;
  return one.replace(LEADING_ZEROS, '') === other.replace(LEADING_ZEROS, '');
}

/** @returns as many as are shown, then one that says how many are not. @param more known besides; `moreAt` where that is said. */
export function describeAll<Fault>(
  findings: readonly Finding<Fault | EnvelopeFault>[],
  describe: EnvelopeStandard<Fault>['describe'],
  { problemsMax, more = 0, moreAt }: { problemsMax: number; more?: number; moreAt?: Segment | undefined },
): EnvelopeProblem[] {
  if (findings.length === 0 && more === 0) return [];
  const shown = findings.slice(0, problemsMax).map(({ fault, at, element }) => describe(fault, at, element));
  const count = findings.length - shown.length + more;
  const at = moreAt ?? findings[problemsMax]?.at;
  return count === 0 || at === undefined ? shown : [...shown, describe({ code: 'more_problems', count }, at)];
}
