/** How long one reading takes when a process has done nothing else for a while. */
import { median } from './spread.ts';

export interface Reading<T> {
  ms: number;
  value: T;
}

/** The processor's time, garbage collection included: what other processes do on the machine does not count. */
export async function timed<T>(read: () => Promise<T>): Promise<Reading<T>> {
  const before = process.cpuUsage();
  const value = await read();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, value };
}

/** A small file is read in 15 ms: one collection of garbage within a single reading would double its time. */
const MEASURED_MS = 1_500;
const MEASURED_READINGS_MIN = 3;
/** Read again and again for so long that all is compiled as well as it will be: measured. Every side has the same time. */
const WARM_UP_MS = 3_000;

export async function warmUp(read: () => Promise<unknown>): Promise<void> {
  for (let warmMs = 0; warmMs < WARM_UP_MS; ) warmMs += (await timed(read)).ms;
}

/** @returns the median of several readings, and what the last one yielded. */
export async function medianReading<T>(read: () => Promise<T>): Promise<Reading<T>> {
  const readingsMs: number[] = [];
  for (let sumMs = 0; ; ) {
    const { ms, value } = await timed(read);
    readingsMs.push(ms);
    sumMs += ms;
    if (isMeasured(sumMs, readingsMs.length)) return { ms: median(readingsMs), value };
  }
}

/** Whether so many readings in so much time are enough. */
export const isMeasured = (sumMs: number, readings: number): boolean =>
  sumMs >= MEASURED_MS && readings >= MEASURED_READINGS_MIN;
