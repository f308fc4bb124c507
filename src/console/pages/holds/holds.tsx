/** `/console/holds`: what waits for a person's decision, with advice; and one request with every attempt and answer. */
import type { FC } from 'hono/jsx';
import { type Decision, decisionsFor } from '../../../delivery/decisions.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import { PURPOSE_MESSAGES, statusText } from '../../messages.ts';
import { hereOf, type Page } from '../../page.ts';
import { CursorPager, countOf, Fact, Facts, Id, inText, Note, Time } from '../../parts/basics.tsx';
import { durationText } from '../../parts/chart.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Filters, filtersSet, withoutList } from '../../parts/filters.tsx';
import { PartnerLink } from '../../parts/links.tsx';
import { rowHref } from '../../parts/row-link.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import {
  adviceText,
  Choice,
  DEAD_LETTER_FILTERS,
  DeadLetterBadge,
  DeadLetterName,
  deadLetterHref,
  deadLetterTitle,
  type ListedDeadLetter,
  LOOK_FURTHER,
  reasonText,
  someDeadLetters,
  subjectText,
} from './dead-letter-parts.tsx';
import { DECISION_TEXTS, HOLD_ACTIONS } from './hold-actions.tsx';

export const holdPages: ConsolePages = {
  get: { '/holds': holdsPage, '/holds/:batch/:record/:request': deadLetterPage },
  reads: ['GET /v1/ops/letters', 'GET /v1/ops/letters/{batch}/{record}/{request}'],
  actions: HOLD_ACTIONS,
};

/** Entries per page. Ours: each has its reason and advice, about two screens. */
const HOLDS_SHOWN = 25;
const NAMES = DEAD_LETTER_FILTERS.map(({ name }) => name);

async function holdsPage(page: Page): Promise<Response> {
  const filters = filtersSet(page, NAMES);
  const found = await someDeadLetters(page, { ...filters, state: 'held', limit: HOLDS_SHOWN }, page.query('cursor'));
  if (!found.ok)
    return withoutList(
      page,
      { title: 'Held for a decision', nav: 'holds', path: '/holds', filters: DEAD_LETTER_FILTERS },
      found.error,
    );
  const { letters, cursor } = found.value;
  const isFiltered = Object.keys(filters).length > 0;
  const more = cursor === null ? '' : '+';
  return page.show({
    title:
      letters.length > 0 ? `${letters.length}${more} held` : cursor === null ? 'Nothing held' : 'Held for a decision',
    nav: 'holds',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <div>
            <h1>Held for a decision</h1>
            <p class="quiet">
              Each may have arrived, so it is not sent again automatically.{' '}
              {page.mayActAs('operator') ? 'Ask the receiving system, then decide.' : 'An operator decides.'}
            </p>
          </div>
          <a href={page.at('/letters')}>Show all not delivered or undecided</a>
        </div>
        <Filters page={page} path="/holds" filters={DEAD_LETTER_FILTERS} />
        {letters.length === 0 ? null : <ManyForm page={page} letters={letters} filters={filters} />}
        {letters.length > 0 ? null : (
          <Table
            caption="Held requests"
            columns={[]}
            rows={[]}
            empty={
              cursor !== null
                ? LOOK_FURTHER
                : isFiltered
                  ? 'Nothing like that is held. Change the filter, or clear it.'
                  : 'Nothing is held. What may have arrived and needs a decision appears here.'
            }
          />
        )}
        <CursorPager page={page} path="/holds" filters={filters} next={cursor} nextLabel="Show more that is held" />
      </>
    ),
  });
}

/** Decisions that are open for at least one of those shown, as far as the batch knows. */
const openFor = (letters: readonly ListedDeadLetter[]): Decision[] =>
  (Object.keys(DECISION_TEXTS) as Decision[]).filter(
    (decision) =>
      decision !== 'adopt_id' &&
      letters.some(({ kind, reason }) => kind !== null && decisionsFor(kind, 'held', reason).includes(decision)),
  );

const ManyForm: FC<{ page: Page; letters: readonly ListedDeadLetter[]; filters: Record<string, string> }> = ({
  page,
  letters,
  filters,
}) => {
  const mayDecide = page.mayActAs('operator');
  const table = alikeAmong(letters).map((alike) => (
    <section>
      <Advice letters={alike} />
      <HoldsTable page={page} letters={alike} mayDecide={mayDecide} />
    </section>
  ));
  if (!mayDecide) return <>{table}</>;
  return (
    <>
      <form method="get" action="/console/do/decide-requests" aria-label="Decide about several">
        <input type="hidden" name="environment" value={page.environment} />
        <input type="hidden" name="some" value="true" />
        <input type="hidden" name="from" value={hereOf(page)} />
        {table}
        <p class="actions">
          <label class="check-all">
            <input type="checkbox" data-check-all /> All on this page
          </label>
          <span class="quiet">With the chosen:</span>
          {openFor(letters).map((decision) => (
            <button type="submit" name="decision" value={decision}>
              {DECISION_TEXTS[decision].button}…
            </button>
          ))}
        </p>
      </form>
      <p>
        <a href={page.at('/do/decide-requests', { ...filters, from: hereOf(page) })}>
          {Object.keys(filters).length === 0
            ? 'Decide about all that is held'
            : 'Decide about all that match the filter'}
        </a>
      </p>
    </>
  );
};

const Advice: FC<{ letters: readonly ListedDeadLetter[] }> = ({ letters }) => {
  const [first] = letters;
  return first === undefined ? null : (
    <Note look="held">
      <p>
        <strong>{countOf(letters.length, 'request')}.</strong> {reasonText(first)}
      </p>
      <p>{adviceText(first.recommended)}</p>
    </Note>
  );
};

const HoldsTable: FC<{ page: Page; letters: readonly ListedDeadLetter[]; mayDecide: boolean }> = ({
  page,
  letters,
  mayDecide,
}) => (
  <Table
    caption="Held requests, newest batch first"
    columns={[
      ...(mayDecide ? [{ label: 'Choose', kind: 'word' as const }] : []),
      { label: 'What', kind: 'main' },
      { label: 'Partner', kind: 'word' },
      { label: 'Last answer', kind: 'word' },
      { label: 'Since', kind: 'word' },
      ...(mayDecide ? [{ label: '' }] : []),
    ]}
    rows={letters.map((letter) => holdRow(page, letter, mayDecide))}
  />
);

/** Those with the same reason and advice are read once and decided together, in the order of the first of each. Pure. */
function alikeAmong(letters: readonly ListedDeadLetter[]): ListedDeadLetter[][] {
  const alike = new Map<string, ListedDeadLetter[]>();
  for (const letter of letters) {
    const key = `${reasonText(letter)}\n${letter.recommended}`;
    alike.set(key, [...(alike.get(key) ?? []), letter]);
  }
  return [...alike.values()];
}

function holdRow(page: Page, letter: ListedDeadLetter, mayDecide: boolean): TableRow {
  const href = deadLetterHref(page, letter);
  const { partner, status, decidedAt, kind, reason } = letter;
  const open = kind === null ? [] : decisionsFor(kind, 'held', reason);
  return {
    href,
    cells: [
      ...(mayDecide ? [<Choice letter={letter} />] : []),
      <DeadLetterName page={page} letter={letter} />,
      <PartnerLink page={page} name={partner} />,
      status === null ? 'none' : statusText(status),
      decidedAt === null ? '' : <Time at={decidedAt} />,
      ...(mayDecide ? [<Decisions page={page} letter={letter} open={open} from={hereOf(page)} />] : []),
    ],
  };
}

const Decisions: FC<{
  page: Page;
  letter: Pick<ListedDeadLetter, 'partner' | 'batchId' | 'record' | 'request' | 'subject'>;
  open: readonly Decision[];
  from: string;
}> = ({ page, letter: { partner, batchId: batch, record, request, subject }, open, from }) => (
  <span class="actions">
    {open.map((decision) => (
      <a
        class="button small"
        href={page.at('/do/decide-request', {
          ...{ batch, record, request, partner, decision, about: subjectText(subject) },
          from,
        })}
      >
        {DECISION_TEXTS[decision].button}…
      </a>
    ))}
  </span>
);

/* One request with everything that is known of it. */

type WholeDeadLetter = Answered<'GET /v1/ops/letters/{batch}/{record}/{request}'>;

async function deadLetterPage(page: Page): Promise<Response> {
  const { batch = '', record = '', request = '' } = page.context.req.param() as Record<string, string>;
  const found = await page.api.call('GET /v1/ops/letters/{batch}/{record}/{request}', {
    path: { batch, record, request },
    query: { partner: page.query('partner') },
  });
  if (!found.ok) return page.refuse(found.error);
  const letter = found.value;
  const title = deadLetterTitle(letter);
  return page.show({
    title: `${title}, row ${letter.record}`,
    nav: 'holds',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Holds', page.at('/holds', { partner: letter.partner })]]} />
        <div class="heading">
          <h1>{title}</h1>
          <DeadLetterBadge state={letter.state} />
        </div>
        <Note look={letter.decisions.length > 0 ? 'held' : 'done'}>
          <p>{reasonText({ ...letter, status: null })}</p>
          <p>
            <strong>{adviceText(letter.recommended)}</strong>
          </p>
          {page.mayActAs('operator') ? (
            <Decisions page={page} letter={letter} open={letter.decisions} from={hereOf(page)} />
          ) : letter.decisions.length > 0 ? (
            <p>An operator decides.</p>
          ) : null}
        </Note>
        <DeadLetterFacts page={page} letter={letter} />
        <Attempts letter={letter} />
        <Sent letter={letter} />
        <Decided decided={letter.decided} />
      </>
    ),
  });
}

const DeadLetterFacts: FC<{ page: Page; letter: WholeDeadLetter }> = ({ page, letter }) => {
  const { partner, batchId, record, position, scac, generation, generations } = letter;
  const newest = generations.at(-1);
  return (
    <Facts>
      <Fact name="Partner">
        <PartnerLink page={page} name={partner} />
      </Fact>
      <Fact name="Batch">
        <Id id={batchId} href={page.at(`/batches/${batchId}`)} />
      </Fact>
      <Fact name="Row">
        <a href={rowHref(page, { batchId, record })}>{inText(record)}</a>, line {inText(position.line)}
      </Fact>
      <Fact name="SCAC">{scac ?? 'none'}</Fact>
      <Fact name="Tried at most until">
        {newest === undefined ? (
          'not tried'
        ) : letter.state === 'held' ? (
          'held: not tried until somebody decides'
        ) : (
          <Time at={newest.deadline} />
        )}
      </Fact>
      <Fact name="Sent again by a person">{generation === 1 ? 'never' : countOf(generation - 1, 'time')}</Fact>
      <Fact name="May have arrived">{newest?.possibleDuplicate === true ? 'yes' : 'see the attempts'}</Fact>
    </Facts>
  );
};

const EFFECTS: Readonly<Record<string, string>> = {
  applied: 'accepted',
  refused: 'refused',
  redirected: 'pointed elsewhere',
  channel: 'credentials or SCAC refused',
  not_applied: 'did not arrive',
  unknown: 'may have arrived',
};

/** @param generation from 1: each begins when a person sends it again. */
function tryText(generation: number, attempt: number, purpose: string): string {
  const what =
    purpose === 'send' ? 'sent' : ((PURPOSE_MESSAGES as Partial<Record<string, string>>)[purpose] ?? purpose);
  return `${attempt}, ${what}${generation > 1 ? ' again' : ''}`;
}

const Attempts: FC<{ letter: WholeDeadLetter }> = ({ letter }) => {
  const all = letter.generations.flatMap(({ generation, attempts }) =>
    attempts.map((each) => ({ generation, ...each })),
  );
  return (
    <section>
      <h2>Attempts and answers</h2>
      <Table
        caption="Attempts, oldest first"
        columns={[
          { label: 'When', kind: 'word' },
          { label: 'Try', kind: 'main' },
          { label: 'Status', kind: 'number' },
          { label: 'Outcome', kind: 'word' },
          { label: 'Answer' },
          { label: 'Took', kind: 'number' },
        ]}
        rows={all.map(({ generation, attempt, purpose, startedAt, effect, status, answer, detail, latencyMs }) => ({
          cells: [
            startedAt === null ? '' : <Time at={startedAt} isExact />,
            tryText(generation, attempt, purpose),
            status ?? '',
            effect === null ? 'no answer yet' : (EFFECTS[effect] ?? effect),
            <>
              {detail}
              {answer === null || answer === '' ? null : <pre>{answer}</pre>}
            </>,
            latencyMs === null ? '' : durationText(latencyMs),
          ],
        }))}
        empty="It was not tried, or its attempts are kept no more."
      />
    </section>
  );
};

const Sent: FC<{ letter: WholeDeadLetter }> = ({ letter: { body, diff, problems } }) => (
  <section>
    <h2>What is sent</h2>
    {problems.map(({ code, message }) => (
      <Note look="bad">
        {message ?? code} <code>{code}</code>
      </Note>
    ))}
    {body === null || body === undefined ? (
      <p class="quiet">This row never became a request.</p>
    ) : (
      <pre tabindex={0}>{JSON.stringify(body, null, 2)}</pre>
    )}
    {diff === null || diff === undefined ? null : (
      <>
        <h3>What it changes of its order</h3>
        <pre tabindex={0}>{JSON.stringify(diff, null, 2)}</pre>
      </>
    )}
  </section>
);

const Decided: FC<{ decided: WholeDeadLetter['decided'] }> = ({ decided }) =>
  decided.length === 0 ? null : (
    <section>
      <h2>Decided so far</h2>
      <Table
        caption="Decisions"
        columns={[
          { label: 'When', kind: 'word' },
          { label: 'Decision', kind: 'main' },
          { label: 'By', kind: 'word' },
          { label: 'Why' },
        ]}
        rows={decided.map(({ at, decision, name, why, orderId }) => ({
          cells: [
            <Time at={at} />,
            `${DECISION_TEXTS[decision].button}${orderId === null ? '' : ` ${orderId}`}`,
            name,
            why,
          ],
        }))}
      />
    </section>
  );
