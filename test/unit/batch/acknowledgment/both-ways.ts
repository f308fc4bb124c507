/** Files and their rows → the acknowledgment, from the stored bytes and from what is kept when they are read: the same. */
import { expect } from 'vitest';
import {
  type AcknowledgmentKind,
  type AcknowledgmentPort,
  acknowledgmentText,
  outcomesReadAgain,
  outcomesStored,
  setsOf,
} from '../../../../src/batch/acknowledgment/file.ts';
import type { MappedRow } from '../../../../src/batch/core/run.ts';
import { underPolicy } from '../../../../src/batch/envelopes/validate.ts';
import type { BatchRow } from '../../../../src/batch/report/summary.ts';
import type { EnvelopePolicy } from '../../../../src/formats/segments/parts.ts';
import { bytesInMemory } from '../../../../src/formats/slices.ts';
import type { CompiledMapping } from '../../../../src/mapping/compile/compile.ts';

export const AT_MS = Date.parse('2026-03-02T15:04:00Z');
/** Own control numbers of the first interchange of a file and of those after it. */
const CONTROL_BEFORE = 40;

export interface Acknowledged {
  kind: AcknowledgmentKind;
  mapping: CompiledMapping;
  policy: EnvelopePolicy;
  /** Those that can be read, in order. */
  files: readonly Uint8Array[];
  /** Of all files. */
  rows: readonly BatchRow[];
}

/** Bytes of a slice where none is longer than its first whole set. */
const SHORTEST_SLICE = 1;
const SLICES = [SHORTEST_SLICE, 700, 256 * 1024];

/** @param slices bytes of each, at first: a slice is made longer while nothing whole fits in it. */
export async function acknowledgedBothWays(
  asked: Acknowledged,
  slices: readonly number[] = SLICES,
): Promise<Uint8Array> {
  const { mapping, policy, files, rows } = asked;
  const again = outcomesReadAgain({
    ...{ mapping, policy },
    sources: files.map(bytesInMemory),
    rows: async (after, limit) => rows.filter(({ record }) => record > after).slice(0, limit),
  });
  const read = await written(asked, again);
  for (const length of slices) {
    const kept = await written(asked, asKept(setTexts(asked, length)));
    expect({ length, text: latin1(kept) }).toEqual({ length, text: latin1(read) });
  }
  return read;
}

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

const written = ({ kind }: Acknowledged, outcomes: AcknowledgmentPort['outcomes']): Promise<Uint8Array> => {
  const control = async (interchange: number): Promise<number> => CONTROL_BEFORE + interchange;
  return new Response(acknowledgmentText({ kind, outcomes, control, atMs: AT_MS })).bytes();
};

/** In pages of one text. */
function asKept(texts: readonly string[]): AcknowledgmentPort['outcomes'] {
  const page = (at: number) => ({
    sets: texts.slice(at, at + 1),
    next: at + 1 < texts.length ? { texts: at + 1, slice: 0 } : null,
  });
  return outcomesStored(page(0), async ({ texts: at }) => page(at));
}

/** What is kept of each slice. */
export function setTexts({ mapping, policy, files, rows }: Omit<Acknowledged, 'kind'>, sliceBytes: number): string[] {
  const { reader } = underPolicy(mapping, policy);
  const texts: string[] = [];
  let records = 0;
  for (const bytes of files) {
    for (let [checkpoint, length] = [reader.start, sliceBytes]; ; ) {
      const slice = bytes.subarray(checkpoint.byte, checkpoint.byte + length);
      const read = reader.read(checkpoint, slice, checkpoint.byte + slice.byteLength >= bytes.byteLength);
      if (read.outcome === 'more') {
        length *= 2;
        continue;
      }
      if (read.outcome === 'unreadable') break;
      const own = rows.slice(records, records + read.records.length);
      records += read.records.length;
      const mapped = own.map(({ state, errors, requests }) => ({
        state: state === 'invalid' || state === 'skipped' ? state : null,
        problems: errors,
        requests: requests as unknown as MappedRow['requests'],
      }));
      texts.push(setsOf(read.parts ?? [], mapped));
      if (read.finished) break;
      checkpoint = read.checkpoint;
      length = sliceBytes;
    }
  }
  return texts;
}
