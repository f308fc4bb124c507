/** Filters of a list: a form that only changes the address, so that back works and a view can be sent to somebody. */
import type { FC } from 'hono/jsx';
import type { ApiProblem } from '../api.ts';
import type { Page } from '../page.ts';
import { Note } from './basics.tsx';
import type { NavName } from './navigation.ts';

/** @property of a choice: value → words; '' is "any". */
export interface Filter {
  name: string;
  label: string;
  kind?: 'text' | 'date' | 'choice';
  of?: Readonly<Record<string, string>>;
}

/** @param path below `/console`. keep: parameters of the address that stay as they are. */
export const Filters: FC<{ page: Page; path: string; filters: readonly Filter[]; keep?: readonly string[] }> = ({
  page,
  path,
  filters,
  keep = [],
}) => {
  const isFiltered = filters.some(({ name }) => page.query(name) !== '');
  return (
    <details class="filter-box" open data-open={isFiltered ? '' : undefined}>
      <summary>Filter the list</summary>
      <form class="filters" method="get" action={`/console${path}`} aria-label="Filter the list">
        {page.environments.length > 1 ? <input type="hidden" name="environment" value={page.environment} /> : null}
        {keep.map((name) => (
          <input type="hidden" name={name} value={page.query(name)} />
        ))}
        {filters.map((filter) => (
          <FilterField filter={filter} value={page.query(filter.name)} />
        ))}
        <div class="actions">
          <button type="submit">Filter</button>
          {isFiltered ? <a href={page.at(path)}>Clear the filter</a> : null}
        </div>
      </form>
    </details>
  );
};

/** What the filters of a list have that is not understood, or whom they name that is not there: they stay, with what is wrong. */
export function withoutList(
  page: Page,
  { title, nav, path, filters }: { title: string; nav: NavName; path: string; filters: readonly Filter[] },
  problem: ApiProblem,
): Response {
  if (problem.status !== 400 && problem.code !== 'partner_unknown') return page.refuse(problem);
  return page.show({
    title,
    nav,
    isWide: true,
    status: problem.status,
    body: (
      <>
        <h1>{title}</h1>
        <Filters page={page} path={path} filters={filters} />
        <Note look="bad">{filterProblem(filters, problem)}</Note>
      </>
    ),
  });
}

/** The API speaks of parameters, a page of its fields. */
function filterProblem(filters: readonly Filter[], { detail, fix = '' }: ApiProblem): string {
  const field = filters.find(({ name }) => detail.startsWith(`The parameter ${name} is `));
  if (field === undefined) return `${detail} ${fix}`;
  return `“${field.label}” is not understood. Wanted: ${fix.replace(/^Write \w+= ?(?:and )?/, '')}`;
}

const FilterField: FC<{ filter: Filter; value: string }> = ({ filter: { name, label, kind, of = {} }, value }) => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    {kind === 'choice' ? (
      <select id={`filter-${name}`} name={name}>
        {Object.entries(of).map(([choice, words]) => (
          <option value={choice} selected={choice === value}>
            {words}
          </option>
        ))}
        {Object.hasOwn(of, value) ? null : (
          <option value={value} selected>
            {labelsOf(value, of)}
          </option>
        )}
      </select>
    ) : (
      <input id={`filter-${name}`} name={name} type={kind ?? 'text'} value={value} maxlength={200} autocomplete="off" />
    )}
  </div>
);

/** A link may ask for several at once. */
const labelsOf = (value: string, of: Readonly<Record<string, string>>): string =>
  value
    .split(',')
    .map((each) => of[each] ?? each)
    .join(', ');

/** The filters that are set, for the API and for the next page. */
export const filtersSet = (page: Page, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (page.query(name) === '' ? [] : [[name, page.query(name)]])));

/** The cursor in the API's `next`, for the address of the page. @returns null where there are no more. */
export function cursorIn(next: string | null, name = 'cursor'): string | null {
  return next === null ? null : new URL(next, 'http://api').searchParams.get(name);
}
