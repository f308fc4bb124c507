/** Objects that are reset or out of reach while somebody asks: 503 with a time to come again, and what was taken stays taken. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { batchName, registerName } from '../../../src/kernel/names.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { aPartner, problemOf, type Receipt } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214 } from '../x12-files.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** As the runtime throws it where the connection to an object breaks. */
const lost = (): Error => Object.assign(new Error('Network connection lost.'), { retryable: true });
/** As the runtime throws it where the code of an object lacks the method. */
const ofOtherRelease = (): Error => new TypeError('The RPC receiver does not implement the method "message".');
const FILE = statusFile(statusRow('P1'), statusRow('P2'));

describe('a request whose object is reset', () => {
  it('is 503 with Retry-After, and passes afterwards', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(FILE);
    const stub = env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
    const asked = vi.spyOn(Batch.prototype, 'summary').mockImplementation(async () => {
      await scheduler.wait(5_000);
      return undefined;
    });
    const answering = partner.fetch(`/v1/batches/${batchId}`);
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    const resetting = runInDurableObject(stub, (_, state) => state.abort('planned: the object is reset'));
    await expect(resetting).rejects.toThrow('planned');
    const answer = await answering;
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
    expect(await problemOf(answer)).toMatchObject({ code: 'platform_unavailable' });
    asked.mockRestore();
    expect((await partner.summary(batchId)).batchId).toBe(batchId);
  });

  it('is 500 where the object throws for a bug', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(FILE);
    vi.spyOn(Batch.prototype, 'summary').mockRejectedValueOnce(new TypeError('planned: a bug'));
    const answer = await partner.fetch(`/v1/batches/${batchId}`);
    expect(await problemOf(answer)).toMatchObject({ status: 500, code: 'internal' });
  });
});

describe('an upload', () => {
  it('whose interchanges cannot be read back is 503, keeps no bytes, and gives its key back', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const partner = await aPartner();
    const send = () =>
      partner.upload(a214([{ load: 'M1' }]), { mapping: 'x12-214' }, { headers: { 'Idempotency-Key': 'once' } });
    const down = vi.spyOn(env.FILES, 'get').mockRejectedValue(new Error('planned: storage is down'));
    const refused = await send();
    expect([refused.status, (await problemOf(refused)).code]).toEqual([503, 'storage_unavailable']);
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string; batchId?: string });
    expect(lines).toMatchObject([{ event: 'upload_not_read_back', batchId: expect.stringMatching(/^b_/) }]);
    expect((await env.FILES.list({ prefix: `test/${partner.name}/` })).objects).toEqual([]);
    down.mockRestore();
    expect((await send()).status).toBe(202);
  });

  it('whose register is reset between claim and receipt is 503 with a time to come again, and the repeat is the same batch', async () => {
    const partner = await aPartner();
    const claim = IntakeRegister.prototype.claim;
    const claimed = vi.spyOn(IntakeRegister.prototype, 'claim');
    claimed.mockImplementationOnce(async function (this: IntakeRegister, asked) {
      await claim.call(this, asked);
      throw lost();
    });
    const answer = await partner.upload(FILE);
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
    const problem = await problemOf(answer);
    expect(problem).toMatchObject({ code: 'storage_unavailable', detail: expect.stringContaining('Nothing was lost') });
    expect(problem.fix).toContain('the same file is recognised');
    const repeated = await partner.receipt(FILE);
    expect(repeated.replayed).toBe(true);
    const register = env.INTAKE_REGISTER.getByName(registerName({ environment: 'test', partner: partner.name }));
    expect(await register.list(null, 10)).toHaveLength(1);
    expect((await partner.reaches(repeated.batchId, 'settled')).rowStates).toEqual({ delivered: 2 });
  });

  it('that comes again is acknowledged while its batch does not answer: only what became of it is left out', async () => {
    const partner = await aPartner();
    const first = await partner.receipt(FILE);
    await partner.reaches(first.batchId, 'settled');
    vi.spyOn(Batch.prototype, 'summary').mockRejectedValue(lost());
    const answer = await partner.upload(FILE);
    expect([answer.status, answer.headers.get('Idempotency-Replayed')]).toEqual([202, 'true']);
    const receipt = await answer.json<Receipt & { state?: string }>();
    expect(receipt).toMatchObject({ batchId: first.batchId, sha256: first.sha256, replayed: true, links: first.links });
    expect(receipt).not.toHaveProperty('state');
  });
});

describe('a message', () => {
  const send = (partner: Awaited<ReturnType<typeof aPartner>>, headers: Record<string, string>) =>
    partner.fetch('/v1/messages?mapping=x12-214', { method: 'POST', body: a214([{ load: 'M1' }]), headers });

  it.each([
    ['the outcome', { Prefer: 'wait=20' }, lost()],
    ['the acknowledgment', { Accept: 'application/EDI-X12' }, lost()],
    ['the outcome by a batch of another release', { Prefer: 'wait=20' }, ofOtherRelease()],
  ])('that was taken is 202 where %s cannot be told, so that nobody sends it once more', async (_, headers, thrown) => {
    const partner = await aPartner();
    const asked = vi.spyOn(Batch.prototype, 'message').mockRejectedValue(thrown);
    const answer = await send(partner, headers);
    expect(answer.status).toBe(202);
    const { batchId } = await answer.json<Receipt>();
    asked.mockRestore();
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
  });
});
