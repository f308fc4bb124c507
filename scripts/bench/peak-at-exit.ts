/** Loaded before a command (`node --import`): when it ends, writes the most memory it held, as Linux counts it, to descriptor 3. */
import { readFileSync, writeSync } from 'node:fs';

process.on('exit', () => {
  writeSync(3, readFileSync('/proc/self/status', 'utf8'));
});
