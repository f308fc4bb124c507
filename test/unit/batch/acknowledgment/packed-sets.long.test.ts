/** What is kept of sets when they are read makes the same acknowledgment, byte for byte, as the stored bytes and the rows. */
import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AcknowledgmentKind } from '../../../../src/batch/acknowledgment/file.ts';
import { packSets, unpackSets } from '../../../../src/batch/acknowledgment/packed-sets.ts';
import { runSlice } from '../../../../src/batch/core/run.ts';
import { underPolicy } from '../../../../src/batch/envelopes/validate.ts';
import type { BatchRow } from '../../../../src/batch/report/summary.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../../../src/formats/segments/parts.ts';
import type { CompiledMapping } from '../../../../src/mapping/compile/compile.ts';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { draws } from '../../../draws.ts';
import { FIXTURES, SHIPPED } from '../../mapping/shipped.ts';
import { acknowledgedBothWays, setTexts } from './both-ways.ts';

const MAPPINGS = [...SHIPPED.keys()].filter((name) => /^(x12|edifact)-/.test(name));
const POLICIES: readonly EnvelopePolicy[] = [
  DEFAULT_POLICY,
  { broken: 'interchange', counts: 'strict', width: 'strict' },
  { ...DEFAULT_POLICY, counts: 'lenient' },
];
const kindsOf = (name: string): AcknowledgmentKind[] => (name.startsWith('x12') ? ['997', '999'] : ['CONTRL']);

function mappingOf(name: string): CompiledMapping {
  const mapping = SHIPPED.get(name)?.mapping;
  if (mapping === undefined) throw new Error(`no mapping ${name}`);
  return mapping;
}

/** Of all files, as a batch stores them. @param dryRun rows have no requests. */
function rowsOf(mapping: CompiledMapping, files: readonly Uint8Array[], dryRun: boolean): BatchRow[] {
  const rows: BatchRow[] = [];
  for (const bytes of files) {
    const slice = { bytes, atEnd: true, checkpoint: mapping.reader.start };
    const run = runSlice(mapping, { scac: 'DEMO', allowed: ['DEMO'] }, slice);
    if (run.outcome !== 'rows') continue;
    expect(run.finished).toBe(true);
    for (const { state, problems, requests } of run.rows)
      rows.push({
        ...{ record: rows.length + 1, state: state ?? (dryRun ? 'valid' : 'queued'), errors: problems },
        requests: dryRun ? [] : requests,
      } as unknown as BatchRow);
  }
  return rows;
}

async function compare(
  name: string,
  files: readonly Uint8Array[],
  { slices, policies = POLICIES }: { slices?: readonly number[]; policies?: readonly EnvelopePolicy[] } = {},
): Promise<string[]> {
  const answers: string[] = [];
  for (const policy of policies) {
    const mapping = mappingOf(name);
    for (const dryRun of [false, true]) {
      const rows = rowsOf(underPolicy(mapping, policy), files, dryRun);
      for (const kind of kindsOf(name)) {
        const asked = { kind, mapping, policy, files, rows };
        answers.push(Buffer.from(await acknowledgedBothWays(asked, slices)).toString('latin1'));
      }
    }
  }
  return answers;
}

const fixtures = MAPPINGS.flatMap((name) =>
  existsSync(join(FIXTURES, name))
    ? readdirSync(join(FIXTURES, name)).flatMap((each) =>
        readdirSync(join(FIXTURES, name, each))
          .filter((file) => file.startsWith('input.'))
          .map((file) => [name, join(FIXTURES, name, each, file)] as const),
      )
    : [],
);
const bytesOf = (path: string): Uint8Array => Uint8Array.from(readFileSync(path));
const mixed = (name: string): Uint8Array => {
  const [, path] = fixtures.find(([of, each]) => of === name && each.includes('mixed')) ?? [];
  return bytesOf(path ?? '');
};

describe('what is kept of a fixture', () => {
  it.each(fixtures)('of %s makes the same acknowledgment: %s', async (name, path) => {
    await compare(name, [bytesOf(path)]);
  });

  it('is compared for all formats with acknowledgments', () => {
    expect(fixtures.length).toBeGreaterThan(8);
  });

  it.each(['x12-214', 'edifact-iftsta'])('of %s after a byte-order mark makes the same', async (name) => {
    const marked = new Uint8Array(Buffer.concat([Buffer.from('\u{feff}', 'utf8'), mixed(name)]));
    expect((await compare(name, [marked])).some((answer) => answer.length > 100)).toBe(true);
  });

  it.each(['x12-214', 'edifact-iftsta'])('of several %s files of an archive makes the same', async (name) => {
    const all = fixtures.filter(([of]) => of === name).map(([, path]) => bytesOf(path));
    const single = (await compare(name, [mixed(name)]))[0] ?? '';
    expect((await compare(name, all))[0]?.length).toBeGreaterThan(single.length);
  });
});

describe('what is kept of a spoilt file', () => {
  const spoilt = (name: string): fc.Arbitrary<Uint8Array> => {
    const segments = Buffer.from(mixed(name))
      .toString('latin1')
      .split(/(?<=[~'])\s*/);
    const at = fc.nat(segments.length - 1);
    const change = fc.oneof(
      at.map((index) => (text: string[]) => text.splice(index, 1)),
      fc.tuple(at, at).map(
        ([from, to]) =>
          (text: string[]) =>
            text.splice(to, 0, text[from] ?? ''),
      ),
      fc.tuple(at, fc.constantFrom('*', '+', ':', '0', 'ZZ', '')).map(([index, put]) => (text: string[]) => {
        text[index] = (text[index] ?? '').replace(/[0-9]+/, put);
      }),
      at.map((index) => (text: string[]) => text.splice(index)),
    );
    return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
      const text = [...segments];
      for (const apply of changes) apply(text);
      return new Uint8Array(Buffer.from(text.join(''), 'latin1'));
    });
  };

  it.each(['x12-214', 'edifact-iftsta'])('of %s makes the same acknowledgment', async (name) => {
    await fc.assert(
      fc.asyncProperty(spoilt(name), async (bytes) => {
        await compare(name, [bytes], { slices: [1] });
      }),
      { numRuns: draws(60) },
    );
  });
});

describe('what is kept of a real file', () => {
  /** Fixtures and spoilt files are held under every policy. */
  const asReal = { slices: [509, 256 * 1024], policies: [DEFAULT_POLICY] };
  const filesIn = (folder: string): string[] => {
    const root = join(CORPUS, folder);
    if (!isInCorpus(root)) return [];
    return readdirSync(root).flatMap((each) => readdirSync(join(root, each)).map((file) => join(root, each, file)));
  };
  itReads.each(filesIn('x12'))('makes the same acknowledgment: %s', async (path) => {
    await compare('x12-214', [bytesOf(path)], asReal);
  });
  itReads.each(filesIn('edifact'))('makes the same acknowledgment: %s', async (path) => {
    await compare('edifact-iftsta', [bytesOf(path)], asReal);
  });
});

describe('what is kept', () => {
  const set = (control: string) =>
    `ST*214*${control}~B10*P*L1*DEMO~LX*1~AT7*X3*NS***20260302*0815*CT~SE*5*${control}~\n`;
  const sets = Array.from({ length: 1_000 }, (_, index) => set(String(index + 1).padStart(9, '0')));
  const isa =
    'ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*>~';
  const file = `${isa}GS*QM*DEMO*TRANSLOAD*20260302*1500*17*X*004010~${sets.join('')}GE*1000*17~IEA*1*000000017~`;

  it('of 1,000 sets without a fault takes about their control numbers', () => {
    const mapping = mappingOf('x12-214');
    const bytes = new Uint8Array(Buffer.from(file));
    const asked = { mapping, policy: DEFAULT_POLICY, files: [bytes], rows: rowsOf(mapping, [bytes], false) };
    const [text = '', ...more] = setTexts(asked, 256 * 1024);
    expect(more).toEqual([]);
    expect(text.length).toBeLessThan(1_000 * 12 + 700);
  });

  it('is nothing where rows form groups: what becomes of them is not known when they are read', () => {
    const bytes = mixed('x12-850');
    const partsUnder = (mapping: CompiledMapping) => {
      const slice = { bytes, atEnd: true, checkpoint: mapping.reader.start };
      const run = runSlice(mapping, { scac: 'DEMO', allowed: ['DEMO'] }, slice);
      return run.outcome === 'rows' && run.parts?.length;
    };
    const { group } = mappingOf('orders-csv');
    if (group === undefined) throw new Error('its rows form no groups');
    expect(partsUnder(mappingOf('x12-850'))).toBeGreaterThan(2);
    expect(partsUnder({ ...mappingOf('x12-850'), group })).toBeUndefined();
  });

  it('of a later release is refused', () => {
    const later = JSON.stringify({ ...packSets([]), form: 2 });
    expect(() => [...unpackSets(later)]).toThrow(/stored_data_newer.*form 2/);
  });
});
