/** The `source:` block of a mapping document for JSON and for NDJSON: where the records are. Nothing is guessed. */
import * as z from 'zod';
import { compileRecordsPath } from './path.ts';

/** JSON for exchange is UTF-8 (RFC 8259, 8.1); a byte-order mark is skipped, UTF-16 is refused with a reason. */
export const jsonSource = z.strictObject({
  format: z.literal('json'),
  records: z
    .string()
    .superRefine((text, context) => {
      const path = compileRecordsPath(text);
      if (!path.ok) context.addIssue({ code: 'custom', message: path.error });
    })
    .default('')
    .describe(
      'Path to the array of records: member names joined by dots, odd names as ["odd.name"]. ' +
        '"" when the document itself is the array. An object in the place of the array is the one record.',
    ),
  encoding: z.literal('utf-8', 'utf-8: the only encoding of JSON').default('utf-8'),
});

/** One JSON object on each line. */
export const ndjsonSource = z.strictObject({ format: z.literal('ndjson') });

/** The blocks with all defaults filled in. */
export type JsonSource = z.output<typeof jsonSource>;
export type NdjsonSource = z.output<typeof ndjsonSource>;
