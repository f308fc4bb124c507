/** What Linux knows of a process of ours: its descendants, its command, and the most memory it ever held. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export const hasProcessFiles = (): boolean => {
  try {
    return readFileSync('/proc/self/status', 'utf8').includes('VmHWM');
  } catch {
    return false;
  }
};

/** The processes below one, children before grandchildren. Those that end meanwhile are left out. */
export function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    return parent === undefined ? [] : [{ pid: Number(name), parent }];
  });
  const below = (of: number): number[] => {
    const children = parents.filter(({ parent }) => parent === of).map((child) => child.pid);
    return [...children, ...children.flatMap(below)];
  };
  return below(pid);
}

/** The command of `/proc/PID/stat` may hold anything, closing parentheses too: what follows the last one counts. */
function parentOf(pid: string): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** File name of the program a process runs. */
export const programOf = (pid: number): string =>
  (read(`/proc/${pid}/cmdline`) ?? '').split('\0')[0]?.split('/').at(-1) ?? '';

/** @returns bytes; undefined once the process is gone. */
export function peakBytesOf(pid: number): number | undefined {
  const status = read(`/proc/${pid}/status`);
  return status === undefined ? undefined : peakBytesIn(status);
}

/** From now on the most memory it holds is counted anew (`man 5 proc`, clear_refs). */
export const forgetPeakOf = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** @param status the text of `/proc/PID/status`; VmHWM is the largest resident set so far, in kB of 1,024 bytes. */
export function peakBytesIn(status: string): number | undefined {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
