/** The most recent orders, and a search for one. */
import type { FC } from 'hono/jsx';
import { ROW_MESSAGES } from '../delivery/messages.ts';
import type { BookedState } from '../feed/feed-tables.ts';
import type { ListedOrder, OrdersPageView } from '../http/pages/views.ts';
import { document, Environments, OPS_PAGES, opsPath, orderPath, PARTNER_PAGES } from './frame.tsx';
import { BOOKED_MESSAGES } from './messages.ts';
import { shortTime } from './row-line.tsx';

export const ordersPage = (view: OrdersPageView): string =>
  document({
    title: 'Orders',
    environment: view.environment,
    links: view.ops === null ? PARTNER_PAGES : OPS_PAGES(view.environment),
    body: (
      <main>
        <section class="heading">
          <h1>Orders</h1>
          {view.ops === null ? null : (
            <Environments pathOf={(name) => opsPath('orders', name)} {...view} environments={view.ops.environments} />
          )}
          <Search view={view} />
          {view.asked === '' ? null : (
            <p class="fix">
              There is no order <code class="value">{view.asked}</code>
              {view.ops === null ? ' of yours' : ` of ${view.ops.partner}`} here, or it is kept no more. Orders are kept
              for 90 days after they were last heard of.
            </p>
          )}
        </section>
        {view.ops !== null && view.ops.partner === '' ? null : <Recent view={view} />}
      </main>
    ),
  });

const Search: FC<{ view: OrdersPageView }> = ({ view: { environment, asked, ops } }) => (
  <form class="search" method="get" action={ops === null ? '/console/orders' : '/console/ops/orders'}>
    {ops === null ? null : (
      <>
        <input type="hidden" name="environment" value={environment} />
        <label>
          Partner
          <select name="partner">
            {ops.partners.map((name) => (
              <option value={name} selected={name === ops.partner}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </>
    )}
    <label>
      Reference
      <input name="ref" value={asked} required={ops === null} maxlength={200} autocomplete="off" />
    </label>
    <button type="submit">Look for it</button>
  </form>
);

const Recent: FC<{ view: OrdersPageView }> = ({ view: { environment, recent, isFollowed, ops } }) => (
  <section>
    <h2>{isFollowed ? 'Heard of last' : 'Sent last'}</h2>
    {isFollowed ? null : <p class="quiet">No feed follows these orders: what becomes of them is not learned.</p>}
    {recent.length > 0 ? null : (
      <p class="empty">{isFollowed ? 'No order is known to the feed yet.' : 'No order was sent yet.'}</p>
    )}
    <ol class="rows">
      {recent.map((order) => (
        <OrderLine order={order} href={orderPath(environment, ops?.partner ?? null, order.orderRef)} />
      ))}
    </ol>
  </section>
);

const isBooked = (state: ListedOrder['state']): state is BookedState => state in BOOKED_MESSAGES;

const OrderLine: FC<{ order: ListedOrder; href: string }> = ({ order, href }) => {
  const words = isBooked(order.state) ? BOOKED_MESSAGES[order.state] : ROW_MESSAGES[order.state];
  return (
    <li class="row">
      <div class="where">
        <span class={`state tone-${words.tone}`} title={words.meaning}>
          {words.label}
        </span>
      </div>
      <div class="what">
        <p>
          <a href={href}>{order.orderRef}</a>
          {order.code === null ? ' · no status yet' : ` · ${order.code}`}
        </p>
        <p class="quiet">{shortTime(order.heardAt)}</p>
      </div>
    </li>
  );
};
