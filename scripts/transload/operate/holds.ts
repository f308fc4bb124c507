/** `holds`: requests that a person decides about. */
import { randomUUID } from 'node:crypto';
import { NotRun, visible, whole } from '../../frame/command.ts';
import { type Bridge, openBridge, pagesOf } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { paintFor } from '../terminal.ts';
import { agreed, type RunningAction, watchAction } from './agreed.ts';

interface ListOptions extends BridgeOptions {
  partner?: string;
  batch?: string;
  limit: string;
  json?: boolean;
}

interface Held {
  partner: string;
  batchId: string;
  record: number;
  request: number;
  kind: string | null;
  subject: string | null;
  reason: string | null;
  recommended: string;
}

const PAGE_MOST = 100;

export async function listHolds(surroundings: Surroundings, options: ListOptions): Promise<ExitCode> {
  const { output, environment } = surroundings;
  const limit = whole(options.limit, 1);
  const query = {
    state: 'held',
    limit: String(Math.min(limit, PAGE_MOST)),
    ...(options.partner === undefined ? {} : { partner: options.partner }),
    ...(options.batch === undefined ? {} : { batch: options.batch }),
  };
  const held = await pagesOf<{ letters: Held[]; next: string | null }, Held>(
    openBridge(options, surroundings),
    { path: '/v1/ops/letters', query },
    ({ letters }) => letters,
    limit,
  );
  if (options.json) printJson(surroundings, { holds: held });
  else {
    const paint = paintFor(output, environment);
    for (const each of held) {
      const place = `${each.batchId}/${each.record}/${each.request}`;
      output.write(
        `${paint.bold(place)}  ${visible(`${each.partner}, ${each.kind ?? 'row'} of ${each.subject ?? 'nothing'}: ${each.reason ?? ''}`)}\n    ${each.recommended}\n`,
      );
    }
    if (held.length === 0) output.write('Nothing waits for a decision.\n');
  }
  return held.length === 0 ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

interface DecideOptions extends BridgeOptions {
  why: string;
  partner?: string;
  batch?: string;
  orderId?: string;
  outcome?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

interface Plan {
  requests: number;
  confirm: string;
  notes: readonly string[];
}

const MANY = '/v1/ops/letters/decisions';

export async function decideHolds(
  surroundings: Surroundings,
  decision: string,
  requests: string[],
  options: DecideOptions,
): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  const { why, outcome, orderId } = options;
  if (requests.length === 0 && options.partner === undefined && options.batch === undefined) {
    throw new NotRun('Say which: batch/record/request as `transload holds` shows them, or --batch, or --partner.');
  }
  const body = { decision, why, ...(outcome === undefined ? {} : { outcome }) };
  const places = requests.map(placeIn);
  const [only] = places;
  if (orderId !== undefined) {
    if (only === undefined || places.length > 1) throw new NotRun('adopt_id is for one request.');
    return decideOne(bridge, only, { ...body, orderId }, options, surroundings);
  }
  const wanted = {
    ...body,
    ...(places.length === 0 ? {} : { requests }),
    ...(options.partner === undefined ? {} : { partner: options.partner }),
    ...(options.batch === undefined ? {} : { batch: options.batch }),
  };
  const plan = await bridge.json<Plan>({ method: 'POST', path: MANY, query: { dryRun: 'true' }, body: wanted });
  if (options.dryRun && options.json) printJson(surroundings, plan);
  else (options.json ? surroundings.errors : surroundings.output).write(planLines(decision, plan));
  if (options.dryRun || plan.requests === 0) return EXIT_CODES.done.code;
  if (!(await agreed(surroundings, `Decide ${decision} for ${plan.requests}?`, options.yes))) {
    surroundings.output.write('Nothing was decided.\n');
    return EXIT_CODES.done.code;
  }
  const headers = { 'Idempotency-Key': randomUUID() };
  const begun = await bridge.json<RunningAction>({
    method: 'POST',
    path: MANY,
    body: { ...wanted, confirm: plan.confirm },
    headers,
  });
  const ended = await watchAction(bridge, begun, surroundings);
  if (options.json) printJson(surroundings, ended);
  else
    surroundings.output.write(
      `${ended.requests - ended.left} of ${ended.requests} decided (${ended.actionId}, ${ended.state}).\n`,
    );
  if (ended.state === 'running') return EXIT_CODES.interrupted.code;
  return ended.left === 0 ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

interface Place {
  batchId: string;
  record: number;
  request: number;
}

function placeIn(text: string): Place {
  const [, batchId = '', record, request] = /^(b_[0-9a-z]+)\/(\d+)\/(\d+)$/.exec(text) ?? [];
  if (record === undefined || request === undefined)
    throw new NotRun(`"${text}" is not of the form batch/record/request.`);
  return { batchId, record: Number(record), request: Number(request) };
}

async function decideOne(
  bridge: Bridge,
  { batchId, record, request }: Place,
  body: { decision: string; orderId?: string },
  options: DecideOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const path = `/v1/ops/letters/${batchId}/${record}/${request}/decisions`;
  const headers = { 'Idempotency-Key': randomUUID() };
  const query: Record<string, string> = options.partner === undefined ? {} : { partner: options.partner };
  const plan = await bridge.json<unknown>({ method: 'POST', path, query: { ...query, dryRun: 'true' }, body });
  if (!options.dryRun && !(await agreed(surroundings, `Decide ${body.decision} for it?`, options.yes)))
    return EXIT_CODES.done.code;
  const made = options.dryRun ? plan : await bridge.json<unknown>({ method: 'POST', path, query, body, headers });
  if (options.json) printJson(surroundings, made);
  else surroundings.output.write(options.dryRun ? 'It would be decided so.\n' : 'It is decided.\n');
  return EXIT_CODES.done.code;
}

const planLines = (decision: string, { requests, notes }: Plan): string =>
  [
    `${decision}: ${requests} ${requests === 1 ? 'request' : 'requests'}.`,
    ...notes.map((note) => `  ${note}`),
    '',
  ].join('\n');
