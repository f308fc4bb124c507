/** `/console/batches/{id}/rerun`: what another version of its mapping would make of the same file, row by row. */
import type { FC } from 'hono/jsx';
import type { Page } from '../../page.ts';
import { countOf, inText } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Counts, DifferingRows } from '../../parts/differing-rows.tsx';
import type { ConsolePages } from '../../routes.ts';
import { batchTitle } from '../batches.tsx';
import { earlierVersions, shortVersion } from '../mappings/versions.tsx';

export const rerunPages: ConsolePages = {
  get: { '/batches/:id/rerun': rerunPage },
  reads: ['GET /v1/ops/batches/{id}/rerun', 'GET /v1/ops/batches/{id}'],
};

/** Rows listed. Ours: about two screens; all are counted. */
export const ROWS_SHOWN = 40;

async function rerunPage(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const to = page.query('to') || 'current';
  const found = await page.api.call('GET /v1/ops/batches/{id}/rerun', {
    path: { id },
    query: {
      partner: page.query('partner'),
      to,
      limit: ROWS_SHOWN,
    },
  });
  if (!found.ok) return page.refuse(found.error);
  const { mapping, from, different, counts } = found.value;
  const [versions, batch] = await Promise.all([
    earlierVersions(page, 'mappings', mapping),
    page.api.call('GET /v1/ops/batches/{id}', { path: { id } }),
  ]);
  const file = batch.ok ? batchTitle(batch.value) : 'Batch';
  return page.show({
    title: `${file} – ${countOf(counts.different, 'row')} would differ`,
    nav: 'batches',
    isWide: true,
    body: (
      <>
        <Crumbs
          to={[
            ['Batches', page.at('/batches')],
            [file, page.at(`/batches/${id}`)],
          ]}
        />
        <h1>
          {counts.different === 0
            ? 'Nothing would differ'
            : `${inText(counts.different)} of ${countOf(counts.rows, 'row')} would differ`}
        </h1>
        <p class="quiet">
          What this file would become with another version of its mapping. Nothing is sent. It was read with version{' '}
          {shortVersion(from)}.{' '}
          <a href={page.at('/workbench', { mapping, batch: id, partner: found.value.partner })}>
            Open the file and its mapping in the workbench
          </a>
        </p>
        <VersionForm page={page} id={id} to={to} versions={versions} sha256={found.value.to} />
        <Counts counts={counts} />
        <DifferingRows different={different} total={counts.different} />
      </>
    ),
  });
}

const VersionForm: FC<{ page: Page; id: string; to: string; versions: Record<string, string>; sha256: string }> = ({
  page,
  id,
  to,
  versions,
  sha256,
}) => {
  const known = { current: 'The current version', ...versions };
  const choices = Object.hasOwn(known, to) ? known : { [to]: `Version ${shortVersion(sha256)}`, ...known };
  return (
    <form
      class="filters roomy"
      method="get"
      action={`/console/batches/${id}/rerun`}
      aria-label="Version to compare with"
    >
      <input type="hidden" name="environment" value={page.environment} />
      <div class="field">
        <label for="rerun-to">Read it with</label>
        <select id="rerun-to" name="to">
          {Object.entries(choices).map(([version, text]) => (
            <option value={version} selected={version === to}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <div class="actions">
        <button type="submit">Compare</button>
      </div>
    </form>
  );
};
