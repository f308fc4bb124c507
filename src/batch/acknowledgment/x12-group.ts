/** One functional group of an acknowledgment for each that was received: AK1, its sets, AK9. Pure. */
import { type EnvelopeProblem, elementText, type Segment } from '../../formats/segments/segment.ts';
import { segmentText, writtenMoment } from '../../formats/x12/write.ts';
import type { SetVerdict } from './judge.ts';
import { codesOf, setLines, type X12AcknowledgmentKind } from './x12-lines.ts';

/** 999 exists since 005010, under the guide that all its senders name. */
const VERSION_999 = '005010X231A1';
/** ISA12 of an interchange that holds one. */
export const INTERCHANGE_VERSION_999 = '00501';
/** GS01 of 997 and 999. */
const ACKNOWLEDGMENTS = 'FA';
/** GS08 where neither group nor interchange names a version. Ours: the one that most partners write. */
const VERSION_USUAL = '004010';
const INTERCHANGE_VERSION = /^\d{5}$/;
/** AK902 is a number of up to six digits. */
const COUNT = /^\d{1,6}$/;
/** AK905 to AK909. */
const GROUP_CODES_MAX = 5;

/** GS06 has up to nine digits: those of the interchange's own number, with room for this many groups. Ours: most have one. */
const GROUPS_PER_NUMBER = 1_000;
const GROUP_NUMBERS = 1_000_000_000;

/**
 * GS06 of one of our groups: a receiver refuses a second group under the number of an earlier one.
 *
 * @param control own number of the interchange. @param group from 1.
 */
export const groupNumber = (control: number, group: number): number =>
  (control * GROUPS_PER_NUMBER + group) % GROUP_NUMBERS;

/** A group while it is answered. */
export interface ReceivedGroup {
  header: Segment;
  /** Own number of the group. */
  number: number;
  problems: EnvelopeProblem[];
  /** Segments written of the set, ST among them. */
  segments: number;
  rejected: number;
  /** Accepted ones in which something was wrong. */
  withErrors: number;
}

/** Acknowledgments are not acknowledged. */
export const isAcknowledgment = ({ header }: { header: Segment }): boolean =>
  elementText(header, 1, null).trim() === ACKNOWLEDGMENTS;

const SET = '0001';

/** @param around ISA. @returns what stands before its sets, and the group. */
export function openGroup(
  around: Segment,
  { header, problems }: Pick<ReceivedGroup, 'header'> & { problems: readonly EnvelopeProblem[] },
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

/** @returns what is told of the set. */
export function addSet(group: ReceivedGroup, verdict: SetVerdict, kind: X12AcknowledgmentKind): string {
  const lines = setLines(verdict, kind);
  group.segments += lines.length;
  if (verdict.outcome === 'rejected') group.rejected += 1;
  if (verdict.outcome === 'with_errors') group.withErrors += 1;
  return lines.join('');
}

/** What the trailer says there is, as written, and what was counted. */
export interface GroupCounts {
  stated: string;
  received: number;
}

/** @returns what stands behind its sets. */
export function closeGroup(group: ReceivedGroup, { stated, received }: GroupCounts): string {
  const included = COUNT.test(stated) ? String(Number(stated)) : String(received);
  const ak9 = segmentText('AK9', [
    outcomeOf(group, received),
    ...[included, String(received), String(received - group.rejected)],
    ...codesOf(group.problems, 'AK905', GROUP_CODES_MAX),
  ]);
  const se = segmentText('SE', [String(group.segments + 2), SET]);
  return ak9 + se + segmentText('GE', ['1', String(group.number)]);
}

/** ISA12 00501 is the version 005010. */
function versionOf(around: Segment): string {
  const version = elementText(around, 12, null).trim();
  return INTERCHANGE_VERSION.test(version) ? `${version}0` : VERSION_USUAL;
}

function outcomeOf({ rejected, withErrors, problems }: ReceivedGroup, received: number): string {
  if (rejected === received && (received > 0 || problems.length > 0)) return 'R';
  if (rejected > 0) return 'P';
  return withErrors > 0 || problems.length > 0 ? 'E' : 'A';
}
