/**
 * CONTRL, the acknowledgment of EDIFACT (ISO 9735-4): one per interchange, with a UCM for every message, under the UCF of its
 * group where there is one, and the segments and elements at fault in those that were refused. It says what was done: sound
 * messages of an interchange with a wrong count are acknowledged. A CONTRL is not acknowledged. Pure.
 */
import { edifactBytesIn, edifactSegment, syntaxFor, type WrittenSyntax } from '../../formats/edifact/write.ts';
import { elementText, type Segment } from '../../formats/segments/segment.ts';
import { writtenMoment } from '../../formats/x12/write.ts';
import { addressesOf, groupLine, interchangeLine, messageLines, REJECTED } from './contrl-lines.ts';
import { isTold, type LevelOutcome, levelOutcomes } from './contrl-outcome.ts';
import type { Judged } from './judge.ts';

/** An interchange while it is answered. @property segments written of the message, UNH among them. */
interface Answered {
  reference: string;
  syntax: WrittenSyntax;
  segments: number;
}

/**
 * Written as it is judged, message by message, so that nothing is kept of an interchange of any length; what is told before
 * its messages is found out before, in a reading of its own, and where there are groups in one more.
 *
 * @param judged begins from the first interchange at every call.
 * @param control own interchange control reference, one for each interchange of the file, the same at every call.
 * @returns each interchange in the character set that its UNB declares.
 */
export async function* contrlAcknowledgment(
  judged: () => AsyncIterable<Judged>,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const interchanges = levelOutcomes(judged(), 'interchange');
  let groups: ReturnType<typeof levelOutcomes> | null = null;
  let interchange: Answered | null = null;
  let count = 0;
  for await (const each of judged()) {
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
        groups ??= levelOutcomes(judged(), 'group');
        const outcome = (await groups.next()).value ?? null;
        if (interchange === null || outcome === null) break;
        interchange.segments += 1;
        yield edifactBytesIn(groupLine(each.header, outcome.verdict), interchange.syntax);
        break;
      }
      case 'set': {
        if (interchange === null || !isTold(each.verdict)) break;
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

/** Back to its sender: addresses exchanged, our own control reference; up to the UCI. */
function openingOf(
  header: Segment,
  { verdict, isLatin }: LevelOutcome,
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
    interchangeLine(header, verdict),
  ];
  const syntax = isLatin ? syntaxFor(under('UNOC')) : 'UNOY';
  return { text: under(syntax).join(''), syntax };
}

const closingOf = ({ segments, reference }: Pick<Answered, 'segments' | 'reference'>): string =>
  edifactSegment('UNT', [String(segments + 1), MESSAGE]) + edifactSegment('UNZ', ['1', reference]);

/** An interchange that was refused as a whole, before any of it became a batch. @param error of list 0085. */
export function refusedContrl(header: Segment, error: string, control: number, nowMs: number): Uint8Array<ArrayBuffer> {
  const reference = String(control);
  const outcome = { verdict: [REJECTED, error], isLatin: true };
  const { text, syntax } = openingOf(header, outcome, reference, nowMs);
  return edifactBytesIn(text + closingOf({ segments: 2, reference }), syntax);
}
