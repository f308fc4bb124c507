/**
 * Deploys to one environment, after the checks of a release and of its configuration.
 *
 *   npm run deploy -- --env staging|production
 *
 * Exit: 0 deployed; 1 something is wrong with it, and nothing was deployed; 2 could not run.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { described, diagnose } from './doctor.ts';
import { NotRun, runCommand, say } from './frame/command.ts';
import { PROJECT_ROOT } from './frame/kept-file.ts';

/** @throws NotRun */
function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: PROJECT_ROOT, stdio: 'inherit' });
  if (status !== 0) throw new NotRun(`${command} ${args.join(' ')} ended with ${status}. Nothing more was done.`);
}

await runCommand(async () => {
  const { env } = parseArgs({ options: { env: { type: 'string' } } }).values;
  if (env === undefined) throw new NotRun('Say where to: npm run deploy -- --env staging, or --env production.');
  const asked = { env, secrets: null, account: false, url: null, key: null };
  const wrong = (await diagnose(asked)).filter(({ level }) => level === 'wrong');
  if (wrong.length > 0) {
    for (const line of described(wrong)) say(line);
    say(`Nothing was deployed to ${env}.`);
    return false;
  }
  run('npm', ['run', 'check']);
  run(join(PROJECT_ROOT, 'node_modules/.bin/wrangler'), ['deploy', '--env', env]);
  return true;
});
