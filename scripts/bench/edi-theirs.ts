/**
 * The same events with the packages that a user would take: each streams segments, and a few lines make events of them. No
 * envelope, count or number is checked there, and none is placed.
 */
import { Readable, type Transform } from 'node:stream';
import Parser from 'edifact/parser.js';
import { X12Parser, type X12Segment } from 'node-x12';
import { Schema, X12grouper, X12parser } from 'x12-parser';
import type { TakeEvent } from './edi-ours.ts';

export type Theirs = (bytes: Buffer, take: TakeEvent) => Promise<void>;

/** A file stream delivers this much at a time, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/** None ends behind a terminator: node-x12 reads the segment before it twice there. */
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; ) {
    let to = Math.min(at + CHUNK_BYTES, bytes.byteLength);
    while (to < bytes.byteLength && bytes[to - 1] === TERMINATOR) to += 1;
    yield bytes.subarray(at, to);
    at = to;
  }
}

const TERMINATOR = 0x7e;

/** An event is told when the next one begins, or its set ends: its place stands behind it. */
class Events {
  private load = '';
  private status = '';
  private when = '';
  private city = '';
  private isOpen = false;
  private readonly take: TakeEvent;

  constructor(take: TakeEvent) {
    this.take = take;
  }

  /** The grouper gives the last loop of a set behind its SE. */
  beginLoad(load: string): void {
    this.end();
    this.load = load;
  }
  begin(status: string, when: string): void {
    this.end();
    this.isOpen = true;
    this.status = status;
    this.when = when;
    this.city = '';
  }
  happenedAt(when: string): void {
    if (this.isOpen) this.when = when;
  }
  placedIn(city: string): void {
    this.city = city;
  }
  end(): void {
    if (this.isOpen) this.take(this.load, this.status, this.when, this.city);
    this.isOpen = false;
  }
}

/** Events of segments that arrive one by one. @param element of the segment, from 1. */
function takeX12(events: Events, tag: string, element: (number: number) => string): void {
  if (tag === 'B10') events.beginLoad(element(2));
  else if (tag === 'AT7') events.begin(element(1), element(5) + element(6));
  else if (tag === 'MS1') events.placedIn(element(1));
  else if (tag === 'LX' || tag === 'SE') events.end();
}

/** Its segments alone, with what a user would write to make events of them. */
export const withX12ParserSegments: Theirs = (bytes, take) => {
  const events = new Events(take);
  return flow(bytes, [new X12parser()], (segment: FlatSegment) => takeFlat(events, segment));
};

/** Its sets with their loops, by its grouper, as its manual shows. */
export const withX12Parser: Theirs = async (bytes, take) => {
  const events = new Events(take);
  const takeAll = ({ data }: FlatGroup): void => {
    for (const part of data) {
      if (isGroup(part)) takeAll(part);
      else takeFlat(events, part);
    }
  };
  const loops = [{ start: 'LX', name: 'stop', terminators: ['SE'], groups: [{ start: 'AT7', name: 'status' }] }];
  const sets = new Schema('004010', { start: 'ST', end: 'SE', name: 'set', groups: loops });
  await flow(bytes, [new X12parser(), new X12grouper(sets)], (part: FlatSegment | FlatGroup) => {
    if (isGroup(part)) takeAll(part);
  });
  events.end();
};

type FlatSegment = { name: string } & Record<string, string>;
interface FlatGroup {
  name: string;
  data: (FlatSegment | FlatGroup)[];
}

const isGroup = (part: FlatSegment | FlatGroup): part is FlatGroup => Array.isArray(part.data);

const takeFlat = (events: Events, segment: FlatSegment): void =>
  takeX12(events, segment.name.trim(), (number) => segment[number] ?? '');

/** Its segments alone. */
export const withNodeX12Segments: Theirs = (bytes, take) => {
  const events = new Events(take);
  return flow(bytes, [new X12Parser(false, 'ascii')], (segment: X12Segment) => takeObject(events, segment));
};

/** Its stream of segments, made into interchange, groups and sets, as its manual shows. */
export const withNodeX12: Theirs = async (bytes, take) => {
  const events = new Events(take);
  const parser = new X12Parser(false, 'ascii');
  const segments: X12Segment[] = [];
  await flow(bytes, [parser], (segment: X12Segment) => void segments.push(segment));
  const interchange = parser.getInterchangeFromSegments(segments);
  if (!('functionalGroups' in interchange)) throw new Error('one interchange was written');
  for (const { transactions } of interchange.functionalGroups) {
    for (const transaction of transactions) {
      for (const segment of transaction.segments) takeObject(events, segment);
      events.end();
    }
  }
};

const takeObject = (events: Events, { tag, elements }: X12Segment): void =>
  takeX12(events, tag, (number) => elements[number - 1]?.value ?? '');

function flow<Part>(bytes: Buffer, steps: readonly Transform[], take: (part: Part) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let last: Readable = Readable.from(chunksOf(bytes), { objectMode: false });
    for (const step of steps) {
      step.on('error', reject);
      last = last.pipe(step);
    }
    last.on('end', resolve);
    last.on('data', take);
  });
}

/** Its callbacks as methods, which its own manual names as the faster way. */
export const withEdifact: Theirs = async (bytes, take) => {
  const events = new Events(take);
  const parser = new Parser();
  parser.encoding('UNOC');
  let tag = '';
  let elements: string[][] = [];
  let components: string[] = [];
  parser.onopensegment = (name) => {
    tag = name.trim();
    elements = [];
  };
  parser.onelement = () => {
    components = [];
    elements.push(components);
  };
  parser.oncomponent = (value) => {
    components.push(value);
  };
  parser.onclosesegment = () => {
    if (tag === 'CNI') events.beginLoad(elements[1]?.[0] ?? '');
    else if (tag === 'STS') events.begin(elements[1]?.[0] ?? '', '');
    else if (tag === 'DTM' && elements[0]?.[0] === '334') events.happenedAt(elements[0][1] ?? '');
    else if (tag === 'LOC') events.placedIn(elements[1]?.[3] ?? '');
    else if (tag === 'UNT') events.end();
  };
  for (const chunk of chunksOf(bytes)) parser.write(chunk.toString('latin1'));
  parser.end();
};
