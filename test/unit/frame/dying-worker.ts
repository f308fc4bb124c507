/** A process of blocks that breaks at input 3, dies at 5, has no end at 9, and counts the others. */
import { answerBlocks } from '../../../scripts/frame/blocks.ts';

answerBlocks({
  none: () => ({ whole: 0 }),
  async one(_, input, counted) {
    if (input === 5) process.exit(7);
    if (input === 9) await new Promise((resolve) => setTimeout(resolve, 600_000));
    if (input === 3) return 'seed 3: broken';
    counted.whole += 1;
    return null;
  },
});
