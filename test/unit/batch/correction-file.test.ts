/** The rows that are to be corrected, as a file of the kind that was sent. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { correctionFile } from '../../../src/batch/report/correction-file.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import type { RecordSource } from '../../../src/formats/reader.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { SHIPPED } from '../mapping/shipped.ts';
import { aMapping, aProblem, aRow, aRowRequest } from './samples.ts';

const file = (text: string, problems = [] as ReturnType<typeof aProblem>[]) => ({
  ...{ name: undefined, source: bytesInMemory(Buffer.from(text)), problems },
});

/** @param source of the mapping under which they were read. */
function corrected(
  files: readonly ReturnType<typeof file>[],
  rows: readonly BatchRow[],
  source: RecordSource,
  mapping = aMapping(),
) {
  const rowsAfter = async (after: number) => rows.filter(({ record }) => record > after);
  return correctionFile({ files, mapping, rows: rowsAfter }, 'b_1', source, false);
}

async function textOf(...asked: Parameters<typeof corrected>): Promise<string> {
  const made = corrected(...asked);
  if (!made.ok || made.value.text === null) throw new Error(JSON.stringify(made));
  return (await Array.fromAsync(made.value.text)).join('');
}

const XML = { format: 'xml', records: 'loads/load' } as unknown as RecordSource;
const invalid = (record: number): BatchRow => aRow(record, { state: 'invalid', errors: [aProblem()] });
const CSV = 'Load,Code,At\nL1,X3,now\nL2,X3,now\n';

describe('rows to be corrected', () => {
  it.each(['x12-214', 'edifact-iftsta'])('of %s are no file: a set cannot be sent again by itself', (name) => {
    const mapping = SHIPPED.get(name)?.mapping;
    if (mapping === undefined) throw new Error(`no mapping ${name}`);
    const { format } = mapping.source;
    expect(corrected([file('')], [], mapping.source, mapping)).toEqual({
      ok: false,
      error: { why: 'segments', format },
    });
  });

  it('say to people why also where a row travelled with another, which was refused', async () => {
    const { source } = aMapping();
    const answer = 'Load is closed';
    const joined = aRowRequest({ state: 'coalesced', intoState: 'rejected', reason: null, answer });
    const rows = [aRow(2, { state: 'rejected', requests: [joined] })];
    const made = correctionFile(
      { files: [file(CSV)], mapping: aMapping(), rows: async (after) => rows.filter(({ record }) => record > after) },
      'b_1',
      source,
      true,
    );
    if (!made.ok || made.value.text === null) throw new Error(JSON.stringify(made));
    const text = (await Array.fromAsync(made.value.text)).join('');
    expect(text.split('\r\n')[1]).toBe('"L2","X3","now","b_1","2","rejected","","Load is closed",""');
  });

  it('of several XML documents are no file, and of one they are', () => {
    const one = file('<loads><load/></loads>');
    expect(corrected([one, one], [], XML)).toEqual({ ok: false, error: { why: 'several_documents' } });
    expect(corrected([one], [], XML)).toMatchObject({ ok: true, value: { text: null } });
  });

  it('stand in a CSV file where the mapping looks for them: behind a byte-order mark and the lines it passes over', async () => {
    const { source } = aMapping();
    if (source.format !== 'csv') throw new Error('a CSV mapping is wanted');
    const skipping = { ...source, skipLines: 2 };
    expect(await textOf([file(CSV)], [invalid(2)], skipping)).toBe(
      '\ufeff\r\n\r\n"Load","Code","At","_batch","_record"\r\n"L2","X3","now","b_1","2"\r\n',
    );
  });

  it('are those of the files that could be used: what can be read of another one of the archive is none', async () => {
    const files = [file('Load,Code,At\nK1,X3,now\n', [aProblem({ code: 'not_csv' })]), file(CSV)];
    const text = await textOf(files, [invalid(1)], aMapping().source);
    expect(text.split('\r\n').slice(1)).toEqual(['"L1","X3","now","b_1","1"', '']);
  });
});
