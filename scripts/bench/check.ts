/** What the figures are held to, and the tables that show them. Pure: results in, verdicts and text out. */
import type { EdiResult } from './edi.ts';
import type { EdiKind } from './edi-files.ts';
import type { FileKind } from './generate.ts';
import type { MemorySubject } from './memory.ts';
import { count, megabytes, table, times } from './table.ts';
import type { TransformResult } from './transform.ts';

/** How much more memory the largest upload may take than a file of 10 MB, in bytes. Ours. */
const MEMORY_GROWTH_BYTES_MAX = 64 * 1024 * 1024;

export interface MemoryResult {
  subject: MemorySubject;
  kind: FileKind;
  /** Bytes of the two files, and the most memory held while reading each: medians of the runs, in bytes. */
  small: { bytes: number; peakBytes: number };
  large: { bytes: number; peakBytes: number };
}

export interface EdiMemory extends Pick<MemoryResult, 'small' | 'large'> {
  kind: EdiKind;
}

export interface Check {
  name: string;
  measured: string;
  wanted: string;
  holds: boolean;
}

export const checkEdiMemory = (result: EdiMemory): Check => ({
  name: `memory, reader, ${result.kind}`,
  measured: `${megabytes(growthBytes(result))} more`,
  wanted: `at most ${megabytes(MEMORY_GROWTH_BYTES_MAX)} more`,
  holds: growthBytes(result) <= MEMORY_GROWTH_BYTES_MAX,
});

export const ediTable = (results: readonly EdiResult[]): string =>
  table(
    ['file', 'against', 'events', 'size', 'Transload MB/s', 'their MB/s', 'ratio', 'least', 'most'],
    results.map(({ kind, rival, events, bytes, oursPerSecond, theirsPerSecond, ratio, ratios }) => [
      kind,
      rival,
      count(events),
      megabytes(bytes),
      oursPerSecond.toFixed(1),
      theirsPerSecond.toFixed(1),
      times(ratio),
      times(ratios[0] ?? 0),
      times(ratios.at(-1) ?? 0),
    ]),
  );

const growthBytes = ({ small, large }: Pick<MemoryResult, 'small' | 'large'>): number =>
  large.peakBytes - small.peakBytes;

export const checkMemory = (result: MemoryResult): Check => ({
  name: `memory, ${result.subject}, ${result.kind}`,
  measured: `${megabytes(growthBytes(result))} more`,
  wanted: `at most ${megabytes(MEMORY_GROWTH_BYTES_MAX)} more`,
  holds: growthBytes(result) <= MEMORY_GROWTH_BYTES_MAX,
});

export const transformTable = (results: readonly TransformResult[]): string =>
  table(
    ['file', 'rows', 'size', 'Transload rows/s', 'csv-parse + JSONata rows/s', 'ratio', 'least', 'most'],
    results.map(({ kind, rows, bytes, oursPerSecond, theirsPerSecond, ratio, ratios }) => [
      kind,
      count(rows),
      megabytes(bytes),
      count(oursPerSecond),
      count(theirsPerSecond),
      times(ratio),
      times(ratios[0] ?? 0),
      times(ratios.at(-1) ?? 0),
    ]),
  );

const SUBJECT_WORDS: Record<MemorySubject, string> = { bridge: 'bridge, dry run', map: 'map command' };

export const memoryTable = (results: readonly MemoryResult[]): string =>
  table(
    ['what', 'file', 'small file', 'peak', 'large file', 'peak', 'more'],
    results.map((result) => [
      SUBJECT_WORDS[result.subject],
      result.kind,
      megabytes(result.small.bytes),
      megabytes(result.small.peakBytes),
      megabytes(result.large.bytes),
      megabytes(result.large.peakBytes),
      megabytes(growthBytes(result)),
    ]),
  );

export const checkTable = (checks: readonly Check[]): string =>
  table(
    ['check', 'measured', 'wanted', ''],
    checks.map(({ name, measured, wanted, holds }) => [name, measured, wanted, holds ? 'holds' : 'FAILS']),
  );
