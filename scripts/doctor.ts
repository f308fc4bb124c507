/**
 * Says what is wrong with a deployment, and what to do: configuration, bindings, secrets, clock, database, the way to the
 * receiving system.
 *
 *   npm run doctor                                          what wrangler.toml says, of each environment
 *   npm run doctor -- --env staging                         of one
 *   npm run doctor -- --env staging --secrets secrets.json  and the values of its secrets
 *   npm run doctor -- --env staging --account               and what the account says: secrets set, migrations applied
 *   npm run doctor -- --env staging --url https://HOST      and whether it answers; with TRANSLOAD_KEY also its channels
 *
 * Exit: 0 nothing is wrong; 1 something is; 2 could not run.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { ENVIRONMENTS } from '../src/kernel/names.ts';
import { accountFindings, type Wrangler } from './doctor/account.ts';
import { configurationFindings, type DeployedConfig, type Finding, type KnownSecrets } from './doctor/configuration.ts';
import { runningFindings } from './doctor/running.ts';
import { NotRun, runCommand, say } from './frame/command.ts';
import { PROJECT_ROOT } from './frame/kept-file.ts';
import { bridgeUrl } from './transload/profiles.ts';

const DEPLOYED = ['staging', 'production'] as const;

interface Asked {
  /** null: all of them. */
  env: string | null;
  /** Path of a JSON file with values of secrets. */
  secrets: string | null;
  account: boolean;
  url: string | null;
  key: string | null;
}

const configOf = (env?: string): DeployedConfig =>
  unstable_readConfig(
    { config: join(PROJECT_ROOT, 'wrangler.toml'), ...(env === undefined ? {} : { env }) },
    { hideWarnings: true },
  );

/** The account's answers, through wrangler as it is signed in here. */
const runWrangler: Wrangler = (args) =>
  new Promise((resolve) => {
    const path = join(PROJECT_ROOT, 'node_modules/.bin/wrangler');
    execFile(path, args, { cwd: PROJECT_ROOT }, (error, output, errors) => {
      resolve({ isDone: error === null, output, errors });
    });
  });

export async function diagnose(asked: Asked, wrangler: Wrangler = runWrangler): Promise<Finding[]> {
  const names = asked.env === null ? [...DEPLOYED] : [asked.env];
  const unknown = names.find((name) => !DEPLOYED.some((known) => known === name));
  if (unknown !== undefined) throw new NotRun(`there is no environment "${unknown}": use ${DEPLOYED.join(' or ')}`);
  const url = asked.url === null ? null : bridgeUrl(asked.url);
  const local = configOf();
  const all = Object.fromEntries(DEPLOYED.map((name) => [name, configOf(name)]));
  const findings: Finding[] = [];
  for (const environment of names) {
    const { [environment]: config = local, ...others } = all;
    const account = asked.account ? await accountFindings(environment, wrangler) : null;
    const given = secretsIn(asked.secrets);
    const secrets = withoutUnset(given, account?.secrets ?? null);
    findings.push(
      ...configurationFindings({ environment, config, local, others, secrets }),
      ...(account?.findings ?? []),
    );
  }
  if (url !== null)
    findings.push(...(await runningFindings({ url, key: asked.key, fetch, nowMs: Date.now }, ENVIRONMENTS)));
  return findings;
}

/** What the account does not have is not set, whatever a file says of it. */
function withoutUnset(given: KnownSecrets | null, inAccount: KnownSecrets | null): KnownSecrets | null {
  if (given === null || inAccount === null) return given ?? inAccount;
  return Object.fromEntries(Object.keys(inAccount).map((name) => [name, given[name as keyof KnownSecrets] ?? null]));
}

function secretsIn(path: string | null): KnownSecrets | null {
  if (path === null) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as KnownSecrets;
  } catch (thrown) {
    throw new NotRun(`${path} cannot be read as JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

export function described(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ['Nothing is wrong.'];
  const sign = { wrong: '✗', unsure: '?' } as const;
  return findings.map(({ level, where, found, fix }) => `${sign[level]} ${where} ${found}.\n  ${fix}`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      env: { type: 'string' },
      secrets: { type: 'string' },
      account: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  await runCommand(async () => {
    const asked: Asked = {
      env: values.env ?? null,
      secrets: values.secrets ?? null,
      account: values.account,
      url: values.url ?? null,
      key: process.env.TRANSLOAD_KEY ?? null,
    };
    const findings = await diagnose(asked);
    for (const line of described(findings)) say(line);
    return findings.every(({ level }) => level !== 'wrong');
  });
}
