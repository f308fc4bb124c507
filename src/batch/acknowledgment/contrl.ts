/**
 * CONTRL, the acknowledgment of EDIFACT (ISO 9735-4): one per interchange, with a UCM for every message, under the UCF of its
 * group where there is one, and the segments and elements at fault in those that were refused. It says what was done: sound
 * messages of an interchange with a wrong count are acknowledged. A CONTRL is not acknowledged. Pure.
 */
import {
  edifactSegment,
  syntaxFor,
  type WrittenEdifactElement,
  type WrittenSyntax,
} from '../../formats/edifact/write.ts';
import { type EnvelopeProblem, elementText, type Segment } from '../../formats/segments/segment.ts';
import { writtenMoment } from '../../formats/x12/write.ts';
import { ACKNOWLEDGED, componentsOf, envelopeFault, messageLines, REJECTED } from './contrl-lines.ts';
import { type Judged, type SetVerdict, sharesFault } from './judge.ts';

/** An interchange or a group of it. */
interface Level {
  header: Segment;
  problems: EnvelopeProblem[];
  lines: string[];
  accepted: number;
  rejected: number;
  /** One message was broken, and the partner wants all to share its fate. */
  isRefused: boolean;
}

const levelOf = (header: Segment, problems: readonly EnvelopeProblem[]): Level => ({
  ...{ header, problems: [...problems], lines: [] },
  ...{ accepted: 0, rejected: 0, isRefused: false },
});

/** @param control own interchange control reference, one for each interchange of the file, the same at every call. */
export async function* contrlAcknowledgment(
  judged: AsyncIterable<Judged>,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<string> {
  let interchange: Level | null = null;
  let group: Level | null = null;
  let count = 0;
  for await (const each of judged) {
    switch (each.kind) {
      case 'interchange':
        interchange = levelOf(each.header, each.problems);
        count += 1;
        break;
      case 'group':
        group = levelOf(each.header, each.problems);
        break;
      case 'set': {
        const level = group ?? interchange;
        if (level !== null) addMessage(level, each.verdict);
        break;
      }
      case 'unopened': {
        const level = group ?? interchange;
        level?.problems.push(...each.problems);
        if (level !== null) level.rejected += 1;
        break;
      }
      case 'group_end':
        group?.problems.push(...each.problems);
        if (interchange !== null && group !== null) addGroup(interchange, group, each.counted);
        group = null;
        break;
      case 'interchange_end':
        interchange?.problems.push(...each.problems);
        if (interchange !== null && isAnswered(interchange, each.counted)) {
          const verdict = [actionOf(interchange), ...envelopeFault(interchange.problems)];
          yield enveloped(interchange.header, verdict, interchange.lines, await control(count), nowMs);
        }
        interchange = null;
        break;
    }
  }
}

function addMessage(level: Level, verdict: SetVerdict): void {
  if (elementText(verdict.opening, 2, 1).trim() === 'CONTRL') return;
  level.lines.push(...messageLines(verdict));
  if (verdict.faults.some(sharesFault)) level.isRefused = true;
  if (verdict.outcome === 'rejected') level.rejected += 1;
  else level.accepted += 1;
}

function addGroup(interchange: Level, group: Level, counted: number): void {
  const { header, problems } = group;
  interchange.accepted += group.accepted;
  interchange.rejected += group.rejected;
  if (group.isRefused) interchange.isRefused = true;
  if (!isAnswered(group, counted)) return;
  const names = [elementText(header, 5, null), componentsOf(header, 2), componentsOf(header, 3)];
  interchange.lines.push(
    edifactSegment('UCF', [...names, actionOf(group), ...envelopeFault(problems)]),
    ...group.lines,
  );
}

/** One without any message is told only what is wrong with it; one whose messages are all passed over may hold CONTRLs alone. */
const isAnswered = ({ accepted, rejected, problems }: Level, counted: number): boolean =>
  accepted + rejected > 0 || (counted === 0 && problems.length > 0);

/** Refused with all that is in it: the envelope is at fault and nothing of it was taken, or one message spoiled all. */
const actionOf = ({ accepted, problems, isRefused }: Level): string =>
  isRefused || (accepted === 0 && problems.length > 0) ? REJECTED : ACKNOWLEDGED;

/** An interchange that was refused as a whole, before any of it became a batch. @param error of list 0085. */
export const refusedContrl = (header: Segment, error: string, control: number, nowMs: number): string =>
  enveloped(header, [REJECTED, error], [], control, nowMs);

/** Back to its sender: addresses exchanged, our own control reference. @param verdict action and error of UCI. */
function enveloped(
  header: Segment,
  verdict: readonly WrittenEdifactElement[],
  lines: readonly string[],
  control: number,
  nowMs: number,
): string {
  const { date, time } = writtenMoment(nowMs);
  const reference = String(control);
  const message = '1';
  const sender = componentsOf(header, 2);
  const recipient = componentsOf(header, 3);
  const body = [
    edifactSegment('UNH', [message, ['CONTRL', 'D', '3', 'UN']]),
    edifactSegment('UCI', [elementText(header, 5, null), sender, recipient, ...verdict]),
    ...lines,
  ];
  const isTest = elementText(header, 11, null).trim() === '1';
  const under = (syntax: WrittenSyntax): string[] => [
    "UNA:+.? '\n",
    edifactSegment('UNB', [
      ...[[syntax, '3'], recipient, sender, [date.slice(2), time], reference],
      ...(isTest ? ['', '', '', '', '', '1'] : []),
    ]),
    ...body,
    edifactSegment('UNT', [String(body.length + 1), message]),
    edifactSegment('UNZ', ['1', reference]),
  ];
  return under(syntaxFor(under('UNOC'))).join('');
}
