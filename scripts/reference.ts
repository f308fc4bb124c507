/**
 * Writes the pages of `docs/reference/`, to be committed: they are made from the unions, tables, schemas, limits and routes of
 * the code. A test says when they are out of date.
 *
 * Usage: npm run reference
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './reference/pages.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'reference');

for (const [name, text] of referencePages()) writeFileSync(join(FOLDER, name), text);
