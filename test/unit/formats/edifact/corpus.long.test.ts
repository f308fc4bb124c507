import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { codesOf, problemsOf, readWhole, saidBy, type WholeRead } from './reading.ts';

const FOLDER = join(CORPUS, 'edifact');
const files = isInCorpus(FOLDER)
  ? readdirSync(FOLDER).flatMap((folder) => readdirSync(join(FOLDER, folder)).map((name) => `${folder}/${name}`))
  : [];

const bytesOf = (name: string): Uint8Array => Uint8Array.from(readFileSync(join(FOLDER, name)));
const read = (name: string): WholeRead => readWhole(bytesOf(name), { source: { bare: 'accept' } });

interface Facts {
  una?: string;
  UNB: number;
  UNZ: number;
  UNG: number;
  UNH: number;
  UNT: number;
  types: Record<string, number>;
  countProblems: string[];
}

function table<Row>(
  name: string,
  pick: (parsed: Record<string, Record<string, Row>>) => Record<string, Row> | undefined,
) {
  const path = join(CORPUS, name);
  if (!isInCorpus(path)) return new Map<string, Row>();
  return new Map(Object.entries(pick(JSON.parse(readFileSync(path, 'utf8'))) ?? {}));
}
const facts = table<Facts>('edifact_envelope_facts.json', ({ files: all }) => all);
const malformed = table<{ reasonFacts: string[] }>('malformed_index.json', ({ edifact }) => edifact);

const isTradacoms = (name: string): boolean => name.includes('/tradacoms.');
/** Files whose terminator is another one than their (missing) UNA says: nothing of them can be divided. */
const UNDIVIDED = ['indice-co__EDI.Net/edifact.D01B.IFCSUM.NewLines.EDI'];

/** Segments by the simplest rule: line breaks away, then cut at each `'` that no `?` stands before. */
function countTags(name: string): Map<string, number> {
  const text = Buffer.from(bytesOf(name))
    .toString('latin1')
    .replace(/[\r\n]/g, '')
    .replaceAll('??', '');
  const counts = new Map<string, number>();
  for (const segment of text.split(/(?<!\?)'/)) {
    const tag = segment.trimStart().slice(0, 3);
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return counts;
}

describe('interchanges of other people', () => {
  const edifact = files.filter((name) => !isTradacoms(name) && !UNDIVIDED.includes(name));

  itReads.each(edifact)('finds the messages of %s and their segments', (name) => {
    const { sets } = read(name);
    const counts = countTags(name);
    const opened = sets.filter(({ segments }) => segments[0]!.tag === 'UNH');
    expect(opened).toHaveLength(counts.get('UNH') ?? 0);
    expect(sets.filter(({ segments }) => segments.at(-1)!.tag === 'UNT')).toHaveLength(counts.get('UNT') ?? 0);
    const inside = [...counts].filter(([tag]) => /^[A-Z]{3}$/.test(tag) && !/^UN[ABGEZ]$/.test(tag));
    const found = sets.flatMap(({ segments }) => segments).filter(({ tag }) => /^[A-Z]{3}$/.test(tag));
    expect(found).toHaveLength(inside.reduce((sum, [, count]) => sum + count, 0));
  });

  itReads.each(edifact.filter((name) => facts.has(`edifact/${name}`)))(
    'agrees on %s with the facts known of it',
    (name) => {
      const known = facts.get(`edifact/${name}`)!;
      const { sets, facts: found } = read(name);
      expect(sets.filter(({ segments }) => segments[0]!.tag === 'UNH')).toHaveLength(known.UNH);
      expect(found.filter(({ kind }) => kind === 'group')).toHaveLength(known.UNG);
      // What stands before the first UNB of a file hid it from whoever counted.
      if (known.UNB > 0) expect(found.filter(({ kind }) => kind === 'interchange')).toHaveLength(known.UNB);
      for (const [type, count] of Object.entries(known.types)) {
        const id = type.slice(0, type.lastIndexOf(' '));
        expect(sets.filter((set) => set.id === id)).toHaveLength(count);
      }
    },
  );

  itReads.each(edifact.filter((name) => malformed.has(`edifact/${name}`)))('finds what is wrong with %s', (name) => {
    const reasons = malformed.get(`edifact/${name}`)!.reasonFacts;
    const found = read(name);
    const codes = codesOf(found);
    const wanted = reasons.flatMap((reason) => {
      if (/^UNT01/.test(reason)) return ['count_differs'];
      if (/^UNT02/.test(reason)) return ['control_number_differs'];
      if (/but UN[TZ]=0$/.test(reason)) return ['trailer_missing'];
      if (/^UNB=0/.test(reason)) return ['text_outside_interchange'];
      return [];
    });
    for (const code of new Set(wanted)) {
      const least = wanted.filter((one) => one === code).length;
      expect(codes.filter((one) => one === code).length, code).toBeGreaterThanOrEqual(least);
    }
    if (reasons.includes('UTF-8 BOM')) expect(found.notes[0]).toContain('byte-order mark');
  });

  itReads.each(edifact.filter((name) => facts.has(`edifact/${name}`)))(
    'has no more to say of %s than is wrong with it',
    (name) => {
      const known = facts.get(`edifact/${name}`)!;
      const isSound = known.countProblems.length === 0 && known.UNB === known.UNZ && known.UNH === known.UNT;
      const others = ['control_number_differs', 'element_missing', 'unexpected_segment', 'text_outside_interchange'];
      const left = codesOf(read(name)).filter((code) => !isSound || !['count_differs', ...others].includes(code));
      if (isSound) expect(left).toEqual([]);
    },
  );

  const pairs = files.filter((name) => name.startsWith('hupe1980__edifact-rs/'));
  itReads.each(pairs.filter((name) => name.includes('_conforming')))('takes %s without a problem', (name) => {
    expect(codesOf(read(name))).toEqual([]);
  });

  /** Their faults lie in the message's own directory, which no envelope knows: a wrong qualifier, a missing component. */
  const BY_DIRECTORY = ['d01b_invoic_malformed.edi', 'd11a_malformed_component.edi', 'd96a_invoic_malformed.edi'];
  itReads.each(pairs.filter((name) => name.includes('_malformed')))('judges the envelope of %s', (name) => {
    expect(codesOf(read(name)).length > 0).toBe(!BY_DIRECTORY.some((other) => name.endsWith(other)));
  });

  itReads.each(pairs)('refuses %s, which has no UNB, unless the mapping takes such files', (name) => {
    expect(readWhole(bytesOf(name)).unreadable).toMatchObject([{ code: 'interchange_header_missing', path: 'UNB' }]);
  });

  itReads.each(files.filter(isTradacoms))('says that %s is TRADACOMS', (name) => {
    const { unreadable } = read(name);
    expect(unreadable).toMatchObject([{ code: 'not_edifact' }]);
    expect(unreadable[0]!.message).toContain('TRADACOMS');
  });

  itReads.each(files.filter((name) => UNDIVIDED.includes(name)))(
    'says that no terminator ends the segments of %s',
    (name) => {
      const { unreadable } = read(name);
      expect(unreadable).toMatchObject([{ code: 'header_unterminated', at: { line: 1, byteFrom: 0 } }]);
      expect(unreadable[0]!.message).toContain('line breaks');
    },
  );

  itReads('reads every file the same in slices, under either policy', () => {
    for (const name of files) {
      const file = bytesOf(name);
      for (const broken of ['set', 'interchange'] as const) {
        const options = { policy: { broken }, source: { bare: 'accept' } } as const;
        const { checkpoint: _, ...whole } = readWhole(file, options);
        const { checkpoint: __, ...sliced } = readWhole(file, {
          ...options,
          sliceBytes: file.byteLength > 2_000 ? 97 : 5,
        });
        expect(sliced, name).toEqual(whole);
      }
    }
  });

  itReads('gives whole messages of every small file cut at any byte', () => {
    for (const name of files) {
      const file = bytesOf(name);
      if (file.byteLength > 1_000) continue;
      const wanted = read(name).sets.map(saidBy);
      for (let cut = 0; cut < file.byteLength; cut++) {
        const found = readWhole(file.subarray(0, cut), { source: { bare: 'accept' } });
        const sound = found.sets.filter(({ problems }) => problems.length === 0).map(saidBy);
        expect(wanted.slice(0, sound.length), `${name} at ${cut}`).toEqual(sound);
        for (const problem of problemsOf(found)) expect(problem.message).toMatch(/^\S.*\.(?: |$)/s);
      }
    }
  });

  itReads.each(files.filter((name) => name.endsWith('parse_iftmin.edi')))(
    'reads the texts of %s as they are written',
    (name) => {
      const { sets, notes } = read(name);
      const segments = Buffer.from(bytesOf(name))
        .toString('utf8')
        .split("'")
        .map((one) => one.trim());
      const plain = segments.filter((one) => !one.includes('?') && /^[A-Z]{3}\+/.test(one) && !/^UN[BZ]/.test(one));
      const found = new Set(saidBy(sets[0]!).replace(/^\w+ /, '').split("'"));
      expect(plain.length).toBeGreaterThan(10);
      for (const segment of plain) expect(found).toContain(segment);
      expect(notes.join()).toContain('utf-8');
      expect(notes.join()).toContain('decimal mark');
    },
  );
});
