import { describe, expect, it } from 'vitest';
import { describeRefusal, type Refusal } from '../../../src/ops/publishing/refusal.ts';

const problem = { path: 'target', code: 'wrong_form', message: 'No.', wanted: 'yes' } as const;
const example = { mapping: 'stops', path: 'examples[0]', wanted: '1', received: '2' };

/** One of each, with canaries where facts go into words. A code without its line here does not compile. */
const ONE_OF_EACH: {
  [Code in Refusal['code']]: [refusal: Extract<Refusal, { code: Code }>, status: number, fact: string];
} = {
  catalog_unavailable: [{ code: 'catalog_unavailable' }, 503, 'Nothing was changed'],
  storage_unavailable: [{ code: 'storage_unavailable' }, 503, 'Nothing was changed'],
  unknown_mapping: [{ code: 'unknown_mapping', name: 'stop', known: ['stops'] }, 404, 'stops'],
  unknown_code_list: [{ code: 'unknown_code_list', name: 'word', known: ['words'] }, 404, 'words'],
  unknown_version: [{ code: 'unknown_version', name: 'stops', version: 'abc' }, 404, '"abc"'],
  mapping_invalid: [
    { code: 'mapping_invalid', name: 'stops', problems: [problem, problem], examples: [] },
    422,
    '2 problems',
  ],
  examples_failed: [{ code: 'examples_failed', name: 'stops', examples: [example] }, 422, 'one difference'],
  code_list_invalid: [{ code: 'code_list_invalid', name: 'words', problems: [problem] }, 422, 'one problem'],
  version_changed: [{ code: 'version_changed', name: 'stops', current: 'abc' }, 412, 'version abc now'],
  changed_meanwhile: [{ code: 'changed_meanwhile', name: 'stops' }, 409, '"stops"'],
  owners_missing: [{ code: 'owners_missing', name: 'stops' }, 422, 'shared=true'],
  owners_differ: [{ code: 'owners_differ', name: 'stops' }, 409, '/v1/ops/mappings/stops/owners'],
  mapping_shipped: [{ code: 'mapping_shipped', name: 'stops' }, 409, '"stops"'],
  too_many_names: [{ code: 'too_many_names', name: 'stops', namesMax: 200 }, 422, '200'],
};
const all: [refusal: Refusal, status: number, fact: string][] = Object.values(ONE_OF_EACH);

describe('describeRefusal', () => {
  it.each(all)('has words for $0.code, its status $1 and its fact', (refusal, status, fact) => {
    const words = describeRefusal(refusal);
    expect(words.status).toBe(status);
    expect(`${words.detail} ${words.fix}`).toContain(fact);
  });

  it.each(all)('says in whole sentences what is wrong with $0.code and what to do', (refusal) => {
    const { title, detail, fix } = describeRefusal(refusal);
    expect(title).toMatch(/^[A-Z][^.]+$/);
    expect(detail).toMatch(/^[A-Z"o0-9].*\.$/);
    expect(fix).toMatch(/^[A-Z].*\.$/);
  });

  it('says of a name that is not there that it does not exist yet', () => {
    const refusal = { code: 'version_changed', name: 'stops', current: null } as const;
    expect(describeRefusal(refusal).detail).toContain('does not exist yet');
  });
});
