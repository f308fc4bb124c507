/** A record of an interchange as cells: what its mapping reads of it, and which of many are shown. */
import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { correctedSets, segmentRows } from '../../../src/batch/envelopes/corrected-sets.ts';
import { isSegmented } from '../../../src/formats/reader.ts';
import type { RecordShape } from '../../../src/formats/record-reader.ts';
import { DEFAULT_POLICY } from '../../../src/formats/segments/parts.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { SHIPPED } from '../mapping/shipped.ts';

function order(lines: readonly string[], number = 'SO-1'): string {
  const message = ["UNH+1+IFTMIN:D:96A:UN'", `BGM+610+${number}+9'`, "NAD+CN+++Consignee'", ...lines];
  const header = "UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+82'";
  return [header, ...message, `UNT+${message.length + 1}+1'`, "UNZ+1+82'"].join('\n');
}

function opened(text: string) {
  const declared = SHIPPED.get('edifact-iftmin')?.mapping.source;
  if (declared === undefined || !isSegmented(declared)) throw new Error('an EDIFACT mapping is wanted');
  return { source: bytesInMemory(Buffer.from(text)), declared, policy: DEFAULT_POLICY };
}

async function rowOf(text: string, shape: RecordShape, wanted: readonly string[] = []) {
  const row = (await segmentRows(opened(text), shape, new Map([[1, wanted]]))).get(1);
  if (row === undefined) throw new Error('one row is wanted');
  return row;
}

it('what a writer of messages counts and numbers is no cell that could be changed, though a mapping reads it', async () => {
  const { cells } = await rowOf(order(["GID+1+1:PK'"]), { paths: ['UNH-01', 'BGM-02', 'UNT-01', 'UNT-02'], lists: [] });
  expect(cells.map(({ column, text }) => [column, text])).toEqual([['BGM-02', 'SO-1']]);
});

it('of more cells than a page holds the first are shown, and wherever it stands the one that is to be corrected', async () => {
  const lines = Array.from({ length: 400 }, (_, at) => `GID+${at + 1}'`);
  const shape = { paths: ['BGM-02'], lists: [{ path: 'GID', shape: { paths: ['GID-01', 'GID-02'], lists: [] } }] };
  const { cells } = await rowOf(order(lines), shape, ['GID[350].GID-02']);
  const columns = cells.map(({ column }) => column);
  expect(columns).toHaveLength(300);
  expect([columns[0], columns.at(-2), columns.at(-1)]).toEqual(['BGM-02', 'GID[297].GID-01', 'GID[350].GID-02']);
});

it('a star is a letter like any other where the syntax of an interchange repeats nothing', async () => {
  const text = order(["GID+1+1:PK'"], 'SO*1*A');
  const { cells, writing } = await rowOf(text, { paths: ['BGM-02'], lists: [] });
  const [cell] = cells;
  if (cell === undefined) throw new Error('a number is wanted');
  const made = await correctedSets(opened(text), new Set([1]), [{ record: 1, cell, writing, text: 'SO*2*B' }]);
  expect(made.ok && Buffer.from(made.value.bytes).toString()).toContain("\nBGM+610+SO*2*B+9'\n");
});
