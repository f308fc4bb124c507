/** EDIFACT over HTTP: who posts an IFTSTA gets a CONTRL, and what was sound is delivered. */

import { reset } from 'cloudflare:test';
import { Buffer } from 'node:buffer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ACCEPT = { Accept: 'application/EDIFACT' };
const WAIT = { Prefer: 'wait=20' };

interface MessageWanted {
  load: string;
  code?: string;
  /** UNT-01, where it is not what was counted. */
  count?: number;
}

/** Ours: one consignment with one event in each message. */
function anIftsta(messages: readonly MessageWanted[], control = '17'): string {
  const lines = messages.flatMap(({ load, code = '13', count = 6 }, index) => [
    `UNH+${index + 1}+IFTSTA:D:96A:UN'`,
    "BGM+23+STATUS-1+9'",
    `CNI+1+${load}'`,
    `STS+1+${code}'`,
    "DTM+334:202603020815-0600:205'",
    `UNT+${count}+${index + 1}'`,
  ]);
  const header = `UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+${control}++++++1'`;
  return [header, ...lines, `UNZ+${messages.length}+${control}'`].join('\r\n');
}

const post = (partner: Partner, body: string, headers: Record<string, string>, mapping = 'edifact-iftsta') =>
  partner.fetch(`/v1/messages?mapping=${mapping}`, { method: 'POST', body, headers });

const segmentsOf = (text: string): string[] => text.split("'\n").filter((segment) => segment !== '');

interface Outcome {
  batchId: string;
  state: string;
  rows: { state: string; position: { place?: string }; errors: { code: string; value: string }[] }[];
  rowStates: Record<string, number>;
}

const TWO_BAD = [{ load: 'EW1' }, { load: 'EW2', code: '99' }, { load: 'EW3', count: 9 }, { load: 'EW4' }];

describe('an IFTSTA', () => {
  it('is answered by a CONTRL that accepts it', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const answer = await post(partner, anIftsta([{ load: 'EW1' }]), ACCEPT);
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/EDIFACT']);
    const text = await answer.text();
    const [, unb = '', ...others] = segmentsOf(text);
    expect(unb).toMatch(/^UNB\+UNOC:3\+TRANSLOAD:ZZ\+DEMO:ZZ\+\d{6}:\d{4}\+1\+{6}1$/);
    expect(others).toEqual([
      'UNH+1+CONTRL:D:3:UN',
      'UCI+17+DEMO:ZZ+TRANSLOAD:ZZ+7',
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UNT+4+1',
      'UNZ+1+1',
    ]);
    const again = await partner.fetch(`${answer.headers.get('Location')}/acknowledgment`);
    expect(await again.text()).toBe(text);
  });

  it('with a wrong message and a broken one has both told, each with its place', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const answer = await post(partner, anIftsta(TWO_BAD), ACCEPT);
    expect(segmentsOf(await answer.text()).slice(3, -2)).toEqual([
      'UCI+17+DEMO:ZZ+TRANSLOAD:ZZ+7',
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UCM+2+IFTSTA:D:96A:UN+4',
      'UCS+4',
      'UCD+12+3:1',
      'UCM+3+IFTSTA:D:96A:UN+4+29+UNT+2',
      'UCM+4+IFTSTA:D:96A:UN+7',
    ]);
  });

  it('has its sound messages delivered, whatever stands beside them', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const answer = await post(partner, anIftsta(TWO_BAD), WAIT);
    const outcome = await answer.json<Outcome>();
    expect(outcome).toMatchObject({ state: 'settled', rowStates: { delivered: 2, invalid: 2 } });
    expect(outcome.rows[1]).toMatchObject({
      position: { place: 'UNB 17, UNH 2, segment 4 (STS)' },
      errors: [{ code: 'code_unknown', value: '99' }],
    });
    expect(outcome.rows[2]).toMatchObject({ errors: [{ code: 'count_differs', value: '9' }] });
    expect(left).toHaveLength(2);
  });

  it('that comes in Latin-1 is answered in it, accepted or refused', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const named = Buffer.from(anIftsta([{ load: 'EW9' }], '19').replace('DEMO:ZZ', 'MÜLLER:ZZ'), 'latin1');
    const send = () =>
      partner.fetch('/v1/messages?mapping=edifact-iftsta', { method: 'POST', body: named, headers: ACCEPT });
    const [taken, repeated] = [await send(), await send()];
    for (const [answer, status] of [
      [taken, 200],
      [repeated, 409],
    ] as const) {
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([status, 'application/EDIFACT']);
      const text = Buffer.from(await answer.bytes()).toString('latin1');
      expect(text).toContain('\nUNB+UNOC:3+TRANSLOAD:ZZ+MÜLLER:ZZ+');
    }
  });

  it('that is a CONTRL of the partner is not acknowledged', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const contrl = [
      "UNB+UNOC:3+DEMO:ZZ+TRANSLOAD:ZZ+260302:1500+18++++++1'",
      "UNH+1+CONTRL:D:3:UN'UCI+1+TRANSLOAD:ZZ+DEMO:ZZ+7'UNT+3+1'",
      "UNZ+1+18'",
    ];
    const answer = await post(partner, contrl.join(''), ACCEPT);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });
});
