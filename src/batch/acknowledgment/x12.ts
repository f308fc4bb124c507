/**
 * The functional acknowledgment of X12: 997, or 999 on request, one per group, with TA1 if the interchange wants it.
 * It reports what was done, not what might have been: under a wrong count the well-formed sets are accepted, and the
 * count is noted as well. Pure.
 */
import { elementText } from '../../formats/segments/segment.ts';
import { writtenMoment } from '../../formats/segments/write.ts';
import { controlNumber, isaText, OUR_DELIMITERS, segmentText } from '../../formats/x12/write.ts';
import type { Audited, QuotedProblem, QuotedSegment, SetAcknowledgment } from './set-outcomes.ts';
import { codesOf, setLines, type X12AcknowledgmentKind } from './x12-segments.ts';

/* One functional group of an acknowledgment for each received: AK1, its sets, AK9. */

/** 999 exists since 005010; all its senders name this guide. */
const VERSION_999 = '005010X231A1';
/** ISA12 of an interchange with a 999. */
const INTERCHANGE_VERSION_999 = '00501';
/** GS01 of 997 and 999. */
const ACKNOWLEDGMENTS = 'FA';
/** GS08 when neither group nor interchange names a version. Ours: the most common one. */
const VERSION_USUAL = '004010';
const INTERCHANGE_VERSION = /^\d{5}$/;
/** AK902 is a number of up to six digits. */
const COUNT = /^\d{1,6}$/;
/** AK905 to AK909. */
const GROUP_CODES_MAX = 5;

/**
 * GS06 has up to nine digits: those of the interchange's own number, with room for this many groups. Ours: most have
 * one.
 */
const GROUPS_PER_NUMBER = 1_000;
const GROUP_NUMBERS = 1_000_000_000;

/**
 * GS06 of one of our groups: a receiver refuses a second group under the number of an earlier one.
 * @param control own number of the interchange. @param group from 1.
 */
export const groupNumber = (control: number, group: number): number =>
  (control * GROUPS_PER_NUMBER + group) % GROUP_NUMBERS;

/** A group being answered. */
interface ReceivedGroup {
  header: QuotedSegment;
  /** Own number of the group. */
  number: number;
  problems: QuotedProblem[];
  /** Segments written of the set, including ST. */
  segments: number;
  rejected: number;
  /** Accepted sets in which something was wrong. */
  withErrors: number;
}

/** Acknowledgments are not acknowledged. */
const isAcknowledgment = ({ header }: { header: QuotedSegment }): boolean =>
  elementText(header, 1, null).trim() === ACKNOWLEDGMENTS;

const SET = '0001';

/** @param around ISA. @returns what comes before its sets, and the group. */
function openGroup(
  around: QuotedSegment,
  { header, problems }: Pick<ReceivedGroup, 'header'> & { problems: readonly QuotedProblem[] },
  kind: X12AcknowledgmentKind,
  number: number,
  nowMs: number,
): { group: ReceivedGroup; text: string } {
  const text = (element: number): string => elementText(header, element, null).trim();
  const { date, time } = writtenMoment(nowMs);
  const [sender, receiver] = [text(3) || elementText(around, 8, null), text(2) || elementText(around, 6, null)];
  const version = kind === '999' ? VERSION_999 : text(8) || versionOf(around);
  const opening = [
    segmentText('GS', [ACKNOWLEDGMENTS, sender, receiver, date, time, String(number), 'X', version]),
    segmentText('ST', [kind, SET, ...(kind === '999' ? [VERSION_999] : [])]),
    segmentText('AK1', [text(1), text(6), ...(kind === '999' ? [text(8)] : [])]),
  ];
  const group = { header, number, problems: [...problems], segments: 2, rejected: 0, withErrors: 0 };
  return { group, text: opening.join('') };
}

/** @returns the report on the set. */
function addSet(group: ReceivedGroup, set: SetAcknowledgment, kind: X12AcknowledgmentKind): string {
  const lines = setLines(set, kind);
  group.segments += lines.length;
  if (set.outcome === 'rejected') group.rejected += 1;
  if (set.outcome === 'with_errors') group.withErrors += 1;
  return lines.join('');
}

/** The count in the trailer, as written, and our count. */
interface GroupCounts {
  stated: string;
  received: number;
}

/** @returns what comes after its sets. */
function closeGroup(group: ReceivedGroup, { stated, received }: GroupCounts): string {
  const included = COUNT.test(stated) ? String(Number(stated)) : String(received);
  const ak9 = segmentText('AK9', [
    groupOutcome(group, received),
    ...[included, String(received), String(received - group.rejected)],
    ...codesOf(group.problems, 'AK905', GROUP_CODES_MAX),
  ]);
  const se = segmentText('SE', [String(group.segments + 2), SET]);
  return ak9 + se + segmentText('GE', ['1', String(group.number)]);
}

/** ISA12 00501 is the version 005010. */
function versionOf(around: QuotedSegment): string {
  const version = elementText(around, 12, null).trim();
  return INTERCHANGE_VERSION.test(version) ? `${version}0` : VERSION_USUAL;
}

function groupOutcome({ rejected, withErrors, problems }: ReceivedGroup, received: number): string {
  if (rejected === received && (received > 0 || problems.length > 0)) return 'R';
  if (rejected > 0) return 'P';
  return withErrors > 0 || problems.length > 0 ? 'E' : 'A';
}

/* What must be known of an X12 interchange before its answer begins: whether it gets a TA1, and which. */

/** A fault of the interchange itself, for TA1: its own code and the standard's. */
interface InterchangeFault {
  code: string;
  standard: string;
}

/** TA104: accepted, accepted with errors, or rejected. */
type Outcome = 'A' | 'E' | 'R';

interface InterchangeOutcome {
  /** TA104 and TA105; null: no TA1 is wanted. */
  ta1: { outcome: Outcome; code: string } | null;
  /** Groups that are answered. */
  groups: number;
}

interface Tally {
  header: QuotedSegment;
  first: InterchangeFault | undefined;
  /** The first TA105 code among them. */
  told: string | undefined;
  /** Sets that were not refused. */
  taken: number;
  /** Sets refused outside any group, which only TA1 can report. */
  loose: number;
  groups: number;
}

/** @returns one for each interchange, in order; null for one without an end. */
async function* interchangeOutcomes(
  validated: AsyncIterable<Audited>,
): AsyncGenerator<InterchangeOutcome | null, undefined> {
  let tally: Tally | null = null;
  let group: { isOwn: boolean; rejected: number } | null = null;
  for await (const each of validated) {
    switch (each.kind) {
      case 'interchange':
        if (tally !== null) yield null;
        tally = { header: each.header, first: undefined, told: undefined, taken: 0, loose: 0, groups: 0 };
        report(tally, each.problems);
        group = null;
        break;
      case 'group':
        group = { isOwn: isAcknowledgment(each), rejected: 0 };
        break;
      case 'set': {
        const { outcome, faults } = each.verdict;
        if (group !== null) group.rejected += outcome === 'rejected' ? 1 : 0;
        else if (tally !== null) {
          tally.loose += 1;
          report(
            tally,
            faults.map(({ problem, standard }) => ({ code: problem.code, standard })),
          );
        }
        break;
      }
      case 'unopened':
        if (group !== null) group.rejected += 1;
        break;
      case 'group_end':
        if (group !== null && tally !== null) {
          tally.taken += group.isOwn ? each.counted : each.counted - group.rejected;
          tally.groups += group.isOwn ? 0 : 1;
        }
        group = null;
        break;
      case 'interchange_end':
        if (tally !== null) {
          report(tally, each.problems);
          yield { ta1: ta1Of(tally), groups: tally.groups };
        }
        tally = null;
        break;
    }
  }
}

function report(tally: Tally, faults: readonly InterchangeFault[]): void {
  tally.first ??= faults[0];
  tally.told ??= codesOf(faults, 'TA1', 1)[0];
}

/**
 * ISA14: 1 wanted; some partners write 2 (only when rejected) or 3 (rejected or with errors), both unverified. Else:
 * faults are reported.
 */
function ta1Of(tally: Tally): InterchangeOutcome['ta1'] {
  const outcome = outcomeOf(tally);
  const ta1 = { outcome, code: tally.told ?? fallbackCode(tally.first) };
  switch (elementText(tally.header, 14, null).trim()) {
    case '1':
      return ta1;
    case '2':
      return outcome === 'R' || tally.loose > 0 ? ta1 : null;
    default:
      return outcome === 'A' ? null : ta1;
  }
}

/** Rejected: nothing was accepted though something might have been, and the interchange itself is at fault. */
function outcomeOf({ first, taken }: Tally): Outcome {
  if (first === undefined) return 'A';
  return taken > 0 ? 'E' : 'R';
}

/** TA105: nothing is wrong; the structure is, or its contents, if the list has nothing more exact. */
const NOTHING_WRONG = '000';
const STRUCTURE = '022';
const CONTENT = '024';

function fallbackCode(first: InterchangeFault | undefined): string {
  if (first === undefined) return NOTHING_WRONG;
  return first.code === 'text_outside_interchange' ? CONTENT : STRUCTURE;
}

/** TA105 of one fault. */
const ta1Code = (fault: InterchangeFault): string => codesOf([fault], 'TA1', 1)[0] ?? fallbackCode(fault);

/** An interchange being answered. @property number our own. */
interface Answered {
  header: QuotedSegment;
  number: number;
  groups: number;
}

/**
 * Written set by set as each is validated, so that nothing is stored of an interchange of any length; its TA1 is
 * determined in an earlier pass.
 * @param judged begins from the first interchange at every call.
 * @param control own interchange control number, one for each interchange of the file, the same at every call.
 */
export async function* x12Acknowledgment(
  validated: () => AsyncIterable<Audited>,
  kind: X12AcknowledgmentKind,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<string> {
  const outcomes = interchangeOutcomes(validated());
  let interchange: Answered | null = null;
  let group: ReceivedGroup | null = null;
  let count = 0;
  for await (const each of validated()) {
    switch (each.kind) {
      case 'interchange': {
        const outcome = (await outcomes.next()).value ?? null;
        count += 1;
        group = null;
        interchange = null;
        if (outcome === null || (outcome.ta1 === null && outcome.groups === 0)) break;
        interchange = { header: each.header, number: await control(count), groups: 0 };
        yield openingText(interchange, outcome, kind, nowMs);
        break;
      }
      case 'group': {
        if (interchange === null || isAcknowledgment(each)) break;
        interchange.groups += 1;
        const number = groupNumber(interchange.number, interchange.groups);
        const opened = openGroup(interchange.header, each, kind, number, nowMs);
        group = opened.group;
        yield opened.text;
        break;
      }
      case 'set':
        if (group !== null) yield addSet(group, each.verdict, kind);
        break;
      case 'unopened':
        if (group !== null) group.rejected += 1;
        break;
      case 'group_end':
        group?.problems.push(...each.problems);
        if (group !== null) yield closeGroup(group, { stated: each.stated, received: each.counted });
        group = null;
        break;
      case 'interchange_end':
        if (interchange !== null) yield closingText(interchange);
        interchange = null;
        break;
    }
  }
}

function openingText(
  { header, number }: Answered,
  { ta1, groups }: InterchangeOutcome,
  kind: X12AcknowledgmentKind,
  nowMs: number,
): string {
  const version = kind === '999' && groups > 0 ? INTERCHANGE_VERSION_999 : interchangeVersion(header);
  return isaBack(header, version, number, nowMs) + (ta1 === null ? '' : ta1Text(header, ta1));
}

const closingText = ({ groups, number }: Pick<Answered, 'groups' | 'number'>): string =>
  segmentText('IEA', [String(groups), controlNumber(number)]);

/** For an interchange refused as a whole, before any of it became a batch. */
export const refusedInterchange = (
  header: QuotedSegment,
  fault: InterchangeFault,
  number: number,
  nowMs: number,
): string =>
  isaBack(header, interchangeVersion(header), number, nowMs) +
  ta1Text(header, { outcome: 'R', code: ta1Code(fault) }) +
  closingText({ groups: 0, number });

const VERSION = /^\d{5}$/;
const INTERCHANGE_VERSION_USUAL = '00401';
const TEST_INDICATOR = /^[PT]$/;

/** ISA12 as received, if it is a version. */
function interchangeVersion(header: QuotedSegment): string {
  const version = elementText(header, 12, null).trim();
  return VERSION.test(version) ? version : INTERCHANGE_VERSION_USUAL;
}

/** Back to the sender: addresses exchanged, our own control number. */
function isaBack(header: QuotedSegment, version: string, number: number, nowMs: number): string {
  const text = (element: number): string => elementText(header, element, null);
  const { date, time } = writtenMoment(nowMs);
  const repetition = version >= '00402' ? OUR_DELIMITERS.repetition : 'U';
  const indicator = TEST_INDICATOR.test(text(15).trim()) ? text(15).trim() : 'P';
  return isaText([
    ...['00', '', '00', '', text(7), text(8), text(5), text(6)],
    ...[date.slice(2), time, repetition, version, controlNumber(number), '0', indicator],
  ]);
}

function ta1Text(header: QuotedSegment, { outcome, code }: NonNullable<InterchangeOutcome['ta1']>): string {
  const text = (element: number): string => elementText(header, element, null).trim();
  return segmentText('TA1', [text(13), text(9), text(10), outcome, code]);
}
