/**
 * Writes the pages of `docs/reference/`, and the words of the bridge's own pages about its problems, to be committed:
 * they are made from the unions, tables, schemas, limits and routes of the code. A test says when they are out of date.
 *
 * Usage: npm run reference
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemTypesFile } from './reference/error-codes.ts';
import { referencePages } from './reference/pages.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'reference');

for (const [name, text] of referencePages()) writeFileSync(join(FOLDER, name), text);
writeFileSync(join(ROOT, 'src', 'http', 'contract', 'problem-types.json'), problemTypesFile());
