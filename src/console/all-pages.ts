/** Every page of the console. */
import { batchListPages } from './pages/batches.tsx';
import { codeListPages } from './pages/code-lists.tsx';
import { homePages } from './pages/home.tsx';
import { mappingPages } from './pages/mappings.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [homePages, batchListPages, mappingPages, codeListPages];
