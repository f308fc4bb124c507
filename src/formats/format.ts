/** What a format offers to the rest of the product. Each format has one such description, and `reader.ts` the table. */
import type * as z from 'zod';
import type { Encoding } from './encoding.ts';
import type { AnyCheckpoint, RecordReader, RecordShape } from './record-reader.ts';
import type { EnvelopePolicy } from './segments/parts.ts';

export interface Format<Source, Checkpoint extends AnyCheckpoint> {
  /** The `source:` block of a mapping. */
  declaration: z.ZodType<Source>;
  /** @param policy of the partner, for formats that have envelopes. */
  reader(source: Source, shape: RecordShape, policy: EnvelopePolicy): RecordReader<Checkpoint>;
  /** Records are rows of a table, which hold no arrays. */
  isTabular: boolean;
  /** The encoding in which a text is written to make a file of it. */
  encodingOf(source: Source): Encoding;
  /** Ending of a file's name, and the content type with which an upload of it may be sent. */
  ending: string;
  contentTypeOf(source: Source): string;
}
