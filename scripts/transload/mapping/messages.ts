/** What the bridge answers → lines for people. Pure. */
import type { Answered, Planned } from '../../../src/http/contract/contract.ts';
import { type DocumentProblem, problemLine } from '../../../src/mapping/document/problems.ts';
import { columns } from '../../frame/command.ts';

/** A problem document of the bridge. */
export interface Refusal {
  code: string;
  title: string;
  detail: string;
  fix?: string;
  problems?: (DocumentProblem & { mapping?: string })[];
  examples?: { mapping: string; path: string; wanted: string; received: string }[];
}

/** As the API answers. */
export type Publication = Answered<'GET /v1/ops/mappings/{name}/history'>['publications'][number];
type Owned = Pick<Answered<'GET /v1/ops/mappings/{name}/owners'>, 'owners'> &
  Partial<Pick<Answered<'GET /v1/ops/mappings/{name}/owners'>, 'changes'>>;
type Owners = Owned['owners'];
/** @property owners of a mapping; code lists have none. */
type Listed = Pick<
  Answered<'GET /v1/ops/code-lists'>['codeLists'][number],
  'name' | 'description' | 'sha256' | 'origin' | 'publication'
> & { owners?: Owners };
export type Changed = Planned<'PUT /v1/ops/mappings/{name}'>;
type Difference = Changed['differences'][number];

const SHORT_CHARACTERS = 12;
const VALUE_CHARACTERS_MAX = 160;

const short = (sha256: string | null): string => sha256?.slice(0, SHORT_CHARACTERS) ?? 'nothing';

export function refusalMessage({ title, code, detail, fix, problems = [], examples = [] }: Refusal): string {
  return [
    `${title} (${code}). ${detail}`,
    ...problems.map(
      (problem) => `  ${problem.mapping === undefined ? '' : `${problem.mapping}: `}${problemLine(problem)}`,
    ),
    ...examples.map(
      ({ mapping, path, wanted, received }) =>
        `  ${mapping}: ${path}\n    wanted:   ${wanted}\n    received: ${received}`,
    ),
    ...(fix === undefined ? [] : [fix]),
  ].join('\n');
}

export function listLines(listed: readonly Listed[]): string {
  const areMappings = listed.some(({ owners }) => owners !== undefined);
  const rows = listed.map(({ name, sha256, origin, publication, owners, description }) => [
    name,
    short(sha256),
    origin,
    ...(areMappings ? [ownersMessage(owners ?? 'everybody')] : []),
    publication === null ? '-' : `${minute(publication.at)} by ${publication.by.name}`,
    description,
  ]);
  const heading = ['NAME', 'VERSION', 'FROM', ...(areMappings ? ['FOR'] : []), 'SINCE', 'DESCRIPTION'];
  return table([heading, ...rows]);
}

type OfferedMapping = Answered<'GET /v1/mappings'>['mappings'][number];

export const offeredLines = (mappings: readonly OfferedMapping[]): string =>
  table([
    ['NAME', 'FORMAT', 'SENDS', 'DESCRIPTION'],
    ...mappings.map(({ name, format, kinds, description }) => [name, format, kinds.join(','), description]),
  ]);

const ownersMessage = (owners: Owners): string => (typeof owners === 'string' ? owners : owners.join(','));

export function ownersLines(name: string, { owners, changes = [] }: Owned): string {
  const rows = changes.map((each) => [minute(each.at), each.by.name, ownersMessage(each.owners), each.note]);
  const history = rows.length === 0 ? '' : table([['WHEN', 'WHO', 'FOR', 'NOTE'], ...rows]);
  return `${name} is for ${ownersMessage(owners)}.\n${history}`;
}

export const ownersSetLine = (name: string, { owners, changed }: Owned & { changed: boolean }): string =>
  `${name} is ${changed ? 'now' : 'already'} for ${ownersMessage(owners)}.\n`;

export function historyLines(publications: readonly Publication[]): string {
  if (publications.length === 0) return 'Never published: the name stands for what is bundled.\n';
  const rows = publications.map((each) => [
    minute(each.at),
    each.by.name,
    actionMessage(each),
    `${short(each.beforeSha256)} -> ${short(each.sha256)}`,
    each.note,
  ]);
  return table([['WHEN', 'WHO', 'WHAT', 'VERSION', 'NOTE'], ...rows]);
}

function actionMessage({ action, origin, codeList }: Publication): string {
  switch (action) {
    case 'publish':
      return 'published';
    case 'rollback':
      return origin === 'bundled' ? 'back to bundled' : 'back';
    case 'code_list':
      return `code list ${codeList ?? ''}`;
  }
}

export function differenceLines(differences: readonly Difference[], omitted = 0): string {
  const lines = differences.map((difference) => {
    const path = difference.path === '' ? '(all of it)' : difference.path;
    if (!('from' in difference)) return `+ ${path}: ${shown(difference.to)}`;
    if (!('to' in difference)) return `- ${path}: ${shown(difference.from)}`;
    return `~ ${path}: ${shown(difference.from)} -> ${shown(difference.to)}`;
  });
  if (omitted > 0) lines.push(`… and ${omitted} more`);
  return lines.map((line) => `${line}\n`).join('');
}

/** @param isCheck nothing was to be changed, so what would be is said. */
export function changedLines(changed: Changed, isCheck: boolean): string {
  const { name, environment, sha256, beforeSha256, differences, differencesOmitted, mappings, dryRun } = changed;
  const examples = isCheck ? `${name}: right, and every example holds. ` : `${name}: `;
  if (!changed.changed) return `${examples}It stands for that already (${environment}, version ${short(sha256)}).\n`;
  const verb = dryRun ? 'would stand' : 'stands';
  const before = beforeSha256 === null ? 'nothing before' : `before: ${short(beforeSha256)}`;
  const head = `${examples}It ${verb} for version ${short(sha256)} in ${environment} (${before}).\n`;
  const along = mappings.map((each) => `  ${each.name}: ${short(each.beforeSha256)} -> ${short(each.sha256)}\n`);
  const heading = along.length === 0 ? '' : `Mappings that ${dryRun ? 'would go' : 'went'} along:\n`;
  return head + differenceLines(differences, differencesOmitted) + heading + along.join('');
}

/** A batch made again, as the ops API tells it. */
export type Rerun = Answered<'GET /v1/ops/batches/{id}/rerun'>;

/** The rows that differ, and the counts of all. */
export function rerunLines({ batchId, mapping, from, to, different, counts }: Rerun): string {
  const under = from === to ? `its own version ${short(from)}` : `${short(to)} instead of ${short(from)}`;
  const rows = different.map(({ record, line, differences }) =>
    [
      `Row ${record} (line ${line})`,
      ...differences.map(({ path, before, after }) => `  ${path}: ${before} -> ${after}`),
    ].join('\n'),
  );
  const { apart } = counts;
  return [
    ...rows,
    `${batchId} under ${under} of ${mapping}: ${counts.rows} rows, ${counts.same} the same, ${counts.different} different.`,
    ...(apart === 0 ? [] : [`${apart} rows replace rows of an earlier batch and were not compared.`]),
    'Nothing was sent.',
    '',
  ].join('\n');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`;
}

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');

const table = (rows: readonly (readonly string[])[]): string =>
  columns(rows)
    .map((line) => `${line}\n`)
    .join('');
