/** `replay`: what ended badly is sent again. */
import { randomUUID } from 'node:crypto';
import type { Planned } from '../../../src/http/contract/contract.ts';
import { openBridge } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { agreed, watchAction } from './agreed.ts';

interface ReplayOptions extends BridgeOptions {
  partner: string;
  why: string;
  states?: string;
  reasons?: string;
  issue?: string;
  includeUnknown?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

const REPLAY = 'POST /v1/ops/replays';

export async function replay(surroundings: Surroundings, batches: string[], options: ReplayOptions): Promise<ExitCode> {
  const { output } = surroundings;
  const bridge = openBridge(options, surroundings);
  const body = {
    partner: options.partner,
    why: options.why,
    ...(batches.length === 0 ? {} : { batches }),
    ...(options.issue === undefined ? {} : { issue: options.issue }),
    ...(options.states === undefined ? {} : { states: options.states.split(',') }),
    ...(options.reasons === undefined ? {} : { reasons: options.reasons.split(',') }),
    ...(options.includeUnknown ? { includeUnknown: true } : {}),
  };
  const plan = await bridge.plan(REPLAY, { body });
  if (options.dryRun && options.json) printJson(surroundings, plan);
  else if (!options.json || !options.yes) (options.json ? surroundings.errors : output).write(planLines(plan));
  if (options.dryRun) return EXIT_CODES.done.code;
  if (plan.requests === 0) {
    if (options.json) printJson(surroundings, plan);
    return EXIT_CODES.done.code;
  }
  if (!(await agreed(surroundings, `Send ${plan.requests} again?`, options.yes))) {
    output.write('Nothing was sent.\n');
    return EXIT_CODES.done.code;
  }
  const begun = await bridge.call(REPLAY, {
    body: { ...body, confirm: plan.confirm },
    idempotencyKey: randomUUID(),
  });
  const ended = await watchAction(bridge, begun, surroundings);
  if (options.json) printJson(surroundings, ended);
  else
    output.write(
      `${ended.sentAgain} sent again, ${ended.skipped} left alone, ${ended.left} left (${ended.actionId}, ${ended.state}).\n`,
    );
  if (ended.state === 'running') return EXIT_CODES.interrupted.code;
  return ended.left === 0 && ended.state === 'done' ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

function planLines({ requests, batches, seconds, notes }: Planned<typeof REPLAY>): string {
  if (requests === 0) return ['Nothing would be sent again.', ...notes, ''].join('\n');
  const of = `${batches.length} ${batches.length === 1 ? 'batch' : 'batches'}`;
  return [
    `${requests} requests of ${of} would be sent again, in about ${Math.ceil(seconds)} s.`,
    ...notes.map((note) => `  ${note}`),
    '',
  ].join('\n');
}
