/** `/console/mappings`: how files are read: each mapping with its document, versions, owners, and what differs between two. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import { capital } from '../../../kernel/text.ts';
import type { RequestKind } from '../../../mapping/request.ts';
import type { ApiProblem } from '../../api.ts';
import { KIND_MESSAGES } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { Fact, Facts, Id, Note, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Differences } from '../../parts/differences.tsx';
import { Names } from '../../parts/links.tsx';
import { SourceText } from '../../parts/source-text.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { kindText } from '../upload/kinds.ts';
import { MAPPING_ACTIONS } from './mapping-actions.ts';
import {
  type Artifact,
  ByCell,
  earlierVersions,
  historyOf,
  shortVersion,
  VersionFacts,
  Versions,
  writtenText,
} from './versions.tsx';

type ListedMapping = Answered<'GET /v1/ops/mappings'>['mappings'][number];

export const mappingPages: ConsolePages = {
  get: {
    '/mappings': listPage,
    '/mappings/:name': mappingPage,
    '/mappings/:name/diff': diffPage,
    '/mappings/:name/document.yaml': (page) => yamlFile(page, 'mappings', nameIn(page)),
  },
  reads: [
    'GET /v1/ops/mappings',
    'GET /v1/ops/mappings/{name}',
    'GET /v1/ops/mappings/{name}/history',
    'GET /v1/ops/mappings/{name}/diff',
    'GET /v1/ops/mappings/{name}/owners',
  ],
  actions: MAPPING_ACTIONS,
};

/** The names of all mappings are in their list, where each is a link. */
const withoutNames = (problem: ApiProblem): ApiProblem =>
  problem.code === 'unknown_mapping' ? { ...problem, fix: 'Choose one from the list of mappings.' } : problem;

const readsText = (format: string): string => capital(kindText(format));

const KIND_ORDER = Object.keys(KIND_MESSAGES);

/** In plain words, each once, always in the same order; the names of the API on hover. */
const Kinds: FC<{ kinds: readonly RequestKind[] }> = ({ kinds }) => (
  <span title={kinds.join(', ')}>
    {[
      ...new Set(
        kinds.toSorted((a, b) => KIND_ORDER.indexOf(a) - KIND_ORDER.indexOf(b)).map((kind) => KIND_MESSAGES[kind]),
      ),
    ].join(', ')}
  </span>
);

const Owners: FC<{ page: Page; owners: ListedMapping['owners'] }> = ({ page, owners }) => {
  if (owners === 'everybody') return <span class="unbroken">all partners</span>;
  if (owners === 'unassigned') return <span>all partners, nobody set</span>;
  return <Names page={page} names={owners} of="partner" />;
};

const nameIn = (page: Page): string => page.context.req.param('name') ?? '';

async function listPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/mappings');
  if (!found.ok) return page.refuse(found.error);
  return page.show({
    title: 'Mappings',
    nav: 'mappings',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <div>
            <h1>Mappings</h1>
            <p class="quiet">A mapping says how a file becomes requests. A batch keeps the version it began with.</p>
          </div>
          {page.mayActAs('operator') ? (
            <a class="button primary" href={page.at('/do/publish-mapping')}>
              Publish a mapping
            </a>
          ) : null}
        </div>
        <Table
          caption="Mappings by name"
          columns={[
            { label: 'Mapping', kind: 'main' },
            { label: 'Reads', kind: 'word' },
            { label: 'Becomes' },
            { label: 'For' },
            { label: 'By', kind: 'word', isMinor: true },
            { label: 'Since', kind: 'word', isMinor: true },
            { label: 'Version', kind: 'word', isMinor: true },
          ]}
          rows={found.value.mappings.map((mapping) => {
            const href = page.at(`/mappings/${mapping.name}`);
            return {
              href,
              cells: [
                <a href={href}>{mapping.name}</a>,
                readsText(mapping.format),
                <Kinds kinds={mapping.kinds} />,
                <Owners page={page} owners={mapping.owners} />,
                <ByCell now={mapping} />,
                mapping.publication === null ? '' : <Time at={mapping.publication.at} />,
                <Id id={mapping.sha256} />,
              ],
            };
          })}
          empty="There is no mapping yet. Publish one to have files read."
        />
      </>
    ),
  });
}

async function mappingPage(page: Page): Promise<Response> {
  const name = nameIn(page);
  const [found, history, owners, text] = await Promise.all([
    page.api.call('GET /v1/ops/mappings/{name}', { path: { name } }),
    historyOf(page.api, 'mappings', name, page.query('before')),
    page.api.call('GET /v1/ops/mappings/{name}/owners', { path: { name } }),
    writtenText(page.api, 'mappings', name),
  ]);
  if (!found.ok) return page.refuse(withoutNames(found.error));
  if (!history.ok) return page.refuse(history.error);
  const mapping = found.value;
  return page.show({
    title: mapping.name,
    nav: 'mappings',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Mappings', page.at('/mappings')]]} />
        <Head page={page} mapping={mapping} hasVersions={history.value.publications.length > 0} />
        <Versions
          page={page}
          artifact="mappings"
          name={name}
          current={mapping.sha256}
          history={history.value}
          rollBack="roll-back-mapping"
        >
          {mapping.bundledSha256 !== null && mapping.origin === 'published' ? (
            <p class="quiet">
              Before these: version <Id id={mapping.bundledSha256} />, which came with Transload.
            </p>
          ) : null}
          {history.value.publications.length > 0 ? (
            <p>
              <a href={page.at(`/mappings/${name}/diff`)}>Compare two versions</a>
            </p>
          ) : null}
        </Versions>
        <section>
          <div class="heading">
            <h2>Document</h2>
            <a href={page.at(`/mappings/${name}/document.yaml`)}>Download it</a>
          </div>
          {text === null ? (
            <Note look="wait">The document cannot be read at the moment.</Note>
          ) : (
            <SourceText text={text} label={`Document of ${name}`} />
          )}
        </section>
        {owners.ok && owners.value.changes.length > 0 ? (
          <OwnersHistory page={page} changes={owners.value.changes} />
        ) : null}
      </>
    ),
  });
}

const Head: FC<{ page: Page; mapping: ListedMapping; hasVersions: boolean }> = ({ page, mapping, hasVersions }) => {
  const { name, description, format, kinds, uses, owners } = mapping;
  const from = page.at(`/mappings/${name}`);
  return (
    <>
      <div class="heading">
        <div>
          <h1>{name}</h1>
          <p>{description}</p>
        </div>
        {page.mayActAs('operator') ? (
          <div class="actions">
            <a class="button primary" href={page.at('/workbench', { mapping: name })}>
              Open in the workbench
            </a>
            <a class="button" href={page.at('/do/publish-mapping', { name, from })}>
              Publish a new version
            </a>
            {hasVersions ? (
              <a class="button" href={page.at('/do/roll-back-mapping', { name, from })}>
                Roll back
              </a>
            ) : null}
            <a class="button" href={page.at('/do/set-mapping-owners', { name, from })}>
              Set owners
            </a>
          </div>
        ) : null}
      </div>
      <Facts>
        <VersionFacts now={mapping} />
        <Fact name="For">
          {owners === 'unassigned' ? (
            <State look="wait">all partners, nobody set</State>
          ) : (
            <Owners page={page} owners={owners} />
          )}
        </Fact>
        <Fact name="Reads">{readsText(format)}</Fact>
        <Fact name="Becomes">
          <Kinds kinds={kinds} />
        </Fact>
        <Fact name="Code lists" isWide>
          {uses.length === 0
            ? 'none'
            : uses.map((list, index) => (
                <>
                  {index === 0 ? '' : ', '}
                  <a href={page.at(`/code-lists/${list}`)}>{list}</a>
                </>
              ))}
        </Fact>
      </Facts>
    </>
  );
};

type OwnersEntry = Answered<'GET /v1/ops/mappings/{name}/owners'>['changes'][number];

const OwnersHistory: FC<{ page: Page; changes: readonly OwnersEntry[] }> = ({ page, changes }) => (
  <section>
    <h2>Owners so far</h2>
    <Table
      caption="Who set whom it is for, newest first"
      columns={[
        { label: 'When', kind: 'word' },
        { label: 'For', kind: 'main' },
        { label: 'By', kind: 'word' },
        { label: 'Why' },
      ]}
      rows={changes.map(({ at, owners, by, note }) => ({
        cells: [<Time at={at} />, <Owners page={page} owners={owners} />, by.name, note],
      }))}
    />
  </section>
);

async function diffPage(page: Page): Promise<Response> {
  const name = nameIn(page);
  const choices = await versionChoices(page, name);
  const ends = { from: page.query('from') || choices.standard, to: page.query('to') || 'current' };
  const found = await page.api.call('GET /v1/ops/mappings/{name}/diff', { path: { name }, query: ends });
  if (!found.ok) return page.refuse(found.error);
  return page.show({
    title: `${name}: what differs`,
    nav: 'mappings',
    isWide: true,
    body: (
      <>
        <Crumbs
          to={[
            ['Mappings', page.at('/mappings')],
            [name, page.at(`/mappings/${name}`)],
          ]}
        />
        <h1>What differs between two versions</h1>
        <form
          class="filters roomy"
          method="get"
          action={`/console/mappings/${name}/diff`}
          aria-label="Versions to compare"
        >
          <input type="hidden" name="environment" value={page.environment} />
          <VersionChoice name="from" label="From" value={ends.from} of={choices.all} />
          <VersionChoice name="to" label="To" value={ends.to} of={choices.all} />
          <div class="actions">
            <button type="submit">Compare</button>
          </div>
        </form>
        <p class="quiet">
          By meaning: comments and the order of lines do not count. Changes of the code lists that it uses are shown,
          too.
        </p>
        <Differences differences={found.value.differences} omitted={found.value.differencesOmitted} />
      </>
    ),
  });
}

/** @property standard what is compared where the address does not say. */
async function versionChoices(page: Page, name: string): Promise<{ all: Record<string, string>; standard: string }> {
  const earlier = await earlierVersions(page, 'mappings', name);
  const all: Record<string, string> = { current: 'The current version', ...earlier };
  for (const asked of [page.query('from'), page.query('to')]) {
    if (asked !== '' && all[asked] === undefined) all[asked] = `Version ${shortVersion(asked)}`;
  }
  return { all, standard: Object.keys(earlier)[0] ?? 'current' };
}

const VersionChoice: FC<{ name: string; label: string; value: string; of: Record<string, string> }> = ({
  name,
  label,
  value,
  of,
}) => (
  <div class="field">
    <label for={`version-${name}`}>{label}</label>
    <select id={`version-${name}`} name={name}>
      {Object.entries(of).map(([version, text]) => (
        <option value={version} selected={version === value}>
          {text}
        </option>
      ))}
    </select>
  </div>
);

/** The text as a file of its name. */
export async function yamlFile(page: Page, artifact: Artifact, name: string): Promise<Response> {
  const headers = { Accept: 'application/yaml' };
  const answer = await page.api.answer(`GET /v1/ops/${artifact}/{name}`, { path: { name }, headers });
  if (!answer.ok) return page.context.notFound() as Response;
  return new Response(answer.body, {
    headers: {
      'Content-Type': 'application/yaml; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w-]/g, '')}.yaml"`,
    },
  });
}
