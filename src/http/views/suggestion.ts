/**
 * A mapping suggested for a sample: `POST …/mappings/suggest`, alike for partners and operators. The body is the sample
 * itself, or its first part; nothing is stored.
 */
import type { Context } from 'hono';
import { err, ok, type Result } from '../../kernel/result.ts';
import { suggestMapping } from '../../mapping/suggest/suggest.ts';
import type { SampleGiven } from '../../mapping/suggest/suggestion.ts';
import { PREVIEW_BYTES_MAX } from '../../ops/publishing/limits.ts';
import type { AuthorsFacts } from '../../ops/publishing/try-mapping.ts';
import { readBody } from '../edge/body.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { onlyKnown } from '../edge/query.ts';

/** Parameters of the address, beside those of operators. */
export const SUGGEST_PARAMETERS = ['fileName', 'answer', 'isPart'];

export async function suggestAnswer(context: Context, { bases, lists }: AuthorsFacts): Promise<Response> {
  const given = readGiven(context);
  if (!given.ok) return problem(context, given.error);
  const body = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, PREVIEW_BYTES_MAX);
  if (!body.ok) return problem(context, body.error.code === 'too_large' ? TOO_LARGE : NO_SAMPLE);
  if (body.value.byteLength === 0) return problem(context, NO_SAMPLE);
  return context.json(await suggestMapping(body.value, given.value, { documents: bases, lists }));
}

/** `answer=ID:CHOICE`, any number of times. */
function readGiven({ req }: Context): Result<SampleGiven, ProblemMessages> {
  const known = onlyKnown(req.query(), [...SUGGEST_PARAMETERS, 'environment']);
  if (!known.ok) return known;
  const fileName = req.query('fileName');
  const isPart = req.query('isPart') === 'true';
  const answers = new Map<string, string>();
  for (const answer of req.queries('answer') ?? []) {
    const at = answer.indexOf(':');
    if (at < 1) return err(answerUnreadable(answer));
    answers.set(answer.slice(0, at), answer.slice(at + 1));
  }
  return ok({ answers, isPart, ...(fileName === undefined ? {} : { fileName }) });
}

const answerUnreadable = (answer: string): ProblemMessages => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter answer is "${answer.slice(0, 40)}". Nothing was done.`,
  fix: 'Write answer=QUESTION:CHOICE, with the id of a question and one of its choices.',
});

const NO_SAMPLE: ProblemMessages = {
  status: 400,
  code: 'empty',
  title: 'No sample',
  detail: 'The body has no bytes, or was cut off.',
  fix: 'Send the file itself as the body: curl --data-binary @FILE.',
};

const TOO_LARGE: ProblemMessages = {
  status: 413,
  code: 'too_large',
  title: 'Sample too large',
  detail: `A sample has at most ${PREVIEW_BYTES_MAX} bytes.`,
  fix: 'Send the first part of the file, with isPart=true. A workbook must be whole: save it with fewer rows.',
};
