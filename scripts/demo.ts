/**
 * The whole product on this machine: starts sandbox and bridge on loopback, uploads the sample files as a partner would,
 * and shows what became of the rows.
 *
 *   npm run demo             stays up afterwards, with a console, keys and things to try
 *   npm run demo -- --once   exits with the summary; 0 when every row reached a final state
 *   npm run demo -- --rows 20000   a file of so many milestones besides, 20 of each load
 */
import { startSpinner } from './demo/spinner.ts';

// Seen at once: what follows takes a moment to load.
const spinner = startSpinner(process.stdout);
spinner.phase('Starting the sandbox (a stand-in for the receiving system) and the bridge on this machine');
const { runDemo } = await import('./demo/run.ts');
process.exit(await runDemo(spinner, process.argv.slice(2)));
