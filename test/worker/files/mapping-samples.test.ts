/** `/v1/mappings/{name}/sample` as a partner: a file that can be uploaded as it comes, and settles without an error. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { aFleetThatKnows, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers((sent) => Response.json(aFleetThatKnows(sent)));
});
afterEach(async () => {
  await reset();
});

const EXTENSIONS: Record<string, string> = {
  'text/csv; charset=utf-8': 'csv',
  'text/csv; charset=windows-1252': 'csv',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/plain; charset=windows-1252': 'txt',
  'application/xml': 'xml',
  'application/EDI-X12': 'x12',
  'application/EDIFACT': 'edi',
};

/** Fetches the sample of a mapping and uploads it as it was sent, for a trial. */
async function tried(partner: Partner, name: string) {
  const answer = await partner.fetch(`/v1/mappings/${name}/sample`);
  expect(answer.status).toBe(200);
  const type = answer.headers.get('Content-Type') ?? '';
  const body = await answer.arrayBuffer();
  const taken = await partner.upload(body, { mapping: name, dryRun: 'true' }, { headers: { 'Content-Type': type } });
  expect(taken.status).toBe(202);
  const { batchId } = await taken.json<{ batchId: string }>();
  await partner.reaches(batchId, 'settled');
  const text = new TextDecoder(type.split('charset=')[1] ?? 'utf-8').decode(body);
  return { answer, type, text, rows: await partner.rows(batchId) };
}

describe.each([...BUNDLED_DOCUMENTS.keys()])('the sample of %s', (name) => {
  it('is a file of its own kind, and settles without an error', async () => {
    const { answer, type, rows } = await tried(await aPartner(), name);
    expect(Object.keys(EXTENSIONS)).toContain(type);
    expect(answer.headers.get('Content-Disposition')).toBe(`attachment; filename="${name}-sample.${EXTENSIONS[type]}"`);
    expect(rows.filter(({ state }) => state === 'valid').length).toBeGreaterThan(0);
    expect(rows.filter(({ state }) => state !== 'valid' && state !== 'skipped')).toEqual([]);
  });
});

describe('a published mapping', () => {
  const NAME = 'acme-events';
  const document = (more: string): string => `mapping: ${NAME}
description: Events with the carrier's code in each row.
source: { format: csv, delimiter: ";", encoding: utf-16le }
target: milestone
scac: Carrier
zone: { const: UTC }
${more}fields:
  loadNumber: Load
  eventCode: Status
  time: { from: At, parse: iso }
examples:
  - input: |
      Load;Carrier;Status;At
      L1;DEMO;X3;2026-03-02T08:00:00Z
    records:
      - EXPECTED
`;
  const mapped = `requests:
          - kind: milestone
            subject: load:L1
            scac: DEMO
            body:
              loadNumber: L1
              eventCode: X3
              time: { dateTime: "2026-03-02T08:00:00.0000000+00:00", timeZoneCode: UTC, timeZoneOffset: UTC+0 }`;
  const publish = async (text: string) =>
    (await anOperator()).done('PUT', `/v1/ops/mappings/${NAME}?shared=true`, text);

  it('has a sample at once: an example of its document, in the form of its files', async () => {
    await publish(document('').replace('EXPECTED', mapped));
    const { type, rows, answer, text } = await tried(await aPartner({ scacs: ['DEMO'] }), NAME);
    expect([type, answer.headers.get('Content-Disposition')]).toEqual([
      'text/csv; charset=utf-16le',
      `attachment; filename="${NAME}-sample.csv"`,
    ]);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['valid']));
    expect(text).toBe('Load;Carrier;Status;At\nL1;DEMO;X3;2026-03-02T08:00:00Z\n');
  });

  it('that takes no record has none, and says so', async () => {
    const skip = 'skip: { when: { field: Load, empty: false } }\n';
    await publish(document(skip).replace('EXPECTED', 'skipped: true'));
    const answer = await (await aPartner()).fetch(`/v1/mappings/${NAME}/sample`);
    expect(answer.status).toBe(404);
    expect(await problemOf(answer)).toMatchObject({
      code: 'sample_impossible',
      detail: expect.stringContaining(NAME),
      fix: expect.stringContaining(`/v1/mappings/${NAME}`),
    });
  });
});
