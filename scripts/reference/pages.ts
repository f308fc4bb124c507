/** All pages of `docs/reference/`, by name. */
import { commandPage } from './command.ts';
import { errorCodesPage } from './error-codes.ts';
import { licencesPage } from './licences.ts';
import { limitsPage } from './limits.ts';
import { mappingFunctionsPage, mappingKeysPage } from './mapping-language.ts';
import { page } from './markdown.ts';
import { reportColumnsPage } from './report-columns.ts';
import { routesPage } from './routes.ts';
import { runbookPage } from './runbook.ts';
import { statesPage } from './states.ts';

const PAGES: readonly { name: string; about: string; make: () => string }[] = [
  { name: 'states.md', about: 'states of rows, requests and batches, reasons, and who acts next', make: statesPage },
  { name: 'runbook.md', about: 'every alert: what it means, where to look, what to do', make: runbookPage },
  { name: 'error-codes.md', about: 'every error code, what it says and what to do', make: errorCodesPage },
  { name: 'http.md', about: 'every address, who may call it and what it does', make: routesPage },
  { name: 'command.md', about: 'the command `transload`: commands, exit codes, environment', make: commandPage },
  { name: 'report-columns.md', about: 'the result columns of a report', make: reportColumnsPage },
  { name: 'limits.md', about: 'every limit, with its unit and its reason', make: limitsPage },
  { name: 'licences.md', about: 'every package, its version and licence', make: licencesPage },
  { name: 'mapping-keys.md', about: 'every key of a mapping document', make: mappingKeysPage },
  { name: 'mapping-functions.md', about: 'what a field can do, with examples', make: mappingFunctionsPage },
];

export function referencePages(): Map<string, string> {
  const list = PAGES.map(({ name, about }) => `- [${name}](${name}): ${about}`).join('\n');
  return new Map([
    ['README.md', page('Reference', 'What is in the code, as tables.', [list])],
    ...PAGES.map(({ name, make }) => [name, make()] as const),
  ]);
}
