/** The hostile partner in a thread of its own: what it sends must not hold up the clock that the others are timed by. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Answers, beHostile, type HostilePlan } from './hostile-partner.ts';

export const beHostileInThread = (plan: HostilePlan): Promise<Answers> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(import.meta.filename, { workerData: { hostile: plan } });
    thread.once('message', resolve);
    thread.once('error', reject);
  });

const plan = (workerData as { hostile?: HostilePlan } | null)?.hostile;
if (!isMainThread && plan !== undefined) parentPort?.postMessage(await beHostile(plan));
