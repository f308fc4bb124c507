/** The address of an ops request → the environment it is about and its options, or what is wrong with it. Nothing is guessed. */
import type { Context } from 'hono';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { ENVIRONMENTS, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { ProblemWords } from '../edge/problem.ts';

export interface OpsQuery {
  environment: Environment;
  /** As given; options of a route are read from here by name. */
  get(name: string): string | undefined;
  dryRun: boolean;
  note: string;
  /** null: any version. */
  ifMatch: readonly string[] | null;
}

/** @param known the route's own parameters, beside `environment`. A misspelt `dryRun` must never publish for real. */
export function readOpsQuery(
  context: Context<HttpBindings>,
  known: readonly string[] = [],
): Result<OpsQuery, ProblemWords> {
  const given = context.req.query();
  const all = ['environment', ...known];
  const unknown = Object.keys(given).find((name) => !all.includes(name));
  if (unknown !== undefined) return err(parameterUnknown(unknown, all));
  const environment = environmentOf(given.environment, context.get('operator').environments);
  if (!environment.ok) return environment;
  const { dryRun = 'false', note = '' } = given;
  if (dryRun !== 'true' && dryRun !== 'false') return err(parameterInvalid('dryRun', dryRun, 'true or dryRun=false'));
  if (note.length > NOTE_CHARACTERS_MAX) {
    return err(parameterInvalid('note', note, `with at most ${NOTE_CHARACTERS_MAX} characters`));
  }
  return ok({
    environment: environment.value,
    get: (name) => given[name],
    dryRun: dryRun === 'true',
    note,
    ifMatch: readIfMatch(context.req.header('If-Match')),
  });
}

/** @returns the versions named, without their quotes; a weak tag, or a text that is no tag, matches nothing. */
export function readIfMatch(header: string | undefined): string[] | null {
  if (header === undefined) return null;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}

function environmentOf(asked: string | undefined, allowed: readonly Environment[]): Result<Environment, ProblemWords> {
  const [only, ...others] = allowed;
  if (asked === undefined) {
    if (only !== undefined && others.length === 0) return ok(only);
    return err({
      status: 400,
      code: 'environment_required',
      title: 'No environment named',
      detail: 'Your key may act on several environments, and the address names none.',
      fix: `Add ?environment= with one of ${allowed.join(', ')}.`,
    });
  }
  const known = ENVIRONMENTS.find((environment) => environment === asked);
  if (known === undefined) return err(parameterInvalid('environment', asked, ENVIRONMENTS.join(' or environment=')));
  if (allowed.includes(known)) return ok(known);
  return err({
    status: 403,
    code: 'environment_not_allowed',
    title: 'Environment not allowed',
    detail: `Your key may not act on the environment "${known}".`,
    fix: `Use one of ${allowed.join(', ')}, or another key.`,
  });
}

const parameterUnknown = (name: string, known: readonly string[]): ProblemWords => ({
  status: 400,
  code: 'parameter_unknown',
  title: 'Unknown parameter',
  detail: `There is no parameter "${name.slice(0, 40)}" here. Nothing was changed.`,
  fix: `Use ${known.join(', ')}, spelled like this.`,
});

const parameterInvalid = (name: string, value: string, wanted: string): ProblemWords => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}". Nothing was changed.`,
  fix: `Write ${name}=${wanted}.`,
});
