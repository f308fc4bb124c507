/**
 * Tracks the open interchange and group, and reports what is wrong with them, as facts in the order of the file.
 *
 * If a broken set costs its interchange, nothing is reported during the first pass.
 */

import type { EnvelopePolicy, TakePart } from '../segments/parts.ts';
import {
  type EnvelopeProblem,
  elementOf,
  elementText,
  type Segment,
  type SegmentPart,
  type SegmentSet,
  type SetRef,
} from '../segments/segment.ts';
import { isTag } from '../segments/tags.ts';
import type { EnvelopeValidation, Judging, OpenGroup, OpenInterchange, X12Checkpoint } from './checkpoint.ts';
import type { X12Delimiters } from './delimiters.ts';
import { describeX12Problem } from './messages.ts';
import type { Level, Notes, X12Problem } from './problems.ts';

/* Compares headers and trailers of sets, groups and interchanges with each other and with what is between them. */

/** A fact with the segment it is about; one without a tag is a point where one is missing. */
export interface Finding {
  problem: X12Problem;
  segment: Segment;
}

const TAG = { interchange: 'ISA', group: 'GS', set: 'ST' } as const;
const CONTROL_ELEMENT: Record<Level, number> = { interchange: 13, group: 6, set: 2 };
const DIGITS = /^\d+$/;
const SET_ID = /^\d{3}$/;
const LEADING_ZEROS = /^0+(?=\d)/;
const COUNT_DIGITS_MAX = 10;
/** X12 GS01 to GS08, all mandatory. */
const GROUP_HEADER_ELEMENTS = 8;

const controlNumber = (level: Level, header: Segment): string => textAt(header, CONTROL_ELEMENT[level]);

/** Text of an element as a whole: an element with components is not a number, even if the first of them is. */
function textAt(segment: Segment, element: number): string {
  const found = elementOf(segment, element) ?? '';
  return (typeof found === 'string' ? found : found.join(':')).trim();
}

/** X12: ISA13 and GS06 are numbers, ST02 may have letters. */
export function validateHeader(level: Level, header: Segment): Finding[] {
  if (header.tag !== TAG[level]) return [];
  const findings: Finding[] = [];
  if (level === 'set') {
    const id = textAt(header, 1);
    if (!SET_ID.test(id)) findings.push({ problem: { code: 'set_id_invalid', found: id }, segment: header });
  }
  if (level === 'group' && header.elements.length < GROUP_HEADER_ELEMENTS) {
    findings.push({ problem: { code: 'group_header_incomplete', found: header.elements.length }, segment: header });
  }
  const found = controlNumber(level, header);
  if (level === 'set' ? found === '' : !DIGITS.test(found)) {
    findings.push({ problem: { code: 'control_number_invalid', level, found }, segment: header });
  }
  return findings;
}

/**
 * @param header null: it is missing, so there is no control number to compare; @param counted what the trailer should
 * say
 */
export function validateTrailer(level: Level, header: Segment | null, trailer: Segment, counted: number): Finding[] {
  const findings: Finding[] = [];
  const written = textAt(trailer, 1);
  if (!isCount(written)) findings.push({ problem: { code: 'count_invalid', level, written }, segment: trailer });
  else if (Number(written) !== counted) {
    findings.push({ problem: { code: 'count_differs', level, written, counted }, segment: trailer });
  }
  if (header === null) return findings;
  const wanted = controlNumber(level, header);
  const found = textAt(trailer, 2);
  if (!sameNumber(wanted, found)) {
    findings.push({
      problem: { code: 'control_number_differs', level, header: wanted, trailer: found },
      segment: trailer,
    });
  }
  return findings;
}

const isCount = (written: string): boolean => DIGITS.test(written) && written.length <= COUNT_DIGITS_MAX;

/** Senders pad differently: compared as numbers, or as texts if they are not numbers. */
function sameNumber(one: string, other: string): boolean {
  if (one === other) return true;
  if (!DIGITS.test(one) || !DIGITS.test(other)) return false;
  return one.replace(LEADING_ZEROS, '') === other.replace(LEADING_ZEROS, '');
}

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

/* Limits the reported problems to what a person reads. */

/** @returns at most as many as are shown, then one that says how many are not. */
export function reportAll(findings: readonly Finding[], problemsMax: number): EnvelopeProblem[] {
  if (findings.length === 0) return [];
  const told = findings.slice(0, problemsMax).map(({ problem, segment }) => describeX12Problem(problem, segment));
  const next = findings[problemsMax];
  if (next === undefined) return told;
  return [...told, describeX12Problem({ code: 'more_problems', count: findings.length - problemsMax }, next.segment)];
}

/** A segment that is missing: no tag, no bytes. */
export const placeholder = (byte: number, line: number): Segment => ({
  tag: '',
  elements: [],
  number: 0,
  line,
  byteFrom: byte,
  byteTo: byte,
});

/** A trailer, or the tag found instead of it (null: the file ends) and where that is. */
export type Trailer = { segment: Segment } | { found: string | null; place: Segment };

/** What a set is created with. */
export interface AroundSet {
  ref: SetRef;
  header: readonly Segment[];
  inGroup: boolean;
  verdict: EnvelopeProblem | null;
}

export class Envelopes {
  /** A part was given. */
  hasGiven = false;
  private readonly policy: EnvelopePolicy;
  private readonly problemsMax: number;
  private readonly notes: Notes;
  private readonly take: TakePart;
  private interchanges: number;
  private interchange: OpenInterchange | null;
  private group: OpenGroup | null;
  private judging: Judging | null;
  private verdict: EnvelopeValidation | null;
  /** The envelope of the current sets: one list for all of them. */
  private headers: readonly Segment[] | null = null;

  constructor(
    checkpoint: X12Checkpoint,
    { policy, problemsMax, notes, take }: { policy: EnvelopePolicy; problemsMax: number; notes: Notes; take: TakePart },
  ) {
    this.policy = policy;
    this.problemsMax = problemsMax;
    this.notes = notes;
    this.take = take;
    this.interchanges = checkpoint.interchanges;
    this.interchange = checkpoint.open === null ? null : { ...checkpoint.open };
    this.group = checkpoint.group === null ? null : { ...checkpoint.group };
    this.judging = checkpoint.judging;
    this.verdict = checkpoint.verdict;
  }

  get state(): Pick<X12Checkpoint, 'interchanges' | 'open' | 'group' | 'judging' | 'verdict'> {
    const { interchanges, interchange: open, group, judging, verdict } = this;
    return { interchanges, open, group, judging, verdict };
  }

  get isFirst(): boolean {
    return this.interchanges === 0;
  }

  get isOpen(): boolean {
    return this.interchange !== null;
  }

  get isInGroup(): boolean {
    return this.group !== null;
  }

  /** Null where no interchange is open, or its ISA is refused. */
  get delimiters(): X12Delimiters | null {
    return this.interchange?.delimiters ?? null;
  }

  /** An interchange begins here that must be checked before anything of it is passed on. */
  validateFrom(start: Omit<Judging, 'fault'>): void {
    if (this.policy.broken === 'set' || this.verdict !== null || this.judging !== null) return;
    this.judging = { ...start, fault: null };
  }

  /** @param stray other text before it, which is not its own fault */
  beginInterchange(
    header: Segment,
    delimiters: X12Delimiters | null,
    findings: readonly Finding[],
    stray: readonly EnvelopeProblem[],
  ): void {
    this.interchanges++;
    this.group = null;
    this.headers = null;
    this.interchange = { header, delimiters, groups: 0, looseSets: 0, unexpected: [], unexpectedCount: 0 };
    const problems = this.validated(reportAll(findings, this.problemsMax));
    this.give({ fact: { kind: 'interchange', ref: this.ref(0, 0), header, problems: [...stray, ...problems] } });
  }

  beginGroup(header: Segment): void {
    if (this.interchange === null) throw new Error('a group stands inside an interchange');
    const groups = this.interchange.groups + 1;
    this.interchange = { ...this.interchange, groups };
    this.group = { header, sets: 0, unexpected: [], unexpectedCount: 0 };
    this.headers = null;
    const problems = this.validated(reportAll(validateHeader('group', header), this.problemsMax));
    this.give({ fact: { kind: 'group', ref: this.ref(groups, 0), header, problems } });
  }

  aroundSet(): AroundSet {
    const { interchange, group } = this;
    if (interchange === null) throw new Error('a set stands inside an interchange');
    this.headers ??= group === null ? [interchange.header] : [interchange.header, group.header];
    const ref = group === null ? this.ref(0, interchange.looseSets + 1) : this.ref(interchange.groups, group.sets + 1);
    return { ref, header: this.headers, inGroup: group !== null, verdict: this.verdict?.fault ?? null };
  }

  keepSet(set: SegmentSet): void {
    if (this.group !== null) this.group.sets = set.ref.set;
    else if (this.interchange !== null) this.interchange.looseSets = set.ref.set;
    this.validated(set.problems);
    this.give({ set });
  }

  /** Stored until the trailer of the current envelope: facts of envelopes are reported in the order of the file. */
  unexpected(problem: X12Problem, segment: Segment): void {
    const envelope = this.group ?? this.interchange;
    if (envelope === null) throw new Error('what is unexpected stands inside an interchange');
    const { unexpected, unexpectedCount } = envelope;
    const isKept = unexpected.length < this.problemsMax;
    const changed = {
      unexpected: isKept ? [...unexpected, describeX12Problem(problem, segment)] : unexpected,
      unexpectedCount: unexpectedCount + 1,
    };
    if (this.group !== null) this.group = { ...this.group, ...changed };
    else if (this.interchange !== null) this.interchange = { ...this.interchange, ...changed };
  }

  endGroup(trailer: Trailer): void {
    const { interchange, group } = this;
    if (interchange === null || group === null) throw new Error('a group is open where it is closed');
    const problems = this.closing(group, this.validateEnd('group', group.header, trailer, group.sets));
    const ref = this.ref(interchange.groups, 0);
    const stated = 'segment' in trailer ? elementText(trailer.segment, 1, null).trim() : '';
    this.give({ fact: { kind: 'group_end', ref, counted: group.sets, stated, problems } });
    this.group = null;
    this.headers = null;
  }

  /**
   * @param trailer null: its ISA is refused, and no other fault is reported.
   * @returns where to read it again, now that it is checked; null to continue after it
   */
  endInterchange(trailer: Trailer | null): Judging | null {
    const { interchange, judging } = this;
    if (interchange === null) throw new Error('an interchange is open where it is closed');
    const { header, groups } = interchange;
    const findings = trailer === null ? [] : this.validateEnd('interchange', header, trailer, groups);
    const problems = this.closing(interchange, findings);
    this.give({ fact: { kind: 'interchange_end', ref: this.ref(0, 0), counted: groups, problems } });
    this.interchange = null;
    this.headers = null;
    this.verdict = null;
    if (judging === null) return null;
    this.verdict = { fault: this.judging?.fault ?? null };
    this.judging = null;
    this.interchanges--;
    return judging;
  }

  noteExcused({ problem, segment }: Finding): void {
    const { message, at } = describeX12Problem(problem, segment);
    this.notes.addText(`Accepted although wrong, in line ${at.line}: ${message}`);
  }

  private validateEnd(level: 'group' | 'interchange', header: Segment, trailer: Trailer, counted: number): Finding[] {
    if ('found' in trailer) {
      return [{ problem: { code: 'trailer_missing', level, found: trailer.found }, segment: trailer.place }];
    }
    const findings = validateTrailer(level, header, trailer.segment, counted);
    if (this.policy.counts === 'strict') return findings;
    const excused = findings.filter(({ problem }) => problem.code === 'count_differs');
    for (const finding of excused) this.noteExcused(finding);
    return findings.filter((finding) => !excused.includes(finding));
  }

  private closing(envelope: OpenInterchange | OpenGroup, findings: readonly Finding[]): readonly EnvelopeProblem[] {
    const { unexpected, unexpectedCount, header } = envelope;
    const rest = unexpectedCount - unexpected.length;
    const more = rest > 0 ? [describeX12Problem({ code: 'more_problems', count: rest }, header)] : [];
    return this.validated([...unexpected, ...more, ...reportAll(findings, this.problemsMax)]);
  }

  /** The sets of a checked interchange are refused with its first fault. */
  private validated(problems: readonly EnvelopeProblem[]): readonly EnvelopeProblem[] {
    const [first] = problems;
    if (this.judging !== null && this.judging.fault === null && first !== undefined) {
      this.judging = { ...this.judging, fault: first };
    }
    return problems;
  }

  private give(part: SegmentPart): void {
    if (this.judging !== null) return;
    this.hasGiven = true;
    this.take(part);
  }

  private ref(group: number, set: number): SetRef {
    return { interchange: this.interchanges, group, set };
  }
}
