/** What a partner can upload on the first day: an example of the document, as its file would be. */
import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../../src/formats/reader.ts';
import { compileMapping } from '../../../src/mapping/compile/compile.ts';
import { sampleOf } from '../../../src/mapping/examples/examples.ts';
import { BODY_CONTRACTS } from '../../body-contracts.ts';
import { documentOf, LISTS, type Loose } from './documents.ts';
import { SHIPPED } from './shipped.ts';

describe.each([...SHIPPED])('the sample of %s', (_name, { document, mapping }) => {
  it('is its first example, whose requests have what the receiving system documents', async () => {
    const sample = await sampleOf(mapping, document.examples);
    if (!sample.ok) throw new Error(sample.error.code);
    const [first] = document.examples;
    expect(new TextDecoder(encodingOf(mapping.source)).decode(sample.value)).toBe(first?.input);
    const requests = first?.records.flatMap((record) => record.requests ?? []) ?? [];
    expect(requests.length).toBeGreaterThan(0);
    for (const { kind, body } of requests as { kind: keyof typeof BODY_CONTRACTS; body: unknown }[])
      expect(BODY_CONTRACTS[kind].safeParse(body).error).toBeUndefined();
  });
});

describe('a sample', () => {
  const right = documentOf().examples[0]?.input ?? '';
  const [header = '', row = ''] = right.split('\n');
  const sampled = async (inputs: readonly string[], changes: Loose = {}) => {
    const document = documentOf(changes);
    const examples = inputs.map((input) => ({ input, records: [] }));
    const sample = await sampleOf(compileMapping(document, LISTS), examples);
    return sample.ok ? new TextDecoder().decode(sample.value) : sample.error.code;
  };

  it('is the first example that maps without an error', async () => {
    expect(row).not.toBe('');
    const wrong = `${header}\n${row.replace(/\d{4}/, 'XXXX')}\n`;
    expect(await sampled([wrong, right, right + row])).toBe(right);
  });

  it.each([
    ['has no row', `${header}\n`],
    ['cannot be read', 'not,the,header\n1,2,3\n'],
    ['breaks off', `${right}"`],
  ])('is no example that %s', async (_what, input) => {
    expect(await sampled([input])).toBe('sample_impossible');
    expect(await sampled([input, right])).toBe(right);
  });

  it('is no example of which nothing would be sent', async () => {
    const skip = { when: { field: header.split(',')[0] ?? '', empty: false } };
    expect(await sampled([right], { skip })).toBe('sample_impossible');
  });

  it('is written as the mapping’s files are', async () => {
    const document = documentOf({ source: { format: 'csv', encoding: 'utf-16le' } });
    const sample = await sampleOf(compileMapping(document, LISTS), document.examples);
    expect(sample.ok && new TextDecoder('utf-16le').decode(sample.value)).toBe(right);
  });
});
