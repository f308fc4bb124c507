/**
 * How an answer of the order-status endpoints is read: where the list stands and what an entry means, as data.
 *
 * The payload is not shown (seed 4.4), so that operators can replace this without code. A path is names joined by dots. The
 * list may lie inside other lists; a field is looked for in its entry first, then in what stands around it.
 */
import { z } from 'zod';
import { STATUS_TEXT_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { isZone } from '../../kernel/zones.ts';
import { readsOffset } from '../../mapping/check/time.ts';
import { compileDateTimePattern, readsMoment } from '../../mapping/values/date-time-pattern.ts';
import { describePatternProblem } from '../../mapping/values/date-times.ts';
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
/** The first that holds a value counts. */
const paths = z.array(path).min(1).max(PATHS_MAX);
const word = z.string().min(1).max(STATUS_TEXT_CHARACTERS_MAX);
const texts = z.array(word).max(CODES_MAX);
/** By way of a Map: a code may be spelled like a member of an object, and must not vanish. */
const codeList = z.record(word, word).refine((list) => Object.keys(list).length <= CODES_MAX, 'has too many codes');

const pattern = word.superRefine((source, context) => {
  const compiled = compileDateTimePattern(source);
  if (compiled.ok) return;
  for (const problem of compiled.error) {
    const { message, fix } = describePatternProblem(problem, source, 'time.parse');
    context.addIssue({ code: 'custom', message: `${message} ${fix}` });
  }
});
/** Whether what it reads can name an instant without a zone. */
const isLocated = (source: string): boolean => readsMoment(source) || readsOffset(source);

export const answerMapping = z.strictObject({
  /** Where the list of statuses stands; `$` is an answer that is a list itself, `$.events` the lists inside of its entries. */
  list: paths,
  orderRef: paths,
  orderId: paths.optional(),
  /** `codes` renames; what is not in it stays as it is. */
  code: z.strictObject({ from: paths, codes: codeList.default({}) }),
  /**
   * `clock`: where the time of day stands apart, joined to the day by a blank. `parse`: as in mappings of files, in the place of
   * `form`. `zone`: for times without an offset, which do not fit without it.
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
  /** Which values say that a status is fit for an end consumer (seed 4.4, tracks), and what holds where none is found. */
  level: z
    .strictObject({
      from: paths.optional(),
      milestones: texts.default([]),
      otherwise: z.enum(['milestone', 'detail']).default('detail'),
    })
    .prefault({}),
  /** Codes behind which nothing follows; compared in small letters, after `code.codes`. */
  finalCodes: texts.default([]),
  /** X12 status codes (element 1650) for the 214, by our code; what has none is left out of it and counted. */
  x12: codeList.default({}),
});

export type AnswerMapping = z.output<typeof answerMapping>;

const { orderStatus } = NOT_SHOWN;

/** What stands where operators set nothing. */
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
