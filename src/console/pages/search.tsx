/**
 * `/console/search?q=`: one box for files, loads, orders, batches and control numbers. Exactly one hit is opened at once;
 * of several, or of none, the page says what was found and where was looked.
 */
import type { FC } from 'hono/jsx';
import type { UndeliveredRowsAnswer } from '../../http/views/undelivered-rows.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { ROW_SEARCH_CHARACTERS_MIN } from '../../kernel/limits.ts';
import { capital } from '../../kernel/text.ts';
import type { ApiProblem } from '../api.ts';
import { SEARCH_SHOWN_MAX } from '../limits.ts';
import type { Page } from '../page.ts';
import { lookOfRow, rowMessages } from '../parts/bar.tsx';
import { Empty, State, Time } from '../parts/basics.tsx';
import { rowOf } from '../parts/row-link.tsx';
import { Table } from '../parts/table.tsx';
import type { ConsolePages } from '../routes.ts';
import { BatchTable, type ListedBatch } from './batches.tsx';

export const searchPages: ConsolePages = {
  get: { '/search': searchPage },
  reads: [
    'GET /v1/ops/loads/{loadNumber}',
    'GET /v1/loads/{loadNumber}',
    'GET /v1/ops/orders/{ref}',
    'GET /v1/orders/{ref}',
    'GET /v1/ops/interchanges',
    'GET /v1/ops/batches',
    'GET /v1/batches',
    'GET /v1/batches/{id}',
    'GET /v1/ops/rows',
    'GET /v1/rows',
  ],
};

/** Something that the text names. @property at when it came in, where that tells it apart. */
interface Hit {
  kind: 'Load' | 'Order' | 'Interchange' | 'Batch';
  name: string;
  whose: string;
  href: string;
  at: string | null;
}

interface Found {
  hits: readonly Hit[];
  batches: readonly ListedBatch[];
  rows: readonly FoundRow[];
  /** There are more rows or batches than were looked at. */
  isCut: boolean;
  /** Where could not be looked. */
  problems: readonly string[];
}

const NOTHING: Found = { hits: [], batches: [], rows: [], isCut: false, problems: [] };

type FoundRow = UndeliveredRowsAnswer['rows'][number];

async function searchPage(page: Page): Promise<Response> {
  const text = page.query('q');
  const parts = text === '' ? [] : await Promise.all(LOOKS.map((look) => look(page, text)));
  const found = parts.reduce<Found>(
    (all, part) => ({
      hits: [...all.hits, ...part.hits],
      batches: [...all.batches, ...part.batches],
      rows: [...all.rows, ...part.rows],
      isCut: all.isCut || part.isCut,
      problems: [...all.problems, ...part.problems],
    }),
    NOTHING,
  );
  const only = onlyHit(page, found);
  if (only !== null) return page.goTo(only);
  return page.show({
    title: text === '' ? 'Search' : `Search: ${text}`,
    nav: null,
    isWide: true,
    body: <Results page={page} text={text} found={found} />,
  });
}

/** @returns null where there is a choice, or something could not be looked at. */
function onlyHit(page: Page, { hits, batches, rows, isCut, problems }: Found): string | null {
  const all = [
    ...hits.map(({ href }) => href),
    ...batches.map(({ batchId }) => page.at(`/batches/${batchId}`)),
    ...rows.map((row) => rowPath(page, row)),
  ];
  return !isCut && problems.length === 0 && all.length === 1 ? (all[0] ?? null) : null;
}

/** What has no such thing says so by being empty; what was not looked for is said. */
export function problemOf(what: string, { status, code, detail }: Pick<ApiProblem, 'status' | 'code' | 'detail'>) {
  if (code === 'partner_required' || code === 'scac_required')
    return [
      `${what}: not looked for, as there are too many partners and carriers to ask each. ${NAMED[what] ?? ''}`.trim(),
    ];
  return status === 404 || status === 400 ? [] : [`${what}: ${detail}`];
}

const UNDER = 'Look for it under "Loads and orders", and name the partner.';
const NAMED: Readonly<Record<string, string>> = { Loads: UNDER, Orders: UNDER };

type Look = (page: Page, text: string) => Promise<Found>;

/** Where several have it. */
type Among = { partner: string; scac?: string }[];

const subjects =
  (kind: 'Load' | 'Order'): Look =>
  async (page, text) => {
    const query = { limit: 1 };
    const found =
      kind === 'Load'
        ? await page.api.call(page.own('GET /v1/loads/{loadNumber}'), { path: { loadNumber: text }, query })
        : await page.api.call(page.own('GET /v1/orders/{ref}'), { path: { ref: text }, query });
    const hit = (whose: string, href: string): Hit => ({ kind, name: text, whose, href, at: null });
    if (found.ok) {
      const { value } = found;
      const href = 'links' in value ? value.links.console : subjectPage(page, kind, { text, partner: '' });
      return { ...NOTHING, hits: [hit('scac' in value ? value.scac : '', href)] };
    }
    const { among, scacs, code } = found.error;
    const places = Array.isArray(among)
      ? (among as Among)
      : Array.isArray(scacs)
        ? ownLocations(scacs as string[])
        : [];
    if (code.endsWith('_ambiguous')) {
      return {
        ...NOTHING,
        hits: places.map(({ partner, scac }) =>
          hit([partner, scac].filter(Boolean).join(', '), subjectPage(page, kind, { text, partner, scac })),
        ),
      };
    }
    return { ...NOTHING, problems: problemOf(`${kind}s`, found.error) };
  };

const ownLocations = (scacs: readonly string[]): Among => scacs.map((scac) => ({ partner: '', scac }));

function subjectPage(
  page: Page,
  kind: 'Load' | 'Order',
  { text, partner, scac }: { text: string; partner: string; scac?: string | undefined },
): string {
  const name = encodeURIComponent(text);
  if (kind === 'Load') return page.at(`/loads/${name}`, { scac, partner, environment: page.environment });
  return page.at(partner === '' ? `/orders/${name}` : `/orders/${encodeURIComponent(partner)}/${name}`);
}

const CONTROL_FORM = /^[\w.-]{1,35}$/;

const interchanges: Look = async (page, text) => {
  if (!page.isOps || !CONTROL_FORM.test(text)) return NOTHING;
  const found = await page.api.call('GET /v1/ops/interchanges', { query: { control: text } });
  if (!found.ok) return { ...NOTHING, problems: problemOf('Control numbers', found.error) };
  return {
    ...NOTHING,
    hits: found.value.interchanges.map(({ sender, receiver, partner, receivedAt, batchId, message }) => ({
      kind: 'Interchange',
      name: text,
      whose: `${partner}, ${sender} to ${receiver}`,
      href: page.at(`/batches/${batchId}${message === null ? '' : `/messages/${message}`}`),
      at: receivedAt,
    })),
  };
};

/** By its id, or by a part of its file's name. */
const batches: Look = async (page, text) => {
  if (BATCH_ID_FORM.test(text)) {
    const known = await page.api.call(page.own('GET /v1/batches/{id}'), { path: { id: text } });
    if (!known.ok) return { ...NOTHING, problems: problemOf('Batches', known.error) };
    const { batchId, partner, receivedAt } = known.value;
    const href = page.at(`/batches/${batchId}`);
    return { ...NOTHING, hits: [{ kind: 'Batch', name: batchId, whose: partner, href, at: receivedAt }] };
  }
  const asked = { fileName: text, limit: SEARCH_SHOWN_MAX };
  const found = await page.api.call(page.own('GET /v1/batches'), { query: asked });
  if (!found.ok) return { ...NOTHING, problems: problemOf('Files', found.error) };
  const { batches: named, next } = found.value;
  return { ...NOTHING, batches: named, isCut: next !== null && named.length < SEARCH_SHOWN_MAX };
};

/** A reference, a load or a word that undelivered rows have. */
const undelivered: Look = async (page, text) => {
  if (text.trim().length < ROW_SEARCH_CHARACTERS_MIN || BATCH_ID_FORM.test(text)) return NOTHING;
  const found = await page.api.call(page.own('GET /v1/rows'), { query: { text } });
  if (!found.ok) return { ...NOTHING, problems: problemOf('Rows', found.error) };
  return { ...NOTHING, rows: found.value.rows, isCut: found.value.isCut };
};

const rowPath = (page: Page, { batchId, record }: FoundRow): string =>
  page.at(`/batches/${batchId}`, { state: 'all', after: record - 1, row: record });

const LOOKS: readonly Look[] = [undelivered, batches, subjects('Load'), subjects('Order'), interchanges];

const Results: FC<{ page: Page; text: string; found: Found }> = ({
  page,
  text,
  found: { hits, batches, rows, isCut, problems },
}) => (
  <>
    <h1>{text === '' ? 'Search' : `Search: ${text}`}</h1>
    <form class="actions" method="get" action="/console/search">
      {page.environments.length > 1 ? <input type="hidden" name="environment" value={page.environment} /> : null}
      <input
        type="search"
        name="q"
        value={text}
        maxlength={200}
        autocomplete="off"
        aria-label={page.isOps ? 'File, load, order, reference or control number' : 'File, load, order or reference'}
      />
      <button type="submit">Search</button>
    </form>
    {problems.map((problem) => (
      <p class="note bad">{problem}</p>
    ))}
    {hits.length === 0 ? null : (
      <section>
        <h2>Found by number</h2>
        <Table
          caption="Loads, orders and interchanges"
          columns={[
            { label: 'What', kind: 'word' },
            { label: 'Number', kind: 'main' },
            { label: 'Whose' },
            { label: 'Received', kind: 'word' },
          ]}
          rows={hits.map(({ kind, name, whose, href, at }) => ({
            href,
            cells: [kind, <a href={href}>{name}</a>, whose, at === null ? '' : <Time at={at} />],
          }))}
        />
      </section>
    )}
    {batches.length === 0 ? null : (
      <section>
        <div class="heading">
          <h2>Files whose name has it</h2>
          {batches.length < SEARCH_SHOWN_MAX ? null : (
            <a href={page.at('/batches', { fileName: text })}>Show all of them</a>
          )}
        </div>
        <BatchTable page={page} batches={batches} />
      </section>
    )}
    {rows.length === 0 ? null : <FoundRows page={page} rows={rows} />}
    {isCut ? (
      <p class="quiet">
        Files, and rows that were not delivered, are looked for in the newest batches alone: older ones may have it,
        too. A batch lists its own rows, and has a search.
      </p>
    ) : null}
    {hits.length + batches.length + rows.length > 0 ? null : (
      <Empty>
        {text === ''
          ? 'A load or an order is found by its whole number, a file by a part of its name, a row that was not delivered by a reference or a word in it, an EDI interchange by its control number.'
          : 'Nothing is called that here. A load or an order needs its whole number, with its leading zeros; rows with errors belong to no load or order: look for a word in them, or for their file.'}
      </Empty>
    )}
  </>
);

const FoundRows: FC<{ page: Page; rows: readonly FoundRow[] }> = ({ page, rows }) => (
  <section>
    <h2>Rows that were not delivered</h2>
    <Table
      caption="Undelivered rows that have it"
      columns={[
        { label: 'Row', kind: 'main' },
        { label: 'State', kind: 'word' },
        { label: 'Load or order' },
        { label: 'What is wrong' },
        ...(page.isOps ? [{ label: 'Partner', kind: 'word' as const }] : []),
      ]}
      rows={rows.map((row) => {
        const href = rowPath(page, row);
        return {
          href,
          cells: [
            <a href={href}>{capital(rowOf(row))}</a>,
            <State look={lookOfRow(row.state)}>{rowMessages(row.state).label}</State>,
            row.subject?.replace(/^(?:load|order):/, '') ?? '',
            row.problem?.message ?? '',
            ...(page.isOps ? [row.partner] : []),
          ],
        };
      })}
    />
  </section>
);
