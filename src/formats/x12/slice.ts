/** Takes sets and envelopes off one slice until it holds no whole one. */
import type { TextCodec } from '../encoding.ts';
import type { EnvelopePolicy, PartsRead } from '../segments/parts.ts';
import type { EnvelopeProblem, Segment, SegmentPart, SetRef } from '../segments/segment.ts';
import { buildSet, placeholder } from './build.ts';
import type { Judging, OpenGroup, OpenInterchange, StrayText, Verdict, X12Checkpoint } from './checkpoint.ts';
import type { X12Delimiters } from './delimiters.ts';
import { ISA_WIDTHS, readIsa } from './isa.ts';
import { type Finding, judgeHeader, judgeTrailer } from './judge.ts';
import { EXCERPT_BYTES, ISA_WINDOW_BYTES, OPENING_BYTES, type X12Limits } from './limits.ts';
import { Notes } from './noted.ts';
import { beginsInterchange, fileProblem, ISA_LOOKAHEAD_BYTES, nextInterchange, passBlanks } from './opening.ts';
import type { X12FileProblem, X12Problem } from './problems.ts';
import { type FoundSegment, type Place, SegmentScanner } from './scan.ts';
import { endsSet, scanSet } from './set.ts';
import { readingOf, shown, splitOf, splitSegment, textOf } from './split.ts';
import { tellAll } from './tell.ts';
import { describeX12FileProblem, describeX12Problem } from './words.ts';

export interface SliceInput {
  text: string;
  atEnd: boolean;
  /** Position of the slice in the file. */
  byteBase: number;
  limits: X12Limits;
  policy: EnvelopePolicy;
  fallback: TextCodec;
}

export class SliceReader {
  private readonly input: SliceInput;
  private readonly start: X12Checkpoint;
  private readonly parts: SegmentPart[] = [];
  private readonly notes: Notes;
  private place: Place;
  private interchanges: number;
  private open: OpenInterchange | null;
  private group: OpenGroup | null;
  private passing: X12Checkpoint['passing'];
  private stray: StrayText | null;
  private judging: Judging | null;
  private verdict: Verdict | null;
  private scanner: SegmentScanner | null = null;
  private unreadable: X12FileProblem | null = null;
  private endProblem: EnvelopeProblem | null = null;
  private isFinished = false;

  constructor(input: SliceInput, checkpoint: X12Checkpoint) {
    this.input = input;
    this.start = checkpoint;
    this.notes = new Notes(checkpoint.notes);
    this.place = { at: 0, line: checkpoint.line };
    this.interchanges = checkpoint.interchanges;
    this.open = checkpoint.open;
    this.group = checkpoint.group;
    this.passing = checkpoint.passing;
    this.stray = checkpoint.stray;
    this.judging = checkpoint.judging;
    this.verdict = checkpoint.verdict;
  }

  read(): PartsRead<X12Checkpoint> {
    while (!this.isFinished && this.unreadable === null && this.place.at >= 0 && this.step()) {
      // Each step takes one part, or passes over something.
    }
    if (this.unreadable !== null) {
      return { outcome: 'unreadable', problems: [describeX12FileProblem(this.unreadable)] };
    }
    const { place, isFinished, parts, start } = this;
    const byte = this.input.byteBase + place.at;
    if (byte === start.byte && parts.length === 0 && !isFinished && this.passing === start.passing)
      return { outcome: 'more' };
    const checkpoint: X12Checkpoint = {
      byte,
      line: place.line,
      notes: this.notes.all,
      interchanges: this.interchanges,
      open: this.open,
      group: this.group,
      passing: this.passing,
      stray: this.stray,
      judging: this.judging,
      verdict: this.verdict,
    };
    return { outcome: 'parts', parts, checkpoint, finished: isFinished, endProblem: this.endProblem };
  }

  /** @returns false when the slice ends before it can be told what stands there */
  private step(): boolean {
    if (this.open === null) return this.betweenInterchanges();
    if (this.open.delimiters === null) return this.passRefused(this.open);
    const scanner = this.scannerOf(this.open.delimiters);
    const stepped = this.passing === null ? this.takeNext(scanner) : this.pass(scanner, this.passing);
    if (scanner.sawEmpty) this.notes.add('empty_segments');
    return stepped;
  }

  private scannerOf(delimiters: X12Delimiters): SegmentScanner {
    const { text, atEnd, limits } = this.input;
    this.scanner ??= new SegmentScanner(text, atEnd, delimiters, limits.segmentBytesMax);
    return this.scanner;
  }

  private betweenInterchanges(): boolean {
    const { text, atEnd } = this.input;
    const passed = passBlanks(text, this.place);
    if (passed.bom) this.notes.add('byte_order_mark');
    this.place = passed.place;
    const { at, line } = this.place;
    const isFirst = this.interchanges === 0 && this.stray === null;
    if (isFirst && passed.blanks) this.notes.add('blanks_before_isa');
    if (at === text.length) return atEnd && this.finish();
    if (text.length - at < ISA_WINDOW_BYTES && !atEnd) return false;
    if (beginsInterchange(text, at)) return this.openInterchange();
    if (isFirst) {
      if (text.length - at < OPENING_BYTES && !atEnd) return false;
      this.unreadable = fileProblem(text, this.place, this.byteAt(at));
      if (this.unreadable !== null) return false;
    }
    return this.passStray(at, line);
  }

  /** Passes text outside any interchange up to the next ISA; the first of it is kept to be shown. */
  private passStray(from: number, line: number): boolean {
    const { text, atEnd } = this.input;
    const found = nextInterchange(text, from + 1);
    const isSure = found !== -1 && (atEnd || found + ISA_LOOKAHEAD_BYTES <= text.length);
    const to = isSure ? found : atEnd ? text.length : Math.max(from, text.length - ISA_LOOKAHEAD_BYTES);
    if (to === from) return false;
    const excerpt = text.slice(from, Math.min(to, from + EXCERPT_BYTES));
    const byteTo = this.byteAt(to);
    this.stray =
      this.stray === null
        ? { byteFrom: this.byteAt(from), byteTo, line: line + 1, text: shown(excerpt, this.input.fallback) }
        : { ...this.stray, byteTo };
    this.place = { at: to, line: line + countLineFeeds(text, from, to) };
    return true;
  }

  private finish(): boolean {
    const { text } = this.input;
    if (this.interchanges === 0) {
      this.unreadable = { code: 'empty_file', bytes: this.byteAt(text.length) };
      return false;
    }
    if (this.stray !== null) this.endProblem = this.tellStray(this.stray);
    this.isFinished = true;
    return false;
  }

  private tellStray({ byteFrom, byteTo, line, text }: StrayText): EnvelopeProblem {
    const place = { ...placeholder(byteFrom, line), byteTo };
    return describeX12Problem({ code: 'stray_text', text, bytes: byteTo - byteFrom }, place);
  }

  private openInterchange(): boolean {
    const { text, policy, fallback } = this.input;
    const { at, line } = this.place;
    if (policy.broken === 'interchange' && this.verdict === null && this.judging === null) {
      this.judging = { byte: this.byteAt(at), line, stray: this.stray, fault: null };
    }
    const window = text.slice(at, at + ISA_WINDOW_BYTES);
    const isa = readIsa(window);
    const reading = readingOf(isa.elements.join(''), fallback);
    const header: Segment = {
      tag: 'ISA',
      elements: isa.elements.map((element) => textOf(element, reading)),
      number: 0,
      line: line + 1,
      byteFrom: this.byteAt(at),
      byteTo: this.byteAt(at + isa.to),
    };
    for (const note of isa.notes) this.notes.add(note);
    if (reading.note !== null) this.notes.addText(reading.note);
    this.interchanges++;
    this.group = null;
    this.passing = null;
    this.scanner = null;
    this.open = { header, delimiters: isa.delimiters, groups: 0, unexpected: [], unexpectedCount: 0 };
    const findings: Finding[] = [];
    if (isa.fault !== null) findings.push({ problem: this.readable(isa.fault), segment: header });
    else findings.push(...this.judgeIsa(header));
    const problems = tellAll(findings, this.input.limits.problemsMax);
    this.fault(problems);
    if (this.stray !== null) problems.unshift(this.tellStray(this.stray));
    this.stray = null;
    this.push({ fact: { kind: 'interchange', ref: this.ref(0, 0), header, problems } });
    const to = at + isa.to;
    this.place = { at: to, line: line + this.linesIn(at, to) };
    return true;
  }

  private judgeIsa(header: Segment): Finding[] {
    const findings = judgeHeader('interchange', header);
    const off = ISA_WIDTHS.findIndex((wanted, index) => characters(header, index) !== wanted);
    if (off === -1) return findings;
    this.notes.add('isa_width');
    if (this.input.policy.width === 'tolerant') return findings;
    const text = String(header.elements[off]);
    const wanted = ISA_WIDTHS[off] ?? 0;
    const problem: X12Problem = { code: 'isa_width', element: off + 1, wanted, found: characters(header, off), text };
    return [...findings, { problem, segment: header }];
  }

  /** Delimiters of a fault as a person reads them. */
  private readable(problem: X12Problem): X12Problem {
    if (!('found' in problem) || typeof problem.found !== 'string') return problem;
    return { ...problem, found: shown(problem.found, this.input.fallback) } as X12Problem;
  }

  private takeNext(scanner: SegmentScanner): boolean {
    const found = scanner.next(this.place);
    switch (found.kind) {
      case 'more':
        return false;
      case 'end':
        this.place = found.place;
        return this.input.atEnd && this.closeAll(null);
      case 'isa':
        this.place = found.place;
        return this.closeAll('ISA');
      case 'too_long':
        return this.passTooLong(scanner, found.from, found.line);
      case 'segment':
        return this.take(scanner, found);
    }
  }

  private take(scanner: SegmentScanner, found: FoundSegment): boolean {
    if (!found.terminated && found.next.at === this.input.text.length) this.notes.add('last_terminator_absent');
    switch (found.tag) {
      case 'GS':
        if (this.group !== null) return this.closeGroup(null, 'GS', startOf(found));
        return this.openGroup(found);
      case 'GE':
        if (this.group !== null) return this.closeGroup(found, 'GE', found.next);
        return this.passUnexpected(found, { code: 'header_missing', level: 'group', found: 'GE' });
      case 'IEA':
        if (this.group !== null) return this.closeGroup(null, 'IEA', startOf(found));
        return this.closeInterchange(found, 'IEA', found.next);
      case 'ST':
        return this.takeSet(scanner, found);
      case 'TA1':
        if (this.group !== null) return this.passUnexpected(found, { code: 'unexpected_segment', tag: 'TA1' });
        this.notes.add('interchange_acknowledgments');
        this.place = found.next;
        return true;
      default:
        return this.takeHeadless(scanner, found);
    }
  }

  private openGroup(found: FoundSegment): boolean {
    const header = this.segment(found, 0);
    if (this.open !== null) this.open = { ...this.open, groups: this.open.groups + 1 };
    this.group = { header, sets: 0, unexpected: [], unexpectedCount: 0 };
    const problems = tellAll(judgeHeader('group', header), this.input.limits.problemsMax);
    this.fault(problems);
    this.push({ fact: { kind: 'group', ref: this.ref(this.groupNumber, 0), header, problems } });
    this.place = found.next;
    return true;
  }

  private takeSet(scanner: SegmentScanner, first: FoundSegment): boolean {
    const scanned = scanSet(scanner, first, this.input.limits);
    if (scanned === null) return false;
    return this.keepSet(scanned);
  }

  /** Segments without an ST before them: a set when SE closes them, else so much that is out of place. */
  private takeHeadless(scanner: SegmentScanner, first: FoundSegment): boolean {
    if (this.group === null) return this.passUnexpected(first, { code: 'unexpected_segment', tag: first.tag });
    const scanned = scanSet(scanner, first, this.input.limits);
    if (scanned === null) return false;
    if (scanned.end.kind !== 'missing') return this.keepSet(scanned);
    return this.passUnexpected(first, { code: 'unexpected_segment', tag: first.tag }, scanned.next);
  }

  private keepSet(scanned: NonNullable<ReturnType<typeof scanSet>>): boolean {
    const { text, byteBase, limits, policy, fallback } = this.input;
    const { open, group } = this;
    if (open === null || open.delimiters === null) throw new Error('a set stands inside an interchange');
    const set = (group?.sets ?? 0) + 1;
    const built = buildSet(
      {
        text,
        byteBase,
        delimiters: open.delimiters,
        fallback,
        policy,
        limits,
        header: group === null ? [open.header] : [open.header, group.header],
        inGroup: group !== null,
        ref: this.ref(group === null ? 0 : this.groupNumber, set),
        verdict: this.verdict?.fault ?? null,
      },
      scanned,
    );
    if (group !== null) this.group = { ...group, sets: set };
    if (built.reading.note !== null) this.notes.addText(built.reading.note);
    if (built.seen.breaks) this.notes.add('breaks_in_segments');
    if (built.seen.repeated) this.notes.add('repeated_elements');
    if (built.excused !== null) this.noteExcused([built.excused]);
    this.fault(built.set.problems);
    this.push({ set: built.set });
    this.place = scanned.next;
    this.passing = scanned.passing;
    return true;
  }

  private passTooLong(scanner: SegmentScanner, from: number, line: number): boolean {
    const { text, limits } = this.input;
    const tag = text.slice(from, from + 3).split(this.open?.delimiters?.element ?? '*')[0] ?? '';
    const to = from + limits.segmentBytesMax;
    const segment = { ...placeholder(this.byteAt(from), line), tag };
    this.unexpected({ code: 'segment_too_large', tag, bytesMax: limits.segmentBytesMax }, segment);
    this.place = { at: to, line: scanner.lineAt(from, to, line - 1) };
    this.passing = 'segment';
    return true;
  }

  private passUnexpected(found: FoundSegment, problem: X12Problem, next: Place = found.next): boolean {
    this.unexpected(problem, this.segment(found, 0));
    this.place = next;
    return true;
  }

  /** Kept until the trailer of what is open: facts of envelopes are told in the order of the file. */
  private unexpected(problem: X12Problem, segment: Segment): void {
    const told = describeX12Problem(problem, segment);
    const envelope = this.group ?? this.open;
    if (envelope === null) return;
    const { unexpected, unexpectedCount } = envelope;
    const kept = unexpected.length < this.input.limits.problemsMax ? [...unexpected, told] : unexpected;
    const changed = { unexpected: kept, unexpectedCount: unexpectedCount + 1 };
    if (this.group !== null) this.group = { ...this.group, ...changed };
    else if (this.open !== null) this.open = { ...this.open, ...changed };
  }

  /** Passes over the rest of what is too large, to where something else begins. */
  private pass(scanner: SegmentScanner, passing: 'segment' | 'set'): boolean {
    if (passing === 'segment') {
      const next = scanner.afterTerminator(this.place);
      if (next === null) return this.passAlong(scanner);
      this.place = next;
      this.passing = 'set';
      return true;
    }
    const found = scanner.next(this.place);
    if (found.kind === 'more') return false;
    if (found.kind === 'too_long') {
      this.passing = 'segment';
      this.place = { at: found.from, line: found.line - 1 };
      return true;
    }
    if (found.kind === 'segment' && !endsSet(found.tag)) {
      if (found.tag === 'SE') this.passing = null;
      this.place = found.next;
      return true;
    }
    if (found.kind === 'end') {
      this.place = found.place;
      if (!this.input.atEnd) return false;
    }
    this.passing = null;
    return true;
  }

  private passAlong(scanner: SegmentScanner): boolean {
    const to = Math.max(this.place.at, this.input.text.length - ISA_LOOKAHEAD_BYTES);
    this.place = { at: to, line: scanner.lineAt(this.place.at, to, this.place.line) };
    return false;
  }

  /** @param found tag in the place of the trailers; null at the end of the file */
  private closeAll(found: 'ISA' | null): boolean {
    if (this.group !== null) return this.closeGroup(null, found, this.place);
    return this.closeInterchange(null, found, this.place);
  }

  private closeGroup(trailer: FoundSegment | null, found: string | null, next: Place): boolean {
    const { group } = this;
    if (group === null) throw new Error('a group is open where it is closed');
    const findings =
      trailer === null
        ? [this.missing('group', found, next)]
        : this.lenient(judgeTrailer('group', group.header, this.segment(trailer, 0), group.sets));
    const problems = this.closing(group, findings);
    this.push({ fact: { kind: 'group_end', ref: this.ref(this.groupNumber, 0), counted: group.sets, problems } });
    this.group = null;
    this.place = next;
    return true;
  }

  private closeInterchange(trailer: FoundSegment | null, found: string | null, next: Place): boolean {
    const { open } = this;
    if (open === null) throw new Error('an interchange is open where it is closed');
    const findings =
      trailer === null
        ? [this.missing('interchange', found, next)]
        : this.lenient(judgeTrailer('interchange', open.header, this.segment(trailer, 0), open.groups));
    const problems = this.closing(open, findings);
    this.endInterchange(open.groups, problems, next);
    return true;
  }

  private endInterchange(counted: number, problems: EnvelopeProblem[], next: Place): void {
    this.push({ fact: { kind: 'interchange_end', ref: this.ref(0, 0), counted, problems } });
    this.open = null;
    this.scanner = null;
    this.verdict = null;
    this.place = next;
    if (this.judging !== null) this.readAgain(this.judging);
  }

  private readAgain({ byte, line, stray, fault }: Judging): void {
    this.place = { at: byte - this.input.byteBase, line };
    this.stray = stray;
    this.interchanges--;
    this.verdict = { fault };
    this.judging = null;
  }

  private missing(level: 'group' | 'interchange', found: string | null, { at, line }: Place): Finding {
    const problem: X12Problem = { code: 'trailer_missing', level, found };
    return { problem, segment: placeholder(this.byteAt(at), line + 1) };
  }

  /** Without wrong counts, where the partner is allowed them. */
  private lenient(findings: Finding[]): Finding[] {
    if (this.input.policy.counts === 'strict') return findings;
    const excused = findings.filter(({ problem }) => problem.code === 'count_wrong');
    this.noteExcused(excused);
    return findings.filter((finding) => !excused.includes(finding));
  }

  private noteExcused(findings: readonly Finding[]): void {
    for (const { problem, segment } of findings) {
      const { message, at } = describeX12Problem(problem, segment);
      this.notes.addText(`Accepted although wrong, in line ${at.line}: ${message}`);
    }
  }

  private closing(envelope: OpenInterchange | OpenGroup, findings: readonly Finding[]): EnvelopeProblem[] {
    const problems = [...envelope.unexpected];
    const rest = envelope.unexpectedCount - envelope.unexpected.length;
    if (rest > 0) problems.push(describeX12Problem({ code: 'more_problems', count: rest }, envelope.header));
    problems.push(...tellAll(findings, this.input.limits.problemsMax));
    this.fault(problems);
    return problems;
  }

  /** Passes over an interchange whose delimiters cannot be told, up to the next ISA. */
  private passRefused(open: OpenInterchange): boolean {
    const { text, atEnd } = this.input;
    const { at, line } = this.place;
    const found = nextInterchange(text, at);
    const isSure = found !== -1 && (atEnd || found + ISA_LOOKAHEAD_BYTES <= text.length);
    const to = isSure ? found : atEnd ? text.length : Math.max(at, text.length - ISA_LOOKAHEAD_BYTES);
    const place = { at: to, line: line + countLineFeeds(text, at, to) };
    if (isSure || atEnd) this.endInterchange(open.groups, [], place);
    else this.place = place;
    return isSure || atEnd;
  }

  private segment(found: FoundSegment, number: number): Segment {
    const { text, byteBase, fallback } = this.input;
    const delimiters = this.open?.delimiters;
    if (delimiters === null || delimiters === undefined) throw new Error('segments stand inside an interchange');
    const units = text.slice(found.from, found.to);
    const reading = readingOf(units, fallback);
    if (reading.note !== null) this.notes.addText(reading.note);
    const split = splitOf(units, delimiters, reading, byteBase);
    const segment = splitSegment(text, found, number, split);
    if (split.seen.breaks) this.notes.add('breaks_in_segments');
    return segment;
  }

  private push(part: SegmentPart): void {
    if (this.judging === null) this.parts.push(part);
  }

  /** The first fault of an interchange that is judged is what its sets are told. */
  private fault(problems: readonly EnvelopeProblem[]): void {
    const [first] = problems;
    if (this.judging !== null && this.judging.fault === null && first !== undefined) {
      this.judging = { ...this.judging, fault: first };
    }
  }

  private get groupNumber(): number {
    return this.open?.groups ?? 0;
  }

  private ref(group: number, set: number): SetRef {
    return { interchange: this.interchanges, group, set };
  }

  private byteAt(at: number): number {
    return this.input.byteBase + at;
  }

  private linesIn(from: number, to: number): number {
    const lineBreak = this.open?.delimiters?.lineBreak ?? '\n';
    return this.input.text.slice(from, to).split(lineBreak).length - 1;
  }
}

const startOf = (found: FoundSegment): Place => ({ at: found.from, line: found.line - 1 });

const characters = ({ elements }: Segment, index: number): number => [...String(elements[index] ?? '')].length;

function countLineFeeds(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
