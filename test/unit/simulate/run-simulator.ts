/** The simulator in a process of its own: it takes over the clock, which a test runner needs for itself. */
import { execFile } from 'node:child_process';

export interface SimulatorRun {
  code: number;
  said: string;
}

export function simulate(...options: string[]): Promise<SimulatorRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/simulate.ts', ...options], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr });
    });
  });
}
