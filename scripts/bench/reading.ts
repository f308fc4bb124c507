/** How long one reading takes, in a process that does nothing else. */

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

/** Read again and again for so long that all is compiled as well as it will be: measured. Every side has the same time. */
const WARM_UP_MS = 3_000;

export async function warmUp(read: () => Promise<unknown>): Promise<void> {
  for (let warmMs = 0; warmMs < WARM_UP_MS; ) warmMs += (await timed(read)).ms;
}

/** The mean, so that each collection of garbage counts, whichever reading it falls into. */
export function meanReading<T>(readings: readonly Reading<T>[]): Reading<T> {
  const last = readings.at(-1);
  if (last === undefined) throw new Error('nothing was read');
  return { ms: sumMs(readings) / readings.length, value: last.value };
}

export const sumMs = (readings: readonly Reading<unknown>[]): number => readings.reduce((sum, { ms }) => sum + ms, 0);

/** @returns a reading of these bytes, which yields how many bodies there are. */
export const countingBodies =
  <Bytes>(transform: (bytes: Bytes, take: (body: string) => void) => Promise<void>, bytes: Bytes) =>
  async (): Promise<number> => {
    let bodies = 0;
    await transform(bytes, () => {
      bodies += 1;
    });
    return bodies;
  };
