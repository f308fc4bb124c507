/**
 * The `source:` block of a mapping document for X12: which sets it accepts and how they become records. Delimiters come
 * from each ISA.
 */
import * as z from 'zod';
import { ENCODINGS } from '../encoding.ts';
import { loops, recordLoop, singlePaths } from '../segments/loops.ts';

/** Ours: a mapping that accepts more kinds of sets should be several mappings. */
const SETS_MAX = 40;

const setId = z.string().regex(/^\d{3}$/, 'a set id of three digits in quotes, such as "214"');

/** Ours: they are prefixes, so a few cover many. */
const VERSIONS_MAX = 40;

const version = z.string().regex(/^\d{3,6}$/, 'how a version begins, three to six digits in quotes, such as "003070"');

/** X12 is written in single bytes; UTF-8 is always tried first. */
const fallbackEncodings = ENCODINGS.filter((encoding) => !encoding.startsWith('utf-16'));

const x12SourceShape = z.strictObject({
  format: z.literal('x12'),
  sets: z
    .array(setId)
    .min(1, 'at least one set id, such as "214"')
    .max(SETS_MAX, `at most ${SETS_MAX} set ids`)
    .describe('Ids of the sets (ST01) that the mapping takes; any other one in the file is a problem.'),
  ignore: z
    .array(setId)
    .max(SETS_MAX, `at most ${SETS_MAX} set ids`)
    .optional()
    .describe('Ids of sets that are passed over silently, such as "997".'),
  notVersions: z
    .array(version)
    .min(1)
    .max(VERSIONS_MAX)
    .optional()
    .describe('Versions (GS08, or how it begins) whose segments are made otherwise: their sets are refused by name.'),
  loops: loops.default({}),
  record: recordLoop,
  single: singlePaths.optional(),
  encoding: z
    .enum(fallbackEncodings)
    .default('windows-1252')
    .describe('How letters beyond ASCII are read where they are not UTF-8.'),
});

/** Schema of the block; every conflict between its settings is reported with its own path. */
export const x12Source = x12SourceShape.superRefine((source, context) => {
  const twice = source.ignore?.find((id) => source.sets.includes(id));
  if (twice !== undefined) {
    context.addIssue({
      code: 'custom',
      path: ['ignore'],
      message: `${twice} stands in sets too: take it or pass it over`,
    });
  }
});

/** The block with all defaults filled in. */
export type X12Source = z.output<typeof x12Source>;
