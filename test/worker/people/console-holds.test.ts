/** Pages of holds, of what did not arrive, and of actions: what each shows, and what an operator decides through them. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asPerson, type Person } from '../console-person.ts';
import {
  heldMilestone,
  heldOrder,
  loadsFile,
  mixedAnswers,
  stands,
  unclearCreates,
  unique,
  uploaded,
} from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type Receipt } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const aPerson = async (role: 'viewer' | 'operator' = 'operator'): Promise<Person> =>
  asPerson(await anOperator({ role }));

/** The address of a link with this text. */
function linkIn(html: string, text: string): string {
  const href = new RegExp(`<a [^>]*href="([^"]+)"[^>]*>${text}</a>`).exec(html)?.[1];
  if (href === undefined) throw new Error(`no link "${text}" in ${html.slice(-3_000)}`);
  return href.replaceAll('&amp;', '&');
}

const hasEnded = (person: Person, path: string): Promise<string> =>
  vi.waitFor(async () => {
    const html = await person.page(path);
    expect(html).toMatch(/>(?:Done|Stopped)</);
    return html;
  }, PATIENCE);

describe('a filter', () => {
  it.each([
    ['/console/holds?partner=Acme+Logistics&subject=LD-7', 404, 'No partner &quot;Acme Logistics&quot; is known'],
    [
      '/console/letters?status=none&subject=LD-7',
      400,
      '“Answer status” is not understood. Wanted: one or several HTTP statuses, such as 422',
    ],
    ['/console/issues?code=some_code&cursor=x', 400, 'The parameter cursor is'],
    ['/console/orders?partner=Acme+Logistics', 404, 'No partner &quot;Acme Logistics&quot; is known'],
  ])('that is not understood stays, with what is wrong: %s', async (path, status, said) => {
    const html = await (await aPerson()).page(path, status);
    expect(html).toContain(said);
    for (const typed of new URL(path, 'https://x.example').searchParams.values())
      if (typed.length > 1) expect(html).toContain(`value="${typed}"`);
  });
});

describe('the page of holds', () => {
  it('is empty in words where nothing is held', async () => {
    expect(await (await aPerson()).page('/console/holds')).toContain('Nothing is held.');
  });

  it('decides a held row from the list with one address and one button, and the list of actions says who and why', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const { batchId } = await heldMilestone(partner);
    const person = await aPerson();
    const list = await person.page('/console/holds');
    for (const text of ['Ask the receiving system whether it has arrived', partner.name, 'Send again'])
      expect(list).toContain(text);
    const plan = await person.form(linkIn(list, 'Mark delivered…'));
    expect(plan.html).toContain('It counts as delivered, as you state.');
    expect(plan.values.why).toBe('');
    const done = await person.submit(plan, { why: 'they have it', step: 'do' });
    expect(done.location).toBe('/console/holds');
    await stands(partner, batchId, { delivered: 1 });
    const actions = await person.page('/console/actions');
    for (const text of ['Mark delivered', 'they have it', 'Analyst']) expect(actions).toContain(text);
  });

  it('opens one to its attempts, answers and body; a viewer reads it and decides nothing', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const { batchId } = await heldMilestone(partner);
    const viewer = await aPerson('viewer');
    const list = await viewer.page('/console/holds');
    const one = await viewer.page(`/console/holds/${batchId}/1/1?partner=${partner.name}`);
    for (const text of ['Attempts and answers', '&quot;times&quot;:1', 'loadNumber', 'may have arrived'])
      expect(one).toContain(text);
    expect(`${list}${one}`).not.toContain('/console/do/');
    expect(await viewer.page(`/console/holds/${batchId}/7/1`, 404)).toContain('Unknown request');
  });

  it('asks what became of what is closed, and for the id of an order that is there', async () => {
    unclearCreates();
    const partner = await aPartner();
    const { receipt } = await heldOrder(partner);
    const person = await aPerson();
    const list = await person.page('/console/holds');
    const closing = await person.form(linkIn(list, 'Give up [^<]*'));
    expect(closing.html).toContain('It certainly did not arrive');
    const adopting = await person.form(linkIn(list, 'Enter its id…'));
    const wrong = await person.submit(adopting, { orderId: 'no id', why: 'found', step: 'plan' }, 400);
    expect(wrong.html).toContain('Order id not usable');
    const orderId = '11111111-6c1e-4b0e-9f4e-6d6d3a8b8f10';
    const plan = await person.submit(adopting, { orderId, why: 'found', step: 'plan' });
    await person.submit(await plan.next(), { step: 'do' });
    await stands(partner, receipt.batchId, { delivered: 1 });
  });

  it('decides about the chosen, or about all that match, with the number in the button; without one chosen about none', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const { batchId } = await uploaded(partner, loadsFile(unique(), '1-held', '2-held', '3-held'), { held: 3 });
    const person = await aPerson();
    const many = '/console/do/decide-requests?some=true&decision=mark_delivered';
    expect((await person.form(many)).html).toContain('None was chosen.');
    const two = await person.form(`${many}&requests=${batchId}/1/1&requests=${batchId}/2/1`);
    expect(two.html).toContain('Mark 2 requests delivered</button>');
    const done = await person.submit(two, { why: 'they have them', step: 'do' });
    expect(done.location).toMatch(/^\/console\/actions\/a_[0-9a-f]{32}$/);
    const action = await hasEnded(person, done.location ?? '');
    for (const text of ['2 of 2 decided', 'they have them', 'Its requests', 'Decided']) expect(action).toContain(text);
    await stands(partner, batchId, { delivered: 2, held: 1 });
    const all = await person.form(`/console/do/decide-requests?partner=${partner.name}&decision=mark_delivered`);
    expect(all.html).toContain('Mark 1 request delivered</button>');
  });
});

describe('the page of what did not arrive', () => {
  it('is filtered, and sends a selection again: plan, number, progress, history', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const { batchId } = await uploaded(partner, loadsFile(unique(), 'a-bad', 'b-bad', 'invalid'), {
      rejected: 2,
      invalid: 1,
    });
    const person = await aPerson();
    const list = await person.page(`/console/letters?partner=${partner.name}&state=rejected`);
    expect(list.match(/name="requests"/g)).toHaveLength(2);
    expect(await person.page('/console/letters?status=500')).toContain('Nothing like that.');
    upstreamAnswers(200);
    const plan = await person.form(linkIn(list, 'Send all that match again…'));
    expect(plan.html).toContain('Send 2 requests again</button>');
    const done = await person.submit(plan, { why: 'mended', step: 'do' });
    const action = await hasEnded(person, done.location ?? '');
    for (const text of ['2 of 2 sent again', batchId, 'What became of']) expect(action).toContain(text);
    await stands(partner, batchId, { delivered: 2, invalid: 1 });
    const ended = await person.page(done.location ?? '');
    expect(ended).toContain('2 delivered');
    expect(ended).not.toContain('Show what did not arrive');
    expect(await person.page('/console/actions')).toContain('Send 2 requests again');
    expect(await person.page(`/console/actions/a_${'0'.repeat(32)}`, 404)).toContain('Unknown action');
  });
});

describe('the rerun of a batch', () => {
  it('counts what another version would change and lists the rows', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const receipt: Receipt = await uploaded(partner, loadsFile(unique(), 'one', 'two'), { delivered: 2 });
    const person = await aPerson();
    expect(await person.page(`/console/batches/${receipt.batchId}/rerun`)).toContain('Nothing would differ');
    const form = await person.form('/console/do/edit-code-list?name=x12-status-codes&word=X3');
    const plan = await person.submit(form, { code: 'X1', why: 'a trial', step: 'plan' }, 400);
    expect(plan.html).toContain('The example says');
    const mapping = await person.form('/console/do/publish-mapping?name=carrier-status-csv');
    const changed = (mapping.values.document ?? '')
      .replace('eventCity: City', 'eventCity: { from: City, upper: true }')
      .replaceAll('eventCity: Joliet', 'eventCity: JOLIET');
    const published = await person.submit(mapping, { document: changed, why: 'upper case', step: 'plan' });
    await person.submit(await published.next(), { step: 'do' });
    const rerun = await person.page(`/console/batches/${receipt.batchId}/rerun`);
    expect(rerun).toContain('2 of 2 rows would differ');
    expect(rerun).toContain('eventCity');
    expect(await person.page(`/console/batches/${receipt.batchId}/rerun?to=bundled`)).toContain('Nothing would differ');
  });
});
