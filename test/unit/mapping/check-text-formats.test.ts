/** What documents read of fixed-width files and XML, judged when they are written. */
import { describe, expect, it } from 'vitest';
import type { Loose } from './documents.ts';
import { namesOf, problemsOf, withFields } from './documents.ts';

const only = (changes: Loose): string[] => namesOf(problemsOf(changes));

describe('a document for fixed-width files', () => {
  const kinds = {
    H: { use: 'carried', fields: { load: { at: 2, length: 5 } } },
    D: { fields: { code: { at: 2, length: 2 } } },
  };
  const source = { format: 'fixed', records: kinds };
  const read = (field: unknown): string[] => only({ ...withFields({ eventCode: field }), source });

  it('reads declared fields, carried ones, and the kind', () => {
    for (const name of ['load', 'code', 'recordKind', { from: 'none', optional: true }]) {
      expect(read(name)).not.toContain('column_unknown fields.eventCode');
      expect(read(name)).not.toContain('column_unknown fields.eventCode.from');
    }
    expect(read('cod')).toContain('column_unknown fields.eventCode');
  });
  it('has no arrays', () => {
    expect(only({ source, requests: [{ each: 'lines' }] })).toContain('keys_exclude requests[0].each');
  });
  it('gives no kind a whole number as its name where several are carried, for their order would be lost', () => {
    const field = (at: number) => ({ at, length: 2 });
    const time = { const: '2026-03-02T08:00:00Z', parse: 'iso' };
    const named = (records: Loose) =>
      problemsOf({
        source: { format: 'fixed', records },
        fields: { loadNumber: 'load', eventCode: { const: 'X3' }, time },
      });
    const outer = { use: 'carried', fields: { load: field(5) } };
    const inner = { use: 'carried', fields: { stop: field(5) } };
    const D = { fields: { code: field(2) } };
    expect(named({ HDR: outer, 1: inner, D })).toMatchObject([
      { code: 'wrong_form', path: 'source.records.1', wanted: 'a name with a letter, and marker: "1"' },
    ]);
    expect(named({ HDR: outer, 1: { ...inner, marker: 'S' }, D })).toMatchObject([
      { wanted: 'a name with a letter; its marker may stay' },
    ]);
    expect(named({ HDR: outer, H1: { ...inner, marker: '1' }, D })).toEqual([]);
    expect(named({ HDR: outer, '01': inner, 2: D })).toEqual([]);
    expect(named({ 1: outer, 2: D })).toEqual([]);
  });
  it('is told what is wrong with its kinds, each with its path', () => {
    const records = {
      D: { fields: { code: { at: 0, length: 2 } } },
      T: { use: 'trailer', fields: { a: { at: 1, length: 1 } } },
    };
    expect(only({ source: { ...source, records } })).toContain('wrong_form source.records.D.fields.code.at');
  });
});

describe('a document for XML', () => {
  const source = { format: 'xml', records: 'list/item', namespaces: { t: 'urn:t' } };
  const read = (path: string): string[] =>
    only({ ...withFields({ eventCode: path }), source }).filter((name) =>
      name.startsWith('path_invalid fields.eventCode'),
    );

  it.each(['a/@b', 't:a', "ref[@t:x='1']", '../@id', '/list/head/x', '.'])('reads %s', (path) =>
    expect(read(path)).toEqual([]),
  );
  it.each(['a.b[0', 'u:a', '../../../a', '/list/head/x[2]', '//a'])('does not read %s', (path) =>
    expect(read(path)).toEqual(['path_invalid fields.eventCode']),
  );
  it('goes through elements below the record only', () => {
    const each = (path: string) =>
      only({ source, requests: [{ each: path, fields: { eventCode: '@code' } }] }).filter((name) =>
        name.startsWith('path_invalid'),
      );
    expect(each('events/status')).toEqual([]);
    expect(each('../status')).not.toEqual([]);
  });
  it('says where the records stand, by a path of names', () => {
    expect(only({ source: { format: 'xml' } })).toContain('key_missing source.records');
    expect(only({ source: { format: 'xml', records: 'list/item[1]' } })).toContain('wrong_form source.records');
  });
});

describe('a document for X12', () => {
  const read = (path: string, single: readonly string[] = []): string[] =>
    only({ ...withFields({ eventCode: path }), source: { format: 'x12', sets: ['214'], loops: { LX: {} }, single } });
  const ofSingle = (path: string, single: string): string[] =>
    read(path, [single]).filter((name) => name.includes('source.single'));

  it.each(['PO1-06=VN', 'PO1-06=SK>VN|V', 'LX/L11[02=BM>SI]-01', 'PER[01=DC]-03=TE'])('reads %s', (path) =>
    expect(read(path)).not.toContain('path_invalid fields.eventCode'),
  );
  it.each(['PO1-06=', 'PO1-00=VN', 'PO1-06.1=VN', 'PO1-06=V]N', 'PO1-06=VN, B10-01', 'N1/N4-01'])(
    'does not read %s',
    (path) => expect(read(path)).toContain('path_invalid fields.eventCode'),
  );
  it('has one loop for each tag in a place', () => {
    const loops = (more: Loose): string[] =>
      only({
        source: { format: 'x12', sets: ['214'], loops: more },
        fields: { loadNumber: 'B10-02', eventCode: 'AT7-01', time: { from: 'AT7-05', parse: 'yyyyMMddHHmm' } },
      });
    expect(loops({ shipTo: { opens: 'N1' }, billTo: { opens: 'N1' } })).toEqual(['path_invalid source.loops.billTo']);
    expect(loops({ N1: {}, billTo: { opens: 'N1' } })).toEqual(['path_invalid source.loops.billTo']);
    expect(loops({ LX: {}, N1: {}, party: { in: 'LX', opens: 'N1' } })).toEqual([]);
  });
  it('names as single what it reads, as it is written there', () => {
    expect(ofSingle('L11[02=QN]-01', 'L11[02=QN]-01')).toEqual([]);
    expect(ofSingle('L11[02=QN]-01', 'L11[02=LO]-01')).toEqual(['no_effect source.single[0]']);
    expect(ofSingle('PO1-06=VN', 'PO1-06=VN')).toEqual(['no_effect source.single[0]']);
  });
});
