/** A text of our own under a shipped mapping → its acknowledgment, through the real reader, mapper and judge. */
import { Buffer } from 'node:buffer';
import type { AcknowledgmentKind } from '../../../../src/batch/acknowledgment/file.ts';
import type { BatchRow } from '../../../../src/batch/report/summary.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../../../src/formats/segments/parts.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';
import { recordLine } from '../../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../../src/mapping/compile/map-file.ts';
import { SHIPPED } from '../../mapping/shipped.ts';
import { acknowledgedBothWays } from './both-ways.ts';

export interface Wanted {
  mapping: string;
  kind: AcknowledgmentKind;
  policy?: Partial<EnvelopePolicy>;
  /** Instead of what the mapper says. */
  rows?: readonly Pick<BatchRow, 'record' | 'state' | 'errors'>[];
}

/** As text of ASCII, or UTF-8. @returns '' where nothing is acknowledged. */
export async function acknowledged(text: string, wanted: Wanted): Promise<string> {
  return Buffer.from(await acknowledgedBytes(Buffer.from(text, 'utf8'), wanted)).toString('utf8');
}

export async function acknowledgedBytes(bytes: Uint8Array, wanted: Wanted): Promise<Uint8Array> {
  const mapping = SHIPPED.get(wanted.mapping)?.mapping;
  if (mapping === undefined) throw new Error(`no mapping ${wanted.mapping}`);
  const source = bytesInMemory(bytes);
  const rows: BatchRow[] = [];
  const add = (
    { record, state, errors }: Pick<BatchRow, 'record' | 'state' | 'errors'>,
    requests: BatchRow['requests'] = [],
  ) =>
    rows.push({
      ...{ record, state, errors, group: null, replaces: null, replacedBy: null, lookedUp: [], requests },
      position: { record, line: 1, byteFrom: 0, byteTo: 0 },
    });
  if (wanted.rows !== undefined) for (const row of wanted.rows) add(row);
  else {
    for await (const step of mapFile(mapping, source)) {
      if (step.outcome !== 'records') break;
      for (const mapped of step.records) {
        const { record, errors }: Pick<BatchRow, 'record' | 'errors'> = JSON.parse(recordLine(mapped));
        const requests = mapped.mapped.requests as unknown as BatchRow['requests']; // only counted
        add({ record, state: errors.length > 0 ? 'invalid' : 'delivered', errors }, requests);
      }
    }
  }
  return acknowledgedBothWays({
    kind: wanted.kind,
    mapping,
    policy: { ...DEFAULT_POLICY, ...wanted.policy },
    files: [bytes],
    rows,
  });
}

/** Segments without what ends them. */
export const segmentsOf = (text: string, terminator: string): string[] =>
  text
    .split(`${terminator}\n`)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '');
