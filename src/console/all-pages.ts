/** Every page of the console. */
import { batchListPages } from './pages/batches.tsx';
import { homePages } from './pages/home.tsx';
import { loadPages } from './pages/loads.tsx';
import type { ConsolePages } from './routes.ts';

export const ALL_PAGES: readonly ConsolePages[] = [homePages, batchListPages, loadPages];
