/** Whom a mapping is to be for, in the words of a caller → its owners, or what is wrong with the words. */
import type { Context } from 'hono';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { headOf } from '../../kernel/text.ts';
import type { Owners } from '../../ops/publishing/publication.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import type { ProblemWords } from '../edge/problem.ts';
import type { OpsQuery } from './query.ts';

export const OWNERS_PARAMETERS = ['partners', 'shared'];

/** Out of an address. @returns null: it does not say. */
export async function ownersAsked(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { environment, get }: OpsQuery,
): Promise<Result<Owners | null, ProblemWords>> {
  const [partners, shared] = [get('partners'), get('shared')];
  if (partners === undefined && shared === undefined) return ok(null);
  if (shared !== undefined && (shared !== 'true' || partners !== undefined)) return err(ownersUnreadable());
  if (partners === undefined) return ok('everybody');
  const names = partners.split(',').map((name) => name.trim());
  return knownOwners(context, ports, { environment, names });
}

/** A name nobody has would make the mapping nobody's, and a misspelt one somebody else's. */
export async function knownOwners(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { environment, names }: { environment: Environment; names: readonly string[] },
): Promise<Result<readonly string[], ProblemWords>> {
  const known = await ports.partners(context.env).names(environment);
  if (!known.ok) return err(DIRECTORY_UNAVAILABLE);
  const unknown = names.find((name) => !known.value.includes(name));
  return unknown === undefined ? ok([...new Set(names)].sort()) : err(partnerUnknown(unknown));
}

const ownersUnreadable = (): ProblemWords => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: 'The address does not say clearly whom the mapping is for. Nothing was changed.',
  fix: 'Write partners= with the names of partners, separated by commas, or shared=true; one of both.',
});

const DIRECTORY_UNAVAILABLE: ProblemWords = {
  status: 503,
  code: 'directory_unavailable',
  title: 'Directory unavailable',
  detail: 'Which partners there are cannot be read at the moment. Nothing was changed.',
  fix: 'Send the request again in a minute; a repeat is safe.',
};

const partnerUnknown = (name: string): ProblemWords => ({
  status: 422,
  code: 'partner_unknown',
  title: 'Unknown partner',
  detail: `No partner "${headOf(name, 64)}" has ever had a key of this environment. Nothing was changed.`,
  fix: 'Check the name and the environment; a partner exists from its first key on.',
});
