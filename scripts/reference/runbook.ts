/** `runbook.md`: every alert, what it means, where to look and what to do. */
import { RUNBOOK } from '../../src/http/ops/views/runbook.ts';
import { code, page, prose, table } from './markdown.ts';

export const runbookPage = (): string =>
  page(
    'Runbook',
    'What `GET /v1/ops/alerts` and the console may say. An alert is there for as long as its cause is, and says `about` what, `since` when and `fix`: what to do.',
    [
      table(
        ['Alert', 'Means', 'Look at', 'Do'],
        Object.entries(RUNBOOK)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, { means, look, fix }]) => [code(name), prose(means), prose(look), prose(fix)]),
      ),
    ],
  );
