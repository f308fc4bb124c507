/** Time this thread has computed, in ms: a bound on it holds on a machine that is busy with something else, too. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
