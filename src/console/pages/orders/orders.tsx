/** `/console/orders`: finds a load or an order, and lists the orders of a partner. */
import type { FC } from 'hono/jsx';
import { ROW_MESSAGES } from '../../../delivery/messages.ts';
import { RECENT_ORDERS_MAX } from '../../../feed/limits.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import type { ApiProblem } from '../../api.ts';
import { BOOKED_MESSAGES, orderStatusText } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { lookOfRow } from '../../parts/bar.tsx';
import { CursorPager, lookOf, Note, State, Time } from '../../parts/basics.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { rowHref } from '../../parts/row-link.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';

type OrdersAnswer = Answered<'GET /v1/orders'>;
type ListedOrderView = OrdersAnswer['orders'][number];

export const orderListPages: ConsolePages = {
  get: { '/orders': ordersPage },
  reads: ['GET /v1/orders', 'GET /v1/ops/orders', 'GET /v1/orders/{ref}', 'GET /v1/ops/orders/{ref}'],
};

/** Orders on a page. Ours. */
const ORDERS_SHOWN = 50;

/** The page of an order. @param partner for operators. */
export const orderHref = (page: Page, partner: string, orderRef: string, more = {}, ending = ''): string => {
  const ref = `${encodeURIComponent(orderRef.toWellFormed())}${ending}`;
  return page.at(page.isOps ? `/orders/${encodeURIComponent(partner)}/${ref}` : `/orders/${ref}`, more);
};

async function ordersPage(page: Page): Promise<Response> {
  const [load, ref, partner] = [page.query('load'), page.query('ref'), page.isOps ? page.query('partner') : ''];
  if (load !== '') return page.goTo(page.at(`/loads/${encodeURIComponent(load.toWellFormed())}`, { partner }));
  const missed = ref === '' ? null : await found(page, ref, partner);
  if (missed instanceof Response) return missed;
  const isListed = !page.isOps || partner !== '';
  const sort = page.query('sort') === 'number' ? 'number' : 'recent';
  const listed = isListed
    ? await page.api.call(page.own('GET /v1/orders'), {
        query: {
          partner,
          sort,
          limit: ORDERS_SHOWN,
          cursor: page.query('cursor') === '' ? undefined : page.query('cursor'),
        },
      })
    : null;
  const refused = listed?.ok === false ? listed.error : null;
  if (refused !== null && refused.code !== 'partner_unknown') return page.refuse(refused);
  return page.show({
    title: 'Loads and orders',
    nav: 'orders',
    status: missed === null && refused === null ? 200 : 404,
    body: (
      <>
        <h1>Loads and orders</h1>
        <Finders page={page} orderRef={ref} partner={partner} />
        {missed === null ? null : (
          <Note look="wait">
            There is no order <code>{ref}</code>
            {page.isOps ? (partner === '' ? ' of any partner here' : ` of ${partner} here`) : ' of yours here'}. Check
            the reference, with its zeros; an order is kept for 90 days after it was last heard of.
          </Note>
        )}
        {refused === null ? null : (
          <Note look="bad">
            {refused.detail} {refused.fix}
          </Note>
        )}
        {listed === null ? (
          <p class="quiet">Name a partner to see its orders.</p>
        ) : !listed.ok ? null : (
          <Listed page={page} answer={listed.value} sort={sort} partner={partner} />
        )}
      </>
    ),
  });
}

/** @returns where to go; or that there is none. */
async function found(page: Page, ref: string, partner: string): Promise<Response | 'missed'> {
  const asked = await page.api.call(page.own('GET /v1/orders/{ref}'), { path: { ref }, query: { partner, limit: 1 } });
  if (asked.ok)
    return page.goTo(orderHref(page, 'partner' in asked.value ? asked.value.partner : '', asked.value.orderRef));
  if (asked.error.code === 'order_ambiguous') return choice(page, ref, asked.error);
  return asked.error.status === 404 ? 'missed' : page.refuse(asked.error);
}

/** Several partners have an order of this reference: the person chooses. */
function choice(page: Page, ref: string, problem: ApiProblem): Response {
  const { among } = problem as ApiProblem & { among: readonly { partner: string }[] };
  return page.show({
    title: `Order ${ref}: whose?`,
    nav: 'orders',
    status: 409,
    body: (
      <>
        <h1>Order {ref}: whose?</h1>
        <Table
          caption="Partners with an order of this reference"
          columns={[{ label: 'Order', kind: 'main' }, { label: 'Partner' }]}
          rows={among.map(({ partner }) => {
            const href = orderHref(page, partner, ref);
            return { href, cells: [<a href={href}>{`${ref} of ${partner}`}</a>, partner] };
          })}
        />
      </>
    ),
  });
}

const Finders: FC<{ page: Page; orderRef: string; partner: string }> = ({ page, orderRef, partner }) => (
  <div class="finders">
    <Finder page={page} name="load" label="Load number" button="Find the load" value="" />
    <Finder page={page} name="ref" label="Order reference" button="Find the order" value={orderRef} />
    {page.isOps ? <Finder page={page} name="partner" label="Partner" button="List its orders" value={partner} /> : null}
  </div>
);

const Finder: FC<{ page: Page; name: string; label: string; button: string; value: string }> = ({
  page,
  name,
  label,
  button,
  value,
}) => (
  <form method="get" action="/console/orders">
    {page.environments.length > 1 ? <input type="hidden" name="environment" value={page.environment} /> : null}
    <div class="field">
      <label for={`find-${name}`}>{label}</label>
      <input id={`find-${name}`} name={name} value={value} required maxlength={200} autocomplete="off" />
    </div>
    <button type="submit">{button}</button>
  </form>
);

const Listed: FC<{ page: Page; answer: OrdersAnswer; sort: 'number' | 'recent'; partner: string }> = ({
  page,
  answer: { followed: isFollowed, orders, next },
  sort,
  partner,
}) => {
  const cursor = cursorIn(next);
  const isRecent = isFollowed && sort === 'recent';
  const other = isRecent ? 'number' : 'recent';
  return (
    <section>
      <div class="heading">
        <h2>
          {isFollowed ? (isRecent ? 'Last heard of first' : 'All, by reference') : 'Sent last'}
          {partner === '' ? '' : ` · ${partner}`}
        </h2>
        {isFollowed ? (
          <a href={page.at('/orders', { partner, sort: other })}>
            {isRecent ? 'List all, by reference' : 'List those last heard of first'}
          </a>
        ) : null}
      </div>
      {isRecent && orders.length >= RECENT_ORDERS_MAX ? (
        <p class="quiet">These are the {orders.length} heard of last. List all, by reference, to see the others.</p>
      ) : null}
      {isFollowed || orders.length === 0 ? null : (
        <p class="quiet">
          No feed follows these orders: what happens to them after they were accepted is not known here.
        </p>
      )}
      <Table
        caption="Orders"
        columns={[
          { label: 'Order', kind: 'main' },
          { label: 'State' },
          ...(isFollowed ? [{ label: 'Latest status' }] : []),
          { label: isFollowed ? 'Last news' : 'Received', kind: 'word' },
          ...(isFollowed ? [] : [{ label: 'From' }]),
        ]}
        rows={orders.map((order) => {
          const href = orderHref(page, partner, order.orderRef);
          return {
            href,
            cells: [
              <a href={href}>{order.orderRef}</a>,
              <OrderState order={order} />,
              ...(isFollowed
                ? [
                    order.latestStatus === null ? (
                      <span class="quiet">none yet</span>
                    ) : (
                      orderStatusText(order.latestStatus)
                    ),
                  ]
                : []),
              <Time at={order.heardAt ?? order.sent?.receivedAt ?? null} />,
              ...(isFollowed || order.sent === null ? [] : [<MadeBy page={page} sent={order.sent} />]),
            ],
          };
        })}
        empty={
          isFollowed
            ? 'No order is known to the feed yet. An order appears here when it is sent, or when a poll has a status of it.'
            : 'No order was sent yet. An order appears here when a file with it was taken.'
        }
      />
      <CursorPager page={page} path="/orders" filters={{ partner, sort }} next={cursor} nextLabel="More orders" />
    </section>
  );
};

const OrderState: FC<{ order: ListedOrderView }> = ({ order: { state, sent } }) => {
  if (state !== null) {
    const { label, tone, meaning } = BOOKED_MESSAGES[state];
    return (
      <State look={lookOf(tone)} title={meaning}>
        {label}
      </State>
    );
  }
  if (sent === null) return null;
  return (
    <State look={lookOfRow(sent.state)} title={ROW_MESSAGES[sent.state].meaning}>
      {ROW_MESSAGES[sent.state].label}
    </State>
  );
};

const MadeBy: FC<{ page: Page; sent: NonNullable<ListedOrderView['sent']> }> = ({
  page,
  sent: { batchId, record },
}) => <a href={rowHref(page, { batchId, record })}>row {record} of its file</a>;
