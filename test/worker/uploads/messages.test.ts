/** `/v1/messages`: who sends a document and waits gets what became of it, in JSON or in the document's own language. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214, arrival } from '../x12-files.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const EDI = { Accept: 'application/EDI-X12' };
const WAIT = { Prefer: 'wait=20' };

const send = (partner: Partner, body: string, headers: Record<string, string> = {}, query = 'mapping=x12-214') =>
  partner.fetch(`/v1/messages?${query}`, { method: 'POST', body, headers });

const segmentsOf = (text: string): string[] => text.split('~').map((segment) => segment.trim());

interface Outcome {
  batchId: string;
  message: number;
  state: string;
  links: Record<string, string>;
  rows: {
    state: string;
    position: { place?: string };
    errors: { code: string; fix: string }[];
    requests: { state: string }[];
  }[];
  rowStates: Record<string, number>;
}

const THREE_GOOD_ONE_BAD = a214([
  { load: 'M1' },
  { load: 'M2', events: ['AT7*ZZ*NS***20260302*0815*CT~'] },
  { load: 'M3' },
  { load: 'M4' },
]);

describe('a 214 with three good sets and a bad one', () => {
  it('is answered by a 997 that accepts three sets and says of the fourth which element is wrong', async () => {
    const partner = await aPartner();
    const answer = await send(partner, THREE_GOOD_ONE_BAD, EDI);
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/EDI-X12']);
    expect(segmentsOf(await answer.text()).slice(2, -3)).toEqual([
      'ST*997*0001',
      'AK1*QM*17',
      'AK2*214*0001',
      'AK5*A',
      'AK2*214*0002',
      'AK3*AT7*4**8',
      'AK4*1**7*ZZ',
      'AK5*R*5',
      'AK2*214*0003',
      'AK5*A',
      'AK2*214*0004',
      'AK5*A',
      'AK9*P*4*4*3',
      'SE*14*0001',
    ]);
  });

  it('is delivered but for the bad one, and its row names the segment', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const answer = await send(partner, THREE_GOOD_ONE_BAD, WAIT);
    expect(answer.status).toBe(200);
    const outcome = await answer.json<Outcome>();
    expect(outcome).toMatchObject({ state: 'settled', rowStates: { delivered: 3, invalid: 1 } });
    expect(outcome.rows[1]).toMatchObject({
      state: 'invalid',
      position: { place: 'ISA 000000017, GS 17, ST 0002, segment 4 (AT7)' },
      errors: [{ code: 'code_unknown', value: 'ZZ' }],
    });
    expect(left).toHaveLength(3);
  });
});

describe('an acknowledgment', () => {
  it('goes back to the sender with the addresses exchanged and a control number of our own, the same at every call', async () => {
    const partner = await aPartner();
    const first = await send(partner, a214([{ load: 'M1' }]), EDI);
    const text = await first.text();
    const [isa = '', gs = ''] = segmentsOf(text);
    expect(isa).toMatch(
      /^ISA\*00\* {10}\*00\* {10}\*ZZ\*TRANSLOAD {6}\*02\*DEMO {11}\*\d{6}\*\d{4}\*U\*00401\*000000001\*0\*T\*>$/,
    );
    expect(gs).toMatch(/^GS\*FA\*TRANSLOAD\*DEMO\*\d{8}\*\d{4}\*1001\*X\*004010$/);
    const again = await partner.fetch(`${first.headers.get('Location')}/acknowledgment`);
    expect(await again.text()).toBe(text);
    const next = await send(partner, a214([{ load: 'M2' }], { control: 18 }), EDI);
    expect(segmentsOf(await next.text())[0]).toContain('*000000002*');
  });

  it('begins with a TA1 where the interchange wants one', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1' }], { ta1: '1' }), EDI);
    expect(segmentsOf(await answer.text())[1]).toBe('TA1*000000017*260302*1500*A*000');
  });

  it('says of a set whose count is wrong that it was refused, and by which code of the standard', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1' }, { load: 'M2', count: 9 }]), EDI);
    const lines = segmentsOf(await answer.text());
    expect(lines).toContain('AK5*R*4');
    expect(lines).toContain('AK9*P*2*2*1');
  });

  it('says of a set with a wrong event beside a sound one that it was accepted with errors', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1', events: [arrival(), arrival('ZZ')] }]), EDI);
    const lines = segmentsOf(await answer.text());
    expect(lines.slice(4, -4)).toEqual(['AK2*214*0001', 'AK3*AT7*5**8', 'AK4*1**7*ZZ', 'AK5*E*5', 'AK9*E*1*1*1']);
  });

  it('says of a SCAC that the key may not use where it stands', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1' }]).replace('*M1*DEMO~', '*M1*XXXX~'), EDI);
    expect(segmentsOf(await answer.text()).slice(4, -4)).toEqual([
      ...['AK2*214*0001', 'AK3*B10*2**8', 'AK4*3**7*XXXX', 'AK5*R*5'],
      'AK9*R*1*1*0',
    ]);
  });

  it('is a 999 where one is asked for', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1', events: [arrival('ZZ')] }]), EDI);
    const other = await partner.fetch(`${answer.headers.get('Location')}/acknowledgment?kind=999`);
    expect(segmentsOf(await other.text()).slice(2, -3)).toEqual([
      'ST*999*0001*005010X231A1',
      'AK1*QM*17*004010',
      'AK2*214*0001',
      'IK3*AT7*4**8',
      'IK4*1**7*ZZ',
      'IK5*R*5',
      'AK9*R*1*1*0',
      'SE*8*0001',
    ]);
  });

  it('is of the kind that is pressed on its page', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const { batchId, message } = await (await send(partner, a214([{ load: 'M1' }]), WAIT)).json<Outcome>();
    for (const who of [partner, operator])
      for (const kind of ['997', '999']) {
        const file = await who.fetch(`/console/batches/${batchId}/messages/${message}/acknowledgment?kind=${kind}`);
        expect(await file.text()).toContain(`ST*${kind}*`);
      }
  });

  it('whose interchange is searched for is opened in its own environment', async () => {
    const partner = await aPartner();
    const operator = await anOperator({ environments: ['production', 'test'] });
    const { batchId, message } = await (await send(partner, a214([{ load: 'M1' }]), WAIT)).json<Outcome>();
    const found = await operator.fetch('/console/search?q=000000017&environment=test', { redirect: 'manual' });
    const to = found.headers.get('Location') ?? '';
    expect(to).toMatch(new RegExp(`/console/batches/${batchId}/messages/${message}\\?.*environment=test`));
    expect((await operator.fetch(to)).status).toBe(200);
  });

  it('of an interchange that is refused as a whole is a TA1 that says why, under a status that says the same', async () => {
    const partner = await aPartner();
    await send(partner, a214([{ load: 'M1' }]), EDI);
    const again = await send(partner, a214([{ load: 'M9' }]), EDI);
    expect(again.status).toBe(409);
    expect(segmentsOf(await again.text()).slice(1)).toEqual([
      'TA1*000000017*260302*1500*R*025',
      expect.stringMatching(/^IEA\*0\*\d{9}$/),
      '',
    ]);
    const live = await send(partner, a214([{ load: 'M1' }], { control: 18, test: 'P' }), EDI);
    expect([live.status, segmentsOf(await live.text())[1]]).toEqual([422, 'TA1*000000018*260302*1500*R*020']);
  });

  it('of a document with one interchange that has come before tells each of its interchanges what became of it', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    await send(partner, a214([{ load: 'M1' }]), EDI);
    const both = `${a214([{ load: 'M1' }])}\n${a214([{ load: 'M2' }], { control: 18 })}`;
    const refused = await send(partner, both, EDI);
    const lines = segmentsOf(await refused.text());
    expect([refused.status, lines.filter((line) => line.startsWith('TA1'))]).toEqual([
      409,
      ['TA1*000000017*260302*1500*R*025', 'TA1*000000018*260302*1500*R*000'],
    ]);
    const controls = lines.flatMap((line) => (line.startsWith('IEA') ? [line] : []));
    expect(controls).toEqual(['IEA*0*000000002', 'IEA*0*000000003']);
    const problem = await problemOf(await send(partner, both, {}));
    expect(problem.fix).toMatch(
      /^Send interchange 000000018 again, without 000000017\. GET \/v1\/messages\/b_\w+\/1 says/,
    );
    expect((await send(partner, a214([{ load: 'M2' }], { control: 18 }), EDI)).status).toBe(200);
    await vi.waitFor(() => expect(left).toHaveLength(2));
  });

  it('of a document that was cut is completed by what its rows say, and every event goes out once', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const whole = a214([{ load: 'T1' }, { load: 'T2' }, { load: 'T3' }]);
    const cut = await send(partner, whole.slice(0, whole.indexOf('T3')), { Prefer: 'wait=20' });
    const fixes = ((await cut.json()) as Outcome).rows.flatMap(({ errors = [] }) => errors.map(({ fix }) => fix));
    expect(fixes).not.toEqual([]);
    for (const fix of fixes) expect(fix).toContain('send only the refused and the missing ones');
    const again = await problemOf(await send(partner, whole));
    expect([again.code, again.fix]).toEqual([
      'control_conflict',
      expect.stringMatching(
        /^Send what of it was not taken under a control number of its own\. GET .* delivered ones once more\.$/,
      ),
    ]);
    const rest = await send(partner, a214([{ load: 'T3' }], { control: 18 }), { Prefer: 'wait=20' });
    expect(rest.status).toBe(200);
    expect(left).toHaveLength(3);
  });

  it('tells a sender that is not agreed, and not the one that uses the same control number', async () => {
    const partner = await aPartner();
    const operator = await anOperator();
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/envelopes`, {
      rules: { senders: ['02:DEMO'] },
      note: 'as agreed by mail',
    });
    const other = a214([{ load: 'M2' }]).replace('*02*DEMO           *', '*ZZ*OTHER          *');
    const lines = segmentsOf(await (await send(partner, `${a214([{ load: 'M1' }])}\n${other}`, EDI)).text());
    const addressed = lines.flatMap((line, index) =>
      line.startsWith('TA1') ? [[lines[index - 1]?.slice(51, 69), line.slice(-5)]] : [],
    );
    expect(addressed).toEqual([
      ['02*DEMO           ', 'R*000'],
      ['ZZ*OTHER          ', 'R*006'],
    ]);
  });

  it('of an interchange without a set is its TA1 where one is wanted, else 204, and in EDIFACT its CONTRL', async () => {
    const partner = await aPartner();
    const empty = (control: number, ta1: string): string =>
      a214([], { control, ta1 })
        .replace(/GS[\s\S]*(?=IEA)/, '')
        .replace('IEA*1', 'IEA*0');
    const wanted = await send(partner, empty(17, '1'), EDI);
    expect([wanted.status, segmentsOf(await wanted.text())[1]]).toEqual([200, 'TA1*000000017*260302*1500*A*000']);
    const unwanted = await send(partner, empty(18, '0'), EDI);
    expect([unwanted.status, await unwanted.text()]).toEqual([204, '']);
    const later = await partner.fetch(`${unwanted.headers.get('Location')}/acknowledgment`);
    expect(later.status).toBe(204);
    const unb = "UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+17++++++1'UNZ+0+17'";
    const contrl = await send(partner, unb, EDI, 'mapping=edifact-iftsta');
    expect([contrl.status, await contrl.text()]).toEqual([
      200,
      expect.stringContaining("\nUCI+17+DEMO:ZZ+TRANSLOAD:ZZ+7'"),
    ]);
  });

  it('is none, and so 204, of a 997, which is not acknowledged', async () => {
    const own = a214([], { control: 17 })
      .replace('GS*QM', 'GS*FA')
      .replace('GE*0', 'ST*997*0001~\nAK1*QM*1~\nAK9*A*1*1*1~\nSE*4*0001~\nGE*1');
    const answer = await send(await aPartner(), own, EDI);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });

  it('is refused for a format that has none, with the reports that say the same', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt('Load #\n', { dryRun: 'true' });
    const answer = await partner.fetch(`/v1/batches/${batchId}/acknowledgment`);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([404, 'acknowledgment_not_offered']);
  });

  it('is refused where no interchange could be read, and says why', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt('no interchange', { mapping: 'x12-214' });
    await partner.reaches(batchId, 'unreadable');
    const answer = await partner.fetch(`/v1/batches/${batchId}/acknowledgment`);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([409, 'acknowledgment_impossible']);
  });
});

describe('a message', () => {
  it('is answered at once with an address where nobody waits', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1' }]));
    expect(answer.status).toBe(202);
    const { batchId, message, links } = await answer.json<Outcome>();
    expect([message, answer.headers.get('Location')]).toEqual([1, `/v1/messages/${batchId}/1`]);
    expect(links.self).toBe(`/v1/messages/${batchId}/1`);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
  });

  it('of which nothing could be used is answered by 422, for systems that look at the status alone', async () => {
    const partner = await aPartner();
    const answer = await send(partner, a214([{ load: 'M1', events: [arrival('ZZ')] }]), WAIT);
    expect([answer.status, (await answer.json<Outcome>()).rowStates]).toEqual([422, { invalid: 1 }]);
  });

  it('may rightly come twice under control numbers of its own: the same event is known by its load', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const text = (control: number) => a214([{ load: 'M1' }], { control });
    const [one, two] = [await send(partner, text(17), WAIT), await send(partner, text(18), WAIT)];
    const [first, second] = [await one.json<Outcome>(), await two.json<Outcome>()];
    expect([first.batchId, first.message, second.message]).toEqual([second.batchId, 1, 2]);
    expect([first.rowStates, second.rowStates]).toEqual([{ delivered: 1 }, { duplicate: 1 }]);
    expect(left).toHaveLength(1);
  });

  it('under an Idempotency-Key is the same message', async () => {
    const partner = await aPartner();
    const key = { 'Idempotency-Key': 'message-1', ...WAIT };
    const text = a214([{ load: 'M1' }]);
    const [one, two] = [await send(partner, text, key), await send(partner, text, key)];
    const [first, second] = [await one.json<Outcome>(), await two.json<Outcome>()];
    expect([second.batchId, second.message]).toEqual([first.batchId, first.message]);
    expect(two.headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('that looks like another format than its mapping reads is refused before anything is stored', async () => {
    const partner = await aPartner();
    const answer = await send(partner, '{"events":[]}', {});
    const problem = await problemOf(answer);
    expect([answer.status, problem.code]).toEqual([422, 'content_disagrees']);
    expect(problem.detail).toContain('a JSON document');
    expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toEqual([]);
  });

  it('without a mapping, without a body, or without a key is refused', async () => {
    const partner = await aPartner();
    expect((await problemOf(await send(partner, a214([{ load: 'M1' }]), {}, ''))).code).toBe('mapping_missing');
    expect((await problemOf(await send(partner, ''))).code).toBe('empty');
    expect((await send(partner, 'x', { Authorization: 'Bearer nothing' })).status).toBe(401);
  });

  it('in JSON waits for its outcome like any other', async () => {
    const partner = await aPartner();
    const event = { load: { number: 'J1' }, status: { code: 'X3' }, occurredAt: '2026-03-02T08:15:00-06:00' };
    const body = JSON.stringify({ events: [event] });
    const answer = await send(partner, body, { ...WAIT, ...EDI }, 'mapping=carrier-events-json');
    expect([answer.status, (await answer.json<Outcome>()).rowStates]).toMatchObject([200, {}]);
  });
});
