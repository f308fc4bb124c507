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

export interface ReceivedGroup {
  header: Segment;
  problems: EnvelopeProblem[];
  lines: string[];
  rejected: number;
  /** Accepted ones in which something was wrong. */
  withErrors: number;
}

export const groupOf = (header: Segment, problems: readonly EnvelopeProblem[]): ReceivedGroup => ({
  ...{ header, problems: [...problems], lines: [], rejected: 0, withErrors: 0 },
});

/** Acknowledgments are not acknowledged. */
export const isAcknowledgment = ({ header }: ReceivedGroup): boolean =>
  elementText(header, 1, null).trim() === ACKNOWLEDGMENTS;

export function addSet(group: ReceivedGroup, verdict: SetVerdict, kind: X12AcknowledgmentKind): void {
  group.lines.push(...setLines(verdict, kind));
  if (verdict.outcome === 'rejected') group.rejected += 1;
  if (verdict.outcome === 'with_errors') group.withErrors += 1;
}

/** What the trailer says there is, as written, and what was counted. */
export interface GroupCounts {
  stated: string;
  received: number;
}

/** @param around ISA. @param number own control number of the group. */
export function groupText(
  { around, group }: { around: Segment; group: ReceivedGroup },
  { stated, received }: GroupCounts,
  kind: X12AcknowledgmentKind,
  number: number,
  nowMs: number,
): string {
  const text = (element: number): string => elementText(group.header, element, null).trim();
  const { date, time } = writtenMoment(nowMs);
  const set = '0001';
  const included = COUNT.test(stated) ? String(Number(stated)) : String(received);
  const ak1 = segmentText('AK1', [text(1), text(6), ...(kind === '999' ? [text(8)] : [])]);
  const ak9 = segmentText('AK9', [
    outcomeOf(group, received),
    ...[included, String(received), String(received - group.rejected)],
    ...codesOf(group.problems, 'AK905', GROUP_CODES_MAX),
  ]);
  const body = [ak1, ...group.lines, ak9];
  const [sender, receiver] = [text(3) || elementText(around, 8, null), text(2) || elementText(around, 6, null)];
  const version = kind === '999' ? VERSION_999 : text(8) || versionOf(around);
  return [
    segmentText('GS', [ACKNOWLEDGMENTS, sender, receiver, date, time, String(number), 'X', version]),
    segmentText('ST', [kind, set, ...(kind === '999' ? [VERSION_999] : [])]),
    ...body,
    segmentText('SE', [String(body.length + 2), set]),
    segmentText('GE', ['1', String(number)]),
  ].join('');
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
