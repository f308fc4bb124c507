/** The answer to an interchange refused as a whole, in its own format: TA1 with `R`, or a CONTRL that rejects it. */
import { Buffer } from 'node:buffer';
import { partsReaderOf } from '../../formats/reader.ts';
import { storedParts } from '../../formats/segments/parts.ts';
import { dividedSegment, type Segment, type SegmentPart } from '../../formats/segments/segment.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import type { Environment } from '../../kernel/names.ts';
import { INTERCHANGES_MAX } from '../envelopes/interchanges.ts';
import {
  type EnvelopeRules,
  type InterchangeFault,
  policyOf,
  REPEATED,
  type RefusedInterchange,
} from '../envelopes/validate.ts';
import { refusedContrl } from './contrl.ts';
import { refusedInterchange } from './x12.ts';

/** Of list 0085: unknown sender, test indicator not supported, duplicate. */
const CONTRL_CODES: Record<InterchangeFault['code'], string> = {
  identity_mismatch: '23',
  environment_mismatch: '25',
  test_indicator_invalid: '25',
  control_duplicate: '26',
  control_conflict: '26',
};
/** Of list 0085: the reason is not a fault of these other interchanges, and the list has no code for that. */
const UNSPECIFIED = '18';
/** TA105 has none either: nothing is wrong with them, and TA104 says that they were not accepted. */
const NOT_ACCEPTED = { code: 'upload_refused', standard: 'TA1 000' };

/** A document that was refused. @property rules it was validated under. */
interface RefusedDocument {
  bytes: Uint8Array;
  format: 'x12' | 'edifact';
  rules: EnvelopeRules;
  environment: Environment;
  refusal: RefusedInterchange;
}

/**
 * One for every interchange of the document, since nothing of it was accepted.
 * @param controls as many own control numbers as requested. @returns undefined when it has no interchange.
 */
export async function refusalAcknowledgment(
  { bytes, format, rules, environment, refusal }: RefusedDocument,
  controls: (count: number) => Promise<readonly number[]>,
  nowMs: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts = storedParts(partsReaderOf(format, policyOf(rules)), bytesInMemory(bytes));
  const headers = await headersIn(parts, refusal.upload === undefined ? 1 : INTERCHANGES_MAX);
  if (headers.length === 0) return undefined;
  const faults = new Map(faultsOf(refusal).map((fault) => [fault.place, fault]));
  const numbers = await controls(headers.length);
  const texts = headers.map((found, place) => {
    const fault = faults.get(place);
    const header = fault?.code === 'test_indicator_invalid' ? indicated(found, environment) : found;
    const control = numbers[place];
    if (control === undefined) throw new Error(`interchange ${place} has no control number`);
    if (format === 'x12') return Buffer.from(refusedInterchange(header, fault ?? NOT_ACCEPTED, control, nowMs), 'utf8');
    return refusedContrl(header, fault === undefined ? UNSPECIFIED : CONTRL_CODES[fault.code], control, nowMs);
  });
  return new Uint8Array(Buffer.concat(texts));
}

const faultsOf = (refusal: RefusedInterchange): readonly InterchangeFault[] =>
  refusal.upload?.faults ?? [{ ...refusal, place: 0, standard: 'standard' in refusal ? refusal.standard : REPEATED }];

/** An interchange with an invalid test indicator gets the one of the key's environment, for the answer. */
function indicated(header: Segment, environment: Environment): Segment {
  const [at, indicator] =
    header.tag === 'ISA' ? [14, environment === 'test' ? 'T' : 'P'] : [10, environment === 'test' ? '1' : ''];
  return { ...dividedSegment(header), elements: header.elements.with(at, indicator) };
}

async function headersIn(parts: AsyncIterable<SegmentPart>, most: number): Promise<Segment[]> {
  const headers: Segment[] = [];
  for await (const part of parts) {
    if ('set' in part || part.fact.kind !== 'interchange') continue;
    headers.push(part.fact.header);
    if (headers.length === most) break;
  }
  return headers;
}
