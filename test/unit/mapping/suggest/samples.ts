/** Samples as texts or bytes, and what is suggested for them with the mappings that ship. */
import { type Encoding, encodedText } from '../../../../src/formats/encoding.ts';
import { suggestMapping } from '../../../../src/mapping/suggest/suggest.ts';
import type { Question, SampleGiven, Shipped, Suggestion } from '../../../../src/mapping/suggest/suggestion.ts';
import { SHIPPED_LISTS, SHIPPED_TEXTS } from '../shipped.ts';

const SHIPPED: Shipped = { documents: SHIPPED_TEXTS, lists: SHIPPED_LISTS };

export interface Given extends Omit<SampleGiven, 'answers'> {
  answers?: Readonly<Record<string, string>>;
  encoding?: Encoding;
}

export async function suggestFor(sample: string | Uint8Array, given: Given = {}): Promise<Suggestion> {
  const { answers = {}, encoding = 'utf-8', ...more } = given;
  const bytes = typeof sample === 'string' ? encodedText(sample, encoding) : sample;
  if (bytes === undefined) throw new Error(`the sample cannot be written in ${encoding}`);
  return await suggestMapping(bytes, { ...more, answers: new Map(Object.entries(answers)) }, SHIPPED);
}

/** What each field reads: `loadNumber = Load [sure]`. */
export const fieldLines = ({ fields }: Suggestion): string[] =>
  fields.map(({ field, spec, confidence }) => `${field} = ${JSON.stringify(spec)} [${confidence}]`);

export const factOf = ({ format }: Suggestion, what: string): string | undefined =>
  format.flatMap((fact) => (fact.what === what ? [`${fact.value} [${fact.confidence}]`] : []))[0];

export const openIds = ({ questions }: Suggestion): string[] =>
  questions.filter(({ answer }) => answer === null).map(({ id }) => id);

export function questionOf({ questions }: Suggestion, id: string): Question {
  const found = questions.find((question) => question.id === id);
  if (found === undefined)
    throw new Error(`no question ${id}; there are ${questions.map((each) => each.id).join(', ')}`);
  return found;
}
