/** The acknowledgment of a batch in its own format: what was taken and what was refused, set by set, before anything is delivered. */
import type { Context } from 'hono';
import { type AcknowledgmentKind, acknowledgmentText, kindsFor } from '../batch/acknowledgment/file.ts';
import { pinnedMapping } from '../batch/pinned.ts';
import type { BatchSummary } from '../batch/summary.ts';
import { DEFAULT_POLICY } from '../formats/segments/parts.ts';
import { registerName } from '../kernel/names.ts';
import { acknowledgmentLink, batchLinks, type FoundBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { problem } from './problem.ts';
import { filesOf } from './reports.ts';

/** RFC 1767 names both types; systems of today also send the longer one of the first. */
const EDI_TYPES: readonly string[] = ['application/edi-x12', 'application/edifact', 'application/edi-consent'];

/** Whether the sender asks for an acknowledgment rather than for JSON. @param types in the order of preference. */
export function wantsAcknowledgment(types: readonly string[]): boolean {
  const first = types.find((type) => EDI_TYPES.includes(type) || type === 'application/json' || type === '*/*');
  return first !== undefined && EDI_TYPES.includes(first);
}

/** @returns whether every row has been judged. */
export const isJudged = ({ state }: BatchSummary): boolean => state !== 'reading';

/** `GET …/acknowledgment?kind=997`: the usual kind of its format where none is named. */
export async function acknowledgment(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { summary } = batch;
  const mapping = await pinnedMapping(context.env.FILES, summary.mappingSha256);
  const kinds = kindsFor(mapping.source);
  const asked = context.req.query('kind')?.toUpperCase() ?? kinds[0];
  const kind = kinds.find((known) => known === asked);
  if (kind === undefined) return notOffered(context, kinds, mapping.source.format);
  if (!isJudged(summary)) return notYet(context, summary);
  if (summary.state === 'unreadable') return unreadable(context, summary);
  return acknowledge(context, batch, kind);
}

/** @param kind one that the format has. */
export async function acknowledge(
  context: Context<HttpBindings>,
  { stub, summary }: FoundBatch,
  kind: AcknowledgmentKind,
): Promise<Response> {
  const { env } = context;
  const principal = context.get('principal');
  const { batchId } = summary;
  const register = env.INTAKE_REGISTER.getByName(registerName(principal));
  const text = await acknowledgmentText({
    kind,
    policy: summary.envelopes ?? DEFAULT_POLICY,
    mapping: await pinnedMapping(env.FILES, summary.mappingSha256),
    sources: filesOf(context, summary).flatMap(({ source, problems }) => (problems.length === 0 ? source : [])),
    rows: (after, limit) => stub.rows(after, limit, null),
    control: (interchange) => register.ownControl(batchId, interchange),
    atMs: Date.parse(summary.receivedAt),
  });
  return context.body(text, 200, {
    'Content-Type': kind === 'CONTRL' ? 'application/EDIFACT' : 'application/EDI-X12',
    'Content-Disposition': `attachment; filename="${batchId}-${kind}.${kind === 'CONTRL' ? 'edi' : 'x12'}"`,
  });
}

const notOffered = (context: Context, kinds: readonly AcknowledgmentKind[], format: string): Response =>
  problem(context, {
    status: 404,
    code: 'acknowledgment_not_offered',
    title: 'No such acknowledgment',
    detail:
      kinds.length === 0
        ? `Files in ${format} have no acknowledgment of their own.`
        : `For ${format} there is ${kinds.join(' and ')}.`,
    fix:
      kinds.length === 0
        ? 'GET report.json or report.csv says the same of every row.'
        : `Name one of them: kind=${kinds[0]}.`,
  });

function notYet(context: Context, { batchId }: BatchSummary): Response {
  context.header('Retry-After', '2');
  return problem(context, {
    status: 409,
    code: 'acknowledgment_not_ready',
    title: 'Not read to its end yet',
    detail: 'The file is still being read; what becomes of its last sets is not known.',
    fix: `Ask again in a few seconds: GET ${acknowledgmentLink(batchId)}.`,
  });
}

const unreadable = (context: Context, { batchId, problems }: BatchSummary): Response =>
  problem(context, {
    status: 409,
    code: 'acknowledgment_impossible',
    title: 'Nothing to acknowledge',
    detail: `No interchange could be read, so nobody can be answered. ${problems[0]?.message ?? ''}`.trim(),
    fix: `GET ${batchLinks(batchId).self} says what is wrong with the file; correct it and send it again.`,
  });
