/**
 * Deploys to one environment, after the checks of a release, of its configuration, and of what the account has of it: its
 * secrets, and whether migrations wait.
 *
 *   npm run deploy -- --env staging|production
 *
 * Exit: 0 deployed; 1 something is wrong with it, and it says whether anything was deployed; 2 could not run.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { described, diagnose } from './doctor.ts';
import { NotRun, runCommand, say } from './frame/command.ts';
import { PROJECT_ROOT } from './frame/kept-file.ts';

interface Ports {
  diagnose: typeof diagnose;
  /** @returns whether it ended well. */
  run(command: string, args: readonly string[]): boolean;
  say(text: string): void;
}

/** @returns whether it is deployed. */
export async function deploy(env: string, ports: Ports): Promise<boolean> {
  const asked = { env, secrets: null, account: true, url: null, key: null };
  const findings = await ports.diagnose(asked);
  for (const line of findings.length > 0 ? described(findings) : []) ports.say(line);
  const isWrong = findings.some(({ level }) => level === 'wrong');
  if (isWrong || !ports.run('npm', ['run', 'check'])) {
    ports.say(`Nothing was deployed to ${env}.`);
    return false;
  }
  const isDeployed = ports.run(join(PROJECT_ROOT, 'node_modules/.bin/wrangler'), ['deploy', '--env', env]);
  if (!isDeployed) ports.say(`Whether ${env} has it now, this says: npx wrangler deployments list --env ${env}`);
  return isDeployed;
}

/** @throws NotRun where it cannot be started. */
function run(command: string, args: readonly string[]): boolean {
  const { status, error } = spawnSync(command, args, { cwd: PROJECT_ROOT, stdio: 'inherit' });
  if (error !== undefined) throw new NotRun(`${command} cannot be started: ${error.message}`);
  return status === 0;
}

if (import.meta.main) {
  await runCommand(async () => {
    const { env } = parseArgs({ options: { env: { type: 'string' } } }).values;
    if (env === undefined) throw new NotRun('Say where to: npm run deploy -- --env staging, or --env production.');
    return deploy(env, { diagnose, run, say });
  });
}
