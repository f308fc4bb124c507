import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { declare, fieldsOf, plainRead, readWhole } from './reading.ts';

const ROOT = join(CORPUS, 'xml');
const files = isInCorpus(ROOT)
  ? readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.xml'))
  : [];
const bytes = (path: string): Uint8Array => new Uint8Array(readFileSync(join(ROOT, path)));
const named = (name: string): string[] =>
  files.filter((path) => path.endsWith(`__${name}`) || path.endsWith(`/${name}`));

describe('real XML documents', () => {
  itReads.each(files)('%s ends in records or in problems with places, the same in slices', (path) => {
    const root =
      /<([A-Za-z][\w:.-]*)/.exec(readFileSync(join(ROOT, path), 'utf8').replace(/<!--[\s\S]*?-->/g, ''))?.[1] ?? 'x';
    const child = declare(`${root.split(':').at(-1)}`);
    const read = readWhole(bytes(path), child);
    expect(plainRead(readWhole(bytes(path), child, { sliceBytes: 97 }))).toEqual(plainRead(read));
    expect(read.records.length + read.problems.length).toBe(1);
  });

  itReads.each(files)('%s ends with its places also where the records are not there', (path) => {
    expect(readWhole(bytes(path), declare('no/such/path')).problems).toHaveLength(1);
  });

  itReads.each(named('tracking_details_en.xml'))('%s: every scan of a carrier’s answer', (path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const source = declare('tracking-detail/significant-events/occurrence');
    const paths = ['event-identifier', 'event-date', 'event-site', 'event-province', '../../pin'];
    const rows = fieldsOf(bytes(path), paths, source);
    const all = (name: string) =>
      [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value]) => value);
    expect(rows).toHaveLength(all('event-identifier').length);
    expect(rows.map(([identifier]) => identifier)).toEqual(all('event-identifier'));
    expect(rows.map(([, date]) => date)).toEqual(all('event-date'));
    expect(new Set(rows.map((row) => row.at(-1)))).toEqual(new Set([all('pin')[0]]));
  });

  itReads.each(named('track_shipment_response.xml'))('%s: events inside an envelope, whatever the prefixes', (path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const source = declare('Envelope/Body/TrackShipmentResponse/TrackingEvents/TrackingEvent');
    const rows = fieldsOf(bytes(path), ['Timestamp', 'City'], source);
    expect(rows.map(([time]) => time)).toEqual([...text.matchAll(/<Timestamp>([^<]*)</g)].map(([, value]) => value));
    expect(rows.length).toBeGreaterThan(1);
  });

  itReads.each(named('invalid.xml'))('%s is refused with a place', (path) => {
    const [problem] = readWhole(bytes(path), declare('any_name')).problems;
    expect(problem).toMatchObject({ byte: expect.any(Number), line: expect.any(Number) });
  });
});
