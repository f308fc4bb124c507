/** What mappings and code lists have in common: the history of their versions, and what a change of them would do. */
import type { Child, FC } from 'hono/jsx';
import type { Answered, Planned } from '../../../http/contract/contract.ts';
import type { PlanMessages, Values } from '../../actions.ts';
import type { Api } from '../../api.ts';
import type { Page } from '../../page.ts';
import { CursorPager, countOf, Fact, Id, Time } from '../../parts/basics.tsx';
import { countDiffering, Differences } from '../../parts/differences.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { Table } from '../../parts/table.tsx';

type HistoryAnswer = Answered<'GET /v1/ops/mappings/{name}/history'>;
type ShownPublication = HistoryAnswer['publications'][number];
/** What a name points at now, as the API says of each. */
type NowAt = Pick<
  Answered<'GET /v1/ops/mappings'>['mappings'][number],
  'name' | 'sha256' | 'origin' | 'bundledSha256' | 'publication'
>;
/** Of a change, planned or made. */
type ChangedAnswer = Planned<'PUT /v1/ops/mappings/{name}'>;

export type Artifact = 'mappings' | 'code-lists';

const ACTIONS: Record<ShownPublication['action'], string> = {
  publish: 'Published',
  rollback: 'Rolled back',
  code_list: 'Code list changed',
};

/** `sha256` as people read it: its beginning. */
export const shortVersion = (sha256: string): string => sha256.slice(0, 12);

/** What was done, as the versions say. */
const changeText = ({ codeList, action }: Pick<ShownPublication, 'codeList' | 'action'>): string =>
  codeList === undefined ? ACTIONS[action] : `Code list ${codeList} changed`;

/** Where a name came from, in words. */
const originText = ({ origin, publication }: Pick<NowAt, 'origin' | 'publication'>): string =>
  origin === 'bundled'
    ? 'Came with Transload'
    : `${publication === null ? 'Published' : changeText(publication)} by ${publication?.by.name ?? 'somebody'}`;

/** The same in a table. */
export const ByCell: FC<{ now: Pick<NowAt, 'publication'> }> = ({ now: { publication } }) =>
  publication === null ? <span class="quiet">Transload</span> : <span>{publication.by.name}</span>;

/** The text as written. @returns null where it cannot be read. */
export async function writtenText(api: Api, artifact: Artifact, name: string): Promise<string | null> {
  const headers = { Accept: 'application/yaml' };
  const answer = await api.answer(`GET /v1/ops/${artifact}/{name}`, { path: { name }, headers });
  return answer.ok ? new TextDecoder().decode(await answer.arrayBuffer()) : null;
}

export const historyOf = (api: Api, artifact: Artifact, name: string, before = '') =>
  api.call(`GET /v1/ops/${artifact}/{name}/history`, { path: { name }, query: { before } });

interface HistoryProps {
  page: Page;
  artifact: Artifact;
  name: string;
  current: string;
  publications: readonly ShownPublication[];
  rollBack: string;
}

/** @param next as the API names the next page. children: below the versions. */
export const Versions: FC<Omit<HistoryProps, 'publications'> & { history: HistoryAnswer; children?: Child }> = ({
  history: { publications, next },
  children,
  ...shown
}) => (
  <section>
    <h2>Versions</h2>
    <History {...shown} publications={publications} />
    <CursorPager
      page={shown.page}
      path={`/${shown.artifact}/${shown.name}`}
      name="before"
      next={cursorIn(next, 'before')}
      nextLabel="Show older versions"
    />
    {children}
  </section>
);

/** Which version it is, and where it came from. */
export const VersionFacts: FC<{ now: NowAt }> = ({ now }) => (
  <>
    <Fact name="Version">
      <Id id={now.sha256} />
    </Fact>
    <Fact name="Where from">
      {originText(now)} {now.publication === null ? null : <Time at={now.publication.at} />}
    </Fact>
  </>
);

/** Who changed it when and why, with what may be done about each version. */
const History: FC<HistoryProps> = ({ page, artifact, name, current, publications, rollBack }) => (
  <Table
    caption="Versions, newest first"
    columns={[
      { label: 'When', kind: 'word' },
      { label: 'What', kind: 'main' },
      { label: 'By', kind: 'word' },
      { label: 'Why' },
      { label: 'Version', kind: 'word' },
      { label: '', kind: 'word' },
    ]}
    rows={publications.map((each) => ({
      cells: [
        <Time at={each.at} />,
        changeText(each),
        each.by.name,
        each.note,
        <Id id={each.sha256} />,
        <span class="actions">
          {artifact === 'mappings' && each.beforeSha256 !== null && each.beforeSha256 !== each.sha256 ? (
            <a href={page.at(`/mappings/${name}/diff`, { from: each.beforeSha256, to: each.sha256 })}>
              Show what changed
            </a>
          ) : null}
          {each.sha256 === current ? (
            <span class="quiet">current</span>
          ) : page.mayActAs('operator') ? (
            <a href={page.at(`/do/${rollBack}`, { name, to: each.sha256, from: page.at(`/${artifact}/${name}`) })}>
              Roll back to it
            </a>
          ) : null}
        </span>,
      ],
    }))}
    empty="It was never changed here: it is the one that comes with Transload."
  />
);

/** Versions that a name can go back to: value → words. */
export async function earlierVersions(page: Page, artifact: Artifact, name: string): Promise<Record<string, string>> {
  const [now, history] = await Promise.all([
    page.api.call(`GET /v1/ops/${artifact}/{name}`, { path: { name } }),
    historyOf(page.api, artifact, name),
  ]);
  if (!now.ok || !history.ok) return {};
  const { sha256, bundledSha256, origin } = now.value;
  const choices: Record<string, string> = {};
  for (const { sha256: version, at, by } of history.value.publications) {
    if (version === sha256 || choices[version] !== undefined) continue;
    choices[version] = `${shortVersion(version)}: ${at.slice(0, 10)}, ${by.name}`;
  }
  if (bundledSha256 !== null && origin === 'published') {
    choices.bundled = `Came with Transload, ${shortVersion(bundledSha256)}`;
  }
  return choices;
}

/** What a change would do: examples, differences, and for a code list the mappings that change with it. */
export function changePlan(
  { changed, differences, differencesOmitted, mappings }: ChangedAnswer,
  button: string,
): PlanMessages {
  if (!changed) return { lines: ['Nothing would change: it is exactly this already.'], button, isEmpty: true };
  const names = mappings.map(({ name }) => name);
  const isNew = differences.length === 1 && differences[0]?.path === '' && differences[0].from === undefined;
  return {
    lines: [
      'Everything was checked, and all examples hold.',
      isNew
        ? 'It is new: nothing of this name is published yet.'
        : names.length === 0
          ? `${countOf(countDiffering(differences) + differencesOmitted, 'difference')} from what it is now.`
          : `${countOf(names.length, 'mapping')} would change with it, and the examples of each hold: ${names.join(', ')}.`,
      ...(isNew ? [] : ['Batches that were taken before keep their version; new files get the new one.']),
    ],
    button,
    look: 'good',
    ...(isNew ? {} : { detail: <Differences differences={differences} omitted={differencesOmitted} /> }),
  };
}

/** Where a person goes on after a change: where they came from, or the page of what was changed. */
export const afterChange = (page: Page, { from }: Values, path: string): string =>
  from !== undefined && /^\/console(?:[/?][^\\]*)?$/.test(from) ? from : page.at(path);
