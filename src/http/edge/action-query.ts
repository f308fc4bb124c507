/** Texts of an address that acts → what is asked. Pure. Nothing is guessed: a misspelt `dryRun` must never act for real. */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ProblemWords } from './problem.ts';

export type Parameters = Readonly<Record<string, string>>;

/** @returns the first parameter that is not among `known`, in words. */
export function onlyKnown(parameters: Parameters, known: readonly string[]): Result<null, ProblemWords> {
  const unknown = Object.keys(parameters).find((name) => !known.includes(name));
  if (unknown === undefined) return ok(null);
  return err({
    status: 400,
    code: 'parameter_unknown',
    title: 'Unknown parameter',
    detail: `There is no parameter "${unknown.slice(0, 40)}" here. Nothing was done.`,
    fix: known.length === 0 ? 'Leave it out: this address has none.' : `Use ${known.join(', ')}, spelled like this.`,
  });
}

/** @returns false where it is not given. */
export function readFlag(parameters: Parameters, name: string): Result<boolean, ProblemWords> {
  const text = parameters[name] ?? 'false';
  if (text === 'true' || text === 'false') return ok(text === 'true');
  return err(invalid(name, text, `true or ${name}=false`));
}

/** Several, separated by commas. @returns all of them where none is given. */
export function readChoice<Choice extends string>(
  parameters: Parameters,
  name: string,
  choices: readonly Choice[],
): Result<Choice[], ProblemWords> {
  const text = parameters[name];
  if (text === undefined) return ok([...choices]);
  const asked = text.split(',').map((part) => part.trim());
  const known = choices.filter((choice) => asked.includes(choice));
  const isKnown = (part: string): boolean => choices.some((choice) => choice === part);
  return asked.every(isKnown) ? ok(known) : err(invalid(name, text, `one or several of ${choices.join(', ')}`));
}

const invalid = (name: string, value: string, wanted: string): ProblemWords => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}". Nothing was done.`,
  fix: `Write ${name}=${wanted}.`,
});
