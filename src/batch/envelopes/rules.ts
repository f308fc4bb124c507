/** What is agreed with a partner about envelopes: who may stand in them, and how strictly they are judged. */
import { z } from 'zod';
import { isSegmented, readerOf } from '../../formats/reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../formats/segments/parts.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';

/** Ours: a partner sends under a few ids. */
const IDS_MAX = 100;
const ids = z.array(z.string().trim().min(1).max(70)).min(1).max(IDS_MAX);

export const envelopeRules = z.strictObject({
  senders: ids
    .optional()
    .describe(
      'Ids that may send: ISA06 or the id of UNB, with the qualifier before a colon where it counts: ZZ:ACME. Any otherwise.',
    ),
  receivers: ids.optional().describe('Ids that may be addressed: ISA08 or the recipient of UNB. Any otherwise.'),
  groupSenders: ids.optional().describe('Codes that may send a group: GS02, or the sender of UNG. Any otherwise.'),
  controlNumbers: z
    .enum(['once', 'any'])
    .default('once')
    .describe('An interchange control number that comes again within 30 days is refused (once), or taken.'),
  broken: z
    .enum(['set', 'interchange'])
    .default('set')
    .describe('What a broken set costs: itself, or its whole interchange.'),
  counts: z.enum(['strict', 'lenient']).default('strict').describe('A wrong count is a fault, or a note.'),
  width: z
    .enum(['tolerant', 'strict'])
    .default('tolerant')
    .describe('Whether an ISA of another width than the standard’s is taken.'),
});

export type EnvelopeRules = z.output<typeof envelopeRules>;

/** Where nothing is agreed. */
export const DEFAULT_RULES: EnvelopeRules = { ...DEFAULT_POLICY, controlNumbers: 'once' };

/** The mapping with a reader that judges envelopes as is agreed. */
export const underPolicy = (mapping: CompiledMapping, policy: EnvelopePolicy | null): CompiledMapping =>
  policy === null || !isSegmented(mapping.source)
    ? mapping
    : { ...mapping, reader: readerOf(mapping.source, mapping.shape, policy) };

export const policyOf = ({ broken, counts, width }: EnvelopeRules): EnvelopePolicy => ({ broken, counts, width });
