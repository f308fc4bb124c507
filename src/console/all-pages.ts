/** Every page of the console. */
import { actionPages } from './pages/action-list.tsx';
import { batchListPages } from './pages/batches.tsx';
import { codeListPages } from './pages/code-lists.tsx';
import { deadLetterPages } from './pages/dead-letters.tsx';
import { holdPages } from './pages/holds.tsx';
import { homePages } from './pages/home.tsx';
import { issuePages } from './pages/issues.tsx';
import { mappingPages } from './pages/mappings.tsx';
import { rerunPages } from './pages/rerun.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [
  homePages,
  batchListPages,
  issuePages,
  mappingPages,
  codeListPages,
  holdPages,
  deadLetterPages,
  actionPages,
  rerunPages,
];
