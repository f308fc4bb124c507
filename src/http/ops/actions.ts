/** What ops routes that act on deliveries share: where registers, batches and subjects are found, and the key of a click. */
import { isUsableKey } from '../../intake/admit.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { LetterPorts } from '../../ops/letters/ports.ts';
import type { OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import type { ProblemWords } from '../edge/problem.ts';

export const letterPorts = ({ env }: OpsContext, ports: AppPorts): LetterPorts => ({
  partners: ports.partners(env),
  register: (scope) => env.INTAKE_REGISTER.getByName(registerName(scope)),
  batch: (scope, batchId) => env.BATCH.getByName(batchName(scope, batchId)),
  load: (name) => env.LOAD.getByName(name),
  order: (name) => env.ORDER.getByName(name),
});

/** A double click, or a repeat after a cut line, must be one action: whoever acts names it. A dry run needs no name. */
export function operatorsKey(context: OpsContext, dryRun: boolean): Result<string, ProblemWords> {
  const key = context.req.header('Idempotency-Key');
  if (key === undefined && dryRun) return ok('');
  if (key === undefined) {
    return err({
      status: 400,
      code: 'idempotency_key_required',
      title: 'No Idempotency-Key',
      detail: 'The request names itself nowhere, so a repeat of it could act twice. Nothing was done.',
      fix: 'Add the header Idempotency-Key with a text of your own, new for every action, and the same for a repeat.',
    });
  }
  if (isUsableKey(key)) return ok(key);
  return err({
    status: 400,
    code: 'idempotency_key_invalid',
    title: 'Idempotency-Key not usable',
    detail: 'The Idempotency-Key is empty, too long, or holds characters that cannot be printed. Nothing was done.',
    fix: 'Use up to 200 printable characters, such as a UUID.',
  });
}
