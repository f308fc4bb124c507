/**
 * The functional acknowledgment of X12: 997, or 999 where it is asked for, one per group, with TA1 where the interchange wants it.
 *
 * It says what was done, not what might have been: under a wrong count the sets that were sound are accepted, and the count is
 * noted beside them. Pure.
 */
import { elementText, type Segment } from '../../formats/segments/segment.ts';
import { controlNumber, isaText, OUR_DELIMITERS, segmentText, writtenMoment } from '../../formats/x12/write.ts';
import type { Judged } from './judge.ts';
import {
  addSet,
  closeGroup,
  groupNumber,
  INTERCHANGE_VERSION_999,
  isAcknowledgment,
  openGroup,
  type ReceivedGroup,
} from './x12-group.ts';
import type { X12AcknowledgmentKind } from './x12-lines.ts';
import { type InterchangeFault, type InterchangeOutcome, interchangeOutcomes, ta1Code } from './x12-outcome.ts';

/** An interchange while it is answered. @property number own one. */
interface Answered {
  header: Segment;
  number: number;
  groups: number;
}

/**
 * Written as it is judged, set by set, so that nothing is kept of an interchange of any length; what its TA1 says is found out
 * before, in a reading of its own.
 *
 * @param judged begins from the first interchange at every call.
 * @param control own interchange control number, one for each interchange of the file, the same at every call.
 */
export async function* x12Acknowledgment(
  judged: () => AsyncIterable<Judged>,
  kind: X12AcknowledgmentKind,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<string> {
  const outcomes = interchangeOutcomes(judged());
  let interchange: Answered | null = null;
  let group: ReceivedGroup | null = null;
  let count = 0;
  for await (const each of judged()) {
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
  const version = kind === '999' && groups > 0 ? INTERCHANGE_VERSION_999 : versionOf(header);
  return isaBack(header, version, number, nowMs) + (ta1 === null ? '' : ta1Text(header, ta1));
}

const closingText = ({ groups, number }: Pick<Answered, 'groups' | 'number'>): string =>
  segmentText('IEA', [String(groups), controlNumber(number)]);

/** An interchange that was refused as a whole, before any of it became a batch. */
export const refusedInterchange = (header: Segment, fault: InterchangeFault, number: number, nowMs: number): string =>
  isaBack(header, versionOf(header), number, nowMs) +
  ta1Text(header, { outcome: 'R', code: ta1Code(fault) }) +
  closingText({ groups: 0, number });

const VERSION = /^\d{5}$/;
const VERSION_USUAL = '00401';
const TEST_INDICATOR = /^[PT]$/;

/** ISA12 as received, where it is a version. */
function versionOf(header: Segment): string {
  const version = elementText(header, 12, null).trim();
  return VERSION.test(version) ? version : VERSION_USUAL;
}

/** Back to its sender: addresses exchanged, our own control number. */
function isaBack(header: Segment, version: string, number: number, nowMs: number): string {
  const text = (element: number): string => elementText(header, element, null);
  const { date, time } = writtenMoment(nowMs);
  const repetition = version >= '00402' ? OUR_DELIMITERS.repetition : 'U';
  const indicator = TEST_INDICATOR.test(text(15).trim()) ? text(15).trim() : 'P';
  return isaText([
    ...['00', '', '00', '', text(7), text(8), text(5), text(6)],
    ...[date.slice(2), time, repetition, version, controlNumber(number), '0', indicator],
  ]);
}

function ta1Text(header: Segment, { outcome, code }: NonNullable<InterchangeOutcome['ta1']>): string {
  const text = (element: number): string => elementText(header, element, null).trim();
  return segmentText('TA1', [text(13), text(9), text(10), outcome, code]);
}
