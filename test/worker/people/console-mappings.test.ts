/** Pages of mappings and code lists: what each shows, and what an operator changes through them. */
import { reset } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { asPerson, type Person } from '../console-person.ts';
import { anOperator } from '../operators.ts';
import { aPartner } from '../partners.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const LIST = 'x12-status-codes';
const aPerson = async (role: 'viewer' | 'operator' = 'operator'): Promise<Person> =>
  asPerson(await anOperator({ role }));

describe('the pages of mappings', () => {
  it('list each with its version and whom it is for; a viewer reads and is offered nothing to change', async () => {
    const viewer = await aPerson('viewer');
    const list = await viewer.page('/console/mappings');
    expect(list).toContain('>carrier-status-csv</a>');
    expect(list).toContain('all partners');
    expect(list).toContain('<span class="quiet">Transload</span>');
    const one = await viewer.page('/console/mappings/carrier-status-csv');
    expect(one).toContain('id="line-1"');
    expect(one).toContain(`/console/code-lists/${LIST}`);
    expect(`${list}${one}`).not.toContain('/console/do/');
    expect(await viewer.page('/console/do/publish-mapping?name=carrier-status-csv', 403)).toContain(
      'needs the role operator',
    );
    expect(await viewer.page('/console/mappings/none', 404)).toContain('Unknown mapping');
  });

  it('publish what the plan showed, keep the history, compare two versions and roll back', async () => {
    const person = await aPerson();
    const form = await person.form('/console/do/publish-mapping?name=carrier-status-csv');
    const document = (form.values.document ?? '').replace(/^description: .*$/m, 'description: A changed description.');
    const planned = await person.submit(form, { document, why: 'says more', step: 'plan' });
    expect(planned.html).toContain('all examples hold');
    expect(planned.html).toContain('A changed description.');
    const done = await person.submit(await planned.next(), { step: 'do' });
    expect(done.location).toBe('/console/mappings/carrier-status-csv');
    const shown = await person.page('/console/mappings/carrier-status-csv');
    for (const text of ['Published by Analyst', 'says more', 'A changed description.']) expect(shown).toContain(text);
    expect(await person.page('/console/mappings/carrier-status-csv/diff')).toContain('A changed description.');
    const back = await person.form('/console/do/roll-back-mapping?name=carrier-status-csv&to=bundled');
    expect(back.html).toContain('Roll back</button>');
    await person.submit(back, { why: 'better as it was', step: 'do' });
    expect(await person.page('/console/mappings/carrier-status-csv')).toContain('Came with Transload');
  });

  it('show what is wrong with a document, with path and line, and publish nothing', async () => {
    const person = await aPerson();
    const form = await person.form('/console/do/publish-mapping?name=carrier-status-csv');
    const document = (form.values.document ?? '').replace(/^fields:/m, 'felder:');
    const refused = await person.submit(form, { document, why: 'a slip', step: 'plan' }, 400);
    expect(refused.html).toContain('to correct');
    expect(refused.html).toContain('Mapping not accepted');
    expect(await person.page('/console/mappings/carrier-status-csv')).not.toContain('a slip');
  });

  it('refuse to overwrite what somebody else published since', async () => {
    const person = await aPerson();
    const form = await person.form('/console/do/publish-mapping?name=carrier-status-csv');
    const other = (form.values.document ?? '').replace(/^description: .*$/m, 'description: Came first.');
    const first = await person.submit(form, { document: other, why: 'first', step: 'plan' });
    await person.submit(await first.next(), { step: 'do' });
    const late = await person.submit(form, { why: 'second', step: 'plan' }, 400);
    expect(late.html).toContain('Changed since');
    expect(late.html).toContain('Somebody changed this after you opened it');
    expect(late.html).not.toContain('If-Match');
    // It has been seen now: what was written is not lost, and its plan is one against what there is.
    const seen = await person.submit(await late.next(), { step: 'plan' });
    expect(seen.html).toContain('Came first.');
    const done = await person.submit(await seen.next(), { step: 'do' });
    expect(done.location).toBe('/console/mappings/carrier-status-csv');
    expect(await person.page('/console/mappings/carrier-status-csv')).not.toContain('Came first.');
  });

  it('set whom a published mapping is for, after saying so', async () => {
    const person = await aPerson();
    const partner = await aPartner();
    const original = await person.form('/console/do/publish-mapping?name=carrier-status-csv');
    const document = (original.values.document ?? '')
      .replace(/^name: .*$/m, 'name: own-status-csv')
      .replace(/^mapping: .*$/m, 'mapping: own-status-csv');
    const form = await person.form('/console/do/publish-mapping');
    const planned = await person.submit(form, {
      name: 'own-status-csv',
      document,
      shared: 'true',
      why: 'new',
      step: 'plan',
    });
    await person.submit(await planned.next(), { step: 'do' });
    const owners = await person.form('/console/do/set-mapping-owners?name=own-status-csv');
    const plan = await person.submit(owners, { partners: partner.name, shared: '', why: 'private', step: 'plan' });
    expect(plan.html).toContain(`own-status-csv would be for ${partner.name}`);
    await person.submit(await plan.next(), { step: 'do' });
    const shown = await person.page('/console/mappings/own-status-csv');
    expect(shown).toContain('Owners so far');
    expect(shown).toContain(partner.name);
  });
});

describe('the pages of code lists', () => {
  it('show words with search, and which mappings use the list', async () => {
    const viewer = await aPerson('viewer');
    expect(await viewer.page('/console/code-lists')).toContain(`>${LIST}</a>`);
    const all = await viewer.page(`/console/code-lists/${LIST}`);
    expect(all).toContain('/console/mappings/carrier-status-csv');
    const found = await viewer.page(`/console/code-lists/${LIST}?q=zzz`);
    expect(found).toContain('No word is like that');
    expect(all).not.toContain('/console/do/');
    expect(await viewer.page('/console/code-lists/none', 404)).toContain('Unknown code list');
  });

  it('add a word from an address that has it filled in, with the mappings that change in the button, and lead back', async () => {
    const person = await aPerson();
    const from = '/console/issues?environment=test';
    const address = `/console/do/edit-code-list?${new URLSearchParams({ name: LIST, word: 'QQ', from })}`;
    const form = await person.form(address);
    expect(form.values).toMatchObject({ word: 'QQ', name: LIST, from });
    expect(form.html).toMatch(/<option value="X3">X3: /);
    const planned = await person.submit(form, { code: 'X3', why: 'means arrived', step: 'plan' });
    expect(planned.html).toContain('“QQ” would be sent as X3.');
    expect(planned.html).toMatch(/Publish for \d+ mappings?<\/button>/);
    expect(await person.page(`/console/code-lists/${LIST}?q=qq`)).toContain('No word is like that');
    const done = await person.submit(await planned.next(), { step: 'do' });
    expect(done.location).toBe(from);
    expect(await person.page(`/console/code-lists/${LIST}?q=qq`)).toContain('<span class="value">QQ</span>');
    const removal = await person.form(`/console/do/remove-code-list-word?name=${LIST}&word=QQ`);
    expect(removal.html).toContain('“QQ” would be known no more.');
    await person.submit(removal, { why: 'was a slip', step: 'do' });
    expect(await person.page(`/console/code-lists/${LIST}?q=qq`)).toContain('No word is like that');
  });

  it('keep a code that was written before the list was known, and offer it beside those of the list', async () => {
    const person = await aPerson();
    const form = await person.form('/console/do/edit-code-list');
    const again = await person.submit(form, { name: LIST, word: '', code: 'ZZ9', why: 'w', step: 'plan' }, 400);
    expect(again.html).toMatch(/<option value="ZZ9" selected(?:="")?>ZZ9<\/option>/);
  });

  it('go nowhere but to pages of the console afterwards', async () => {
    const person = await aPerson();
    const address = `/console/do/edit-code-list?${new URLSearchParams({ name: LIST, word: 'QQ', from: 'https://elsewhere.example/' })}`;
    const planned = await person.submit(await person.form(address), { code: 'X3', why: 'w', step: 'plan' });
    const done = await person.submit(await planned.next(), { step: 'do' });
    expect(done.location).toBe(`/console/code-lists/${LIST}`);
  });

  it('edit the whole list and roll back to how it came', async () => {
    const person = await aPerson();
    const form = await person.form(`/console/do/publish-code-list?name=${LIST}`);
    const document = (form.values.document ?? '').replace(/^description: .*$/m, 'description: Another description.');
    const planned = await person.submit(form, { document, why: 'says more', step: 'plan' });
    await person.submit(await planned.next(), { step: 'do' });
    expect(await person.page(`/console/code-lists/${LIST}`)).toContain('Another description.');
    const back = await person.form(`/console/do/roll-back-code-list?name=${LIST}&to=bundled`);
    await person.submit(back, { why: 'as it was', step: 'do' });
    expect(await person.page(`/console/code-lists/${LIST}`)).not.toContain('<p>Another description.');
  });
});
