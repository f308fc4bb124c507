/** Our way from the bytes of an interchange to its events: slice by slice, through loops and cells, as a batch reads it. */

import { type Checkpoint, readerOf, recordSource } from '../../src/formats/reader.ts';
import type { RecordReader } from '../../src/formats/record-reader.ts';
import { readSlice, type StoredBytes } from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import { shippedLists, shippedMapping } from './mapping.ts';

/** What an event says, whoever reads it: load, status, date, time and place. */
export type TakeEvent = (load: string, status: string, when: string, city: string) => void;

/** Where an event's values stand among the cells of a record: what the rivals read, too. */
const PATHS: Readonly<Record<EdiKind, readonly [load: string, status: string, city: string, ...when: string[]]>> = {
  x12: ['B10-02', 'AT7-01', 'MS1-01', 'AT7-05', 'AT7-06'],
  edifact: ['CNI-02', 'STS-02', 'LOC[01=7]-02.4', 'DTM[01.1=334]-01.2'],
};

/** As the shipped mappings declare them. */
const SOURCES: Readonly<Record<EdiKind, object>> = {
  x12: {
    format: 'x12',
    sets: ['214'],
    ignore: ['997'],
    loops: { N1: { holds: ['N2', 'N3', 'N4', 'G61'] }, LX: {}, AT7: { in: 'LX', holds: ['MS1', 'MS2', 'M7'] } },
    record: 'AT7',
  },
  edifact: { format: 'edifact', messages: ['IFTSTA'], loops: { CNI: {}, STS: { in: 'CNI' } }, record: 'STS' },
};
/** As many more paths as the shipped mapping of 214 sets reads: what a batch pays for. */
const MORE_PATHS: Readonly<Record<EdiKind, readonly string[]>> = {
  x12: shippedMapping('x12-214', shippedLists()).shape.paths,
  edifact: [
    ...['BGM-02', 'NAD[01=CA]-02.1', 'NAD[01=CA]-03', 'RFF[01.1=BM]-01.2', 'RFF[01.1=AAO]-01.2', 'LOC[01=7]-02.1'],
    ...['FTX[01=AAI]-04', 'STS-01', 'STS-03', 'CNI-01', 'DTM[01.1=137]-01.2', 'UNB-05'],
  ],
};

/** The side that reads all paths. */
export const ALL_PATHS = 'ours, all paths';

/** What is read of each event: what the rivals read, or all that a mapping does. */
export type OurPaths = 'event' | 'mapping';

/** Made once, as a mapping is compiled once for all files. */
export function readerFor(kind: EdiKind, read: OurPaths = 'event'): RecordReader<Checkpoint> {
  const paths = read === 'event' ? PATHS[kind] : [...PATHS[kind], ...MORE_PATHS[kind]];
  return readerOf(recordSource.parse(SOURCES[kind]), { paths, lists: [] });
}

/** @returns how many events; throws where one of them could not be read. */
export const readOurs = (kind: EdiKind, stored: StoredBytes, take: TakeEvent): Promise<number> =>
  readWith(readerFor(kind), kind, stored, take);

export async function readWith(
  reader: RecordReader<Checkpoint>,
  kind: EdiKind,
  stored: StoredBytes,
  take: TakeEvent,
): Promise<number> {
  let events = 0;
  for (let checkpoint = reader.start; ; ) {
    const read = await readSlice(stored, checkpoint.byte, ({ bytes, atEnd }) => reader.read(checkpoint, bytes, atEnd));
    if (read.outcome !== 'records') throw new Error(JSON.stringify(read));
    for (const { fields, problem } of read.records) {
      if (problem !== undefined) throw new Error(JSON.stringify(problem));
      const day = fields[3] ?? '';
      take(fields[0] ?? '', fields[1] ?? '', kind === 'x12' ? day + (fields[4] ?? '') : day, fields[2] ?? '');
      events += 1;
    }
    ({ checkpoint } = read);
    if (read.finished) return events;
  }
}
