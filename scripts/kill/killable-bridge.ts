/** The bridge of a stack, killed at any moment: also while it starts, long before it answers. */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Stack } from '../local/stack.ts';

export interface KillableBridge {
  /** Resolves when it answers, or false when it was killed before. */
  start(): Promise<boolean>;
  /** kill -9 of its process group; resolves when it is gone and may be started again. */
  kill(): Promise<void>;
  /** What `start` returned last. */
  started: Promise<boolean>;
}

export function killableBridge(stack: Stack): KillableBridge {
  let leader: ChildProcess | undefined;
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess };
    setImmediate(() => {
      // Told before it runs. The directory's commands name the folder too, but no `serve`.
      if (child.spawnargs.includes('serve') && child.spawnargs.includes(stack.persistTo)) leader = child;
    });
  });
  const bridge: KillableBridge = {
    started: Promise.resolve(true),
    start() {
      leader = undefined;
      bridge.started = stack.startBridge().then(
        () => true,
        (thrown: unknown) => {
          if (leader?.signalCode === 'SIGKILL') return false;
          throw thrown;
        },
      );
      return bridge.started;
    },
    async kill() {
      if (leader?.pid === undefined) return stack.bridge.kill();
      process.kill(-leader.pid, 'SIGKILL');
      if (await bridge.started) await stack.bridge.kill(); // waits until its port is free
    },
  };
  return bridge;
}
