/** What Linux knows of a process of ours: its descendants, its command, and the most memory it ever held. */
import { execFileSync } from 'node:child_process';
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

const parentOf = (pid: string): number | undefined => statFieldsOf(Number(pid))?.[1];

/** The command of `/proc/PID/stat` may hold anything, closing parentheses too: the fields after the last one, state first. */
function statFieldsOf(pid: number): number[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat
    ?.slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

let ticksPerSecond: number | undefined;

/** Processor time of a process so far, its threads included, in ms. Throws once it is gone. */
export function cpuMsOf(pid: number): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const fields = statFieldsOf(pid);
  if (fields === undefined) throw new Error(`process ${pid} is gone`);
  const [user = 0, system = 0] = fields.slice(11, 13);
  return ((user + system) / ticksPerSecond) * 1_000;
}

/** Memory that a process holds now. Throws once it is gone. */
export function residentBytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} is gone`);
  return Number(kilobytes) * 1024;
}

/** How many files it has open now. Throws once it is gone. */
export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** How many it may have open. Throws once it is gone. */
export function openFilesMaxOf(pid: number): number {
  const limit = /^Max open files +(\d+)/m.exec(read(`/proc/${pid}/limits`) ?? '')?.[1];
  if (limit === undefined) throw new Error(`process ${pid} is gone`);
  return Number(limit);
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
