import { describe, expect, it } from 'vitest';
import { describeUploadError, type UploadError } from '../../../src/intake/upload-error.ts';
import type { RefusalMessages } from '../../../src/kernel/refusals.ts';

/** One of each, with canaries where facts go into words. A code without its line here does not compile. */
const ONE_OF_EACH: {
  [Code in UploadError['code']]: [error: Extract<UploadError, { code: Code }>, status: number, fact: string];
} = {
  mapping_missing: [{ code: 'mapping_missing', known: ['stops'] }, 400, 'stops'],
  unknown_mapping: [{ code: 'unknown_mapping', mapping: 'stop', known: ['stops'] }, 404, '"stop"'],
  mapping_not_allowed: [{ code: 'mapping_not_allowed', mapping: 'other', allowed: ['stops'] }, 403, '"other"'],
  scac_required: [{ code: 'scac_required', allowed: ['ABCD', 'WXYZ'] }, 400, 'ABCD, WXYZ'],
  scac_not_allowed: [{ code: 'scac_not_allowed', scac: 'EVIL', allowed: ['ABCD'] }, 403, '"EVIL"'],
  no_scac_usable: [{ code: 'no_scac_usable', channel: 'main' }, 403, '"main"'],
  channel_missing: [{ code: 'channel_missing', channel: 'main' }, 503, '"main"'],
  parameter_invalid: [{ code: 'parameter_invalid', name: 'dryRun', value: 'yes', wanted: 'true' }, 400, '"yes"'],
  parameter_unknown: [{ code: 'parameter_unknown', name: 'dryrun', known: ['dryRun'] }, 400, '"dryrun"'],
  length_invalid: [{ code: 'length_invalid', value: 'many' }, 400, '"many"'],
  too_large: [{ code: 'too_large', bytes: 104_857_601, bytesMax: 104_857_600 }, 413, '104857601'],
  empty: [{ code: 'empty' }, 422, 'no bytes'],
  body_cut: [{ code: 'body_cut', declaredBytes: 100, receivedBytes: 64 }, 400, '64 of 100'],
  type_disagrees: [{ code: 'type_disagrees', contentType: 'image/png', wanted: ['text/csv'] }, 415, 'image/png'],
  identity_mismatch: [
    {
      code: 'identity_mismatch',
      control: '000000017',
      what: 'sender',
      found: '02:OTHER',
      allowed: ['02:DEMO'],
      standard: 'TA1 006',
    },
    403,
    '02:DEMO',
  ],
  environment_mismatch: [
    { code: 'environment_mismatch', control: '17', isTest: false, environment: 'test', standard: 'TA1 020' },
    422,
    'for production',
  ],
  test_indicator_invalid: [
    { code: 'test_indicator_invalid', control: '17', found: 'X', environment: 'test', standard: 'TA1 020' },
    422,
    'TA1 020',
  ],
  too_many_interchanges: [
    { code: 'too_many_interchanges', control: '10001', interchangesMax: 10_000 },
    413,
    'more than 10000',
  ],
  control_duplicate: [{ code: 'control_duplicate', control: '000000017', batchId: 'b_1' }, 409, 'b_1'],
  control_conflict: [{ code: 'control_conflict', control: '000000017', batchId: 'b_1' }, 409, '000000017'],
  message_too_large: [{ code: 'message_too_large', bytesMax: 8_388_608 }, 413, '8388608'],
  content_disagrees: [
    { code: 'content_disagrees', mapping: 'acme-214', format: 'x12', looksLike: 'json' },
    422,
    'a JSON document',
  ],
  form_file_missing: [{ code: 'form_file_missing' }, 400, '"file"'],
  form_two_files: [{ code: 'form_two_files' }, 400, 'ZIP'],
  form_field_unknown: [{ code: 'form_field_unknown', name: 'Files' }, 400, '"file"'],
  form_field_late: [{ code: 'form_field_late', name: 'mapping' }, 400, 'before the file'],
  form_field_twice: [{ code: 'form_field_twice', name: 'mapping' }, 400, '"mapping" twice'],
  form_broken: [{ code: 'form_broken', fault: 'end_missing' }, 400, 'closing boundary'],
  idempotency_key_invalid: [{ code: 'idempotency_key_invalid' }, 400, '255'],
  key_reused: [{ code: 'key_reused', batchId: 'b_1', sha256: 'one', sentSha256: 'two' }, 422, 'b_1'],
  key_in_flight: [{ code: 'key_in_flight', retryAfterSeconds: 7 }, 409, 'is not taken yet'],
  force_needs_key: [{ code: 'force_needs_key', batchId: 'b_1' }, 400, 'b_1'],
  catalog_unavailable: [{ code: 'catalog_unavailable' }, 503, 'may well be there'],
  too_much_under_way: [
    { code: 'too_much_under_way', files: 1_000, bytes: 5_000_000, rows: 20_000 },
    429,
    '1000 of your files, with 5000000 bytes',
  ],
  too_many_requests: [{ code: 'too_many_requests' }, 429, 'dry runs'],
  being_erased: [{ code: 'being_erased' }, 409, 'nothing of this was kept'],
  storage_unavailable: [{ code: 'storage_unavailable' }, 503, 'could not be stored'],
};
const all: [error: UploadError, status: number, fact: string][] = Object.values(ONE_OF_EACH);

describe('describeUploadError', () => {
  it.each(all)('has words for $0.code, its status $1 and its fact', (error, status, fact) => {
    const words = describeUploadError(error);
    expect(words.status).toBe(status);
    expect(`${words.detail} ${words.fix}`).toContain(fact);
  });

  it('says when to come again of a key that is under way', () => {
    expect(describeUploadError({ code: 'key_in_flight', retryAfterSeconds: 7 }).retryAfterSeconds).toBe(7);
  });

  it.each(all)('says in whole sentences what is wrong with $0.code and what to do', (error) => {
    const { title, detail, fix } = describeUploadError(error);
    expect(title).toMatch(/^[A-Z][^.]+$/);
    expect(detail).toMatch(/^[A-Z].*\.$/);
    expect(fix).toMatch(/^[A-Z].*[.?]$/);
  });

  it('gives no two codes the same title', () => {
    const titles = all.map(([error]): RefusalMessages['title'] => describeUploadError(error).title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('says that a list is empty instead of leaving a gap', () => {
    expect(describeUploadError({ code: 'scac_required', allowed: [] }).fix).toContain('(none)');
  });

  it('names both digests of a reused key, and what else may differ when they are the same', () => {
    const reused = { code: 'key_reused', batchId: 'b_1', sha256: 'one' } as const;
    expect(describeUploadError({ ...reused, sentSha256: 'two' }).detail).toMatch(/one; .* two\.$/);
    expect(describeUploadError({ ...reused, sentSha256: 'one' }).detail).toMatch(/same file .*one.* mapping, SCAC/);
  });

  it('says of what was cut or not stored that a repeat is safe', () => {
    expect(describeUploadError({ code: 'storage_unavailable' }).fix).toContain('safe');
    expect(describeUploadError({ code: 'body_cut', declaredBytes: 2, receivedBytes: 1 }).fix).toContain('safe');
  });
});
