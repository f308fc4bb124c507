/** Several loads have a number: the person chooses. */
import type { ApiProblem } from '../../api.ts';
import type { Page } from '../../page.ts';
import { Table } from '../../parts/table.tsx';

export function loadChoice(page: Page, problem: ApiProblem): Response {
  const loadNumber = page.context.req.param('loadNumber') ?? '';
  const { scacs, among } = problem as ApiProblem & {
    scacs: readonly string[];
    among?: readonly { partner: string; scac: string }[];
  };
  const choices = among ?? scacs.map((scac) => ({ scac, partner: '' }));
  return page.show({
    title: `Load ${loadNumber}: which one?`,
    nav: 'orders',
    status: 409,
    body: (
      <>
        <h1>Load {loadNumber}: which one?</h1>
        <p>Several loads have this number, {page.isOps ? 'of other partners or carriers' : 'under different SCACs'}.</p>
        <Table
          caption="Loads with this number"
          columns={[{ label: 'Load', kind: 'main' }, ...(page.isOps ? [{ label: 'Partner' }] : []), { label: 'SCAC' }]}
          rows={choices.map(({ scac, partner }) => {
            const href = page.at(`/loads/${encodeURIComponent(loadNumber)}`, { scac, partner });
            return {
              href,
              cells: [<a href={href}>{`${loadNumber} under ${scac}`}</a>, ...(page.isOps ? [partner] : []), scac],
            };
          })}
        />
      </>
    ),
  });
}
