/** Who may stand in an envelope, and how often: an interchange is judged before it is taken, and again when it comes compressed. */

import { reset } from 'cloudflare:test';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { zipOf } from '../../zip-files.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214 } from '../x12-files.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const X12 = { mapping: 'x12-214' };

async function agreed(partner: Partner, rules: object): Promise<void> {
  const operator = await anOperator();
  await operator.done('PUT', `/v1/ops/partners/${partner.name}/envelopes`, { rules, note: 'as agreed by mail' });
}

const refusedWith = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  (await problemOf(answer)).code,
];

describe('a control number', () => {
  it('that comes again with the same content is refused and names the batch in which it came', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(a214([{ load: 'E1' }]), X12);
    const answer = await partner.upload(`\n${a214([{ load: 'E1' }])}`, X12); // another file, the same interchange
    const problem = await problemOf(answer);
    expect([answer.status, problem.code]).toEqual([409, 'control_duplicate']);
    expect(problem.detail).toContain(batchId);
  });

  it('that comes again with other content is a conflict, and nothing of it is sent', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const { batchId } = await partner.receipt(a214([{ load: 'E1' }]), X12);
    expect(await refusedWith(await partner.upload(a214([{ load: 'E2' }]), X12))).toEqual([409, 'control_conflict']);
    await partner.reaches(batchId, 'settled');
    expect(left).toHaveLength(1);
  });

  it('that stands twice in one file with the same content is refused with what to send, and no address of what was not taken', async () => {
    const partner = await aPartner();
    const one = a214([{ load: 'E1' }]);
    const answer = await partner.upload(`${one}\n${one}`, X12);
    const problem = await problemOf(answer);
    expect([answer.status, problem.code]).toEqual([409, 'control_duplicate']);
    expect(problem.detail).toContain('nothing of the upload was taken');
    expect(problem.fix).toBe('Send interchange 000000017 again, once.');
    expect((await partner.upload(one, X12)).status).toBe(202);
  });

  it('that stands twice in one file with other content is refused', async () => {
    const partner = await aPartner();
    const twice = `${a214([{ load: 'E1' }])}\n${a214([{ load: 'E2' }])}`;
    expect(await refusedWith(await partner.upload(twice, X12))).toEqual([409, 'control_conflict']);
  });

  it('may be used again once nothing of its first sending could be used', async () => {
    const partner = await aPartner();
    const broken = a214([{ load: 'E1', count: 99 }]);
    const { batchId } = await partner.receipt(broken, X12);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ invalid: 1 });
    await vi.waitFor(async () => expect((await partner.upload(a214([{ load: 'E1' }]), X12)).status).toBe(202));
  });

  it('is taken again with force, or where any number is agreed, and belongs to its environment and partner', async () => {
    const partner = await aPartner();
    await partner.receipt(a214([{ load: 'E1' }]), X12);
    const forced = { headers: { 'Idempotency-Key': 'again' } };
    const force = { ...X12, force: 'true' };
    expect((await partner.upload(a214([{ load: 'E2' }]), force, { method: 'PUT', ...forced })).status).toBe(202);
    await agreed(partner, { controlNumbers: 'any' });
    expect((await partner.upload(a214([{ load: 'E3' }]), X12)).status).toBe(202);
    const other = await aPartner();
    expect((await other.upload(a214([{ load: 'E1' }]), X12)).status).toBe(202);
  });

  it('is not used up by a dry run', async () => {
    const partner = await aPartner();
    await partner.receipt(a214([{ load: 'E1' }]), { ...X12, dryRun: 'true' });
    expect((await partner.upload(a214([{ load: 'E2' }]), X12)).status).toBe(202);
  });
});

describe('an interchange', () => {
  it('of a sender that is not agreed with the partner is refused before anything is taken', async () => {
    const partner = await aPartner();
    await agreed(partner, { senders: ['02:OTHER'] });
    const answer = await partner.upload(a214([{ load: 'E1' }]), X12);
    const problem = await problemOf(answer);
    expect([answer.status, problem.code]).toEqual([403, 'identity_mismatch']);
    expect(problem.detail).toContain('"02:DEMO"');
    expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toEqual([]);
  });

  it('whose sender, receiver and group are agreed, with or without the qualifier, is taken', async () => {
    const partner = await aPartner();
    await agreed(partner, { senders: ['DEMO'], receivers: ['ZZ:TRANSLOAD'], groupSenders: ['DEMO'] });
    expect((await partner.upload(a214([{ load: 'E1' }]), X12)).status).toBe(202);
    await agreed(partner, { groupSenders: ['OTHER'] });
    expect(await refusedWith(await partner.upload(a214([{ load: 'E1' }], { control: 18 }), X12))).toEqual([
      403,
      'identity_mismatch',
    ]);
  });

  it('for production is refused under a test key', async () => {
    const partner = await aPartner();
    const answer = await partner.upload(a214([{ load: 'E1' }], { test: 'P' }), X12);
    expect(await refusedWith(answer)).toEqual([422, 'environment_mismatch']);
  });

  it('that does not say whether it is a test is refused, and a message of it told so by TA1', async () => {
    const partner = await aPartner();
    const unclear = a214([{ load: 'E1' }], { test: 'X' });
    expect(await refusedWith(await partner.upload(unclear, X12))).toEqual([422, 'test_indicator_invalid']);
    const accept = { headers: { Accept: 'application/EDI-X12' }, method: 'POST', body: unclear };
    const told = await partner.fetch('/v1/messages?mapping=x12-214', accept);
    const answer = await told.text();
    expect([told.status, answer]).toEqual([422, expect.stringMatching(/^TA1\*\d+\*\d+\*\d+\*R\*020~$/m)]);
    expect(answer).toMatch(/^ISA\*.*\*T\*>~$/m);
  });

  it('that comes compressed is judged once it is unpacked, by the same rules', async () => {
    const partner = await aPartner();
    const plain = a214([{ load: 'E1' }]);
    await partner.receipt(plain, X12);
    const again = await partner.receipt(gzipSync(`${plain}\n`), X12);
    const repeated = await partner.reaches(again.batchId, 'unreadable');
    expect(repeated.problems).toMatchObject([{ code: 'control_duplicate', value: '000000017' }]);
    await agreed(partner, { senders: ['OTHER'] });
    const foreign = await partner.receipt(gzipSync(a214([{ load: 'E1' }], { control: 19 })), X12);
    const refused = await partner.reaches(foreign.batchId, 'unreadable');
    expect(refused.problems).toMatchObject([{ code: 'identity_mismatch' }]);
  });
});

describe('an archive of interchanges', () => {
  it('is acknowledged file by file, each under a control number of its own', async () => {
    const partner = await aPartner();
    const archive = zipOf([
      { name: 'one.x12', content: a214([{ load: 'E1' }], { control: 31 }) },
      { name: 'two.x12', content: a214([{ load: 'E2', count: 9 }, { load: 'E3' }], { control: 32 }) },
    ]);
    const { batchId } = await partner.receipt(archive, X12);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 2, invalid: 1 });
    const answer = await partner.fetch(`/v1/batches/${batchId}/acknowledgment`);
    const segments = new TextDecoder().decode(await answer.bytes()).split('~\n');
    expect(segments.filter((segment) => /^(?:AK1|AK5|AK9)/.test(segment))).toEqual([
      ...['AK1*QM*31', 'AK5*A', 'AK9*A*1*1*1'],
      ...['AK1*QM*32', 'AK5*R*4', 'AK5*A', 'AK9*P*2*2*1'],
    ]);
    expect(segments.filter((segment) => segment.startsWith('IEA'))).toEqual(['IEA*1*000000001', 'IEA*1*000000002']);
  });
});

describe('what is agreed about broken sets', () => {
  const half = (control: number) => a214([{ load: 'E1' }, { load: 'E2', count: 9 }], { control });

  it('is that each costs itself alone, where nothing else is said', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(half(21), X12);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1, invalid: 1 });
  });

  it('can be that one costs its whole interchange, and the acknowledgment says so', async () => {
    const partner = await aPartner();
    await agreed(partner, { broken: 'interchange' });
    const { batchId } = await partner.receipt(half(22), X12);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ invalid: 2 });
    const answer = await partner.fetch(`/v1/batches/${batchId}/acknowledgment`);
    expect(await answer.text()).toContain('AK9*R*2*2*0');
  });

  it('can be that counts do not matter', async () => {
    const partner = await aPartner();
    await agreed(partner, { counts: 'lenient' });
    const { batchId } = await partner.receipt(half(23), X12);
    const settled = await partner.reaches(batchId, 'settled');
    expect(settled.rowStates).toEqual({ delivered: 2 });
    expect(settled.notes.join(' ')).toContain('9');
  });
});

describe('what is agreed with a partner', () => {
  const path = (partner: Partner) => `/v1/ops/partners/${partner.name}/envelopes`;

  it('is the usual until somebody sets it, and then says who did when and why', async () => {
    const [partner, operator] = [await aPartner(), await anOperator({ name: 'Night shift' })];
    const usual = { controlNumbers: 'once', broken: 'set', counts: 'strict', width: 'tolerant' };
    expect(await operator.getJson(path(partner))).toMatchObject({ edition: 0, rules: usual, changedBy: null });
    const rules = { senders: ['ZZ:ACME'], counts: 'lenient' };
    await operator.done('PUT', path(partner), { rules, note: 'counts are off by one there' });
    expect(await operator.getJson(path(partner))).toMatchObject({
      environment: 'test',
      edition: 1,
      rules: { ...usual, ...rules },
      changedBy: 'Night shift',
      note: 'counts are off by one there',
    });
  });

  it('cannot be set without a reason, in words that are none, for nobody, or by someone who only looks', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const put = (body: object, where = path(partner), by = operator) =>
      by.fetch(where, { method: 'PUT', body: JSON.stringify(body) });
    expect(await refusedWith(await put({ rules: {} }))).toEqual([400, 'body_invalid']);
    expect(await refusedWith(await put({ rules: { counts: 'any' }, note: 'x' }))).toEqual([400, 'body_invalid']);
    const nobody = '/v1/ops/partners/nobody/envelopes';
    expect(await refusedWith(await put({ rules: {}, note: 'x' }, nobody))).toEqual([404, 'partner_unknown']);
    const viewer = await anOperator({ role: 'viewer' });
    expect((await put({ rules: {}, note: 'x' }, path(partner), viewer)).status).toBe(403);
  });
});
