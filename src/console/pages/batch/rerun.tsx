/** `/console/batches/{id}/rerun`: what another version of its mapping would make of the same file, row by row. */
import type { FC } from 'hono/jsx';
import type { Page } from '../../page.ts';
import { countOf, inText, Note } from '../../parts/basics.tsx';
import { valueText } from '../../parts/differences.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { earlierVersions, shortVersion } from '../mappings/versions.tsx';

export const rerunPages: ConsolePages = {
  get: { '/batches/:id/rerun': rerunPage },
  reads: ['GET /v1/ops/batches/:id/rerun'],
};

interface RowDifference {
  path: string;
  before: string;
  after: string;
}

interface RerunAnswer {
  partner: string;
  mapping: string;
  from: string;
  to: string;
  different: { record: number; line: number; differences: RowDifference[] }[];
  counts: { rows: number; same: number; different: number; apart: number };
}

/** Rows listed, and places of each. Ours: about two screens; all are counted. */
const ROWS_SHOWN = 40;
const PATHS_SHOWN = 4;

async function rerunPage(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const to = page.query('to') || 'current';
  const found = await page.api.get<RerunAnswer>(`/v1/ops/batches/${encodeURIComponent(id)}/rerun`, {
    partner: page.query('partner'),
    to,
    limit: ROWS_SHOWN,
  });
  if (!found.ok) return page.refuse(found.error);
  const { mapping, from, different, counts } = found.value;
  const versions = await earlierVersions(page, 'mappings', mapping);
  return page.show({
    title: `${countOf(counts.different, 'row')} would differ`,
    nav: 'batches',
    isWide: true,
    body: (
      <>
        <p class="crumbs">
          <a href={page.at(`/batches/${id}`)}>Batch</a> / <a href={page.at(`/mappings/${mapping}`)}>{mapping}</a>
        </p>
        <h1>
          {counts.different === 0
            ? 'Nothing would differ'
            : `${inText(counts.different)} of ${countOf(counts.rows, 'row')} would differ`}
        </h1>
        <p class="quiet">
          The file is mapped again from its stored bytes. Nothing is sent. It was mapped with version{' '}
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
        <label for="rerun-to">Map it with</label>
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

const Counts: FC<{ counts: RerunAnswer['counts'] }> = ({ counts: { rows, same, different, apart } }) => (
  <ul class="tiles">
    {(
      [
        [rows, 'rows'],
        [same, 'the same'],
        [different, 'different'],
        [apart, 'replace another row'],
      ] as const
    ).map(([count, label]) => (
      <li class="tile">
        <b>{inText(count)}</b>
        {label}
      </li>
    ))}
  </ul>
);

const DifferingRows: FC<{ different: RerunAnswer['different']; total: number }> = ({ different, total }) =>
  total === 0 ? (
    <Note look="good">Every row becomes exactly the same under this version.</Note>
  ) : (
    <>
      <Table
        caption="Rows that would differ"
        columns={[{ label: 'Row', kind: 'main' }, { label: 'Line', kind: 'number' }, { label: 'What differs' }]}
        rows={different.map(({ record, line, differences }) => ({
          cells: [inText(record), inText(line), <RowDifferences differences={differences} />],
        }))}
      />
      {total > different.length ? (
        <p class="quiet">{countOf(total - different.length, 'more row')} differ, and are not listed.</p>
      ) : null}
    </>
  );

const RowDifferences: FC<{ differences: readonly RowDifference[] }> = ({ differences }) => (
  <>
    {differences.slice(0, PATHS_SHOWN).map(({ path, before, after }) => (
      <div>
        <code>{path}</code>: <span class="value">{valueText(before)}</span> →{' '}
        <span class="value">{valueText(after)}</span>
      </div>
    ))}
    {differences.length > PATHS_SHOWN ? <div class="quiet">and {differences.length - PATHS_SHOWN} more</div> : null}
  </>
);
