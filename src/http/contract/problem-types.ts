/**
 * What each code means, for `/problems/{code}`: the `type` of a refusal leads there. The words are those of the code
 * itself: `npm run reference` collects them.
 */
import { capital } from '../../kernel/text.ts';
import { didYouMean } from '../../mapping/document/nearest.ts';
import { problemAddress } from '../edge/reader.ts';
import found from './problem-types.json' with { type: 'json' };

/** @property area where the code is met: an answer, a file of some format, a mapping. */
interface FoundMessages {
  code: string;
  area: string;
  /** HTTP statuses of answers with it. */
  statuses: readonly number[];
  titles: readonly string[];
  says: readonly string[];
  fixes: readonly string[];
}

/** One place where a code is met. @property acts who acts next. */
export interface ProblemMeaning extends Omit<FoundMessages, 'code' | 'titles'> {
  acts: string;
}

export interface ProblemType {
  /** The address of this. */
  type: string;
  code: string;
  title: string;
  meanings: readonly ProblemMeaning[];
  /** An answer with it; null where no answer has it, only rows and files. */
  example: Readonly<Record<string, unknown>> | null;
}

let byCode: ReadonlyMap<string, readonly FoundMessages[]> | undefined;

function messages(): ReadonlyMap<string, readonly FoundMessages[]> {
  byCode ??= Map.groupBy(found as readonly FoundMessages[], ({ code }) => code);
  return byCode;
}

export const problemTypes = (): ProblemType[] => [...messages().keys()].flatMap((code) => problemType(code) ?? []);

export function problemType(code: string): ProblemType | undefined {
  const all = messages().get(code);
  if (all === undefined) return undefined;
  const title = all.flatMap(({ titles }) => titles)[0] ?? capital(code).replaceAll('_', ' ');
  return {
    ...{ type: problemAddress(code), code, title },
    meanings: all.map((each) => ({
      area: each.area,
      statuses: each.statuses,
      says: each.says,
      fixes: each.fixes,
      acts: actorOf(each),
    })),
    example: exampleOf(code, title, all),
  };
}

/** For programs: without the marks around what is an example. */
export const plainProblemType = (type: ProblemType): ProblemType => ({
  ...type,
  meanings: type.meanings.map((each) => ({ ...each, says: each.says.map(unmarked), fixes: each.fixes.map(unmarked) })),
});

const unmarked = (text: string): string => text.replace(/[‹›]/g, '');

/** The code that was probably meant; '' if none is near. */
export const nearestProblem = (code: string): string => didYouMean(code, new Set(messages().keys())).trim();

function exampleOf(code: string, title: string, all: readonly FoundMessages[]): ProblemType['example'] {
  const answer = all.find(({ statuses }) => statuses.length > 0);
  if (answer === undefined) return null;
  const [fix] = answer.fixes;
  return {
    ...{
      type: problemAddress(code),
      title,
      status: answer.statuses[0],
      detail: unmarked(answer.says[0] ?? title),
      code,
    },
    ...(fix === undefined ? {} : { fix: unmarked(fix) }),
    requestId: '5b0c6c1e-6a3c-4f0e-9d1a-2f6f1c1f7a10',
  };
}

/* Who acts. */

const OF_STATUS: Readonly<Record<number, string>> = {
  401: 'Whoever sent the request: with the right key. If yours should be right, the operator.',
  403: 'Whoever sent the request. What a key may do is decided by the operator.',
  410: 'Nobody: it is no longer kept.',
  429: 'Nobody: wait as long as Retry-After says, and send it again.',
};

function actorOf({ area, statuses }: FoundMessages): string {
  const [status] = statuses;
  if (status === undefined) return OF_AREA[area] ?? 'Whoever makes the file.';
  if (status >= 500) return 'Nobody at first: send it again as Retry-After says. If it stays, the operator.';
  return OF_STATUS[status] ?? 'Whoever sent the request.';
}

const OF_AREA: Readonly<Record<string, string>> = {
  'Changes of orders': 'The operator decides; the sender may send the order again.',
  'Mapping documents and code lists': 'Whoever writes the mapping or the code list.',
  'Answer mappings': 'The operator, who writes the answer mapping.',
};
