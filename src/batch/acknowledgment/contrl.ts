/**
 * CONTRL, the acknowledgment of EDIFACT (ISO 9735-4): one per interchange, with a UCM for every message, under the UCF
 * of its group if there is one, and the segments and elements at fault in refused ones. It reports what was done:
 * well-formed messages of an interchange with a wrong count are acknowledged. A CONTRL is not acknowledged. Pure.
 */
import { edifactBytesIn, edifactSegment, syntaxFor, type WrittenSyntax } from '../../formats/edifact/write.ts';
import { elementText } from '../../formats/segments/segment.ts';
import { type WrittenElement, writtenMoment } from '../../formats/segments/write.ts';
import {
  type Audited,
  codeOf,
  type QuotedProblem,
  type QuotedSegment,
  type SetAcknowledgment,
  type SetFault,
  sharesFault,
} from './set-outcomes.ts';

/* Segments of a CONTRL that report a message and its faults: UCM, UCS, UCD (ISO 9735-4). */

/** Action codes (0083). Acknowledged: unless a lower level is rejected. */
const REJECTED = '4';
const ACKNOWLEDGED = '7';
/** Error codes (0085). Unspecified: there is no more exact code. */
const INVALID_VALUE = '12';
const MISSING = '13';
const UNSPECIFIED = '18';

const errorOf = (standard: string): string | null => codeOf(standard, '0085');

/**
 * Of a service segment at fault: 0085, 0013 and S011, as UCI, UCF and UCM carry them for their headers and trailers.
 */
function serviceFault(fault: Pick<SetFault, 'tag' | 'element' | 'component' | 'standard'> | undefined) {
  if (fault === undefined) return [];
  return [errorOf(fault.standard) ?? UNSPECIFIED, fault.tag, locationOf(fault)];
}

/** Of an interchange or group: there is room for one only. */
function envelopeFault(wrong: QuotedProblem | undefined): WrittenElement[] {
  if (wrong === undefined) return [];
  const { element, standard } = wrong;
  return serviceFault({ tag: serviceTag(wrong.segment?.tag ?? wrong.path), element, component: null, standard });
}

function messageLines({ opening, outcome, faults }: SetAcknowledgment): string[] {
  const names = [elementText(opening, 1, null), componentsOf(opening, 2)];
  if (outcome === 'accepted') return [edifactSegment('UCM', [...names, ACKNOWLEDGED])];
  const action = outcome === 'rejected' ? REJECTED : ACKNOWLEDGED;
  const service = faults.find((fault) => isOfService(fault) && !sharesFault(fault)) ?? faults.find(isOfService);
  const told =
    service &&
    (sharesFault(service)
      ? [UNSPECIFIED]
      : serviceFault({ ...service, tag: serviceTag(service.tag || service.problem.path) }));
  const bySegment = Map.groupBy(
    faults.filter((fault) => !isOfService(fault)),
    ({ number }) => number ?? 1,
  );
  return [
    edifactSegment('UCM', [...names, action, ...(told ?? [])]),
    ...[...bySegment].flatMap(([number, own]) => segmentLines(number, own)),
  ];
}

/**
 * Faults of UNH and UNT go into the UCM. One without a segment is of the message as a whole; what is missing after UNH
 * is not a fault of UNH.
 */
const isOfService = ({ tag, number, element, standard }: SetFault): boolean =>
  number === null ||
  (standard !== '' && tag === 'UNT') ||
  (standard !== '' && tag === 'UNH' && (element !== null || errorOf(standard) !== MISSING));

const serviceTag = (text: string): string => /^UN[A-Z]/.exec(text)?.[0] ?? '';

/** Position of a segment: UNH is 1 (0096). Missing ones are reported at the last one before them. */
function segmentLines(number: number, faults: readonly SetFault[]): string[] {
  const whole = faults.find(({ element }) => element === null);
  const code = whole && (errorOf(whole.standard) ?? (whole.problem.value === '' ? MISSING : UNSPECIFIED));
  return [
    edifactSegment('UCS', [String(number), ...(code === undefined ? [] : [code])]),
    ...faults
      .filter(({ element }) => element !== null)
      .map((fault) => edifactSegment('UCD', [errorOf(fault.standard) ?? valueCode(fault), locationOf(fault)])),
  ];
}

const valueCode = ({ problem }: SetFault): string => (problem.value === '' ? MISSING : INVALID_VALUE);

/** S011. The segment tag has position 1, so that the first element has 2 (0098); components count from 1 (0104). */
function locationOf({ element, component }: Pick<SetFault, 'element' | 'component'>): string[] {
  if (element === null) return [];
  return [String(element + 1), ...(component === null ? [] : [String(component)])];
}

/** S002 and S003 of UNB. */
const addressesOf = (header: QuotedSegment) => ({
  sender: componentsOf(header, 2),
  recipient: componentsOf(header, 3),
});

/** UCI. @param actionCode its action and error. */
function interchangeLine(header: QuotedSegment, actionCode: readonly WrittenElement[]): string {
  const { sender, recipient } = addressesOf(header);
  return edifactSegment('UCI', [elementText(header, 5, null), sender, recipient, ...actionCode]);
}

/** UCF. @param actionCode its action and error. */
const groupLine = (header: QuotedSegment, actionCode: readonly WrittenElement[]): string =>
  edifactSegment('UCF', [
    ...[elementText(header, 5, null), componentsOf(header, 2), componentsOf(header, 3)],
    ...actionCode,
  ]);

const componentsOf = ({ elements }: QuotedSegment, element: number): WrittenElement => elements[element - 1] ?? '';

/* What must be known of an EDIFACT interchange or group before its first message is reported. */

interface LevelOutcome {
  /** Action and error of UCI or UCF. */
  verdict: readonly WrittenElement[];
  /** Whether everything reported of its contents can be written in Latin-1. */
  isLatin: boolean;
}

/** An interchange or a group of it. */
interface Level {
  first: QuotedProblem | undefined;
  accepted: number;
  rejected: number;
  /** One message was broken, and the partner wants all refused then. */
  isRefused: boolean;
  isLatin: boolean;
  /** One of its groups is reported. */
  hasGroup: boolean;
}

type LevelKind = 'interchange' | 'group';

/** @returns one for each interchange or group, in order; null for one that is not answered. */
async function* levelOutcomes(
  validated: AsyncIterable<Audited>,
  kind: LevelKind,
): AsyncGenerator<LevelOutcome | null, undefined> {
  let interchange: Level | null = null;
  let group: Level | null = null;
  for await (const each of validated) {
    switch (each.kind) {
      case 'interchange':
        interchange = levelOf(each.problems);
        break;
      case 'group':
        group = levelOf(each.problems);
        group.isLatin = isLatin([groupLine(each.header, [])]);
        break;
      case 'set': {
        const level = group ?? interchange;
        if (level !== null && isAnswered(each.verdict)) addMessage(level, each.verdict);
        break;
      }
      case 'unopened': {
        const level = group ?? interchange;
        if (level === null) break;
        level.first ??= each.problems[0];
        level.rejected += 1;
        break;
      }
      case 'group_end': {
        if (group === null) break;
        group.first ??= each.problems[0];
        const outcome = outcomeOf(group, each.counted);
        if (interchange !== null) addGroup(interchange, group, outcome);
        group = null;
        if (kind === 'group') yield outcome;
        break;
      }
      case 'interchange_end': {
        if (interchange === null) break;
        interchange.first ??= each.problems[0];
        const outcome = outcomeOf(interchange, each.counted);
        interchange = null;
        if (kind === 'interchange') yield outcome;
        break;
      }
    }
  }
}

/** A CONTRL is not acknowledged. */
const isAnswered = ({ opening }: SetAcknowledgment): boolean => elementText(opening, 2, 1).trim() !== 'CONTRL';

const levelOf = (problems: readonly QuotedProblem[]): Level => ({
  ...{ first: problems[0], accepted: 0, rejected: 0 },
  ...{ isRefused: false, isLatin: true, hasGroup: false },
});

function addMessage(level: Level, message: SetAcknowledgment): void {
  if (level.isLatin) level.isLatin = isLatin(messageLines(message));
  if (message.faults.some(sharesFault)) level.isRefused = true;
  if (message.outcome === 'rejected') level.rejected += 1;
  else level.accepted += 1;
}

function addGroup(interchange: Level, group: Level, outcome: LevelOutcome | null): void {
  interchange.accepted += group.accepted;
  interchange.rejected += group.rejected;
  if (group.isRefused) interchange.isRefused = true;
  if (outcome === null) return;
  interchange.hasGroup = true;
  if (!outcome.isLatin) interchange.isLatin = false;
}

/**
 * One whose messages are all skipped may contain only CONTRLs, which are not answered; one without any messages is
 * answered.
 */
function outcomeOf(level: Level, counted: number): LevelOutcome | null {
  const { accepted, rejected, first, hasGroup } = level;
  if (accepted + rejected === 0 && counted > 0 && !hasGroup) return null;
  return { verdict: [actionOf(level), ...envelopeFault(first)], isLatin: level.isLatin };
}

/** Rejected with everything in it: the envelope is at fault and nothing was accepted, or one message spoiled all. */
const actionOf = ({ accepted, first, isRefused }: Level): string =>
  isRefused || (accepted === 0 && first !== undefined) ? REJECTED : ACKNOWLEDGED;

const isLatin = (lines: readonly string[]): boolean => syntaxFor(lines) === 'UNOC';

/** An interchange being answered. @property segments written of the message, including UNH. */
interface Answered {
  reference: string;
  syntax: WrittenSyntax;
  segments: number;
}

/**
 * Written message by message as each is validated, so that nothing is stored of an interchange of any length; what
 * comes before its messages is determined in an earlier pass, with groups in one more.
 * @param judged begins from the first interchange at every call.
 * @param control own interchange control reference, one for each interchange of the file, the same at every call.
 * @returns each interchange in the character set that its UNB declares.
 */
export async function* contrlAcknowledgment(
  validated: () => AsyncIterable<Audited>,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const interchanges = levelOutcomes(validated(), 'interchange');
  let groups: ReturnType<typeof levelOutcomes> | null = null;
  let interchange: Answered | null = null;
  let count = 0;
  for await (const each of validated()) {
    switch (each.kind) {
      case 'interchange': {
        const outcome = (await interchanges.next()).value ?? null;
        count += 1;
        interchange = null;
        if (outcome === null) break;
        const { header } = each;
        const reference = String(await control(count));
        const opening = openingOf(header, outcome, reference, nowMs);
        interchange = { reference, syntax: opening.syntax, segments: 2 };
        yield edifactBytesIn(opening.text, opening.syntax);
        break;
      }
      case 'group': {
        groups ??= levelOutcomes(validated(), 'group');
        const outcome = (await groups.next()).value ?? null;
        if (interchange === null || outcome === null) break;
        interchange.segments += 1;
        yield edifactBytesIn(groupLine(each.header, outcome.verdict), interchange.syntax);
        break;
      }
      case 'set': {
        if (interchange === null || !isAnswered(each.verdict)) break;
        const lines = messageLines(each.verdict);
        interchange.segments += lines.length;
        yield edifactBytesIn(lines.join(''), interchange.syntax);
        break;
      }
      case 'interchange_end':
        if (interchange !== null) yield edifactBytesIn(closingOf(interchange), interchange.syntax);
        interchange = null;
        break;
      case 'unopened':
      case 'group_end':
        break;
    }
  }
}

const MESSAGE = '1';

/** Back to the sender: addresses exchanged, our own control reference; up to the UCI. */
function openingOf(
  header: QuotedSegment,
  { verdict: actionCode, isLatin }: LevelOutcome,
  reference: string,
  nowMs: number,
): { text: string; syntax: WrittenSyntax } {
  const { date, time } = writtenMoment(nowMs);
  const { sender, recipient } = addressesOf(header);
  const isTest = elementText(header, 11, null).trim() === '1';
  const under = (syntax: WrittenSyntax): string[] => [
    "UNA:+.? '\n",
    edifactSegment('UNB', [
      ...[[syntax, '3'], recipient, sender, [date.slice(2), time], reference],
      ...(isTest ? ['', '', '', '', '', '1'] : []),
    ]),
    edifactSegment('UNH', [MESSAGE, ['CONTRL', 'D', '3', 'UN']]),
    interchangeLine(header, actionCode),
  ];
  const syntax = isLatin ? syntaxFor(under('UNOC')) : 'UNOY';
  return { text: under(syntax).join(''), syntax };
}

const closingOf = ({ segments, reference }: Pick<Answered, 'segments' | 'reference'>): string =>
  edifactSegment('UNT', [String(segments + 1), MESSAGE]) + edifactSegment('UNZ', ['1', reference]);

/** For an interchange refused as a whole, before any of it became a batch. @param error of list 0085. */
export function refusedContrl(
  header: QuotedSegment,
  error: string,
  control: number,
  nowMs: number,
): Uint8Array<ArrayBuffer> {
  const reference = String(control);
  const outcome = { verdict: [REJECTED, error], isLatin: true };
  const { text, syntax } = openingOf(header, outcome, reference, nowMs);
  return edifactBytesIn(text + closingOf({ segments: 2, reference }), syntax);
}
