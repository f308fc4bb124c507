/** Our way from the bytes of an interchange to its events: slice by slice, through loops and cells, as a batch reads it. */

import { type Checkpoint, readerOf, recordSource } from '../../src/formats/reader.ts';
import type { RecordReader } from '../../src/formats/record-reader.ts';
import { readSlice, type StoredBytes } from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import { shippedLists, shippedMapping } from './mapping.ts';

/** What an event says, whoever reads it: load, status, date, time and place. */
export type TakeEvent = (load: string, status: string, when: string, city: string) => void;

/** Where an event's values stand among the cells of a record. */
const PATHS: Readonly<Record<EdiKind, readonly [load: string, status: string, ...when: string[]]>> = {
  x12: ['B10-02', 'AT7-01', 'AT7-05', 'AT7-06'],
  edifact: ['CNI-02', 'STS-02', 'DTM[01.1=334]-01.2'],
};
const CITY: Readonly<Record<EdiKind, string>> = { x12: 'MS1-01', edifact: 'LOC[01=7]-02.4' };

const IFTSTA = {
  format: 'edifact',
  messages: ['IFTSTA'],
  loops: { CNI: {}, STS: { in: 'CNI' } },
  record: 'STS',
};
/** As many paths as the mapping of 214 sets reads. */
const IFTSTA_PATHS = [
  ...PATHS.edifact,
  CITY.edifact,
  ...['BGM-02', 'NAD[01=CA]-02.1', 'NAD[01=CA]-03', 'RFF[01.1=BM]-01.2', 'RFF[01.1=AAO]-01.2', 'LOC[01=7]-02.1'],
  ...['FTX[01=AAI]-04', 'STS-01', 'STS-03', 'CNI-01', 'DTM[01.1=137]-01.2', 'UNB-05'],
];

const readers = new Map<EdiKind, { reader: RecordReader<Checkpoint>; paths: readonly string[] }>();

function readerFor(kind: EdiKind): { reader: RecordReader<Checkpoint>; paths: readonly string[] } {
  const known = readers.get(kind);
  if (known !== undefined) return known;
  const made = kind === 'x12' ? x12Reader() : iftstaReader();
  readers.set(kind, made);
  return made;
}

function x12Reader(): { reader: RecordReader<Checkpoint>; paths: readonly string[] } {
  const { reader, shape } = shippedMapping('x12-214', shippedLists());
  return { reader, paths: shape.paths };
}

const iftstaReader = () => ({
  reader: readerOf(recordSource.parse(IFTSTA), { paths: IFTSTA_PATHS, lists: [] }),
  paths: IFTSTA_PATHS,
});

/** @returns how many events; throws where one of them could not be read. */
export async function readOurs(kind: EdiKind, stored: StoredBytes, take: TakeEvent): Promise<number> {
  const { reader, paths } = readerFor(kind);
  const place = (path: string): number => paths.indexOf(path);
  const [load, status, ...when] = PATHS[kind].map(place) as [number, number, ...number[]];
  const city = place(CITY[kind]);
  let events = 0;
  for (let checkpoint = reader.start; ; ) {
    const read = await readSlice(stored, checkpoint.byte, ({ bytes, atEnd }) => reader.read(checkpoint, bytes, atEnd));
    if (read.outcome !== 'records') throw new Error(JSON.stringify(read));
    for (const { fields, problem } of read.records) {
      if (problem !== undefined) throw new Error(JSON.stringify(problem));
      const at = (index: number): string => fields[index] ?? '';
      take(at(load), at(status), when.map(at).join(''), at(city));
      events += 1;
    }
    ({ checkpoint } = read);
    if (read.finished) return events;
  }
}
