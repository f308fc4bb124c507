/** Rows of X12 and EDIFACT corrected one by one: a new interchange of the same sets, which the old one's acknowledgment outlives. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';
import { a214, arrival } from '../x12-files.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface ShownRow {
  record: number;
  why: string | null;
  cells: { column: string; text: string }[] | null;
  errors: { code: string; path: string; cells: number[] }[];
}
const shownRows = (partner: Partner, batchId: string) =>
  partner.getJson<{ why: string | null; rows: ShownRow[] }>(`/v1/batches/${batchId}/correctable`);
const post = (partner: Partner, path: string, rows: unknown) =>
  partner.fetch(path, { method: 'POST', body: JSON.stringify({ rows }) });
const sourceOf = async (partner: Partner, batchId: string) =>
  (await partner.fetch(`/v1/batches/${batchId}/source`)).text();

it('sends the corrected sets of an X12 interchange once, in its envelopes, with counts of their own', async () => {
  const partner = await aPartner();
  const file = a214([
    { load: 'XA' },
    { load: 'XB', events: [arrival(), 'AT7*QQ*NS***20260302*0915~', 'MS1*Joliet*IL~'] },
    { load: 'XC', events: [arrival('ZZ')], count: 9 },
  ]);
  const { batchId } = await partner.receipt(file, { mapping: 'x12-214' });
  await partner.reaches(batchId, 'settled');
  const path = `/v1/batches/${batchId}`;
  const acknowledged = await (await partner.fetch(`${path}/acknowledgment`)).text();
  expect(acknowledged).toContain('AK5*E');
  const shown = await shownRows(partner, batchId);
  expect(shown.why).toBeNull();
  const [wrong, refused] = shown.rows;
  expect(shown.rows.map(({ record }) => record)).toEqual([3, 4]);
  const atFault = wrong?.errors.map(({ cells }) => cells.map((at) => wrong.cells?.[at]?.column));
  expect(atFault).toEqual([['AT7-01', 'AT7-03'], ['AT7-07']]);
  expect(refused?.cells).toBeNull();
  expect(refused?.why).toContain('new interchange');
  const cells = { 'AT7-01': 'AF', 'AT7-07': 'CT', 'MS1-01': 'Peoria' };
  const divided = await post(partner, `${path}/corrections`, [{ record: 3, cells: { ...cells, 'MS1-01': 'a*b' } }]);
  expect([divided.status, (await divided.json<{ code: string }>()).code]).toEqual([422, 'cell_not_writable']);
  const tried = await post(partner, `${path}/corrections?dryRun=true`, [{ record: 3, cells: { 'AT7-01': 'AF' } }]);
  expect(await tried.json()).toMatchObject({ ready: 0, rows: [{ errors: [{ path: 'AT7-07' }] }] });
  const sent = await post(partner, `${path}/corrections`, [{ record: 3, cells }]);
  expect(sent.status).toBe(202);
  const made = await sent.json<{ batchId: string }>();
  expect(await partner.reaches(made.batchId, 'settled')).toMatchObject({ rowStates: { delivered: 1, skipped: 1 } });
  const written = await sourceOf(partner, made.batchId);
  const [before = '', after = ''] = [file, written].map((text) => text.replaceAll('\n', ''));
  const inner = before.slice(before.indexOf('ST*214*0002~'), before.indexOf('ST*214*0003~'));
  const mended = inner.replace('QQ*NS***20260302*0915~MS1*Joliet', 'AF*NS***20260302*0915*CT~MS1*Peoria');
  expect(after).toBe(`${before.slice(0, before.indexOf('ST*'))}${mended}GE*1*17~IEA*1*000000017~`);
  expect((await partner.rows(made.batchId)).map(({ state, replaces }) => [state, replaces])).toEqual([
    ['skipped', null],
    ['delivered', `${batchId}/3`],
  ]);
  expect(JSON.parse(upstream.left.at(-1)?.body ?? '')).toMatchObject({ eventCode: 'AF', eventCity: 'Peoria' });
  await vi.waitFor(async () => expect((await partner.summary(batchId)).resolved).toBe(1), 10_000);
  // Its own acknowledgment is what it was; the corrected sets have none of their own.
  expect(await (await partner.fetch(`${path}/acknowledgment`)).text()).toBe(acknowledged);
  expect((await partner.fetch(`/v1/batches/${made.batchId}/acknowledgment`)).status).toBe(404);
  // The partner's next interchange is still a new one, and the old one is still known.
  expect((await partner.upload(a214([{ load: 'XD' }], { control: 18 }), { mapping: 'x12-214' })).status).toBe(202);
  const again = await partner.upload(a214([{ load: 'XE' }]), { mapping: 'x12-214' });
  expect((await again.json<{ code: string }>()).code).toBe('control_conflict');
});

it('has no file of corrections for sets, and says who corrects them where', async () => {
  const partner = await aPartner();
  const file = a214([{ load: 'XA', events: [arrival('QQ')] }]);
  const { batchId } = await partner.receipt(file, { mapping: 'x12-214' });
  await partner.reaches(batchId, 'settled');
  const path = `/v1/batches/${batchId}`;
  const own = await problemOf(await partner.fetch(`${path}/corrections`));
  expect([own.status, own.code]).toEqual([404, 'corrections_not_offered']);
  expect(own.detail).toContain('no file of corrections for sets of X12');
  expect(own.fix).toContain(`GET ${path}/correctable`);
  expect(own.fix).toContain('a control number of its own');
  const ofOps = await (await anOperator()).fetch(`/v1/ops${path.slice('/v1'.length)}/corrections`);
  const { fix } = await problemOf(ofOps);
  expect(fix).toMatch(/^Send the sets that report.csv/);
  const dry = await partner.receipt(file, { mapping: 'x12-214', dryRun: 'true' });
  await partner.reaches(dry.batchId, 'settled');
  expect((await problemOf(await partner.fetch(`/v1/batches/${dry.batchId}/corrections`))).fix).toBe(fix);
});

it('releases what divides an EDIFACT interchange, in the characters that it declares', async () => {
  const partner = await aPartner();
  const status = (code: string, city: string) =>
    `STS+1+${code}'DTM+334:202603020815-0600:205'LOC+175+USCOE:139:6:${city}'`;
  const message = (number: number, load: string, ...statuses: string[]) =>
    `UNH+${number}+IFTSTA:D:96A:UN'BGM+23+ST-${number}+9'CNI+1+${load}'${statuses.join('')}UNT+${4 + 3 * statuses.length}+${number}'`;
  const unb = "UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+72++++++1'";
  const good = message(1, 'EA', status('13', "Coeur d?'Alene"));
  const bad = message(2, 'EB', status('13', 'Joliet'), status('99', 'X'));
  const { batchId } = await partner.receipt(`${unb}${good}${bad}UNZ+2+72'`, { mapping: 'edifact-iftsta' });
  await partner.reaches(batchId, 'settled');
  const { rows } = await shownRows(partner, batchId);
  expect(rows.map(({ record, errors }) => [record, errors[0]?.path])).toEqual([[3, 'STS-02.1']]);
  const city = 'STS/LOC[01=175]-02.4';
  const path = `/v1/batches/${batchId}/corrections`;
  const ready = [{ record: 3, cells: { 'STS-02.1': '24', [city]: "Cœur + d'Alène?" } }];
  expect((await post(partner, path, ready)).status).toBe(422); // œ is no letter of UNOC
  const sent = await post(partner, path, [{ record: 3, cells: { 'STS-02.1': '24', [city]: "Coeur + d'Alène?" } }]);
  const made = await sent.json<{ batchId: string }>();
  expect(await partner.reaches(made.batchId, 'settled')).toMatchObject({ rowStates: { delivered: 1, skipped: 1 } });
  const bytes = new Uint8Array(await (await partner.fetch(`/v1/batches/${made.batchId}/source`)).arrayBuffer());
  const mended = bad.replace("STS+1+99'", "STS+1+24'").replace(":X'", ":Coeur ?+ d?'Alène??'");
  expect(Buffer.from(bytes).toString('latin1')).toBe(`${unb}${mended}UNZ+1+72'`);
  expect(JSON.parse(upstream.left.at(-1)?.body ?? '')).toMatchObject({ eventCity: "Coeur + d'Alène?" });
});
