/** A deploy begins only where nothing is wrong: with the configuration, with what the account has, with the checkout. */
import { expect, it } from 'vitest';
import { deploy } from '../../../scripts/deploy.ts';
import type { Finding } from '../../../scripts/doctor/configuration.ts';

const finding = (level: Finding['level']): Finding => ({
  level,
  where: 'it',
  found: 'lacks a migration',
  fix: 'Apply it.',
});

async function deployed(findings: Finding[], fails: string | null = null) {
  const ran: string[] = [];
  const said: string[] = [];
  const asked: unknown[] = [];
  const isDone = await deploy('staging', {
    diagnose: async (wanted) => {
      asked.push([wanted.env, wanted.account]);
      return findings;
    },
    run: (command, args) => {
      const line = [command.split('/').at(-1), ...args].join(' ');
      ran.push(line);
      return line !== fails;
    },
    say: (text) => void said.push(text),
  });
  return { isDone, ran, said, asked };
}

it('asks the account too, checks the release, and deploys', async () => {
  expect(await deployed([finding('unsure')])).toEqual({
    ...{ isDone: true, ran: ['npm run check', 'wrangler deploy --env staging'], asked: [['staging', true]] },
    said: ['? it lacks a migration.\n  Apply it.'], // the account may not have been asked
  });
});

it('begins nothing where something is wrong, and says what', async () => {
  const { isDone, ran, said } = await deployed([finding('wrong')]);
  expect([isDone, ran, said]).toEqual([
    ...[false, [], ['✗ it lacks a migration.\n  Apply it.', 'Nothing was deployed to staging.']],
  ]);
});

it('deploys nothing that is not checked, and has not deployed what wrangler refused', async () => {
  const unchecked = await deployed([], 'npm run check');
  expect([unchecked.isDone, unchecked.ran, unchecked.said]).toEqual([
    ...[false, ['npm run check'], ['Nothing was deployed to staging.']],
  ]);
  const failed = await deployed([], 'wrangler deploy --env staging');
  expect([failed.isDone, failed.said]).toEqual([
    ...[false, ['Whether staging has it now, this says: npx wrangler deployments list --env staging']],
  ]);
});
