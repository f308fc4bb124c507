/** Compares the zone tables with vectors of other implementations and with Temporal's polyfill, zone by zone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { findZone, resolveLocal, spanAt, type Zone } from '../../../src/kernel/zones.ts';
import { CORPUS, isInCorpus, itReads } from '../../corpus.ts';
import { draws } from '../../draws.ts';

/** The vectors were computed with database 2025b; zones may have changed their law for later dates. */
const VECTORS_END = '2025-12';
const ZONES = Intl.supportedValuesOf('timeZone');

function read<T>(file: string, absent: T): T {
  const path = join(CORPUS, 'tz', file);
  return isInCorpus(path) ? JSON.parse(readFileSync(path, 'utf8')) : absent;
}

function zoneOf(text: string): Zone {
  const zone = findZone(text);
  if (zone === undefined) throw new Error(`${text} is unknown`);
  return zone;
}

function minutesOf(offset: string): number {
  const size = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return offset.startsWith('-') ? -size : size;
}

interface GapOverlapVector {
  zone: string;
  kind: 'gap' | 'overlap';
  transitionUtc: string;
  local: string;
  offsetBefore: string;
  offsetAfter: string;
  abbrBefore: string;
  abbrAfter: string;
  minuteBefore: { local: string; offset: string };
  minuteAfter: { local: string; offset: string };
}

describe('vectors of the corpus', () => {
  itReads('agree on every gap and overlap before the database of the vectors ends', () => {
    const { vectors } = read<{ vectors: GapOverlapVector[] }>('local_gap_overlap.json', { vectors: [] });
    const known = vectors.filter(({ transitionUtc }) => transitionUtc < VECTORS_END);
    expect(known.length > 200).toBe(true);
    for (const vector of known) {
      const resolved = resolveLocal(zoneOf(vector.zone), Date.parse(`${vector.local}Z`));
      if (resolved.kind === 'exact') throw new Error(`${vector.zone} ${vector.local} is neither gap nor overlap`);
      expect(resolved.kind).toBe(vector.kind);
      const [before, after] =
        resolved.kind === 'gap' ? [resolved.before, resolved.after] : [resolved.earlier, resolved.later];
      expect([before.offsetMinutes, after.offsetMinutes, after.fromMs]).toEqual([
        minutesOf(vector.offsetBefore),
        minutesOf(vector.offsetAfter),
        Date.parse(vector.transitionUtc),
      ]);
      if (/^[A-Z]/.test(vector.abbrBefore)) expect(before.abbreviation).toBe(vector.abbrBefore);
      if (/^[A-Z]/.test(vector.abbrAfter)) expect(after.abbreviation).toBe(vector.abbrAfter);
      for (const near of [vector.minuteBefore, vector.minuteAfter]) {
        const reading = resolveLocal(zoneOf(vector.zone), Date.parse(`${near.local}Z`));
        const offsets =
          reading.kind === 'exact' ? [reading.span.offsetMinutes] : [before.offsetMinutes, after.offsetMinutes];
        expect(offsets, `${vector.zone} ${near.local}`).toContain(minutesOf(near.offset));
      }
    }
  });

  itReads('agree on the offset and abbreviation a second before and at every transition', () => {
    interface Vector {
      utc: string;
      localTime: string;
      abbr: string;
      offsetMinutesWest: number;
    }
    const zones = read<Record<string, Vector[]>>('moment-timezone.vectors.json', {});
    let compared = 0;
    for (const [name, vectors] of Object.entries(zones)) {
      for (const { utc, localTime, abbr, offsetMinutesWest } of vectors) {
        if (utc >= VECTORS_END) continue;
        const span = spanAt(zoneOf(name), Date.parse(utc));
        expect(span.offsetMinutes, `${name} ${utc}`).toBe(0 - offsetMinutesWest);
        if (/^[A-Z]/.test(abbr)) expect(span.abbreviation, `${name} ${utc}`).toBe(abbr);
        const reading = new Date(Date.parse(utc) + span.offsetMinutes * 60_000).toISOString();
        expect(reading.slice(11, 19)).toBe(localTime);
        compared++;
      }
    }
    expect(compared > 1_000).toBe(true);
  });
});

/** The instants Temporal gives a reading when told to take the earlier and the later one. */
function temporalInstants(name: string, localMs: number): [number, number] {
  const reading = Temporal.PlainDateTime.from(new Date(localMs).toISOString().slice(0, 23));
  const at = (disambiguation: 'earlier' | 'later') =>
    reading.toZonedDateTime(name, { disambiguation }).epochMilliseconds;
  return [at('earlier'), at('later')];
}

function ourInstants(name: string, localMs: number): [number, number] {
  const resolved = resolveLocal(zoneOf(name), localMs);
  const at = (offsetMinutes: number): number => localMs - offsetMinutes * 60_000;
  if (resolved.kind === 'exact') return [at(resolved.span.offsetMinutes), at(resolved.span.offsetMinutes)];
  if (resolved.kind === 'gap') return [at(resolved.after.offsetMinutes), at(resolved.before.offsetMinutes)];
  return [at(resolved.earlier.offsetMinutes), at(resolved.later.offsetMinutes)];
}

describe('Temporal', () => {
  it('agrees on both sides of every change of 2026, in every zone', { timeout: 60_000 }, () => {
    let changes = 0;
    for (const name of ZONES) {
      const zone = zoneOf(name);
      spanAt(zone, Date.UTC(2026, 6, 1));
      for (const { fromMs, offsetMinutes } of zone.spansByYear.get(2026)?.slice(1) ?? []) {
        changes++;
        for (const minutes of [-61, -60, -31, -1, 0, 1, 29, 60, 61]) {
          const localMs = fromMs + (offsetMinutes + minutes) * 60_000;
          expect(ourInstants(name, localMs), `${name} ${new Date(localMs).toISOString()}`).toEqual(
            temporalInstants(name, localMs),
          );
        }
      }
    }
    expect(changes).toBeGreaterThan(150);
  });

  const years = { min: Date.UTC(1990, 0, 1), max: Date.UTC(2038, 0, 1) - 1 };

  it('agrees on the offset at any instant of 1990 to 2037, in any zone', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer(years), (name, instantMs) => {
        const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(name);
        expect(spanAt(zoneOf(name), instantMs).offsetMinutes).toBe(offsetNanoseconds / 60e9);
      }),
      { numRuns: draws(1_500) },
    );
  });

  it('agrees on what any reading of 1990 to 2037 means, in any zone', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer(years), (name, localMs) => {
        expect(ourInstants(name, localMs)).toEqual(temporalInstants(name, localMs));
      }),
      { numRuns: draws(1_000) },
    );
  });

  it('agrees within three hours of any change of any year, where mistakes would be', { timeout: 60_000 }, () => {
    const near = fc.integer({ min: -180, max: 180 });
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: 1990, max: 2037 }),
        fc.nat(),
        near,
        (name, year, pick, minutes) => {
          const zone = zoneOf(name);
          spanAt(zone, Date.UTC(year, 6, 1));
          const changes = zone.spansByYear.get(year)?.slice(1) ?? [];
          const change = changes[pick % Math.max(1, changes.length)];
          if (change === undefined) return;
          const localMs = change.fromMs + (change.offsetMinutes + minutes) * 60_000;
          expect(ourInstants(name, localMs)).toEqual(temporalInstants(name, localMs));
        },
      ),
      { numRuns: draws(1_000) },
    );
  });
});
