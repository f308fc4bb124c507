/**
 * The functional acknowledgment of X12: 997, or 999 where it is asked for, one per group, with TA1 where the interchange wants it.
 *
 * It says what was done, not what might have been: under a wrong count the sets that were sound are accepted, and the count is
 * noted beside them. Acknowledgments are not acknowledged. Pure.
 */
import { type EnvelopeProblem, elementText, type Segment } from '../../formats/segments/segment.ts';
import { controlNumber, isaText, OUR_DELIMITERS, segmentText, writtenMoment } from '../../formats/x12/write.ts';
import { elementCode } from './element-codes.ts';
import type { Judged, SetFault, SetVerdict } from './judge.ts';

export type X12AcknowledgmentKind = '997' | '999';

/** Segments of faults: the 999 renamed them and kept their form. */
const TAGS = {
  '997': { segment: 'AK3', element: 'AK4', set: 'AK5' },
  '999': { segment: 'IK3', element: 'IK4', set: 'IK5' },
};
/** 999 exists since 005010, under the guide that all its senders name. */
const VERSION_999 = '005010X231A1';
/** GS01 of 997 and 999. */
const ACKNOWLEDGMENTS = 'FA';

interface Group {
  header: Segment;
  lines: string[];
  received: number;
  accepted: number;
  /** Accepted ones among them in which something was wrong. */
  withErrors: number;
  rejected: number;
}

interface Interchange {
  header: Segment;
  problems: EnvelopeProblem[];
  groups: string[];
}

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
  let group: Group | null = null;
  let count = 0;
  for await (const each of judged) {
    switch (each.kind) {
      case 'interchange':
        interchange = { header: each.header, problems: [...each.problems], groups: [] };
        count += 1;
        break;
      case 'group':
        group = { header: each.header, lines: [], received: 0, accepted: 0, withErrors: 0, rejected: 0 };
        break;
      case 'set':
        if (group !== null) addSet(group, each.verdict, kind);
        break;
      case 'group_end':
        if (group !== null && interchange !== null && elementText(group.header, 1, null) !== ACKNOWLEDGMENTS) {
          interchange.groups.push(functionalGroup(group, each.problems, kind, interchange.groups.length + 1, nowMs));
        }
        group = null;
        break;
      case 'interchange_end':
        if (interchange !== null) {
          interchange.problems.push(...each.problems);
          const answers = wantsTa1(interchange) || interchange.groups.length > 0;
          if (answers) yield interchangeText(interchange, await control(count), nowMs);
        }
        interchange = null;
        break;
    }
  }
}

/** ISA14: 1 wanted, 0 not; some partners write 2 (only where something is wrong) or 3 (unverified). Something wrong is always told. */
const wantsTa1 = ({ header, problems }: Interchange): boolean =>
  elementText(header, 14, null).trim() === '1' || problems.length > 0;

function interchangeText(interchange: Interchange, control: number, nowMs: number): string {
  const { header, problems, groups } = interchange;
  const ta1 = wantsTa1(interchange) ? ta1Text(header, problems.length === 0 ? 'A' : 'E', problems) : '';
  return enveloped(header, ta1 + groups.join(''), groups.length, control, nowMs);
}

/** An interchange that was refused as a whole, before any of it became a batch. @param standard such as `TA1 025`. */
export const refusedInterchange = (header: Segment, standard: string, control: number, nowMs: number): string =>
  enveloped(header, ta1Text(header, 'R', [{ standard }]), 0, control, nowMs);

/** Back to its sender: addresses exchanged, our own control number. */
function enveloped(header: Segment, inner: string, groups: number, control: number, nowMs: number): string {
  const text = (element: number): string => elementText(header, element, null);
  const { date, time } = writtenMoment(nowMs);
  const number = controlNumber(control);
  const version = text(12).trim() === '' ? '00401' : text(12);
  const repetition = version >= '00402' ? OUR_DELIMITERS.repetition : 'U';
  const isa = isaText([
    ...['00', '', '00', '', text(7), text(8), text(5), text(6)],
    ...[date.slice(2), time, repetition, version, number, '0', text(15)],
  ]);
  return `${isa}${inner}${segmentText('IEA', [String(groups), number])}`;
}

/** @param outcome TA104: accepted, accepted with errors, or rejected. */
function ta1Text(header: Segment, outcome: 'A' | 'E' | 'R', problems: readonly { standard: string }[]): string {
  const text = (element: number): string => elementText(header, element, null).trim();
  const code = problems.map(({ standard }) => codeOf(standard, 'TA1')).find((each) => each !== null) ?? '000';
  return segmentText('TA1', [text(13), text(9), text(10), outcome, code]);
}

function functionalGroup(
  group: Group,
  problems: readonly EnvelopeProblem[],
  kind: X12AcknowledgmentKind,
  number: number,
  nowMs: number,
): string {
  const text = (element: number): string => elementText(group.header, element, null).trim();
  const { date, time } = writtenMoment(nowMs);
  const version = kind === '999' ? VERSION_999 : text(8);
  const set = '0001';
  const ak1 = segmentText('AK1', [text(1), text(6), ...(kind === '999' ? [text(8)] : [])]);
  const ak9 = segmentText('AK9', [
    groupOutcome(group, problems),
    ...[group.received, group.received, group.accepted].map(String),
    ...codesOf(problems, 'AK905', 5),
  ]);
  const body = [ak1, ...group.lines, ak9];
  return [
    segmentText('GS', [ACKNOWLEDGMENTS, text(3), text(2), date, time, String(number), 'X', version]),
    segmentText('ST', [kind, set, ...(kind === '999' ? [VERSION_999] : [])]),
    ...body,
    segmentText('SE', [String(body.length + 2), set]),
    segmentText('GE', ['1', String(number)]),
  ].join('');
}

function groupOutcome({ received, withErrors, rejected }: Group, problems: readonly EnvelopeProblem[]): string {
  if (received > 0 && rejected === received) return 'R';
  if (rejected > 0) return 'P';
  return withErrors > 0 || problems.length > 0 ? 'E' : 'A';
}

const SET_OUTCOMES = { accepted: 'A', with_errors: 'E', rejected: 'R' } as const;

function addSet(group: Group, { opening, outcome, faults }: SetVerdict, kind: X12AcknowledgmentKind): void {
  const text = (element: number): string => elementText(opening, element, null).trim();
  const tags = TAGS[kind];
  group.lines.push(segmentText('AK2', [text(1), text(2), ...(kind === '999' ? [text(3)] : [])]));
  group.lines.push(...faultLines(faults, tags));
  const told = faults.flatMap(({ standard }) => codeOf(standard, 'AK501') ?? codeOf(standard, 'AK502') ?? []);
  const hasSegmentFaults = faults.some(({ number }) => number !== null);
  const codes = [...new Set([...told, ...(hasSegmentFaults && told.length === 0 ? ['5'] : [])])].slice(0, 5);
  group.lines.push(segmentText(tags.set, [SET_OUTCOMES[outcome], ...(outcome === 'accepted' ? [] : codes)]));
  group.received += 1;
  if (outcome === 'rejected') group.rejected += 1;
  else group.accepted += 1;
  if (outcome === 'with_errors') group.withErrors += 1;
}

/** One AK3 for each segment at fault, with an AK4 for each of its elements. */
function faultLines(faults: readonly SetFault[], tags: { segment: string; element: string }): string[] {
  const placed = faults.filter(({ number, tag }) => number !== null && tag !== '' && tag !== 'ST' && tag !== 'SE');
  const bySegment = Map.groupBy(placed, ({ tag, number }) => `${tag} ${number}`);
  return [...bySegment.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const code = own.map(({ standard }) => codeOf(standard, 'AK304')).find((each) => each !== null) ?? '8';
    const elements = own.filter(({ element }) => element !== null);
    return [
      segmentText(tags.segment, [first.tag, String(first.number), '', code]),
      ...elements.map((fault) => {
        const place = [String(fault.element), ...(fault.component === null ? [] : [String(fault.component)])];
        const told = codeOf(fault.standard, 'AK403') ?? elementCode(fault.problem);
        return segmentText(tags.element, [place, '', told, fault.problem.value.slice(0, BAD_VALUE_CHARACTERS_MAX)]);
      }),
    ];
  });
}

/** AK404 holds up to 99 characters. */
const BAD_VALUE_CHARACTERS_MAX = 99;

/** @param standard such as `AK304 8`. */
function codeOf(standard: string, list: string): string | null {
  const [from, code] = standard.split(' ');
  return from === list && code !== undefined ? code : null;
}

const codesOf = (problems: readonly EnvelopeProblem[], list: string, most: number): string[] =>
  [...new Set(problems.flatMap(({ standard }) => codeOf(standard, list) ?? []))].slice(0, most);
