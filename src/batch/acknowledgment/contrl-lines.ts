/** Segments of a CONTRL that say what became of a message and where it is at fault: UCM, UCS, UCD (ISO 9735-4). Pure. */
import { edifactSegment, type WrittenEdifactElement } from '../../formats/edifact/write.ts';
import { type EnvelopeProblem, elementText, type Segment } from '../../formats/segments/segment.ts';
import { type SetFault, type SetVerdict, sharesFault } from './judge.ts';

/** Action codes (0083). Acknowledged: unless a lower level is rejected. */
export const REJECTED = '4';
export const ACKNOWLEDGED = '7';
/** Error codes (0085). Unspecified: what is wrong cannot be said more exactly. */
const INVALID_VALUE = '12';
const MISSING = '13';
const UNSPECIFIED = '18';

/** Of a service segment at fault: 0085, 0013 and S011, as UCI, UCF and UCM bear them for their headers and trailers. */
export function serviceFault(fault: Pick<SetFault, 'tag' | 'element' | 'component' | 'standard'> | undefined) {
  if (fault === undefined) return [];
  return [codeOf(fault.standard) ?? UNSPECIFIED, fault.tag, placeOf(fault)];
}

/** Of an interchange or group: one is what there is room for. */
export function envelopeFault(wrong: EnvelopeProblem | undefined): WrittenEdifactElement[] {
  if (wrong === undefined) return [];
  const { element, standard } = wrong;
  return serviceFault({ tag: serviceTag(wrong.segment?.tag ?? wrong.path), element, component: null, standard });
}

export function messageLines({ opening, outcome, faults }: SetVerdict): string[] {
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

/** Faults of UNH and UNT stand in the UCM. One that no segment has is of the message as a whole; what misses behind UNH is not UNH. */
const isOfService = ({ tag, number, element, standard }: SetFault): boolean =>
  number === null ||
  (standard !== '' && tag === 'UNT') ||
  (standard !== '' && tag === 'UNH' && (element !== null || codeOf(standard) !== MISSING));

const serviceTag = (text: string): string => /^UN[A-Z]/.exec(text)?.[0] ?? '';

/** Position of a segment: UNH is 1 (0096). Missing ones are told at the last one before them. */
function segmentLines(number: number, faults: readonly SetFault[]): string[] {
  const whole = faults.find(({ element }) => element === null);
  const code = whole && (codeOf(whole.standard) ?? (whole.problem.value === '' ? MISSING : UNSPECIFIED));
  return [
    edifactSegment('UCS', [String(number), ...(code === undefined ? [] : [code])]),
    ...faults
      .filter(({ element }) => element !== null)
      .map((fault) => edifactSegment('UCD', [codeOf(fault.standard) ?? valueCode(fault), placeOf(fault)])),
  ];
}

const valueCode = ({ problem }: SetFault): string => (problem.value === '' ? MISSING : INVALID_VALUE);

/** S011. The segment tag has position 1, so that the first element has 2 (0098); components count from 1 (0104). */
function placeOf({ element, component }: Pick<SetFault, 'element' | 'component'>): string[] {
  if (element === null) return [];
  return [String(element + 1), ...(component === null ? [] : [String(component)])];
}

/** S002 and S003 of UNB. */
export const addressesOf = (header: Segment) => ({
  sender: componentsOf(header, 2),
  recipient: componentsOf(header, 3),
});

/** UCI. @param verdict its action and error. */
export function interchangeLine(header: Segment, verdict: readonly WrittenEdifactElement[]): string {
  const { sender, recipient } = addressesOf(header);
  return edifactSegment('UCI', [elementText(header, 5, null), sender, recipient, ...verdict]);
}

/** UCF. @param verdict its action and error. */
export const groupLine = (header: Segment, verdict: readonly WrittenEdifactElement[]): string =>
  edifactSegment('UCF', [
    ...[elementText(header, 5, null), componentsOf(header, 2), componentsOf(header, 3)],
    ...verdict,
  ]);

const componentsOf = ({ elements }: Segment, element: number): WrittenEdifactElement => elements[element - 1] ?? '';

/** @param standard such as `0085 29`. */
function codeOf(standard: string): string | null {
  const [list, code] = standard.split(' ');
  return list === '0085' && code !== undefined ? code : null;
}
