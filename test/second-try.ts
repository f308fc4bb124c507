/**
 * Tests that wait for a browser, a process or a clock may try once more in CI, whose machine is shared: there a late answer
 * costs the whole run. Each that needed it is named at the end, because it is a fault: of the test, or of what it tests.
 */
import type { Reporter, TestModule } from 'vitest/node';

/** Nowhere else: whoever works on a test sees it fail. */
export const SECOND_TRIES = process.env.CI ? 1 : 0;

export const secondTry: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky),
    );
    for (const test of flaky) {
      const why = test.result().errors?.map(({ message }) => message) ?? [];
      console.log(
        [`passed only at its second try: ${test.module.relativeModuleId} > ${test.fullName}`, ...why].join('\n'),
      );
    }
  },
};
