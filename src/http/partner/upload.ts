/** The upload that a request asks for, the ports it needs, and the answer to a refused one. */
import type { Context } from 'hono';
import type { UploadRequest } from '../../intake/admit.ts';
import type { IntakePorts, Receipt } from '../../intake/take-upload.ts';
import { describeUploadError, type UploadError } from '../../intake/upload-error.ts';
import { registerName } from '../../kernel/names.ts';
import { type HttpBindings, scopeOf } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { trialHeldBack } from '../edge/rates.ts';

export function uploadRequest({ req }: Context<HttpBindings>): UploadRequest {
  return {
    mapping: req.query('mapping') ?? null,
    scac: req.query('scac') ?? null,
    dryRun: req.query('dryRun') ?? null,
    force: req.query('force') ?? null,
    parameters: Object.keys(req.query()),
    contentLength: req.header('Content-Length') ?? null,
    contentType: req.header('Content-Type') ?? null,
    idempotencyKey: req.header('Idempotency-Key') ?? null,
    fileName: req.query('fileName') ?? req.param('fileName') ?? null,
  };
}

export function intakePorts(context: Context<HttpBindings>, ports: AppPorts): IntakePorts {
  const { env } = context;
  return {
    files: env.FILES,
    register: (name) => env.INTAKE_REGISTER.getByName(name),
    catalog: ports.catalog(env),
    channels: ports.settings(env).channels,
    isTrialFree: async () => (await trialHeldBack(context)) === undefined,
    nowMs: () => Date.now(),
  };
}

/** The same file is one batch of the partner, whoever sends it; whether this key sees that batch is another matter. */
export async function isOfOther(
  context: Context<HttpBindings>,
  { batchId, replayed }: Pick<Receipt, 'batchId' | 'replayed'>,
): Promise<boolean> {
  if (!replayed) return false;
  const register = context.env.INTAKE_REGISTER.getByName(registerName(context.get('principal')));
  return !(await register.knows(batchId, scopeOf(context)));
}

/* The answer to a refused upload, or to any other request that names a mapping. */

export function refusedUpload(context: Context<HttpBindings>, error: UploadError): Response {
  const words = describeUploadError(error);
  return problem(context, { ...words, code: error.code });
}
