/** A process of its own that maps a file as one side does: `transform-side.ts KIND SIDE FILE`. */
import { readFileSync } from 'node:fs';
import { countingBodies } from './reading.ts';
import { takeTurns } from './sides.ts';
import { ours, theirs } from './transform.ts';

const [kindName, side, file = ''] = process.argv.slice(2);
const kind = kindName === 'json' ? 'json' : 'csv';
await takeTurns(async () => ({
  read: countingBodies(side === 'theirs' ? theirs(kind) : ours(kind), readFileSync(file)),
}));
