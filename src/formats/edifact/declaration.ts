/**
 * The `source:` block of a mapping document for EDIFACT: which messages it accepts and which of their loops it reads.
 */
import * as z from 'zod';
import { ENCODINGS, type Encoding } from '../encoding.ts';
import { loops, recordLoop, singlePaths } from '../segments/loops.ts';

/** Ours: a mapping is made for one message type, or for a few similar ones. */
const MESSAGE_TYPES_MAX = 40;

/** UNH S009 0065: six characters in the directories, fewer where two partners agreed on their own. */
const messageType = z
  .string()
  .regex(/^[A-Z0-9]{1,6}$/, 'a message type of up to six capitals or digits, such as IFTSTA');
const messageTypes = z.array(messageType).max(MESSAGE_TYPES_MAX, `at most ${MESSAGE_TYPES_MAX} message types`);

const isSingleByte = (encoding: Encoding): boolean => !encoding.startsWith('utf-');
const FALLBACKS = ENCODINGS.filter(isSingleByte);

export const edifactSource = z
  .strictObject({
    format: z.literal('edifact'),
    messages: messageTypes
      .min(1, 'at least one message type, such as IFTSTA')
      .describe('Message types that the mapping takes, such as IFTSTA; any other one is a problem.'),
    ignore: messageTypes.optional().describe('Message types passed over without a word, such as CONTRL.'),
    loops: loops.default({}),
    record: recordLoop,
    single: singlePaths.optional(),
    encoding: z
      .enum(FALLBACKS)
      .default('iso-8859-1')
      .describe(
        'How letters beyond ASCII are read where they are not UTF-8 and UNB names no character set that is known.',
      ),
    bare: z
      .enum(['reject', 'accept'])
      .default('reject')
      .describe('What becomes of a file that has messages and no UNB around them.'),
  })
  .superRefine((source, context) => {
    const both = source.messages.find((type) => source.ignore?.includes(type) === true);
    if (both === undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['ignore'],
      message: `${both} stands under messages too: keep one of them`,
    });
  });

/** The block with all defaults filled in. */
export type EdifactSource = z.output<typeof edifactSource>;
