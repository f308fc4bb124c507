/** The samples of the mappings that the project ships: whole, right, and showing what each document can do. */
import { describe, expect, it } from 'vitest';
import type { CompiledMapping } from '../../../src/mapping/compile.ts';
import { compileDateTimePattern } from '../../../src/mapping/date-time-pattern.ts';
import { documentParts } from '../../../src/mapping/document-parts.ts';
import { patternsOf } from '../../../src/mapping/field-spec.ts';
import { leavesOf } from '../../../src/mapping/leaves.ts';
import { SAMPLE_DAY_MS, sampleFile } from '../../../src/mapping/sample.ts';
import { isComposed } from '../../../src/mapping/sample-file.ts';
import { compileWorkingText, placeOf } from '../../../src/mapping/text-value.ts';
import { indexIn } from '../../../src/mapping/tree-scope.ts';
import { BODY_CONTRACTS } from '../../body-contracts.ts';
import { sampleOf } from './samples.ts';
import { SHIPPED, SHIPPED_LISTS } from './shipped.ts';

/** Where the file is not composed, it is an example of the document. */
const leastOf = (mapping: CompiledMapping): number => (isComposed(mapping) ? 8 : 1);

const WANTED = { dayMs: SAMPLE_DAY_MS, scacs: [] };

describe.each([...SHIPPED])('the sample of %s', (_name, { document, mapping }) => {
  it('has eight records or more, or those of an example, and all of them map', async () => {
    const { records, requests } = await sampleOf(document, SHIPPED_LISTS);
    expect(records.length).toBeGreaterThanOrEqual(leastOf(mapping));
    for (const { kind, body } of requests) expect(BODY_CONTRACTS[kind].safeParse(body).error).toBeUndefined();
  });

  it('shows every case and every request of the document', async () => {
    const { requests, records, uncovered, column } = await sampleOf(document, SHIPPED_LISTS);
    expect(uncovered).toEqual([]);
    expect(new Set(requests.map(({ kind }) => kind))).toEqual(new Set(mapping.targets));
    const { switch: asked, plans, hasRequests } = documentParts(document);
    if (asked !== undefined) {
      expect(new Set(column(asked.column))).toEqual(new Set(plans.map(({ caseOf }) => caseOf)));
    }
    // Those of a file that is an example may exclude each other: together they show every kind.
    if (hasRequests && isComposed(mapping))
      expect(Math.max(...records.map(({ mapped }) => mapped.requests.length))).toBe(plans.length);
  });

  it('is the same at every call', async () => {
    const [one, other] = [await sampleOf(document, SHIPPED_LISTS), await sampleOf(document, SHIPPED_LISTS)];
    expect(one.text).toBe(other.text);
  });

  it('has every pattern of every time', async () => {
    const { columns, rows } = await sampleOf(document, SHIPPED_LISTS);
    for (const leaf of leavesOf(documentParts(document))) {
      if (leaf.kind !== 'time' || leaf.scope.length > 0) continue;
      const { field, target } = leaf;
      const context = { indexOf: indexIn(columns), lists: SHIPPED_LISTS, within: '' };
      const read = compileWorkingText(field, placeOf(field, target, context), context);
      const texts = rows.flatMap(({ fields }) => read(fields, []) ?? []);
      for (const source of patternsOf(field.parse)) {
        const pattern = compileDateTimePattern(source);
        if (!pattern.ok) throw new Error(source);
        expect(texts.filter((text) => pattern.value.parse(text).ok).length, source).toBeGreaterThan(0);
      }
    }
  });
});

describe('what the samples show', () => {
  const shipped = async (name: string, wanted = {}) => {
    const found = SHIPPED.get(name);
    if (found === undefined) throw new Error(name);
    return sampleOf(found.document, SHIPPED_LISTS, wanted);
  };

  it('takes several words of each list, and of several lists in turn', async () => {
    const { column } = await shipped('carrier-mixed-csv');
    const words = new Set(column('Status').filter((word) => word !== ''));
    expect(words.size).toBeGreaterThanOrEqual(4);
    expect([...words].some((word) => /^[A-Z]\d$/.test(word)) && [...words].some((word) => word.includes(' '))).toBe(
      true,
    );
    expect(new Set(column('Reason')).size).toBeGreaterThanOrEqual(4);
    expect(new Set(column('Odometer Unit')).size).toBeGreaterThanOrEqual(3);
  });

  it('writes the partner’s own columns in their order, those nobody reads, and those that may be absent', async () => {
    const stops = await shipped('transit-stop-times-csv');
    expect(stops.text.split('\n')[0]).toBe(
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,timepoint',
    );
    expect(new Set(stops.column('pickup_type'))).toEqual(new Set(['0', '1']));
    const status = await shipped('carrier-status-csv');
    expect(status.columns.at(-1)).toBe('Trailer');
    expect(status.column('Trailer').every((cell) => cell !== '')).toBe(true);
  });

  it('has rows of two and three in a group, each order once', async () => {
    const { records, requests } = await shipped('orders-csv');
    expect(new Set(requests.map(({ subject }) => subject)).size).toBe(requests.length);
    const sizes = Map.groupBy(records, ({ mapped }) => mapped.group);
    expect(new Set([...sizes.values()].map(({ length }) => length))).toEqual(new Set([2, 3]));
  });

  it('keeps the letters of the partner’s encoding', async () => {
    const { bytes } = await shipped('carrier-status-semicolon-csv');
    expect(Buffer.from(bytes).toString('latin1')).toContain('Lindström');
  });

  it('lies around the day that is asked for', async () => {
    const { column } = await shipped('carrier-status-csv', { dayMs: Date.UTC(2031, 10, 24) });
    expect(new Set(column('Event Date'))).toEqual(new Set(['11/24/2031']));
  });

  it.each([Date.UTC(2026, 2, 8), Date.UTC(2026, 10, 1)])('is whole on a day on which clocks change', async (dayMs) => {
    for (const [name, { document, mapping }] of SHIPPED) {
      const made = await sampleFile(document, SHIPPED_LISTS, { ...WANTED, dayMs });
      expect(made.ok && made.value.records, name).toBeGreaterThanOrEqual(leastOf(mapping));
    }
  });
});
