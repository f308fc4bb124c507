/**
 * Runs many commands one after the other in this process, which sits in a terminal: a process each would cost a second.
 *
 * Usage: node terminal-session.ts CALLS.json
 */
import { readFileSync } from 'node:fs';
import { runTransload } from '../../scripts/transload/program.ts';
import { processSurroundings } from '../../scripts/transload/surroundings.ts';

export interface Call {
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
}

const [, , path = ''] = process.argv;
const surroundings = processSurroundings();
for (const { args, environment } of JSON.parse(readFileSync(path, 'utf8')) as Call[]) {
  const code = await runTransload(args, { ...surroundings, environment: { ...process.env, ...environment } });
  process.stdout.write(`\n<<exit ${code}>>\n`);
}
