/** A page of the log of order events as an X12 interchange, under a control number of its content. */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { EventRow } from '../../feed/feed-tables.ts';
import { eventSets, setsAsX12 } from '../../feed/x12-214.ts';
import type { Principal } from '../../intake/ports.ts';
import { type OrderPair, registerName } from '../../kernel/names.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';

interface WrittenPage {
  events: readonly EventRow[];
  pair: OrderPair;
  scac: string;
  /** The cursor behind it. */
  next: string;
}

/**
 * The number is that of the content: what is written of a page depends on codes, SCAC and parties, which change, and other
 * content under a number that was seen before would be dropped as a repeat. What has no set takes no number.
 */
export async function eventsAsX12(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { events, pair, scac, next }: WrittenPage,
): Promise<Response> {
  const principal = context.get('principal');
  if (events.length === 0) return nothingWritten(context, 0);
  const mapping = await ports.answerMappings(context.env).read(principal.environment);
  if (!mapping.ok) return unavailable(context);
  const sets = eventSets(events, { scac, codes: mapping.value.mapping.x12 });
  const { length: written } = sets.sets;
  const { length: leftOut } = sets.leftOut;
  if (written === 0) return nothingWritten(context, leftOut);
  const envelope = { environment: principal.environment, parties: partiesOf(principal) };
  const content = setsAsX12(sets, { ...envelope, control: 0 });
  const digest = createHash('sha256').update(content).digest('hex');
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const control = await register.ownControl(`order-events ${JSON.stringify(pair)} ${digest}`, 1);
  return context.body(setsAsX12(sets, { ...envelope, control }), 200, {
    'Content-Type': 'application/EDI-X12',
    'Content-Disposition': `attachment; filename="order-events-${next}.edi"`,
    ...countsOf(written, leftOut),
  });
}

/** Whoever reads goes on behind what was left out: the cursor is in the headers here, too. */
const nothingWritten = (context: Context<HttpBindings>, leftOut: number): Response =>
  context.body(null, 204, countsOf(0, leftOut));

const countsOf = (written: number, leftOut: number) => ({
  'X-Events-Written': String(written),
  'X-Events-Left-Out': String(leftOut),
});

/** As is agreed about the partner's own interchanges, the other way round. */
const partiesOf = ({ envelopes, partner }: Principal) => ({
  sender: envelopes.receivers?.[0] ?? 'ZZ:TRANSLOAD',
  receiver: envelopes.senders?.[0] ?? `ZZ:${partner.toUpperCase()}`,
});

function unavailable(context: Context<HttpBindings>): Response {
  context.header('Retry-After', '30');
  return problem(context, {
    status: 503,
    code: 'directory_unavailable',
    title: 'Codes unavailable',
    detail: 'Which X12 code stands for which event cannot be read at the moment.',
    fix: 'Send the request again in a minute.',
  });
}
