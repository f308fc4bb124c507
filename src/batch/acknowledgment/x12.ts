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
  groupNumber,
  groupOf,
  groupText,
  INTERCHANGE_VERSION_999,
  isAcknowledgment,
  type ReceivedGroup,
} from './x12-group.ts';
import { codesOf, type X12AcknowledgmentKind } from './x12-lines.ts';

/** What TA1 is told of: a fault of the interchange itself, by its own code and the standard's. */
interface InterchangeFault {
  code: string;
  standard: string;
}

interface Interchange {
  header: Segment;
  faults: InterchangeFault[];
  groups: string[];
  /** Sets of it that were not refused. */
  taken: number;
  /** Sets that were refused outside of any group, where only TA1 can tell of them. */
  loose: number;
}

type Outcome = 'A' | 'E' | 'R';

/**
 * @param control own interchange control number, one for each interchange of the file, the same at every call.
 * @returns the text of one interchange after the other.
 */
export async function* x12Acknowledgment(
  judged: AsyncIterable<Judged>,
  kind: X12AcknowledgmentKind,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<string> {
  let interchange: Interchange | null = null;
  let group: ReceivedGroup | null = null;
  let count = 0;
  for await (const each of judged) {
    switch (each.kind) {
      case 'interchange':
        interchange = { header: each.header, faults: [...each.problems], groups: [], taken: 0, loose: 0 };
        group = null;
        count += 1;
        break;
      case 'group':
        group = groupOf(each.header, each.problems);
        break;
      case 'set':
        if (group !== null) addSet(group, each.verdict, kind);
        else if (interchange !== null) {
          interchange.loose += 1;
          const faults = each.verdict.faults.map(({ problem, standard }) => ({ code: problem.code, standard }));
          interchange.faults.push(...faults);
        }
        break;
      case 'unopened':
        if (group !== null) group.rejected += 1;
        break;
      case 'group_end':
        if (group !== null && interchange !== null) {
          group.problems.push(...each.problems);
          const { counted: received, stated } = each;
          interchange.taken += isAcknowledgment(group) ? received : received - group.rejected;
          if (!isAcknowledgment(group)) {
            const place = { around: interchange.header, group };
            const number = groupNumber(await control(count), interchange.groups.length + 1);
            interchange.groups.push(groupText(place, { stated, received }, kind, number, nowMs));
          }
        }
        group = null;
        break;
      case 'interchange_end':
        if (interchange !== null) {
          interchange.faults.push(...each.problems);
          const answers = wantsTa1(interchange) || interchange.groups.length > 0;
          if (answers) yield interchangeText(interchange, kind, await control(count), nowMs);
        }
        interchange = null;
        break;
    }
  }
}

/** Nothing of it was taken though something might have been, and the interchange itself is at fault. */
function outcomeOf({ faults, taken }: Interchange): Outcome {
  if (faults.length === 0) return 'A';
  return taken > 0 ? 'E' : 'R';
}

/** ISA14: 1 wanted; some partners write 2 (only when rejected) or 3 (rejected or with errors), both unverified. Else: faults are told. */
function wantsTa1(interchange: Interchange): boolean {
  const outcome = outcomeOf(interchange);
  switch (elementText(interchange.header, 14, null).trim()) {
    case '1':
      return true;
    case '2':
      return outcome === 'R' || interchange.loose > 0;
    default:
      return outcome !== 'A';
  }
}

function interchangeText(
  interchange: Interchange,
  kind: X12AcknowledgmentKind,
  control: number,
  nowMs: number,
): string {
  const { header, faults, groups } = interchange;
  const version = kind === '999' && groups.length > 0 ? INTERCHANGE_VERSION_999 : versionOf(header);
  const ta1 = wantsTa1(interchange) ? ta1Text(header, outcomeOf(interchange), faults) : '';
  const inner = { text: ta1 + groups.join(''), groups: groups.length };
  return enveloped(header, inner, version, control, nowMs);
}

/** An interchange that was refused as a whole, before any of it became a batch. */
export const refusedInterchange = (header: Segment, fault: InterchangeFault, control: number, nowMs: number): string =>
  enveloped(header, { text: ta1Text(header, 'R', [fault]), groups: 0 }, versionOf(header), control, nowMs);

const VERSION = /^\d{5}$/;
const VERSION_USUAL = '00401';
const TEST_INDICATOR = /^[PT]$/;

/** ISA12 as received, where it is a version. */
function versionOf(header: Segment): string {
  const version = elementText(header, 12, null).trim();
  return VERSION.test(version) ? version : VERSION_USUAL;
}

/** Back to its sender: addresses exchanged, our own control number. @param inner TA1 and groups. */
function enveloped(
  header: Segment,
  inner: { text: string; groups: number },
  version: string,
  control: number,
  nowMs: number,
): string {
  const text = (element: number): string => elementText(header, element, null);
  const { date, time } = writtenMoment(nowMs);
  const number = controlNumber(control);
  const repetition = version >= '00402' ? OUR_DELIMITERS.repetition : 'U';
  const indicator = TEST_INDICATOR.test(text(15).trim()) ? text(15).trim() : 'P';
  const isa = isaText([
    ...['00', '', '00', '', text(7), text(8), text(5), text(6)],
    ...[date.slice(2), time, repetition, version, number, '0', indicator],
  ]);
  return `${isa}${inner.text}${segmentText('IEA', [String(inner.groups), number])}`;
}

/** TA105: nothing is wrong; the structure is, or what stands in it, where the list has nothing more exact. */
const NOTHING_WRONG = '000';
const STRUCTURE = '022';
const CONTENT = '024';

/** @param outcome TA104: accepted, accepted with errors, or rejected. */
function ta1Text(header: Segment, outcome: Outcome, faults: readonly InterchangeFault[]): string {
  const text = (element: number): string => elementText(header, element, null).trim();
  const [told = fallbackCode(faults)] = codesOf(faults, 'TA1', 1);
  return segmentText('TA1', [text(13), text(9), text(10), outcome, told]);
}

function fallbackCode([first]: readonly InterchangeFault[]): string {
  if (first === undefined) return NOTHING_WRONG;
  return first.code === 'text_outside_interchange' ? CONTENT : STRUCTURE;
}
