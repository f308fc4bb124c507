/** Starts what all files of the console's browser tests share, once. */
import type { TestProject } from 'vitest/node';
import { stageWork } from './staged-work.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stack, work } = await stageWork();
  project.provide('staged', work);
  return () => stack.stop();
}
