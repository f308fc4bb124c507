/** What the HTTP edge shows a person before anybody is signed in, or where an address has nothing to show. */
import type { Pages } from '../http/edge/ports.ts';
import { docsDocument } from './pages/docs.tsx';
import { problemTypeDocument, problemTypesDocument } from './pages/problem-types.tsx';
import { problemDocument } from './parts/frame.tsx';

export const consolePages: Pages = {
  problem: problemDocument,
  docs: docsDocument,
  problemType: problemTypeDocument,
  problemTypes: problemTypesDocument,
};
