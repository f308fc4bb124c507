/**
 * CONTRL, the acknowledgment of EDIFACT (ISO 9735-4): one per interchange, with a UCM for every message and the segments and
 * elements at fault in those that were refused. It says what was done: sound messages of an interchange with a wrong count are
 * acknowledged. A CONTRL is not acknowledged. Pure.
 */
import { edifactSegment, type WrittenEdifactElement } from '../../formats/edifact/write.ts';
import {
  type EnvelopeProblem,
  elementText,
  type Segment,
  type SegmentElement,
} from '../../formats/segments/segment.ts';
import { writtenMoment } from '../../formats/x12/write.ts';
import type { Judged, SetFault, SetVerdict } from './judge.ts';

/** Action codes (0083). */
const REJECTED = '4';
const ACKNOWLEDGED = '7';
/** Error codes (0085): invalid value; what is wrong cannot be said more exactly. */
const INVALID_VALUE = '12';
const UNSPECIFIED = '18';
const MISSING = '13';

interface Interchange {
  header: Segment;
  problems: EnvelopeProblem[];
  lines: string[];
  messages: number;
}

/** @param control own interchange control reference, one for each interchange of the file, the same at every call. */
export async function* contrlAcknowledgment(
  judged: AsyncIterable<Judged>,
  control: (interchange: number) => Promise<number>,
  nowMs: number,
): AsyncGenerator<string> {
  let interchange: Interchange | null = null;
  let count = 0;
  for await (const each of judged) {
    if (each.kind === 'interchange') {
      interchange = { header: each.header, problems: [...each.problems], lines: [], messages: 0 };
      count += 1;
    } else if (each.kind === 'set') {
      if (interchange === null || messageType(each.verdict.opening) === 'CONTRL') continue;
      interchange.messages += 1;
      interchange.lines.push(...messageLines(each.verdict));
    } else if (each.kind === 'group_end') {
      interchange?.problems.push(...each.problems);
    } else if (each.kind === 'interchange_end') {
      interchange?.problems.push(...each.problems);
      if (interchange !== null && interchange.messages > 0) {
        yield interchangeText(interchange, await control(count), nowMs);
      }
      interchange = null;
    }
  }
}

const messageType = (opening: Segment): string => elementText(opening, 2, 1).trim();

function interchangeText({ header, problems, lines }: Interchange, control: number, nowMs: number): string {
  const [wrong] = problems;
  const told = wrong === undefined ? [] : [codeOf(wrong.standard) ?? UNSPECIFIED];
  return enveloped(header, [ACKNOWLEDGED, ...told], lines, control, nowMs);
}

/** An interchange that was refused as a whole, before any of it became a batch. @param error of list 0085. */
export const refusedContrl = (header: Segment, error: string, control: number, nowMs: number): string =>
  enveloped(header, [REJECTED, error], [], control, nowMs);

/** Back to its sender: addresses exchanged, our own control reference. @param verdict action and error of UCI. */
function enveloped(
  header: Segment,
  verdict: readonly string[],
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
  return [
    "UNA:+.? '\n",
    edifactSegment('UNB', [
      ...[['UNOC', '3'], recipient, sender, [date.slice(2), time], reference],
      ...(isTest ? ['', '', '', '', '', '1'] : []),
    ]),
    ...body,
    edifactSegment('UNT', [String(body.length + 1), message]),
    edifactSegment('UNZ', ['1', reference]),
  ].join('');
}

const componentsOf = ({ elements }: Segment, element: number): WrittenEdifactElement => {
  const found: SegmentElement = elements[element - 1] ?? '';
  return found;
};

function messageLines({ opening, outcome, faults }: SetVerdict): string[] {
  const names = [elementText(opening, 1, null), componentsOf(opening, 2)];
  if (outcome === 'accepted') return [edifactSegment('UCM', [...names, ACKNOWLEDGED])];
  const action = outcome === 'rejected' ? REJECTED : ACKNOWLEDGED;
  const whole = faults.find(({ number }) => number === null || number === 1);
  const told = whole === undefined ? [] : [codeOf(whole.standard) ?? UNSPECIFIED];
  const placed = faults.filter(({ number }) => number !== null);
  const bySegment = Map.groupBy(placed, ({ number }) => number ?? 0);
  return [
    edifactSegment('UCM', [...names, action, ...told]),
    ...[...bySegment].flatMap(([number, own]) => segmentLines(number, own)),
  ];
}

function segmentLines(number: number, faults: readonly SetFault[]): string[] {
  const whole = faults.find(({ element }) => element === null);
  return [
    edifactSegment('UCS', [String(number), ...(whole === undefined ? [] : [codeOf(whole.standard) ?? UNSPECIFIED])]),
    ...faults
      .filter(({ element }) => element !== null)
      .map((fault) => {
        const place = [String(fault.element), ...(fault.component === null ? [] : [String(fault.component)])];
        return edifactSegment('UCD', [codeOf(fault.standard) ?? valueCode(fault), place]);
      }),
  ];
}

const valueCode = ({ problem }: SetFault): string => (problem.value === '' ? MISSING : INVALID_VALUE);

/** @param standard such as `0085 29`. */
function codeOf(standard: string): string | null {
  const [list, code] = standard.split(' ');
  return list === '0085' && code !== undefined ? code : null;
}
