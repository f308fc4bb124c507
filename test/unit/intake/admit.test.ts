import { describe, expect, it } from 'vitest';
import type { RecordSource } from '../../../src/formats/reader.ts';
import { admit } from '../../../src/intake/admit.ts';
import type { Principal } from '../../../src/intake/ports.ts';
import type { UploadError } from '../../../src/intake/upload-error.ts';
import { anOffer, anUpload, aPrincipal } from './samples.ts';

const MB = 1024 * 1024;
const { names: NAMES } = anOffer(null);
const ask = (upload: Parameters<typeof anUpload>[0], principal: Partial<Principal> = {}) => {
  const asked = anUpload(upload);
  return admit(asked, aPrincipal(principal), anOffer(asked.mapping));
};
const refusal = (...asked: Parameters<typeof ask>): UploadError | undefined => {
  const admitted = ask(...asked);
  return admitted.ok ? undefined : admitted.error;
};

describe('an upload that may come in', () => {
  it('is admitted as what it is', () => {
    expect(ask({ fileName: 'events.csv', dryRun: 'true', idempotencyKey: 'key-1' })).toEqual({
      ok: true,
      value: {
        mapping: anOffer('stops').mapping,
        scac: 'ABCD',
        dryRun: true,
        force: false,
        bytes: 1_000,
        form: null,
        idempotencyKey: 'key-1',
        fileName: 'events.csv',
      },
    });
  });
});

describe('the mapping', () => {
  it.each([null, ''])('is asked for when the address names %j', (mapping) => {
    expect(refusal({ mapping })).toEqual({ code: 'mapping_missing', known: NAMES });
  });

  it('is unknown when there is none of that name, and those of the key are listed', () => {
    expect(refusal({ mapping: 'stop' })).toEqual({ code: 'unknown_mapping', mapping: 'stop', known: NAMES });
    expect(refusal({ mapping: 'stop' }, { mappings: ['status'] })).toMatchObject({ known: ['status'] });
  });

  it('may change orders that exist', () => expect(refusal({ mapping: 'changes' })).toBeUndefined());

  it('is refused when the key may not use it', () => {
    expect(refusal({ mapping: 'stops' }, { mappings: ['status'] })).toEqual({
      code: 'mapping_not_allowed',
      mapping: 'stops',
      allowed: ['status'],
    });
  });

  it('is taken when it is among those of the key', () => {
    expect(ask({ mapping: 'status' }, { mappings: ['status'] })).toMatchObject({ ok: true });
  });

  it.each(['STOPS', ' stops', '../stops', 'constructor', '__proto__', 'x'.repeat(10_000)])(
    'is not found as %.30j, and quoted shortly',
    (mapping) => {
      const error = refusal({ mapping });
      expect(error).toMatchObject({ code: 'unknown_mapping' });
      expect(JSON.stringify(error).length).toBeLessThan(200);
    },
  );
});

describe('the SCAC', () => {
  it('is the only one of the key when the address names none', () => {
    expect(ask({})).toMatchObject({ value: { scac: 'ABCD' } });
  });

  it('is asked for when the key has several and the mapping reads none', () => {
    expect(refusal({}, { scacs: ['ABCD', 'WXYZ'] })).toEqual({ code: 'scac_required', allowed: ['ABCD', 'WXYZ'] });
  });

  it('may be left out when the mapping reads it from each row', () => {
    expect(ask({ mapping: 'by-row' }, { scacs: ['ABCD', 'WXYZ'] })).toMatchObject({ value: { scac: null } });
  });

  it('is the one named when the key may use it', () => {
    expect(ask({ scac: 'WXYZ' }, { scacs: ['ABCD', 'WXYZ'] })).toMatchObject({ value: { scac: 'WXYZ' } });
  });

  it.each(['WXYZ', 'abcd', 'ABCD ', '', 'AB\r\nX: 1', 'x'.repeat(5_000)])('is refused as %.20j', (scac) => {
    expect(refusal({ scac })).toEqual({ code: 'scac_not_allowed', scac: scac.slice(0, 20), allowed: ['ABCD'] });
  });

  it('is asked for of a key that has none', () => {
    expect(refusal({}, { scacs: [] })).toEqual({ code: 'scac_required', allowed: [] });
  });
});

describe('the content type', () => {
  it.each([
    null,
    '',
    'application/octet-stream',
    'binary/octet-stream',
    'text/plain',
    'text/plain; charset=windows-1252',
    'application/x-www-form-urlencoded',
    'text/csv',
    'text/csv; header=present; charset=utf-8',
    'TEXT/CSV',
    ' text/csv ',
    'application/csv',
    'text/tab-separated-values',
    'application/vnd.ms-excel',
    'application/zip',
    'application/x-zip-compressed',
  ])('%j says CSV or nothing', (contentType) => {
    expect(ask({ contentType })).toMatchObject({ ok: true });
  });

  it.each(['application/json', 'application/xml', 'text/html', 'application/pdf', 'image/png', 'application/edi-x12'])(
    '%s disagrees with a mapping that reads CSV',
    (contentType) => {
      expect(refusal({ contentType })).toEqual({
        code: 'type_disagrees',
        contentType,
        wanted: [
          'text/csv',
          'application/csv',
          'text/comma-separated-values',
          'text/tab-separated-values',
          'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        ],
      });
    },
  );

  it.each<[format: RecordSource['format'], types: string[]]>([
    ['csv', ['text/csv', 'application/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']],
    ['json', ['application/json', 'text/json']],
    [
      'ndjson',
      ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines', 'text/json'],
    ],
    ['x12', ['application/edi-x12', 'application/x12', 'application/edi-consent', 'text/x12']],
    ['edifact', ['application/edifact', 'application/edi-consent', 'text/edifact']],
    ['fixed', ['text/plain']],
    ['xlsx', ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'text/csv']],
    ['xml', ['application/xml', 'text/xml']],
  ])('of every name that senders have for %s agrees with it, and so does one that says nothing', (format, types) => {
    const saysNothing = ['application/gzip', 'application/x-gzip', 'application/zip', 'application/octet-stream'];
    for (const contentType of [...types, ...saysNothing]) {
      const offer = anOffer('stops');
      const read = { ...offer, mapping: offer.mapping && { ...offer.mapping, format } };
      expect([contentType, admit(anUpload({ contentType }), aPrincipal(), read).ok]).toEqual([contentType, true]);
    }
    const other = format === 'xml' ? 'text/csv' : 'text/xml';
    const offer = anOffer('stops');
    const read = { ...offer, mapping: offer.mapping && { ...offer.mapping, format } };
    expect(admit(anUpload({ contentType: other }), aPrincipal(), read).ok).toBe(false);
  });

  it('agrees with the format of the mapping named, and with no other', () => {
    expect(ask({ mapping: 'status', contentType: 'application/json; charset=utf-8' })).toMatchObject({ ok: true });
    expect(refusal({ mapping: 'status', contentType: 'text/csv' })).toEqual({
      code: 'type_disagrees',
      contentType: 'text/csv',
      wanted: ['application/json', 'text/json'],
    });
    expect(refusal({ mapping: 'status', contentType: 'application/vnd.ms-excel' })).toMatchObject({
      code: 'type_disagrees',
    });
  });

  it('is quoted shortly', () => {
    expect(refusal({ contentType: `x/${'y'.repeat(5_000)}` })).toMatchObject({
      contentType: expect.stringMatching(/^x\/y{78}$/),
    });
  });
});

describe('a form', () => {
  const type = 'multipart/form-data; boundary=----abc';

  it('is admitted, and leaves length and type to the file inside', () => {
    const admitted = ask({ contentType: type });
    expect(admitted).toMatchObject({
      ok: true,
      value: { bytes: null, form: { typeProblem: expect.any(Function) } },
    });
    const form = admitted.ok ? admitted.value.form : null;
    expect(form?.typeProblem('text/csv')).toBeUndefined();
    expect(form?.typeProblem('image/png')).toMatchObject({ code: 'type_disagrees', contentType: 'image/png' });
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    'multipart/form-data; Limit=abc',
  ])('is refused when it names no boundary: %.60s', (contentType) => {
    expect(refusal({ contentType })).toEqual({ code: 'form_broken', fault: 'boundary_missing' });
  });

  it('may be as much longer than its file as boundaries and headers make it', () => {
    expect(ask({ contentType: type, contentLength: String(100 * MB + 500) })).toMatchObject({ ok: true });
    expect(refusal({ contentType: type, contentLength: String(100 * MB + 65_537) })).toMatchObject({
      code: 'too_large',
    });
  });

  it.each(['multipart/mixed; boundary=a', 'multipart/form-datax; boundary=a'])('is not %s', (contentType) => {
    expect(refusal({ contentType })).toMatchObject({ code: 'type_disagrees' });
  });
});

describe('the length', () => {
  it('is left open when the request names none: the bytes are counted as they come', () => {
    expect(ask({ contentLength: null })).toMatchObject({ ok: true, value: { bytes: null } });
  });

  it.each(['', '-1', '1.5', '1e3', '0x10', '1,000', ' 10', '10 ', 'many', '9'.repeat(16), '١٢'])(
    'is unreadable as %j',
    (contentLength) => {
      expect(refusal({ contentLength })).toMatchObject({ code: 'length_invalid', value: contentLength });
    },
  );

  it('of nothing means an empty file', () => {
    expect(refusal({ contentLength: '0' })).toEqual({ code: 'empty' });
  });

  it('may be 100 MiB and no byte more', () => {
    expect(ask({ contentLength: String(100 * MB) })).toMatchObject({ value: { bytes: 100 * MB } });
    expect(refusal({ contentLength: String(100 * MB + 1) })).toEqual({
      code: 'too_large',
      bytes: 100 * MB + 1,
      bytesMax: 100 * MB,
    });
  });
});

describe('the idempotency key', () => {
  it.each(['1', 'events 2026-03-02.csv', '7d444840-9dc0-11d1-b245-5ffdce74fad2', '"quoted"', 'x'.repeat(255)])(
    'may be %.40j',
    (idempotencyKey) => {
      expect(ask({ idempotencyKey })).toMatchObject({ value: { idempotencyKey } });
    },
  );

  it.each(['', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a\r\nb', 'a\0b', 'ä', 'x'.repeat(256)])(
    'is not usable as %.40j',
    (idempotencyKey) => {
      expect(refusal({ idempotencyKey })).toEqual({ code: 'idempotency_key_invalid' });
    },
  );

  it('may be left out', () => {
    expect(ask({ idempotencyKey: null })).toMatchObject({ value: { idempotencyKey: null } });
  });
});

it('is told of the first thing that stands in the way, and of nothing the key may not know', () => {
  const asked = { mapping: null, scac: 'NONE', contentLength: null, contentType: 'image/png', idempotencyKey: '' };
  expect(refusal(asked, { mappings: ['status'] })).toEqual({ code: 'mapping_missing', known: ['status'] });
});

describe('force', () => {
  it('is admitted with an idempotency key, and refused without one', () => {
    expect(ask({ force: 'true', idempotencyKey: 'key-1' })).toMatchObject({ ok: true, value: { force: true } });
    expect(refusal({ force: 'true' })).toEqual({ code: 'force_needs_key', batchId: null });
  });

  it('needs no key when it is said to be false', () => {
    expect(ask({ force: 'false' })).toMatchObject({ ok: true, value: { force: false } });
  });

  it.each(['True', '1', 'yes', ''])('is not guessed from %j', (force) => {
    const wanted = 'true or force=false';
    expect(refusal({ force, idempotencyKey: 'k' })).toEqual({
      code: 'parameter_invalid',
      name: 'force',
      value: force,
      wanted,
    });
  });
});

describe('the parameters of an upload', () => {
  it.each(['True', '1', 'yes', ''])('refuse dryRun=%s: a test that is misspelt must not send for real', (dryRun) => {
    expect(refusal({ dryRun })).toEqual({
      code: 'parameter_invalid',
      name: 'dryRun',
      value: dryRun,
      wanted: 'true or dryRun=false',
    });
  });

  it('take dryRun=false for what it says', () => {
    expect(ask({ dryRun: 'false' })).toMatchObject({ value: { dryRun: false } });
  });

  it('refuse a name that is none of them', () => {
    expect(refusal({ parameters: ['mapping', 'dryrun'] })).toMatchObject({ code: 'parameter_unknown', name: 'dryrun' });
  });
});
