/** What a person reads where an address has nothing to show: what is the matter, what to do, and the way back. */
import type { ProblemWords } from '../http/edge/problem.ts';
import { document } from './frame.tsx';

export const problemPage = ({ title, code, detail, fix, requestId }: ProblemWords & { requestId: string }): string =>
  document({
    title,
    environment: null,
    links: [],
    body: (
      <main>
        <section class="heading">
          <h1>{title}</h1>
          <p>{detail}</p>
          {fix === undefined ? null : <p class="fix">{fix}</p>}
          <p class="links">
            <a href="/console">To the first page</a>
          </p>
          <p class="quiet">
            <code>{code}</code> · Request {requestId}
          </p>
        </section>
      </main>
    ),
  });
