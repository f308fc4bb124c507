/** The page of one order: what became of it, every operation, every version. Plain words; nothing is decided here. */
import type { FC } from 'hono/jsx';
import type { OrderPageView } from '../http/pages/views.ts';
import { Fact } from './fact.tsx';
import { document, OPS_PAGES, PARTNER_PAGES } from './frame.tsx';
import { OperationLine, StatusLine, VersionLine } from './order-lines.tsx';
import { orderStanding, STANDING_WORDS } from './order-words.ts';
import { opsOrderPath, orderPath } from './paths.ts';
import { shortTime } from './row-line.tsx';

/** Statuses on a page that was opened without asking for all. */
const LATEST_STATUSES = 50;

export function orderPage(view: OrderPageView): string {
  const { environment, partner, order } = view;
  const isOwn = partner === null;
  return document({
    title: `Order ${order.orderRef}`,
    environment,
    links: isOwn ? PARTNER_PAGES : OPS_PAGES(environment),
    body: (
      <main data-order={order.orderRef}>
        <Heading view={view} />
        <Statuses view={view} />
        <section>
          <h2>Operations, in their order</h2>
          {order.counts.operations === 0 ? <p class="empty">Nothing was sent for this order from here.</p> : null}
          <ol class="rows">
            {order.operations.map((operation) => (
              <OperationLine operation={operation} />
            ))}
          </ol>
        </section>
        <section>
          <h2>Versions, the newest first</h2>
          {order.counts.versions === 0 ? <p class="empty">No version of it was accepted yet.</p> : null}
          <ol class="rows">
            {order.versions.toReversed().map((version) => (
              <VersionLine version={version} />
            ))}
          </ol>
        </section>
        <Pages view={view} />
      </main>
    ),
  });
}

/** Between the pages of its operations and versions. */
const Pages: FC<{ view: OrderPageView }> = ({ view: { environment, partner, order, isLatest } }) => {
  if (isLatest && order.next === null) return null;
  const latest = partner === null ? orderPath(order.orderRef) : opsOrderPath(environment, partner, order.orderRef);
  return (
    <p class="links">
      {isLatest ? null : <a href={latest}>The latest operations and versions</a>}
      {order.next === null ? null : <a href={order.next}>Earlier ones</a>}
    </p>
  );
};

const Heading: FC<{ view: OrderPageView }> = ({ view: { partner, order } }) => {
  const words = STANDING_WORDS[orderStanding(order)];
  return (
    <section class="heading">
      <h1>Order {order.orderRef}</h1>
      <p>
        <strong class={`tone-${words.tone}`}>{words.label}</strong> {words.meaning}
      </p>
      <dl class="facts">
        {partner === null ? null : <Fact name="Partner">{partner}</Fact>}
        <Fact name="Id in the receiving system">{order.orderId ?? 'none is known'}</Fact>
        {order.incarnation === null || order.incarnation === 1 ? null : (
          <Fact name="Order of this number">{order.incarnation}</Fact>
        )}
        {order.latestStatus === null ? null : <Fact name="Latest status">{order.latestStatus}</Fact>}
        {order.latestStatusAt === null ? null : <Fact name="That was">{shortTime(order.latestStatusAt)}</Fact>}
        <Fact name="Versions">{order.counts.versions.toLocaleString('en-US')}</Fact>
        {order.pair === null ? null : (
          <Fact name="Belongs to">
            {order.pair.partnerId} / {order.pair.clientId}
          </Fact>
        )}
      </dl>
      {order.document === null ? null : (
        <details>
          <summary>The document as it stands</summary>
          <code class="value document">{JSON.stringify(order.document, null, 2)}</code>
        </details>
      )}
    </section>
  );
};

const Statuses: FC<{ view: OrderPageView }> = ({ view: { environment, partner, order, isWhole } }) => {
  const { statuses, orderRef } = order;
  const shown = (isWhole ? statuses : statuses.slice(-LATEST_STATUSES)).toReversed();
  const page = partner === null ? `${orderPath(orderRef)}?` : `${opsOrderPath(environment, partner, orderRef)}&`;
  return (
    <section>
      <h2>What became of it, the latest first</h2>
      {statuses.length > 0 ? null : (
        <p class="empty">Nothing has been told of this order. A feed asks for its status every 30 minutes.</p>
      )}
      <ol class="rows">
        {shown.map((status) => (
          <StatusLine status={status} />
        ))}
      </ol>
      {shown.length === statuses.length ? null : (
        <p class="links">
          <a href={`${page}statuses=all`}>All {statuses.length.toLocaleString('en-US')} of them</a>
        </p>
      )}
    </section>
  );
};
