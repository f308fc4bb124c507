/** `holds`: requests that a person decides about. */
import { randomUUID } from 'node:crypto';
import type { PathOf, Planned } from '../../../src/http/contract/contract.ts';
import { NotRun, visible, whole } from '../../frame/command.ts';
import { type Bridge, firstOf, openBridge, pagesOf } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { paintFor } from '../terminal.ts';
import { agreed, watchAction } from './agreed.ts';

interface ListOptions extends BridgeOptions {
  partner?: string;
  batch?: string;
  limit: string;
  json?: boolean;
}

const PAGE_MOST = 100;

export async function listHolds(surroundings: Surroundings, options: ListOptions): Promise<ExitCode> {
  const { output, environment } = surroundings;
  const limit = whole(options.limit, 1);
  const { partner, batch } = options;
  const query = { state: 'held', limit: Math.min(limit + 1, PAGE_MOST), partner, batch };
  const found = await pagesOf(
    openBridge(options, surroundings),
    'GET /v1/ops/letters',
    { query },
    { entriesIn: ({ letters }) => letters, enough: limit + 1 },
  );
  const { shown: held, more } = firstOf(found, limit, surroundings);
  if (options.json) printJson(surroundings, { holds: held, more });
  else {
    const paint = paintFor(output, environment);
    for (const each of held) {
      const place = `${each.batchId}/${each.record}/${each.request}`;
      output.write(
        `${paint.bold(place)}  ${visible(`${each.partner}, ${each.kind ?? 'row'} of ${each.subject ?? 'nothing'}: ${each.reason ?? ''}\n    ${each.recommended}`)}\n`,
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

const MANY = 'POST /v1/ops/letters/decisions';

export async function decideHolds(
  surroundings: Surroundings,
  decision: string,
  named: string[],
  options: DecideOptions,
): Promise<ExitCode> {
  const requests = [...new Set(named)];
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
  const filter = {
    ...body,
    ...(options.partner === undefined ? {} : { partner: options.partner }),
    ...(options.batch === undefined ? {} : { batch: options.batch }),
  };
  const wanted = { ...filter, ...(places.length === 0 ? {} : { requests }) };
  const plan = await bridge.plan(MANY, { body: wanted });
  const left = await leftOut(bridge, filter, requests, plan.requests);
  const isPlanAlone = options.dryRun === true || plan.requests === 0;
  if (isPlanAlone && options.json) printJson(surroundings, { ...plan, notDecided: left });
  else (options.json ? surroundings.errors : surroundings.output).write(planLines(decision, plan, left));
  // Who names a request wants it decided.
  const isAll = left.length === 0;
  if (isPlanAlone) return isAll ? EXIT_CODES.done.code : EXIT_CODES.found.code;
  if (!(await agreed(surroundings, `Decide ${decision} for ${plan.requests}?`, options.yes))) {
    surroundings.output.write('Nothing was decided.\n');
    return EXIT_CODES.done.code;
  }
  const begun = await bridge.call(MANY, {
    body: { ...wanted, confirm: plan.confirm },
    idempotencyKey: randomUUID(),
  });
  const ended = await watchAction(bridge, begun, surroundings);
  if (options.json) printJson(surroundings, { ...ended, notDecided: left });
  else
    surroundings.output.write(
      `${ended.decided} of ${ended.requests} decided${ended.skipped > 0 ? `, ${ended.skipped} no longer held` : ''} (${ended.actionId}, ${ended.state}).\n`,
    );
  if (ended.state === 'running') return EXIT_CODES.interrupted.code;
  return isAll && ended.decided === ended.requests ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

/** @param planned how many of these are in a plan of them all, which counts them and names none. @returns the others. */
async function leftOut(
  bridge: Bridge,
  body: { decision: string; why: string },
  requests: readonly string[],
  planned: number,
): Promise<readonly string[]> {
  if (planned >= requests.length) return [];
  if (planned === 0) return requests;
  const half = Math.ceil(requests.length / 2);
  const parts = [requests.slice(0, half), requests.slice(half)];
  const left: string[] = [];
  for (const part of parts) {
    const plan = await bridge.plan(MANY, { body: { ...body, requests: [...part] } });
    left.push(...(await leftOut(bridge, body, part, plan.requests)));
  }
  return left;
}

function placeIn(text: string): PathOf<typeof ONE> {
  const [, batch = '', record, request] = /^(b_[0-9a-z]+)\/(\d+)\/(\d+)$/.exec(text) ?? [];
  if (record === undefined || request === undefined)
    throw new NotRun(`"${text}" is not of the form batch/record/request.`);
  return { batch, record, request };
}

const ONE = 'POST /v1/ops/letters/{batch}/{record}/{request}/decisions';

async function decideOne(
  bridge: Bridge,
  path: PathOf<typeof ONE>,
  body: { decision: string; orderId: string; why: string },
  options: DecideOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const asked = { path, query: { partner: options.partner }, body };
  const plan = await bridge.plan(ONE, asked);
  const { partner, environment, state } = plan;
  const planned = `${body.decision}: ${path.batch}/${path.record}/${path.request} of ${partner} (${environment}), as the order ${body.orderId}. It is ${state} then.\n`;
  if (!options.dryRun || !options.json)
    (options.json ? surroundings.errors : surroundings.output).write(visible(planned));
  if (!options.dryRun && !(await agreed(surroundings, `Decide ${body.decision} for it?`, options.yes))) {
    surroundings.output.write('Nothing was decided.\n');
    return EXIT_CODES.done.code;
  }
  const made = options.dryRun ? plan : await bridge.call(ONE, { ...asked, idempotencyKey: randomUUID() });
  if (options.json) printJson(surroundings, made);
  else surroundings.output.write(options.dryRun ? 'It would be decided so.\n' : 'It is decided.\n');
  return EXIT_CODES.done.code;
}

const planLines = (decision: string, { requests, notes }: Planned<typeof MANY>, left: readonly string[]): string =>
  [
    `${decision}: ${requests} ${requests === 1 ? 'request' : 'requests'}.`,
    ...notes.map((note) => `  ${visible(note)}`),
    ...(left.length === 0 ? [] : [`  Not decided: ${left.join(', ')}`]),
    '',
  ].join('\n');
