/** `transload map` gives the requests that a preview gives, for every fixture; the workbench gives the preview's (try-mapping.test.ts). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { previewFile } from '../../../src/ops/publishing/preview.ts';
import { FIXTURES, SHIPPED } from '../mapping/shipped.ts';
import { transload } from './surroundings.ts';

/** Without those that look things up: a preview asks the bridge for them. */
const CASES = [...SHIPPED].flatMap(([name, { mapping }]) =>
  mapping.enrichment === null && readdirSync(FIXTURES).includes(name)
    ? readdirSync(join(FIXTURES, name)).map((folder) => [name, folder, mapping] as const)
    : [],
);

it.each(CASES)('%s/%s', async (name, folder, mapping) => {
  const at = join(FIXTURES, name, folder);
  const file = join(at, readdirSync(at).find((each) => each.startsWith('input.')) ?? '');
  const { records, fileProblems } = await previewFile(mapping, readFileSync(file));
  const { status, stdout } = await transload(['map', name, file]);
  const lines = stdout.split('\n').filter(Boolean);
  const mapped = lines.map((line) => JSON.parse(line) as { record: number; requests: unknown[] });
  expect(mapped.slice(0, records.length).map(({ record, requests }) => ({ record, requests }))).toEqual(
    records.map(({ record, requests }) => ({ record, requests })),
  );
  if (fileProblems.length > 0) expect(status).toBeGreaterThan(0);
});
