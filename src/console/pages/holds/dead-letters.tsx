/** `/console/letters`: everything that did not arrive, and sending a selection of it again. */
import type { FC } from 'hono/jsx';
import { action, WHY } from '../../actions.ts';
import { hereOf, type Page } from '../../page.ts';
import { CursorPager, countOf, inText, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { type Filter, Filters, filtersSet, withoutList } from '../../parts/filters.tsx';
import { PartnerLink } from '../../parts/links.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import {
  Choice,
  DEAD_LETTER_FILTERS,
  DeadLetterBadge,
  DeadLetterName,
  deadLetterHref,
  type ListedDeadLetter,
  LOOK_FURTHER,
  ReplayedFrom,
  reasonText,
  someDeadLetters,
} from './dead-letter-parts.tsx';
import { chosenFields, chosenIn, filterBody } from './hold-actions.tsx';

/** Entries per page. Ours: about two screens. */
const DEAD_LETTERS_SHOWN = 25;

const STATES = {
  '': 'Anything but withdrawn',
  held: 'Held for a decision',
  rejected: 'Refused by the receiving system',
  dead: 'Given up',
  invalid: 'Row not usable',
  cancelled: 'Withdrawn',
};

const FILTERS: readonly Filter[] = [
  { name: 'state', label: 'State', kind: 'choice', of: STATES },
  ...DEAD_LETTER_FILTERS,
];

/** States that can be sent again. */
const AGAIN: readonly string[] = ['rejected', 'dead', 'cancelled'];

const replay = action({
  name: 'replay-requests',
  route: 'POST /v1/ops/replays',
  role: 'operator',
  title: () => 'Send again what ended badly',
  explain: 'Each is sent with the content it had. What was delivered before is never sent again.',
  fields: (values) => [
    ...chosenFields(values),
    {
      ...{
        name: 'partner',
        label: 'Partner',
        kind: (values.requests ?? '') === '' ? 'text' : 'hidden',
        isRequired: true,
      },
      hint: 'Of one partner at a time.',
    },
    {
      ...{ name: 'includeUnknown', label: 'Also those that may have arrived', kind: 'check' },
      hint: 'They may then arrive twice.',
    },
    WHY,
  ],
  button: 'Send again',
  call: (values) => {
    const { why, confirm = '', includeUnknown, state = '', batch = '' } = values;
    const requests = chosenIn(values);
    const named = state.split(',').filter((each) => each !== '');
    const sendable = named.filter((each) => AGAIN.includes(each));
    const states = sendable.length > 0 ? sendable : named; // the API says that these are not sent again
    const which =
      requests.length > 0 ? { requests } : { ...filterBody(values), ...(batch === '' ? {} : { batches: [batch] }) };
    return {
      body: {
        partner: values.partner,
        ...which,
        ...(states.length > 0 && requests.length === 0 ? { states } : {}),
        ...(includeUnknown === 'true' ? { includeUnknown: true } : {}),
        ...(confirm === '' ? {} : { confirm }),
        why,
      },
    };
  },
  plan: ({ requests, batches, seconds, notes, leftOut, confirm, partner }, values, page) => ({
    lines: [
      `${countOf(requests, 'request')} of ${partner} would be sent again.`,
      ...notes,
      ...(requests > 0 ? [`Takes about ${countOf(seconds, 'second')}. You can stop it.`] : []),
    ],
    button: `Send ${countOf(requests, 'request')} again`,
    isEmpty: requests === 0,
    confirm: { confirm },
    detail: (
      <>
        <ReplayedFrom page={page} batches={batches} />
        <TakeAlong page={page} values={values} count={leftOut.may_have_arrived ?? 0} />
      </>
    ),
  }),
  plansAtOnce: true,
  done: ({ actionId }, _, page) => ({ goTo: page.at(`/actions/${actionId}`) }),
});

const TakeAlong: FC<{ page: Page; values: Readonly<Record<string, string>>; count: number }> = ({
  page,
  values,
  count,
}) => {
  const { csrf: _, key: _key, step: _step, confirm: _confirm, why: _why, ...carried } = values;
  return count === 0 ? null : (
    <p>
      <a href={page.at('/do/replay-requests', { ...carried, includeUnknown: 'true' })}>
        Take along {inText(count)} that may have arrived
      </a>
    </p>
  );
};

/** Where the reason is the answer itself, it is not said twice. */
const answerCell = ({ state, reason, problems, status }: ListedDeadLetter) => {
  if (state === 'invalid') return <span class="quiet">never sent</span>;
  return reason === null && problems.length === 0 ? '' : (status ?? '');
};

export const deadLetterPages: ConsolePages = {
  get: { '/letters': deadLettersPage },
  reads: ['GET /v1/ops/letters'],
  actions: [replay],
};

async function deadLettersPage(page: Page): Promise<Response> {
  const filters = filtersSet(
    page,
    FILTERS.map(({ name }) => name),
  );
  const found = await someDeadLetters(page, { ...filters, limit: DEAD_LETTERS_SHOWN }, page.query('cursor'));
  const title = 'Not delivered or undecided';
  if (!found.ok) return withoutList(page, { title, nav: 'holds', path: '/letters', filters: FILTERS }, found.error);
  const { letters, cursor } = found.value;
  const mayAct = page.mayActAs('operator');
  const { partner } = filters;
  const maySend = filters.state === undefined || filters.state.split(',').some((state) => AGAIN.includes(state));
  const canSend = letters.some(({ state }) => AGAIN.includes(state));
  const canChoose = mayAct && partner !== undefined && canSend;
  const table = (
    <Table
      caption="Not delivered or undecided, newest batch first"
      columns={[
        ...(canChoose ? [{ label: 'Choose', kind: 'word' as const }] : []),
        { label: 'What', kind: 'main' },
        { label: 'State', kind: 'word' },
        { label: 'Why' },
        { label: 'Answer', kind: 'word', isMinor: true },
        { label: 'Partner', kind: 'word', isMinor: true },
        { label: 'Since', kind: 'word', isMinor: true },
      ]}
      rows={letters.map((letter) => ({
        href: deadLetterHref(page, letter),
        cells: [
          ...(canChoose ? [AGAIN.includes(letter.state) ? <Choice letter={letter} /> : null] : []),
          <DeadLetterName page={page} letter={letter} />,
          <DeadLetterBadge state={letter.state} />,
          reasonText(letter),
          answerCell(letter),
          <PartnerLink page={page} name={letter.partner} />,
          letter.decidedAt === null ? '' : <Time at={letter.decidedAt} />,
        ],
      }))}
      empty={
        cursor !== null
          ? LOOK_FURTHER
          : Object.keys(filters).length > 0
            ? 'Nothing like that. Change the filter, or clear it.'
            : 'Nothing. Everything that was sent was delivered, or is on its way.'
      }
    />
  );
  return page.show({
    title,
    nav: 'holds',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Holds', page.at('/holds')]]} />
        <div class="heading">
          <div>
            <h1>{title}</h1>
            <p class="quiet">Refused, given up, held, or wrong, so never sent. Mend the cause, then send it again.</p>
          </div>
          {mayAct && letters.length > 0 && maySend ? (
            <a class="button primary" href={page.at('/do/replay-requests', { ...filters, from: hereOf(page) })}>
              {Object.keys(filters).length === 0 ? 'Send again…' : 'Send all that match again…'}
            </a>
          ) : null}
        </div>
        <Filters page={page} path="/letters" filters={FILTERS} />
        {canChoose && letters.length > 0 ? (
          <form method="get" action="/console/do/replay-requests" aria-label="Send several again">
            <input type="hidden" name="environment" value={page.environment} />
            <input type="hidden" name="some" value="true" />
            <input type="hidden" name="from" value={hereOf(page)} />
            <input type="hidden" name="partner" value={partner} />
            {table}
            <p class="actions">
              <label class="check-all">
                <input type="checkbox" data-check-all /> All on this page
              </label>
              <button type="submit">Send the chosen again…</button>
            </p>
          </form>
        ) : (
          <>
            {table}
            {mayAct && letters.length > 0 ? (
              <p class="quiet">
                {canSend
                  ? 'Filter by one partner to choose single requests.'
                  : 'Rows to correct cannot be sent again: have the file corrected, or add the word to its code list.'}
              </p>
            ) : null}
          </>
        )}
        <CursorPager page={page} path="/letters" filters={filters} next={cursor} nextLabel="Show more of them" />
      </>
    ),
  });
}
