/**
 * How to read an answer of the order-status endpoints, as data: where the list is and what an entry means.
 *
 * The payload is not shown (seed 4.4), so operators can replace this without code. A path is names joined by dots. The
 * list may be nested in other lists; a field is looked up in its entry first, then in what surrounds it.
 */
import * as z from 'zod';
import { STATUS_TEXT_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { isZone } from '../../kernel/zones.ts';
import {
  compileDateTimePattern,
  describePatternProblem,
  readsMoment,
  readsOffset,
} from '../../mapping/values/date-time-pattern.ts';
import { NOT_SHOWN } from '../contracts/not-shown.ts';

const PATH_NAMES_MAX = 8;
const PATHS_MAX = 8;
const CODES_MAX = 500;

const path = z
  .string()
  .min(1)
  .max(STATUS_TEXT_CHARACTERS_MAX)
  .refine((text) => text.split('.').length <= PATH_NAMES_MAX, `must have at most ${PATH_NAMES_MAX} names`)
  .refine((text) => text.split('.').every((name) => name !== ''), 'must be names joined by single dots');
/** The first one that has a value counts. */
const paths = z.array(path).min(1).max(PATHS_MAX);
const word = z.string().min(1).max(STATUS_TEXT_CHARACTERS_MAX);
const texts = z.array(word).max(CODES_MAX);
/** Through a Map: a code may be spelled like a member of an object, and must not vanish. */
const codeList = z.record(word, word).refine((list) => Object.keys(list).length <= CODES_MAX, 'has too many codes');

const pattern = word.superRefine((source, context) => {
  const compiled = compileDateTimePattern(source);
  if (compiled.ok) return;
  for (const problem of compiled.error) {
    const { message, fix } = describePatternProblem(problem);
    context.addIssue({ code: 'custom', message: `${message} ${fix}` });
  }
});
/** Whether it can name an instant without a zone. */
const isLocated = (source: string): boolean => readsMoment(source) || readsOffset(source);

export const answerMapping = z.strictObject({
  /** Where the list of statuses is; `$` is an answer that is a list itself, `$.events` the lists inside its entries. */
  list: paths,
  orderRef: paths,
  orderId: paths.optional(),
  /** `codes` renames; other codes are unchanged. */
  code: z.strictObject({ from: paths, codes: codeList.default({}) }),
  /**
   * `clock`: a separate time of day, joined to the day by a blank. `parse`: as in mappings of files, instead of `form`.
   * `zone`: for times without an offset, which need one.
   */
  time: z
    .strictObject({
      from: paths,
      clock: paths.optional(),
      form: z.enum(['iso', 'epochMs', 'epochSeconds']).default('iso'),
      parse: z.union([pattern, z.array(pattern).min(1).max(PATHS_MAX)]).optional(),
      zone: z.string().refine(isZone, 'is no time zone').optional(),
    })
    .refine(
      ({ parse = [], zone }) => zone !== undefined || [parse].flat().every(isLocated),
      'needs a zone: a pattern of parse reads no offset',
    ),
  place: z
    .strictObject({
      city: paths.optional(),
      state: paths.optional(),
      postalCode: paths.optional(),
      country: paths.optional(),
    })
    .default({}),
  /** Which values mean that an end consumer may see a status (seed 4.4, tracks), and the default if none is found. */
  level: z
    .strictObject({
      from: paths.optional(),
      milestones: texts.default([]),
      otherwise: z.enum(['milestone', 'detail']).default('detail'),
    })
    .prefault({}),
  /** Codes that end an order; compared in lower case, after `code.codes`. */
  finalCodes: texts.default([]),
  /** X12 status codes (element 1650) for the 214, by our code; statuses without one are left out of it and counted. */
  x12: codeList.default({}),
});

export type AnswerMapping = z.output<typeof answerMapping>;

const { orderStatus } = NOT_SHOWN;

/** Used if operators set nothing. */
export const DEFAULT_ANSWER_MAPPING: AnswerMapping = answerMapping.parse({
  list: [orderStatus.listKey],
  orderRef: [orderStatus.orderRef],
  orderId: [orderStatus.orderId],
  code: { from: [orderStatus.code] },
  time: { from: [orderStatus.time] },
  level: { from: [orderStatus.level], milestones: orderStatus.milestoneLevels },
  place: orderStatus.place,
  finalCodes: [...orderStatus.finalCodes, ...orderStatus.cancelledCodes],
  x12: orderStatus.x12Codes,
});
