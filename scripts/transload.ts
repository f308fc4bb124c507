/**
 * The command `transload`, in a checkout: `npm run --silent transload -- …`. Built as one file of JavaScript by
 * `npm run build:command`, for `npm pack`.
 */
import nodeModule from 'node:module';

// Halves the time until the command does something. Node 20 has no such cache.
nodeModule.enableCompileCache?.();
const { runTransload } = await import('./transload/program.ts');
const { EXIT_CODES, processSurroundings } = await import('./transload/surroundings.ts');

// `… | head` closes the pipe when it has enough: no error of ours, but what was asked for may not be done.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT_CODES.unread.code : EXIT_CODES.notRun.code),
  );
process.exitCode = await runTransload(process.argv.slice(2), processSurroundings());
