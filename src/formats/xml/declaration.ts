/**
 * The `source:` block of a mapping document for XML: where the records are, and what prefixes mean. Nothing is guessed.
 */
import * as z from 'zod';
import { ENCODINGS } from '../encoding.ts';
import { NAMESPACE_CHARACTERS_MAX, NAMESPACES_MAX, PREFIX_CHARACTERS_MAX } from './limits.ts';
import { compileRecordsPath } from './path.ts';

const prefix = z
  .string()
  .max(PREFIX_CHARACTERS_MAX)
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]*$/, 'a prefix of letters and digits');

export const xmlSource = z
  .strictObject({
    format: z.literal('xml'),
    records: z
      .string()
      .describe('Element names from the root to the repeated element, joined by /: shipments/shipment.'),
    namespaces: z
      .record(prefix, z.string().min(1, 'a namespace name').max(NAMESPACE_CHARACTERS_MAX))
      .refine((all) => Object.keys(all).length <= NAMESPACES_MAX, `at most ${NAMESPACES_MAX} namespaces`)
      .default({})
      .describe('Prefixes used in paths, and the namespaces they stand for. A name without prefix is met in any.'),
    encoding: z
      .enum(ENCODINGS)
      .default('utf-8')
      .describe('For files that do not say it themselves: a byte-order mark or the XML declaration wins.'),
  })
  .superRefine(({ records, namespaces }, context) => {
    const path = compileRecordsPath(records, namespaces);
    if (!path.ok) context.addIssue({ code: 'custom', path: ['records'], message: path.error });
  });

/** The block with all defaults filled in. */
export type XmlSource = z.output<typeof xmlSource>;
