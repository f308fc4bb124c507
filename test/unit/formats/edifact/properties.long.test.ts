import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SegmentSet } from '../../../../src/formats/segments/segment.ts';
import { draws } from '../../../draws.ts';
import { bytesOf, damaged, saidIn, transmission, write } from './arbitraries.ts';
import { codesOf, problemsOf, readWhole, type WholeRead, wellFormedOf } from './reading.ts';

/** Small enough that random files pass every limit. */
const SMALL = {
  sniffBytes: 64,
  segmentBytesMax: 60,
  envelopeSegmentBytesMax: 70,
  messageBytesMax: 150,
  messageSegmentsMax: 6,
  messageProblemsMax: 2,
  interchangeProblemsMax: 2,
};

/** What a set says, element by element. */
const said = ({ segments }: SegmentSet): string =>
  JSON.stringify(segments.map(({ tag, elements }) => [tag, elements.map((one) => [one].flat())]));
const saidBy = (read: WholeRead): string[] => wellFormedOf(read).map(said);

/** Every problem is in words and says where. */
function expectPlaces(read: WholeRead): void {
  for (const problem of problemsOf(read)) {
    expect(problem.message).toMatch(/^\S.*\.(?: |$)/s);
    expect(problem.fix).toMatch(/^\S/);
    expect(`${problem.message}${problem.fix}${problem.path}`).not.toMatch(/undefined|null|NaN|\[object/);
    if (read.unreadable.length === 0) {
      expect(problem).toMatchObject({ at: { line: expect.any(Number), byteFrom: expect.any(Number) } });
    }
  }
}

describe('any file', () => {
  it('gives the same parts in slices of any size, under any policy and limits', () => {
    const policies = fc.record({
      broken: fc.constantFrom('set' as const, 'interchange' as const),
      counts: fc.constantFrom('strict' as const, 'lenient' as const),
    });
    const limits = fc.constantFrom({}, { limits: SMALL });
    const bare = fc.constantFrom('reject' as const, 'accept' as const);
    fc.assert(
      fc.property(
        damaged,
        policies,
        limits,
        bare,
        fc.integer({ min: 1, max: 90 }),
        (file, policy, limit, own, sliceBytes) => {
          const options = { policy, source: { bare: own }, ...limit };
          const { checkpoint: _, ...whole } = readWhole(file, options);
          const { checkpoint: __, ...sliced } = readWhole(file, { ...options, sliceBytes });
          expect(sliced).toEqual(whole);
        },
      ),
      { numRuns: draws(3_200) },
    );
  });

  it('ends in messages or in problems with words and places', () => {
    fc.assert(
      fc.property(damaged, fc.constantFrom({}, { limits: SMALL }), (file, limits) => {
        const read = readWhole(file, limits);
        expectPlaces(read);
        expect(read.sets.length + problemsOf(read).length + read.facts.length).toBeGreaterThan(0);
      }),
      { numRuns: draws(2_400) },
    );
  });

  it('ends whatever the bytes are', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('', "UNB+UNOA:2+A+B+1:1+9'", 'UNH+1'),
        (noise, start) => {
          expectPlaces(readWhole(Buffer.concat([Buffer.from(start), noise]), { source: { bare: 'accept' } }));
        },
      ),
      { numRuns: draws(2_400) },
    );
  });

  it('numbers sets in their group and their segments from UNH on, in order of their bytes', () => {
    fc.assert(
      fc.property(damaged, (file) => {
        let reached = 0;
        const seen = new Set<string>();
        for (const { ref, segments } of readWhole(file).sets) {
          const place = `${ref.interchange}/${ref.group}/${ref.set}`;
          expect(seen.has(place)).toBe(false);
          seen.add(place);
          segments.forEach(({ number, byteFrom, byteTo, line }, at) => {
            expect(number).toBe(at + 1);
            expect(byteFrom).toBeGreaterThanOrEqual(reached);
            expect(byteTo).toBeGreaterThan(byteFrom);
            expect(line).toBe(Buffer.from(file.subarray(0, byteFrom)).toString('latin1').split('\n').length);
            reached = byteTo;
          });
        }
      }),
      { numRuns: draws(1_600) },
    );
  });
});

describe('interchanges written by the rules', () => {
  it('reads back what was written, without a problem', () => {
    fc.assert(
      fc.property(transmission, fc.constantFrom('set' as const, 'interchange' as const), (sent, broken) => {
        const read = readWhole(write(sent).text, { policy: { broken } });
        expect(codesOf(read)).toEqual([]);
        expect(saidBy(read)).toEqual(saidIn(sent));
      }),
      { numRuns: draws(1_600) },
    );
  });

  it('gives every envelope its facts, and its end counts what is in it', () => {
    fc.assert(
      fc.property(transmission, (sent) => {
        const facts = readWhole(write(sent).text).facts.map((fact) =>
          'counted' in fact ? `${fact.kind} ${fact.counted}` : fact.kind,
        );
        const wanted = sent.interchanges.flatMap(({ groups, isGrouped }) => [
          'interchange',
          ...(isGrouped ? groups.flatMap((messages) => ['group', `group_end ${messages.length}`]) : []),
          `interchange_end ${isGrouped ? groups.length : groups.flat().length}`,
        ]);
        expect(facts).toEqual(wanted);
      }),
      { numRuns: draws(800) },
    );
  });
});

describe('an interchange that lost something', () => {
  /** Nothing is read that was not sent, and what was sent is read or a problem says that something is wrong. */
  function expectNothingElse(read: WholeRead, sent: string[]): void {
    const found = saidBy(read);
    let from = 0;
    for (const one of found) {
      const at = sent.indexOf(one, from);
      expect(at, one).not.toBe(-1);
      from = at + 1;
    }
    if (found.length < sent.length) expect(problemsOf(read)).not.toEqual([]);
    expectPlaces(read);
  }

  it('has a problem or the same messages without any one of its terminators', () => {
    fc.assert(
      fc.property(transmission, fc.nat(), (sent, choice) => {
        const { text, segments } = write(sent);
        const { terminatorAt } = segments[choice % segments.length]!;
        const read = readWhole(text.slice(0, terminatorAt) + text.slice(terminatorAt + 1));
        expectNothingElse(read, saidIn(sent));
      }),
      { numRuns: draws(3_200) },
    );
  });

  it('has a problem without any one of its trailers or headers', () => {
    fc.assert(
      fc.property(transmission, fc.nat(), (sent, choice) => {
        const { text, segments } = write(sent);
        const envelope = segments.filter(({ tag }) => /^UN[BGHTEZ]$/.test(tag));
        const { from, terminatorAt } = envelope[choice % envelope.length]!;
        const read = readWhole(text.slice(0, from) + text.slice(terminatorAt + 1));
        expectNothingElse(read, saidIn(sent));
        expect(problemsOf(read)).not.toEqual([]);
      }),
      { numRuns: draws(2_400) },
    );
  });

  it('loses at most two messages with one terminator', () => {
    fc.assert(
      fc.property(transmission, fc.nat(), (sent, choice) => {
        const { text, segments } = write(sent);
        const inside = segments.filter(({ tag }) => !['UNB', 'UNZ'].includes(tag));
        const { terminatorAt } = inside[choice % inside.length]!;
        const read = readWhole(text.slice(0, terminatorAt) + text.slice(terminatorAt + 1));
        expect(wellFormedOf(read).length).toBeGreaterThanOrEqual(saidIn(sent).length - 2);
      }),
      { numRuns: draws(2_400) },
    );
  });

  it('gives whole messages when it is cut at any byte', () => {
    fc.assert(
      fc.property(
        transmission,
        fc.nat(),
        fc.constantFrom('set' as const, 'interchange' as const),
        (sent, choice, broken) => {
          const file = bytesOf(write(sent).text);
          const cut = file.subarray(0, choice % file.length);
          const read = readWhole(cut, { policy: { broken } });
          const wanted = saidIn(sent);
          expect(saidBy(read)).toEqual(wanted.slice(0, saidBy(read).length));
          expectPlaces(read);
        },
      ),
      { numRuns: draws(3_200) },
    );
  });

  it('is read without a throw when a separator or a segment is lost or two segments change places', () => {
    fc.assert(
      fc.property(
        transmission,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('separator', 'segment', 'swap'),
        (sent, one, other, what) => {
          const { text, segments } = write(sent);
          const [first, second] = [one, other]
            .map((choice) => segments[choice % segments.length]!)
            .sort((a, b) => a.from - b.from) as [(typeof segments)[number], (typeof segments)[number]];
          const end = (at: number): number => at + 1;
          const pieces = {
            separator: () => {
              const at = text.slice(one % text.length).search(/[+:|^?\\]/);
              return at === -1
                ? text
                : text.slice(0, (one % text.length) + at) + text.slice((one % text.length) + at + 1);
            },
            segment: () => text.slice(0, first.from) + text.slice(end(first.terminatorAt)),
            swap: () =>
              first === second
                ? text
                : text.slice(0, first.from) +
                  text.slice(second.from, end(second.terminatorAt)) +
                  text.slice(end(first.terminatorAt), second.from) +
                  text.slice(first.from, end(first.terminatorAt)) +
                  text.slice(end(second.terminatorAt)),
          };
          const read = readWhole(pieces[what as keyof typeof pieces]());
          expectPlaces(read);
          if (what === 'segment') expectNothingElse(read, saidIn(sent));
        },
      ),
      { numRuns: draws(2_400) },
    );
  });
});

describe('a policy that breaks whole interchanges', () => {
  it('refuses every message of an interchange with a fault and none of the others', () => {
    fc.assert(
      fc.property(transmission, fc.nat(), (sent, choice) => {
        const { text, segments } = write(sent);
        // A trailer of a message with a wrong count: the envelopes stay whole.
        const trailers = segments.filter(({ tag }) => tag === 'UNT');
        const { from } = trailers[choice % trailers.length]!;
        const broken = `${text.slice(0, from + 4)}9${text.slice(from + 4)}`;
        const strict = readWhole(broken, { policy: { broken: 'interchange' } });
        const loose = readWhole(broken);
        const at = loose.sets.find(({ problems }) => problems.length > 0)!.ref.interchange;
        for (const { ref, problems } of strict.sets) expect(problems.length > 0).toBe(ref.interchange === at);
        expect(strict.sets.map(said)).toEqual(loose.sets.map(said));
        expect(strict.facts).toEqual(loose.facts);
      }),
      { numRuns: draws(800) },
    );
  });
});
