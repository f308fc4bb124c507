/** Says at the end of a run how many tests of real files were left out, because their folder is not there. */
import type { Reporter, TestModule } from 'vitest/node';

/** Ends the names of such tests. */
export const LEFT_OUT = ' (left out: no real files)';

export const leftOut: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const all = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const count = all.filter(({ name }) => name.endsWith(LEFT_OUT)).length;
    if (count > 0) console.log(`${count} tests of real files were left out: TRANSLOAD_CORPUS names no folder.`);
  },
};
