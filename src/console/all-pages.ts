/** Every page of the console. */
import { actionPages } from './pages/action-list.tsx';
import { auditPages } from './pages/audit.tsx';
import { batchListPages } from './pages/batches.tsx';
import { channelPages } from './pages/channels.tsx';
import { codeListPages } from './pages/code-lists.tsx';
import { deadLetterPages } from './pages/dead-letters.tsx';
import { holdPages } from './pages/holds.tsx';
import { homePages } from './pages/home.tsx';
import { mappingPages } from './pages/mappings.tsx';
import { partnerPages } from './pages/partners.tsx';
import { rerunPages } from './pages/rerun.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [
  homePages,
  batchListPages,
  mappingPages,
  codeListPages,
  holdPages,
  deadLetterPages,
  actionPages,
  rerunPages,
  partnerPages,
  channelPages,
  auditPages,
];
