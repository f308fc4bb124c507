/**
 * The same events with the packages that a user would take: each streams segments, and a few lines make events of them. No
 * envelope, count or number is checked there, and none is placed.
 */
import { Readable } from 'node:stream';
import Parser from 'edifact/parser.js';
import { X12Parser } from 'node-x12';
import { X12parser } from 'x12-parser';
import type { TakeEvent } from './edi-ours.ts';

export type Theirs = (bytes: Buffer, take: TakeEvent) => Promise<void>;

/** A file stream delivers this much at a time, in bytes. */
const CHUNK_BYTES = 64 * 1024;

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

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

  beginLoad(load: string): void {
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

export const withX12Parser: Theirs = (bytes, take) => {
  const events = new Events(take);
  const parser = new X12parser();
  return flow(bytes, parser, (segment: Record<string, string>) =>
    takeX12(events, (segment.name ?? '').trim(), (number) => segment[number] ?? ''),
  );
};

export const withNodeX12: Theirs = (bytes, take) => {
  const events = new Events(take);
  const parser = new X12Parser(false, 'ascii');
  return flow(bytes, parser, ({ tag, elements }: { tag: string; elements: { value: string }[] }) =>
    takeX12(events, tag, (number) => elements[number - 1]?.value ?? ''),
  );
};

function flow<Segment>(bytes: Buffer, parser: NodeJS.ReadWriteStream, take: (segment: Segment) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.on('data', take);
    Readable.from(chunksOf(bytes), { objectMode: false }).pipe(parser);
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
