import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkMapping } from '../../../src/mapping/check.ts';
import { checkCodeList } from '../../../src/mapping/check-code-list.ts';
import { compileMapping } from '../../../src/mapping/compile.ts';
import { runExamples } from '../../../src/mapping/examples.ts';
import { ROOT, SHIPPED_LISTS } from './shipped.ts';

const GUIDE = readFileSync(join(ROOT, 'docs/mappings.md'), 'utf8');
const BLOCKS = [...GUIDE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const source = (file: string) => readFileSync(join(ROOT, 'src/mapping', file), 'utf8');
const codesIn = (text: string, form: RegExp) => [...new Set([...text.matchAll(form)].map(([, code = '']) => code))];

describe('the guide for authors', () => {
  it('opens with a whole document that is right and proves itself', async () => {
    const text = BLOCKS.find((block) => block.includes('\nmapping: ')) ?? '';
    const checked = checkMapping(text, SHIPPED_LISTS);
    if (!checked.ok) throw new Error(JSON.stringify(checked.error));
    expect(await runExamples(compileMapping(checked.value, SHIPPED_LISTS), checked.value.examples)).toEqual([]);
  });
  it('shows a code list that is right', () => {
    const checked = checkCodeList(BLOCKS.find((block) => block.includes('\nlist: ')) ?? '');
    expect(checked.ok ? [] : checked.error).toEqual([]);
  });
  it('lists every error of a record', () => {
    const codes = [
      ...codesIn(source('fault.ts'), /\| \{ code: '(\w+)'/g),
      ...codesIn(source('date-times.ts'), /\{ code: '(\w+)'/g),
    ];
    expect(codes.length).toBeGreaterThan(12);
    expect(codes.filter((code) => !GUIDE.includes(`\`${code}\``))).toEqual([]);
  });
  it('lists every problem of a document', () => {
    const codes = codesIn(source('document-problem.ts'), /^ {2}\| '(\w+)'/gm);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !GUIDE.includes(`\`${code}\``))).toEqual([]);
  });
  it('names every key of a field', () => {
    const keys = Object.keys(
      JSON.parse(readFileSync(join(ROOT, 'mappings/mapping.schema.json'), 'utf8')).definitions.TextField.anyOf[1]
        .properties,
    );
    expect(keys.length).toBeGreaterThan(15);
    expect(keys.filter((key) => !new RegExp(`\`${key}[:\`]`).test(GUIDE))).toEqual([]);
  });
});

it('keeps the functions a field can call a closed set, in one order', () => {
  // A mapping reaches nothing else: no file of this folder looks a function up by a name of the document.
  const files = readdirSync(join(ROOT, 'src/mapping')).filter((file) => file.endsWith('.ts'));
  expect(files.filter((file) => /\beval\b|new Function|import\(/.test(source(file)))).toEqual([]);
});
