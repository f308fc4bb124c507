/** A process of blocks that breaks at input 3, dies at 5, has no end at 9, at 10 once, and counts the others. */
import { existsSync, writeFileSync } from 'node:fs';
import { answerBlocks } from '../../../scripts/frame/blocks.ts';

const HUNG = `${process.argv[2]}-hung-at-10`;
const forEver = () => new Promise((resolve) => setTimeout(resolve, 600_000));

answerBlocks({
  none: () => ({ whole: 0 }),
  async one(_, input, counted) {
    if (input === 5) process.exit(7);
    if (input === 9) await forEver();
    if (input === 10 && !existsSync(HUNG)) {
      writeFileSync(HUNG, '');
      await forEver();
    }
    if (input === 3) return 'seed 3: broken';
    counted.whole += 1;
    return null;
  },
});
