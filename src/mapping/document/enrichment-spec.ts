/** What a document may say of its look-ups as a whole, and what it looks up at all. */
import { z } from 'zod';

export const enrichmentSpec = z
  .strictObject({
    whenDown: z
      .enum(['wait', 'miss'])
      .optional()
      .describe('Nobody answers a look-up: the file waits (wait, the default), or it counts as a miss (miss).'),
  })
  .meta({ id: 'Enrichment', description: 'What its look-ups of vehicles and locations do where there is a choice.' });
