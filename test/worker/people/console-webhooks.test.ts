/** Pages of webhooks, envelope rules and answer mappings: what they say, and what their buttons do. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { type Acted, act, confirm, pageText } from '../console-forms.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { targetsAnswer } from '../hooks.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner } from '../partners.ts';

import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const URL_OF = 'https://one.example/hook';
const SECRET = /whsec_[A-Za-z0-9+/=]+/;
const pageAt = (partner: Partner, target = 'main'): string => `/console/webhooks/${partner.name}/${target}`;
const form = (partner: Partner, action: string, target = 'main'): string =>
  `/console/do/${action}?partner=${partner.name}&target=${target}`;

const registered = (operator: Operator, partner: Partner) =>
  act(operator, `/console/do/set-webhook?partner=${partner.name}`, {
    ...{ target: 'main', url: URL_OF, why: 'as asked by mail' },
    'event-batch.settled': 'true',
  });

describe('a webhook', () => {
  it('is registered with its secret shown once, changed, renewed, switched and deleted', async () => {
    targetsAnswer({});
    const [partner, operator] = [await aPartner(), await anOperator()];
    expect(await pageText(operator, `/console/webhooks?partner=${partner.name}`)).toContain(
      'This partner has no webhook.',
    );
    const made = await registered(operator, partner);
    const [secret] = SECRET.exec(made.html) ?? [];
    expect(secret).toBeDefined();
    const page = await pageText(operator, pageAt(partner));
    for (const fact of [URL_OF, 'A file is finished', 'Nothing was sent to it yet', 'as asked by mail'])
      expect(page).toContain(fact);
    expect(page).not.toMatch(SECRET);
    expect(await pageText(operator, '/console/webhooks')).toContain(`href="${pageAt(partner)}"`);

    const changed = await act(operator, form(partner, 'set-webhook'), { 'event-order.status': 'true', why: 'more' });
    expect(changed.location).toBe(pageAt(partner));
    const now = await operator.getJson(`/v1/ops/partners/${partner.name}/webhooks/main`);
    expect(now).toMatchObject({ url: URL_OF, events: ['batch.settled', 'order.status'], state: 'enabled' });

    const renewed = await act(operator, form(partner, 'webhook-rotate'), { why: 'it leaked' });
    expect(SECRET.exec(renewed.html)?.[0]).not.toBe(secret);
    expect((await act(operator, form(partner, 'webhook-disable'), { why: 'a pause' })).location).toBe(pageAt(partner));
    const off = await pageText(operator, pageAt(partner));
    expect(off).toContain('Switched off');
    expect(off).toContain('/console/do/webhook-enable?');
    await act(operator, form(partner, 'webhook-enable'), { why: 'on again' });
    const on = await operator.getJson(`/v1/ops/partners/${partner.name}/webhooks/main`);
    expect(on).toMatchObject({ url: URL_OF, events: ['batch.settled', 'order.status'], state: 'enabled' });

    const gone = await act(operator, form(partner, 'webhook-delete'), { why: 'over' });
    expect(gone.location).toBe(`/console/webhooks?partner=${partner.name}`);
    await pageText(operator, pageAt(partner), 404);
  });

  it('says what is wrong with its address, and does nothing', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const refused = await act(operator, `/console/do/set-webhook?partner=${partner.name}`, {
      ...{ target: 'main', url: 'ftp://one.example/', why: 'a try' },
      'event-batch.settled': 'true',
    });
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('webhook_url_refused')]);
    expect(refused.html).toContain('value="ftp://one.example/"');
    const none = await act(operator, `/console/do/set-webhook?partner=${partner.name}`, {
      ...{ target: 'main', url: URL_OF, why: 'a try' },
    });
    expect(none.html).toContain('body_invalid');
    await pageText(operator, pageAt(partner), 404);
  });

  it('leaves boxes as they were ticked, and unticked, where it is refused', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    await registered(operator, partner);
    const values = { url: 'ftp://one.example/', why: 'a try', 'event-order.status': 'true' };
    const refused = await act(operator, form(partner, 'set-webhook'), values, { unticked: ['event-batch.settled'] });
    expect(refused.status).toBe(400);
    const ticked = [...refused.html.matchAll(/name="(event-[^"]+)"[^>]*checked/g)].map(([, name]) => name);
    expect(ticked).toEqual(['event-order.status']);
  });

  it('shows its deliveries with what came back as text, and sends one again', async () => {
    const { told } = targetsAnswer({ one: [() => new Response('<img src=x onerror=alert(1)>', { status: 500 })] });
    const [partner, operator] = [await aPartner(), await anOperator()];
    await registered(operator, partner);
    const { batchId } = await partner.receipt(statusFile(statusRow('L1')));
    await partner.reaches(batchId, 'settled');
    const page = await vi.waitFor(async () => {
      const html = await pageText(operator, pageAt(partner));
      expect(html).toContain('&lt;img src=x');
      return html;
    }, PATIENCE);
    expect(page).not.toContain('<img');
    expect(page).toContain('Deliveries fail');
    const [, event = ''] = /event=(e_[0-9a-f]{32})/.exec(page) ?? [];
    const before = told.length;
    const sent = await act(operator, `${form(partner, 'webhook-send-again')}&event=${event}`);
    expect(sent.location).toBe(pageAt(partner));
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(before), PATIENCE);
    expect(await pageText(operator, pageAt(partner))).toContain('Sent again by Analyst');
  });

  it('is shown to operators alone, and its buttons to those who may press them', async () => {
    targetsAnswer({});
    const [partner, operator, viewer] = [await aPartner(), await anOperator(), await anOperator({ role: 'viewer' })];
    await registered(operator, partner);
    for (const path of ['/console/webhooks', pageAt(partner)]) {
      expect(await pageText(viewer, path)).not.toContain('/console/do/');
      expect((await partner.fetch(path, { headers: { Accept: 'text/html' } })).status, path).toBe(403);
    }
    await pageText(viewer, form(partner, 'webhook-delete'), 403);
    const live = await anOperator({ environments: ['production'] });
    expect(await pageText(live, '/console/webhooks')).not.toContain(partner.name);
  });
});

/** Opens the form of an action, as if it then lay open for a while. */
const opened = async (operator: Operator, path: string): Promise<Acted> => ({
  ...{ status: 200, location: null },
  html: await pageText(operator, path),
});

const RULES = { controlNumbers: 'once', broken: 'set', counts: 'strict', width: 'tolerant' };
const FEED = { partnerId: 'p-1', clientId: 'c-1', channel: 'plain' };

describe('what somebody else set while a form was open', () => {
  it.each([
    ['set-envelopes', 'partners/NAME/envelopes', { rules: { ...RULES, senders: ['ZZ:ACME'] } }],
    ['set-answer-mapping', 'answer-mappings/order-status', { mapping: DEFAULT_ANSWER_MAPPING }],
    ['set-feed', 'partners/NAME/feed', { ...FEED, pollMinutes: 45 }],
    ['set-webhook', 'partners/NAME/webhooks/main', { url: 'https://two.example/', events: ['batch.held'] }],
    ['set-alert-webhook', 'alert-webhook', { url: 'https://two.example/' }],
  ])('is not overwritten by %s, until it was looked at', async (name, below, theirs) => {
    targetsAnswer({});
    const [partner, operator] = [await aPartner(), await anOperator({ role: 'admin' })];
    const at = `/v1/ops/${below.replace('NAME', partner.name)}`;
    const theirsAgain = (note: string) => operator.done('PUT', at, { ...theirs, note });
    await theirsAgain('the first');
    const path = `/console/do/${name}?partner=${partner.name}&target=main`;
    const form = await opened(operator, path);
    await theirsAgain('the second');
    const set = await operator.getJson(at);
    const refused = await confirm(operator, path, form, { why: 'mine' });
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('changed_meanwhile')]);
    expect(await operator.getJson(at)).toEqual(set);
    expect((await confirm(operator, path, refused, { why: 'mine' })).status).toBe(303);
    expect(JSON.stringify(await operator.getJson(at))).toContain('"note":"mine"');
  });

  it('stays where a plan was looked at before', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const [at, path] = [
      `/v1/ops/partners/${partner.name}/envelopes`,
      `/console/do/set-envelopes?partner=${partner.name}`,
    ];
    const plan = await act(operator, path, { counts: 'lenient', why: 'their system' }, { step: 'plan' });
    await operator.done('PUT', at, { rules: { ...RULES, senders: ['ZZ:ACME'] }, note: 'a sender' });
    const refused = await confirm(operator, path, plan);
    expect(refused.html).toContain('changed_meanwhile');
    expect(await operator.getJson(at)).toMatchObject({ rules: { ...RULES, senders: ['ZZ:ACME'] } });
  });

  it('is what a webhook is switched off with', async () => {
    targetsAnswer({});
    const [partner, operator] = [await aPartner(), await anOperator()];
    await registered(operator, partner);
    const off = await opened(operator, form(partner, 'webhook-disable'));
    const at = `/v1/ops/partners/${partner.name}/webhooks/main`;
    const theirs = { url: 'https://two.example/', events: ['batch.held'] };
    await operator.done('PUT', at, { ...theirs, note: 'moved' });
    const refused = await confirm(operator, form(partner, 'webhook-disable'), off, { why: 'a pause' });
    expect(refused.html).toContain('changed_meanwhile');
    expect(await operator.getJson(at)).toMatchObject({ ...theirs, enabled: true });
    await confirm(operator, form(partner, 'webhook-disable'), refused, { why: 'a pause' });
    expect(await operator.getJson(at)).toMatchObject({ ...theirs, enabled: false });
  });

  it('is not made anew by switching on a webhook that was deleted', async () => {
    targetsAnswer({});
    const [partner, operator] = [await aPartner(), await anOperator()];
    await registered(operator, partner);
    const on = await opened(operator, form(partner, 'webhook-enable'));
    await act(operator, form(partner, 'webhook-delete'), { why: 'over' });
    const refused = await confirm(operator, form(partner, 'webhook-enable'), on, { why: 'on' });
    for (const { html } of [refused, await confirm(operator, form(partner, 'webhook-enable'), refused, { why: 'on' })])
      expect(html).toContain('changed_meanwhile');
    await pageText(operator, pageAt(partner), 404);
  });

  it('is a webhook of the name under which another one is registered', async () => {
    targetsAnswer({});
    const [partner, operator] = [await aPartner(), await anOperator()];
    await registered(operator, partner);
    const at = `/console/do/set-webhook?partner=${partner.name}`;
    const again = await act(operator, at, {
      ...{ target: 'main', url: 'https://two.example/', why: 'another' },
      'event-batch.held': 'true',
    });
    // Nor is it replaced by pressing once more: nobody has seen it.
    for (const { status, html } of [again, await confirm(operator, at, again, { why: 'another' })])
      expect([status, html]).toEqual([400, expect.stringContaining('There is one already')]);
    expect(await operator.getJson(`/v1/ops/partners/${partner.name}/webhooks/main`)).toMatchObject({ url: URL_OF });
  });
});

describe('envelope rules', () => {
  it('are said in words, planned, agreed on and kept with who and why', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const path = `/console/partners/${partner.name}/envelopes`;
    const before = await pageText(operator, path);
    expect(before).toContain('Nothing was agreed yet.');
    expect(before).toContain('It was never changed.');
    const wanted = { senders: 'ZZ:ACME\n 12ACME \n', counts: 'lenient', why: 'their system' };
    const at = `/console/do/set-envelopes?partner=${partner.name}`;
    const plan = await act(operator, at, wanted, { step: 'plan' });
    expect(plan.html).toContain('counts');
    expect(await operator.getJson(`/v1/ops/partners/${partner.name}/envelopes`)).toMatchObject({ edition: 0 });
    expect((await confirm(operator, at, plan)).location).toBe(path);
    const after = await pageText(operator, path);
    for (const fact of [
      'ZZ:ACME',
      '12ACME',
      'A wrong count is noted, and the file is read.',
      'Revision 1',
      'their system',
    ])
      expect(after).toContain(fact);
    const same = await act(operator, at, { why: 'the same' }, { step: 'plan' });
    expect(same.html).toContain('Nothing would change.');
    expect(same.html).not.toContain('value="do"');
  });
});

describe('how answers are read', () => {
  it('is shown in words, changed as YAML after a plan, and refused with what is wrong', async () => {
    const operator = await anOperator();
    const before = await pageText(operator, '/console/answer-mappings');
    expect(before).toContain('this is what Transload was shipped with');
    const at = '/console/do/set-answer-mapping';
    const wrong = await act(operator, at, { mapping: 'list: []', why: 'a try' }, { step: 'plan' });
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('orderRef')]);
    const mapping = `list: [events]
orderRef: [orderRef]
code: { from: [code], codes: { DLV: delivered } }
time: { from: [eventTime] }
finalCodes: [delivered]
x12: { delivered: D1 }
`;
    const plan = await act(operator, at, { mapping, why: 'a new form' }, { step: 'plan' });
    expect(plan.html).toContain('code.codes.DLV');
    expect((await confirm(operator, at, plan)).location).toBe('/console/answer-mappings');
    const after = await pageText(operator, '/console/answer-mappings');
    for (const fact of ['DLV', 'Revision 1', 'a new form']) expect(after).toContain(fact);
    expect(await operator.getJson('/v1/ops/answer-mappings/order-status')).toMatchObject({ edition: 1 });
  });
});
