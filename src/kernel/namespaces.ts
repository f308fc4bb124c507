/** The bindings of a process that name objects, and where the platform keeps those. */

type Namespace = Pick<DurableObjectNamespace, 'getByName' | 'jurisdiction'>;

/** All objects of a process have the same bindings: these are looked for once. */
const known = new WeakMap<Env, readonly [name: string, namespace: Namespace][]>();

export function namespacesOf(env: Env): readonly [name: string, namespace: Namespace][] {
  const before = known.get(env);
  if (before !== undefined) return before;
  const found = Object.entries(env).filter((pair): pair is [string, Namespace] => isNamespace(pair[1]));
  known.set(env, found);
  return found;
}

const isNamespace = (binding: unknown): binding is Namespace =>
  typeof binding === 'object' &&
  binding !== null &&
  typeof (binding as { getByName?: unknown }).getByName === 'function';

const ofJurisdiction = new WeakMap<Env, Env>();

/**
 * The bindings of the jurisdiction that JURISDICTION names: objects are made, found and kept there alone. An object of the
 * same name in another one, or in none, is another object.
 */
export function inJurisdiction(env: Env): Env {
  const jurisdiction = env.JURISDICTION;
  if (jurisdiction === undefined || jurisdiction === '') return env;
  const before = ofJurisdiction.get(env);
  if (before !== undefined) return before;
  const there = namespacesOf(env).map(
    ([name, namespace]) => [name, namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction)] as const,
  );
  const made: Env = { ...env, ...Object.fromEntries(there) };
  ofJurisdiction.set(env, made);
  ofJurisdiction.set(made, made);
  return made;
}
