/** An interchange that is refused as a whole, told in its own language: TA1 with `R`, or a CONTRL that rejects it. */
import { partsReaderOf } from '../../formats/reader.ts';
import { DEFAULT_POLICY } from '../../formats/segments/parts.ts';
import { dividedSegment, elementText, type Segment } from '../../formats/segments/segment.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import type { Environment } from '../../kernel/names.ts';
import type { EnvelopeRefusal } from '../envelopes/judge.ts';
import type { ControlRefusal } from '../envelopes/words.ts';
import { refusedContrl } from './contrl.ts';
import { acknowledgmentBytes } from './file.ts';
import { refusedInterchange } from './x12.ts';

/** Of list 0085: unknown sender, test indicator not supported, duplicate. */
const CONTRL_CODES: Record<(EnvelopeRefusal | ControlRefusal)['code'], string> = {
  identity_mismatch: '23',
  environment_mismatch: '25',
  test_indicator_invalid: '25',
  control_duplicate: '26',
  control_conflict: '26',
};
/** TA105: duplicate control number. */
const REPEATED = 'TA1 025';

/** @param bytes of the document. @returns undefined where the interchange that is meant is not found in them. */
export async function refusalAcknowledgment(
  bytes: Uint8Array,
  format: 'x12' | 'edifact',
  refusal: EnvelopeRefusal | ControlRefusal,
  control: () => Promise<number>,
  nowMs: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const found = await headerOf(bytes, format, refusal.control);
  if (found === undefined) return undefined;
  const header = refusal.code === 'test_indicator_invalid' ? indicated(found, refusal.environment) : found;
  const standard = 'standard' in refusal ? refusal.standard : REPEATED;
  return format === 'x12'
    ? acknowledgmentBytes('997', refusedInterchange(header, { code: refusal.code, standard }, await control(), nowMs))
    : acknowledgmentBytes('CONTRL', refusedContrl(header, CONTRL_CODES[refusal.code], await control(), nowMs));
}

/** Our answer says whether it is a test, though the interchange does not: as the key does that it came with. */
function indicated(header: Segment, environment: Environment): Segment {
  const [at, indicator] =
    header.tag === 'ISA' ? [14, environment === 'test' ? 'T' : 'P'] : [10, environment === 'test' ? '1' : ''];
  return { ...dividedSegment(header), elements: header.elements.with(at, indicator) };
}

async function headerOf(bytes: Uint8Array, format: 'x12' | 'edifact', control: string): Promise<Segment | undefined> {
  for await (const part of storedParts(partsReaderOf(format, DEFAULT_POLICY), bytesInMemory(bytes))) {
    if ('set' in part || part.fact.kind !== 'interchange') continue;
    const { header } = part.fact;
    if (elementText(header, header.tag === 'ISA' ? 13 : 5, null).trim() === control) return header;
  }
  return undefined;
}
