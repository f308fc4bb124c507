/**
 * The `loops` of a mapping document: which segments open a loop and which stay in it, so that a flat list becomes a
 * tree.
 *
 * The standard's own tables are not needed: a mapping declares only the structure that it reads.
 */
import * as z from 'zod';

/** Ours: far more than any set nests. */
const LOOPS_MAX = 40;
const TAGS_MAX = 60;

export const segmentTag = z.string().regex(/^[A-Z][A-Z0-9]{1,2}$/, 'a segment tag: two or three capitals or digits');
const loopName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'letters and digits, such as AT7 or stopParty');

const loop = z
  .strictObject({
    in: loopName.optional().describe('The loop it stands in; the set itself otherwise.'),
    opens: segmentTag.optional().describe('Tag of the segment that opens it; the name of the loop otherwise.'),
    holds: z
      .array(segmentTag)
      .max(TAGS_MAX)
      .optional()
      .describe(
        'The only segments that stay in it: any other one ends it. Without it everything stays that opens no loop.',
      ),
    until: z.array(segmentTag).min(1).max(TAGS_MAX).optional().describe('Segments that end it.'),
    passes: z
      .array(segmentTag)
      .min(1)
      .max(TAGS_MAX)
      .optional()
      .describe('Segments that stand between its own and belong to a loop around it: they do not end it.'),
  })
  .meta({ id: 'Loop', description: 'Segments that repeat together, opened by the first of them.' });

export const loops = z
  .record(loopName, loop)
  .refine((all) => Object.keys(all).length <= LOOPS_MAX, `at most ${LOOPS_MAX} loops`)
  .describe('The loops of the set that the mapping reads, by name.');

export const recordLoop = loopName
  .optional()
  .describe('The loop of which each is a record; the whole set is one otherwise.');

/** Ours: more than a mapping reads of one kind of set. */
const SINGLE_MAX = 60;

export const singlePaths = z
  .array(z.string().min(1))
  .max(SINGLE_MAX)
  .describe('Paths that must find one value: several different ones in a loop make the record an error.');

export type LoopSpecs = z.infer<typeof loops>;
