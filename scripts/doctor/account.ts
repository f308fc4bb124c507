/** What the account says of a deployment, asked through wrangler: which secrets are set, which migrations are not applied. */
import type { Finding, KnownSecrets } from './configuration.ts';

/** Runs wrangler with arguments, as it is signed in here. */
export type Wrangler = (args: readonly string[]) => Promise<{ isDone: boolean; output: string; errors: string }>;

interface AccountAnswer {
  /** Names alone: values never leave the account. null: it did not say. */
  secrets: KnownSecrets | null;
  findings: Finding[];
}

export async function accountFindings(environment: string, wrangler: Wrangler): Promise<AccountAnswer> {
  const listed = await wrangler(['secret', 'list', '--env', environment, '--format', 'json']);
  const names = listed.isDone ? namesIn(listed.output) : null;
  const migrations = await wrangler(['d1', 'migrations', 'list', 'DIRECTORY', '--remote', '--env', environment]);
  const secrets = names && Object.fromEntries(names.map((name) => [name, null]));
  return {
    secrets,
    findings: [
      ...(names === null ? [notSaid(`secrets of ${environment}`, listed.errors)] : []),
      ...migrationFindings(environment, migrations),
    ],
  };
}

function namesIn(output: string): string[] | null {
  try {
    const list = JSON.parse(output.slice(output.indexOf('['))) as { name: string }[];
    return list.map(({ name }) => name);
  } catch {
    return null;
  }
}

const notSaid = (where: string, errors: string): Finding => ({
  level: 'unsure',
  where,
  found: `could not be asked: ${errors.trim().split('\n')[0] ?? ''}`,
  fix: 'Sign in (npx wrangler login), and deploy once: a Worker that was never deployed has no secrets.',
});

function migrationFindings(environment: string, { isDone, output, errors }: Awaited<ReturnType<Wrangler>>): Finding[] {
  const where = `env.${environment}.d1_databases.DIRECTORY`;
  if (!isDone) return [notSaid(where, errors)];
  const waiting = [...new Set(output.match(/\b\d{4}_[a-z0-9_]+\.sql\b/g) ?? [])];
  if (waiting.length === 0) return [];
  return [
    {
      level: 'wrong',
      where,
      found: `lacks ${waiting.length === 1 ? 'a migration' : `${waiting.length} migrations`}: ${waiting.join(', ')}`,
      fix: `Apply them before the deploy: npx wrangler d1 migrations apply DIRECTORY --remote --env ${environment}.`,
    },
  ];
}
