/** `POST …/mappings/suggest`, as a partner and as an operator: a sample in, a mapping that holds out, nothing stored. */
import { reset } from 'cloudflare:test';
import { afterEach, expect, it } from 'vitest';
import type { Suggestion } from '../../../src/mapping/suggest/suggestion.ts';
import { anOperator } from '../operators.ts';
import { aPartner, problemOf } from '../partners.ts';

afterEach(async () => {
  await reset();
});

const SAMPLE = 'Load #;Status;Ereigniszeit\nL1;Zugestellt;25.03.2026 08:15\n';
const ROUTE = '/mappings/suggest?fileName=M%C3%A4rz.csv&answer=zone:Europe/Berlin';
const post = (body: string): RequestInit => ({ method: 'POST', body });

it('a sample becomes a suggestion whose YAML publishes as it is, with its code list', async () => {
  const partner = await aPartner();
  const found = await (await partner.fetch(`/v1${ROUTE}`, post(SAMPLE))).json<Suggestion>();
  expect([found.name, found.target.kind, found.isValid, found.problems]).toEqual(['marz', 'milestone', true, []]);
  expect(found.questions.map(({ id, answer }) => [id, answer])).toEqual([['zone', 'Europe/Berlin']]);
  const operator = await anOperator();
  expect(await (await operator.fetch(`/v1/ops${ROUTE}`, post(SAMPLE))).json()).toEqual(found);
  const form = new FormData();
  form.set('mapping', found.yaml ?? '');
  for (const { yaml } of found.codeLists) form.append('codeList', yaml ?? '');
  const tried = await partner.fetch('/v1/mappings/preview', { method: 'POST', body: form });
  expect(await tried.json()).toMatchObject({ problems: [] });
});

it('an answer without a question, an unknown parameter and an empty body are said', async () => {
  const partner = await aPartner();
  const codeOf = async (path: string, body: string): Promise<string> =>
    (await problemOf(await partner.fetch(path, post(body)))).code;
  expect(await codeOf('/v1/mappings/suggest?answer=zone', SAMPLE)).toBe('parameter_invalid');
  expect(await codeOf('/v1/mappings/suggest?answers=zone:UTC', SAMPLE)).toBe('parameter_unknown');
  expect(await codeOf('/v1/mappings/suggest', '')).toBe('empty');
});
