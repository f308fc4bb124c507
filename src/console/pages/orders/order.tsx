/** `/console/orders/{ref}`: one order: what became of it, how far that is known, every operation and version, its document. */
import type { FC } from 'hono/jsx';
import { EVIDENCE_MESSAGES, REASON_MESSAGES, ROW_MESSAGES } from '../../../delivery/messages.ts';
import { differenceMessage } from '../../../delivery/orders/merge-messages.ts';
import { isFinal } from '../../../delivery/states.ts';
import type { OrderView } from '../../../http/views/order.ts';
import { action, WHY } from '../../actions.ts';
import type { ApiProblem } from '../../api.ts';
import { documentIn } from '../../document-field.ts';
import { KIND_MESSAGES, orderPhase, orderStatusText, PHASE_MESSAGES, PURPOSE_MESSAGES } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { lookOfRow } from '../../parts/bar.tsx';
import { countOf, Empty, Fact, Facts, Id, inText, lookOf, Note, Pager, State, Time } from '../../parts/basics.tsx';
import { Calls, Changes, Refused } from '../../parts/calls.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { PartnerLink } from '../../parts/links.tsx';
import { EraseLink, RECORD_FILE, RecordLink } from '../../parts/record-link.tsx';
import { RowLink, rowInBatch } from '../../parts/row-link.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { FeedWarnings, here, Known, locationText, Tracks } from './order-known.tsx';
import { orderHref } from './orders.tsx';

type Operation = OrderView['operations'][number];
type Version = OrderView['versions'][number];
type Status = OrderView['statuses'][number];

const loadBase = action({
  name: 'load-base',
  route: 'PUT /v1/ops/orders/{name}/{ref}/base',
  role: 'operator',
  title: ({ ref }) => (ref === undefined ? 'Enter the document of an order' : `Enter the document of order ${ref}`),
  explain:
    'Changes of an order are planned against the document that the receiving system has. Where that was never seen here, enter it: what is sent afterwards is compared with it. Nothing is sent now.',
  fields: [
    { name: 'partner', label: 'Partner', kind: 'text', isRequired: true },
    { name: 'ref', label: 'Order reference', kind: 'text', isRequired: true },
    {
      name: 'document',
      label: 'The whole order',
      kind: 'document',
      isRequired: true,
      hint: 'As the body of a create would be, in JSON or YAML.',
    },
    { name: 'orderId', label: 'Id in the receiving system', kind: 'text', hint: 'Leave it empty if nobody knows it.' },
    { name: 'replace', label: 'Replace what is known of it', kind: 'check', hint: 'Needed where a document is known.' },
    WHY,
  ],
  button: 'Enter the order',
  isDangerous: true,
  call: ({ partner = '', ref = '', document = '', orderId = '', replace, why }) => ({
    path: { name: partner, ref },
    body: {
      document: documentIn(document),
      orderId: orderId.trim() === '' ? null : orderId.trim(),
      replace: replace === 'true',
      why,
    },
  }),
  plan: ({ changed, orderId, incarnation, changes }, { ref }) => ({
    lines: changed
      ? [
          `Order ${ref} would be known here as written, ${orderId === null ? 'without an id' : `with the id ${orderId}`}, as order ${incarnation ?? 1} of this number.`,
          ...(changes ?? []).map((each) => differenceMessage([each])),
        ]
      : ['It is known just so already. Nothing would change.'],
    button: 'Enter this order',
    isEmpty: !changed,
  }),
  done: (_, { partner = '', ref = '' }, page) => ({ goTo: orderHref(page, partner, ref) }),
});

export const orderPages: ConsolePages = {
  get: { '/orders/:ref': ownOrder, '/orders/:partner/:ref': partnersOrder },
  reads: [
    'GET /v1/orders/{ref}',
    'GET /v1/orders/{ref}/feed',
    'GET /v1/orders/{ref}/tracks',
    'GET /v1/ops/orders/{ref}',
    'GET /v1/ops/orders/{name}/{ref}',
    'GET /v1/ops/orders/{name}/{ref}/feed',
    'GET /v1/ops/orders/{name}/{ref}/tracks',
  ],
  actions: [loadBase],
};

/** Operations, and the versions they made, on a page. Ours: a page stays light. */
const OPERATIONS_SHOWN = 20;
/** Statuses on a page. Ours. */
const STATUSES_SHOWN = 20;

/** The whole list looks for it, whoever has it. */
const refIn = (page: Page): string => page.context.req.param('ref') ?? '';

function ownOrder(page: Page): Promise<Response> | Response {
  if (page.isOps) return page.goTo(page.at('/orders', { ref: refIn(page) }));
  return orderPage(page, '');
}

function partnersOrder(page: Page): Promise<Response> | Response {
  const partner = page.context.req.param('partner') ?? '';
  if (!page.isOps) return page.context.notFound() as Response;
  return orderPage(page, partner);
}

/** The order, or a part of it: of a partner for operators, of its own for a partner. */
const routeOf = <Part extends '' | '/feed' | '/tracks'>(page: Page, part: Part) =>
  page.isOps ? (`GET /v1/ops/orders/{name}/{ref}${part}` as const) : (`GET /v1/orders/{ref}${part}` as const);

/** With what was asked for, where there is none. */
const named = (problem: ApiProblem, partner: string, ref: string): ApiProblem =>
  problem.code === 'order_unknown'
    ? { ...problem, detail: `Asked for: order ${ref}${partner === '' ? '' : ` of ${partner}`}. ${problem.detail}` }
    : problem;

async function orderPage(page: Page, partner: string): Promise<Response> {
  const path = { name: partner, ref: refIn(page) };
  const asked = page.query('limit');
  const limit = asked === '' ? OPERATIONS_SHOWN : asked;
  const found = await page.api.call(routeOf(page, ''), { path, query: { limit, cursor: page.query('cursor') } });
  if (!found.ok) return page.refuse(named(found.error, partner, refIn(page)));
  const order = found.value;
  if (!page.isOps && order.orderRef !== refIn(page)) return page.goTo(orderHref(page, partner, order.orderRef));
  const isLatest = page.query('cursor') === '';
  const [feed, tracks] = await Promise.all([
    isLatest ? page.api.call(routeOf(page, '/feed'), { path }) : null,
    page.query('tracks') === 'show' ? page.api.call(routeOf(page, '/tracks'), { path }) : null,
  ]);
  const href = (more = {}): string => orderHref(page, partner, order.orderRef, more);
  const cursor = cursorIn(order.next);
  return page.show({
    title: `Order ${order.orderRef} – ${(isLatest ? lastRefused(order)?.label : undefined) ?? PHASE_MESSAGES[orderPhase(order)].label}`,
    nav: 'orders',
    body: (
      <>
        <Heading page={page} order={order} partner={partner} isLatest={isLatest} />
        {isLatest ? (
          <>
            {feed?.ok ? <FeedWarnings page={page} order={order} partner={partner} feed={feed.value} /> : null}
            <Statuses page={page} order={order} href={href} />
            {feed === null ? null : <Known page={page} order={order} partner={partner} feed={feed} />}
            <Tracks tracks={tracks} href={href} />
          </>
        ) : null}
        <Operations page={page} order={order} />
        <Versions page={page} order={order} />
        <Pager
          first={isLatest ? null : href()}
          next={cursor === null ? null : href({ limit: asked, cursor })}
          nextLabel="Show earlier operations"
        />
      </>
    ),
  });
}

const Heading: FC<{ page: Page; order: OrderView; partner: string; isLatest: boolean }> = ({
  page,
  order,
  partner,
  isLatest,
}) => {
  const phase = PHASE_MESSAGES[orderPhase(order)];
  const { orderRef, latestStatusAt, incarnation, pair } = order;
  return (
    <>
      <div class="heading">
        <h1>Order {orderRef}</h1>
        {page.mayActAs('operator') ? (
          <p class="actions">
            <a class="button" href={page.at('/do/load-base', { partner, ref: orderRef, from: here(page) })}>
              Enter what the receiving system has…
            </a>
            <RecordLink page={page} href={orderHref(page, partner, orderRef, {}, RECORD_FILE)} />
            <EraseLink page={page} action="erase-order" values={{ partner, ref: orderRef }} />
          </p>
        ) : null}
      </div>
      {isLatest ? <LastRefused order={order} /> : null}
      <p>
        {isLatest && lastRefused(order) !== null && orderPhase(order) === 'stands' ? 'Before that: ' : ''}
        <State look={lookOf(phase.tone)}>{phase.label}</State> {phase.meaning}
      </p>
      <Facts>
        {page.isOps ? (
          <Fact name="Partner">
            <PartnerLink page={page} name={partner} />
          </Fact>
        ) : null}
        <Fact name="Id in the receiving system">
          {order.orderId === null ? 'none is known' : <Id id={order.orderId} />}
        </Fact>
        <Fact name="Latest status">
          {order.latestStatus === null ? 'none yet' : orderStatusText(order.latestStatus)}
        </Fact>
        {latestStatusAt === null ? null : (
          <Fact name="Status since">
            <Time at={latestStatusAt} />
          </Fact>
        )}
        {incarnation === null || incarnation === 1 ? null : <Fact name="Orders of this number">{incarnation}</Fact>}
        <Fact name="Versions">{inText(order.counts.versions)}</Fact>
        {pair === null ? null : <Fact name="Partner and client id">{`${pair.partnerId} / ${pair.clientId}`}</Fact>}
      </Facts>
      {order.document === null ? null : (
        <details class="more">
          <summary>Show the document as it was accepted last</summary>
          <pre>{JSON.stringify(order.document, null, 2)}</pre>
        </details>
      )}
    </>
  );
};

/** States of an operation that should be read before anything else, and what is said of it then. */
const PRESSING: Partial<Record<Operation['state'], string>> = {
  held: 'needs a decision',
  rejected: 'was refused',
  dead: 'was given up',
  unknown: 'had no clear answer',
};

/** What came last and was not taken: the document below does not have it. */
function lastRefused({
  operations,
}: OrderView): { last: Operation; label: string; meaning: string; came: string } | null {
  const last = operations.at(-1);
  const came = last === undefined ? undefined : PRESSING[last.state];
  if (last === undefined || came === undefined) return null;
  return { last, ...labelOf(last), came: isUnsent(last) ? 'was not sent' : came };
}

/** Given up before any call was made of it. */
const isUnsent = ({ state, attempts, outcome }: Operation): boolean =>
  state === 'dead' && attempts.length === 0 && outcome !== 'unknown';

const labelOf = (operation: Operation): { label: string; meaning: string } =>
  isUnsent(operation) ? { ...ROW_MESSAGES.dead, label: 'Not sent' } : ROW_MESSAGES[operation.state];

const LastRefused: FC<{ order: OrderView }> = ({ order }) => {
  const found = lastRefused(order);
  if (found === null) return null;
  const { last, meaning, came } = found;
  return (
    <Note look={lookOfRow(last.state)}>
      <strong>
        The latest row, a {KIND_MESSAGES[last.kind].toLowerCase()}, {came}.
      </strong>{' '}
      {last.reason === null ? meaning : REASON_MESSAGES[last.reason]} <a href="#sent">See what came for it</a>
    </Note>
  );
};

const Statuses: FC<{ page: Page; order: OrderView; href: (more?: object) => string }> = ({
  page,
  order: { statuses },
  href,
}) => {
  const skipped = Math.min(Number(/^\d{1,6}$/.exec(page.query('earlier'))?.[0] ?? 0), statuses.length);
  const latestFirst = statuses.toReversed();
  const shown = latestFirst.slice(skipped, skipped + STATUSES_SHOWN);
  const left = statuses.length - skipped - shown.length;
  return (
    <section>
      <h2>Statuses, newest first</h2>
      <Table
        caption="Statuses"
        columns={[
          { label: 'Status', kind: 'main' },
          { label: 'When', kind: 'word' },
          { label: 'Where' },
          { label: 'Learned', kind: 'word' },
        ]}
        rows={shown.map(statusRow)}
        empty="No status of this order is known yet."
      />
      <Pager
        first={skipped === 0 ? null : href()}
        next={left <= 0 ? null : href({ earlier: skipped + STATUSES_SHOWN })}
        nextLabel={`Show ${inText(left)} earlier`}
      />
    </section>
  );
};

function statusRow(status: Status): TableRow {
  const { correctedBy, level, code, at, learnedAt } = status;
  return {
    cells: [
      <>
        {orderStatusText(code)} {level === 'detail' ? <span class="quiet">detail</span> : null}
      </>,
      at === null ? '' : <Time at={at} isExact />,
      locationText(status.place),
      learnedAt === null ? '' : <Time at={learnedAt} />,
    ],
    ...(correctedBy === null ? {} : { detail: <p>It was read wrongly: event {correctedBy} took its place.</p> }),
  };
}

const Operations: FC<{ page: Page; order: OrderView }> = ({ page, order }) => (
  <section id="sent">
    <h2>What came for it, oldest first</h2>
    <Table
      caption="Operations"
      columns={[
        { label: 'Operation', kind: 'main' },
        { label: 'State' },
        { label: 'Answer', kind: 'number' },
        { label: 'Received', kind: 'word' },
        { label: 'Decided', kind: 'word' },
      ]}
      rows={order.operations.map((operation) => operationRow(page, operation))}
      empty="Nothing was sent for this order from here."
    />
  </section>
);

function operationRow(page: Page, operation: Operation): TableRow {
  const { state, reason, outcome, attempts, batchId, record, decidedAt, nextAt, acceptedAt } = operation;
  const { label, meaning } = labelOf(operation);
  const last = attempts.at(-1);
  return {
    cells: [
      <>
        {KIND_MESSAGES[operation.kind]}{' '}
        {operation.generation === 1 ? null : <span class="quiet">{`sent ${operation.generation} times`}</span>}
      </>,
      <State look={lookOfRow(state)} title={meaning}>
        {label}
      </State>,
      operation.status ?? '',
      acceptedAt === null ? '' : <Time at={acceptedAt} />,
      isFinal(state) || nextAt === null ? (
        decidedAt === null ? (
          ''
        ) : (
          <Time at={decidedAt} />
        )
      ) : (
        <>
          again <Time at={nextAt} />
        </>
      ),
    ],
    detail: (
      <>
        {reason === null ? null : (
          <p>
            {REASON_MESSAGES[reason]}
            {outcome === 'unknown' ? ' It may have arrived.' : ''} (<code>{reason}</code>)
          </p>
        )}
        {state === 'delivered' || last === undefined ? null : (
          <Refused status={last.status} answer={last.answer ?? last.detail ?? ''} />
        )}
        {operation.action === null ? null : <p>{`The receiving system says: ${operation.action}`}</p>}
        <Changes changes={operation.changes} />
        <details class="more">
          <summary>
            {attempts.length === 0 ? (isFinal(state) ? 'Not sent' : 'No call yet') : countOf(attempts.length, 'call')} ·{' '}
            {rowInBatch({ batchId, record })}
            {operation.evidence === null ? '' : EVIDENCE_MESSAGES[operation.evidence]}
          </summary>
          <p>
            From <RowLink page={page} row={{ batchId, record }} />, SCAC {operation.scac}.
          </p>
          <Calls
            calls={attempts.map(({ purpose, answer, detail, ...call }) => ({
              ...call,
              purpose: PURPOSE_MESSAGES[purpose],
              answer: answer ?? detail ?? '',
            }))}
          />
        </details>
      </>
    ),
  };
}

const Versions: FC<{ page: Page; order: OrderView }> = ({ page, order }) => (
  <section>
    <h2>Versions, newest first</h2>
    {order.versions.length === 0 ? (
      <Empty>No version of it was accepted yet.</Empty>
    ) : (
      <Table
        caption="Versions"
        columns={[
          { label: 'Version', kind: 'main' },
          { label: 'Operation' },
          { label: 'Accepted', kind: 'word' },
          { label: 'From' },
        ]}
        rows={order.versions.toReversed().map((version) => versionRow(page, version))}
      />
    )}
  </section>
);

function versionRow(page: Page, version: Version): TableRow {
  const { stated, batchId, record, changes, uploadedBy, incarnation } = version;
  const isPlain = stated === null && version.orderId !== null && (changes === null || changes.length === 0);
  return {
    cells: [
      <>
        Version {version.version}{' '}
        {incarnation === 1 ? null : <span class="quiet">order {incarnation} of this number</span>}
      </>,
      KIND_MESSAGES[version.kind],
      version.acceptedAt === null ? '' : <Time at={version.acceptedAt} />,
      batchId === null || record === null ? '' : <RowLink page={page} row={{ batchId, record }} />,
    ],
    ...(isPlain
      ? {}
      : {
          detail: (
            <>
              {stated === null ? null : <p>{`By ${stated.by}${stated.why === null ? '' : `: ${stated.why}`}`}</p>}
              {version.orderId === null ? <p class="quiet">Without an id in the receiving system.</p> : null}
              {uploadedBy === null ? null : <p class="quiet">Uploaded with key {uploadedBy}.</p>}
              <Changes changes={changes} />
            </>
          ),
        }),
  };
}
