/** `orders` and `events`: orders of a partner, and what happened to them. */
import { RECENT_ORDERS_MAX } from '../../src/feed/limits.ts';
import type { Answered } from '../../src/http/contract/contract.ts';
import { NotRun, visible, whole } from '../frame/command.ts';
import { type Bridge, firstOf, openBridge, pagesOf } from './bridge.ts';
import { type Definitions, examples, printJson, withEnvironment, withJson } from './definitions.ts';
import type { BridgeOptions } from './profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from './surroundings.ts';
import { paintFor, table } from './terminal.ts';
import { watch } from './watch.ts';

interface OrdersOptions extends BridgeOptions {
  limit: string;
  partner?: string;
  json?: boolean;
}

type OneOrder = Answered<'GET /v1/orders/{ref}' | 'GET /v1/ops/orders/{ref}'>;
type EventPage = Answered<'GET /v1/order-events'>;
type OrderEvent = EventPage['events'][number];

interface EventsOptions extends BridgeOptions {
  after?: string;
  limit: string;
  follow?: boolean;
  json?: boolean;
}

const PAGE_MOST = 100;
/** The log grows with polls, minutes apart. */
const FOLLOW_MS = 5_000;

export function addOrderCommands({ program, run }: Definitions): void {
  const listed = withJson(withEnvironment(program.command('orders')))
    .summary('your orders, those heard of last first; or one order')
    .description(
      'The orders of a partner that the feed follows, those heard of last first; or one order with its statuses.',
    )
    .argument('[order]', 'the reference of one')
    .option('-n, --limit <number>', `how many; from ${RECENT_ORDERS_MAX} on they come by number`, '20')
    .option('--partner <name>', 'for operators: whose orders')
    .action(run(orders));
  examples(listed, [
    ['transload orders', ''],
    ['transload orders SO-2001 --json', 'its document, operations, statuses'],
  ]);
  const followed = withJson(withEnvironment(program.command('events')), 'print each event as a line of JSON')
    .summary('what happened to your orders')
    .description(
      'What the feed learned of your orders, in the order in which it was learned. With --follow it goes on until Ctrl-C, which is its end and exit code 0.',
    )
    .option('--after <number>', 'only what comes after this event; `seq` of an event, or the cursor shown last')
    .option('-n, --limit <number>', 'how many, without --follow', '50')
    .option('-f, --follow', 'wait for more')
    .action(run(events));
  examples(followed, [
    ['transload events --follow', ''],
    ['transload events --after 120 --json >> events.ndjson', 'a program goes on at the last seq'],
  ]);
}

async function orders(surroundings: Surroundings, ref: string | undefined, options: OrdersOptions): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  const { output, environment } = surroundings;
  const paint = paintFor(output, environment);
  if (bridge.isOps && options.partner === undefined && ref === undefined) {
    throw new NotRun("Say whose orders: --partner NAME. This is an operator's key.");
  }
  if (ref !== undefined) {
    const asked = { path: { ref }, query: { partner: options.partner } };
    const order = await bridge.call(bridge.own('GET /v1/orders/{ref}'), asked);
    if (options.json) printJson(surroundings, order);
    else output.write(orderLines(order, paint));
    return EXIT_CODES.done.code;
  }
  const limit = whole(options.limit, 1);
  // Those heard of last are one page: whether there are more could not be said
  const sort = limit < RECENT_ORDERS_MAX ? 'recent' : 'number';
  const query = { partner: options.partner, sort, limit: Math.min(limit + 1, PAGE_MOST) };
  const found = await pagesOf(
    bridge,
    bridge.own('GET /v1/orders'),
    { query },
    { entriesIn: (page) => page.orders, enough: limit + 1 },
  );
  const { shown: listed, more } = firstOf(found, limit, surroundings);
  if (options.json) printJson(surroundings, { orders: listed, more });
  else if (listed.length === 0) output.write('No order is known.\n');
  else {
    const rows = listed.map((each) => [each.orderRef, each.state ?? '', each.latestStatus ?? '', minute(each.heardAt)]);
    output.write(table(['ORDER', 'STATE', 'LATEST STATUS', 'HEARD AT (UTC)'], rows, paint));
  }
  return EXIT_CODES.done.code;
}

const minute = (at: string | null): string => (at ?? '').slice(0, 16).replace('T', ' ');

function orderLines({ orderRef, document, counts, statuses }: OneOrder, paint: ReturnType<typeof paintFor>): string {
  const state =
    document !== null
      ? 'stands as sent'
      : counts.versions > 0
        ? 'is cancelled'
        : counts.open > 0
          ? 'is on its way'
          : 'was not created here';
  const rows = statuses.map(({ code, at }) => [at ?? '', code]);
  return `${paint.bold(visible(orderRef))} ${state}.\n${rows.length === 0 ? '' : table(['AT', 'STATUS'], rows, paint)}`;
}

async function events(surroundings: Surroundings, options: EventsOptions): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  if (bridge.isOps) throw new NotRun("Events are read with a partner's key, and this is an operator's.");
  if (options.after !== undefined) whole(options.after);
  return options.follow ? follow(bridge, options, surroundings) : list(bridge, options, surroundings);
}

const pageAfter = (bridge: Bridge, after: string | undefined, limit: number): Promise<EventPage> =>
  bridge.call('GET /v1/order-events', { query: { limit: Math.min(limit, PAGE_MOST), after } });

async function list(bridge: Bridge, options: EventsOptions, surroundings: Surroundings): Promise<ExitCode> {
  let left = whole(options.limit, 1);
  let after = options.after;
  for (;;) {
    const page = await pageAfter(bridge, after, left);
    for (const event of page.events) surroundings.output.write(eventLine(event, options.json));
    left -= page.events.length;
    after = page.next;
    if (!page.more || left <= 0) break;
  }
  if (!options.json) surroundings.errors.write(`To go on from here: --after ${after}\n`);
  return EXIT_CODES.done.code;
}

async function follow(bridge: Bridge, options: EventsOptions, surroundings: Surroundings): Promise<ExitCode> {
  let after = options.after;
  await watch<EventPage>(surroundings, {
    look: async (line) => {
      const page = await pageAfter(bridge, after, PAGE_MOST);
      if (page.events.length > 0) line.clear();
      for (const event of page.events) surroundings.output.write(eventLine(event, options.json));
      after = page.next;
      return page;
    },
    isOver: () => false,
    line: () => 'Waiting for more. Ctrl-C ends it.',
    pauseMs: (page) => (page?.more ? 0 : FOLLOW_MS),
    awayMsMax: Number.POSITIVE_INFINITY,
  });
  if (!options.json && after !== undefined) surroundings.errors.write(`To go on from here: --after ${after}\n`);
  return EXIT_CODES.done.code;
}

function eventLine(event: OrderEvent, isJson: boolean | undefined): string {
  if (isJson) return `${JSON.stringify(event)}\n`;
  const { seq, at, orderRef, code, place } = event;
  const where = [place.city, place.state].filter(Boolean).join(', ');
  return `${visible(`${String(seq).padStart(6)}  ${at}  ${orderRef}  ${code}${where === '' ? '' : `  ${where}`}`)}\n`;
}
