/** Brings the objects of a bridge into the states that are kept. What is uploaded stands here, so that a repeat is the same bytes. */
import { type KeptClient, until } from './client.ts';

const STOPS = 'trip_id,arrival_time,departure_time,stop_id,stop_sequence';
const ORDERS =
  'Order No,Shipper,Service,Deliver On,Ship To,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Item,Qty,Weight lb';
const CHANGES =
  'Order No,Action,Change No,Service,Deliver On,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Qty,Qty Change';

const stops = (trip: string, count: number): string =>
  `${[STOPS, ...Array.from({ length: count }, (_, at) => `${trip},08:${String(at).padStart(2, '0')}:00,,pier-${at + 1},${at + 1}`)].join('\n')}\n`;
const change = (cells: string): string => `${CHANGES}\nSO-1001,CHANGE,${cells}\n`;

/** Rows of the file that is left open. */
const OPEN_ROWS = 100;
/** So long is a column of it that nobody reads: it takes several slices and makes few, small requests. */
const PADDING_CHARACTERS = 4_000;

export const FILES = {
  settled: stops('KEPT-DONE', 3),
  waiting: stops('KEPT-WAIT', 1),
  rejected: stops('KEPT-AGAIN', 20),
  order: `${ORDERS}\nSO-1001,beta,Threshold,2027-03-09,Consignee 1,12 Elm St,Joliet,il,60431,555-0100,,,PO-7700,SOFA-3,Sofa,2,\n`,
  changes: [change(',,,,,,,555-0200,,Call before,,,,'), change('CH-2,,,,,,,,,Ring twice,,SOFA-3,,1')],
  /** What comes once a later release has taken over. */
  laterChange: change('CH-3,,,,,,,555-0300,,,,SOFA-3,,1'),
  open: `${STOPS},padding\n${Array.from({ length: OPEN_ROWS }, (_, at) => `KEPT-OPEN,0${5 + (at % 5)}:${String(at % 60).padStart(2, '0')}:00,,pier-${at + 1},${at + 1},${'x'.repeat(PADDING_CHARACTERS)}\n`).join('')}`,
  openRows: OPEN_ROWS,
};

/** How long the load that waits was told to wait. */
const RETRY_AFTER_SECONDS = 120;

const onLoad = (load: string) => ({ method: 'POST', bodyIncludes: load });
const refused = { match: onLoad('KEPT-AGAIN'), fault: { type: 'status', status: 422 } };
const busy = {
  match: onLoad('KEPT-WAIT'),
  fault: { type: 'status', status: 503, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
};
const HISTORY = '/rcsc/order-status/v1/orders';
const lostPolls = { match: { path: HISTORY, parameter: 'partnerId' }, fault: { type: 'lost_poll' } };
const noHistory = { match: { path: HISTORY, parameter: 'orderRef' }, fault: { type: 'status', status: 503 } };

/** Fault rules of the sandbox. */
export const UPSTREAM = {
  before: [refused, busy],
  /** The next poll is lost, and what was lost cannot be asked for. */
  lost: [busy, lostPolls, noHistory],
};

interface Batch extends Record<string, unknown> {
  state: string;
  requestStates: Record<string, number>;
}

const shown = (client: KeptClient, batchId: string) => () => client.partner<Batch>(`/v1/batches/${batchId}`);
const settled = (client: KeptClient, batchId: string) =>
  until(shown(client, batchId), ({ state }) => state === 'settled');

interface Begun {
  settled: string;
  waiting: string;
  rejected: string;
  order: string;
  orderId: string;
  webhook: string;
}

/** All that comes to rest by itself. */
export async function begin(
  client: KeptClient,
  partner: string,
  putFaults: (rules: unknown[]) => Promise<void>,
): Promise<Begun> {
  const webhook = 'kept';
  await client.ops(`/v1/ops/partners/${partner}/webhooks/${webhook}`, 'PUT', {
    url: 'http://127.0.0.1:9/nobody-listens', // kept waiting: a later release gives it another address
    events: ['batch.settled'],
    note: 'kept',
  });
  await client.ops(`/v1/ops/partners/${partner}/feed`, 'PUT', {
    partnerId: 'P-KEPT',
    clientId: 'C-1',
    channel: 'sandbox-test-bearer',
    note: 'kept',
  });
  const done = await client.upload('transit-stop-times-csv', 'settled.csv', FILES.settled);
  await settled(client, done.batchId);
  const order = await client.upload('orders-csv', 'order.csv', FILES.order);
  await settled(client, order.batchId);
  for (const [at, text] of FILES.changes.entries()) {
    const { batchId } = await client.upload('order-changes-csv', `change-${at + 1}.csv`, text);
    await settled(client, batchId);
  }
  const rejected = await client.upload('transit-stop-times-csv', 'refused.csv', FILES.rejected);
  await settled(client, rejected.batchId);
  await putFaults(UPSTREAM.lost);
  await client.ops(`/v1/ops/feeds/${partner}/poll`, 'POST', { why: 'kept' });
  await until(
    () => client.ops<{ feeds: { gaps: { open: number } }[] }>('/v1/ops/feeds'),
    ({ feeds }) => feeds[0]?.gaps.open === 1,
  );
  const waiting = await client.upload('transit-stop-times-csv', 'waiting.csv', FILES.waiting);
  await until(shown(client, waiting.batchId), ({ requestStates }) => requestStates.waiting === 1);
  const { orderId } = await client.partner<{ orderId: string }>('/v1/orders/SO-1001');
  return {
    settled: done.batchId,
    waiting: waiting.batchId,
    rejected: rejected.batchId,
    order: 'SO-1001',
    orderId,
    webhook,
  };
}

/** @returns the id of a replay that has sent some, and not all. */
export async function halfReplayed(client: KeptClient, partner: string, batchId: string): Promise<string> {
  const { actionId } = await client.ops<{ actionId: string }>('/v1/ops/replays', 'POST', {
    partner,
    batches: [batchId],
    perSecond: 1,
    why: 'kept',
  });
  await until(
    () => client.ops<{ sentAgain: number }>(`/v1/ops/actions/${actionId}`),
    ({ sentAgain }) => sentAgain >= 3,
  );
  return actionId;
}

/** @returns the id of the batch; the bridge has its bytes. */
export async function leftOpen(client: KeptClient): Promise<string> {
  return (await client.upload('transit-stop-times-csv', 'open.csv', FILES.open)).batchId;
}
