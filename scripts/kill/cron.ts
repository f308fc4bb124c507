/** Calls the bridge's cron path once a minute of its clock, as the platform would: `wrangler dev` does not by itself. */
const MINUTE_MS = 60_000;

export interface Cron {
  stop(): void;
}

/** @param address of the bridge that runs now; while none answers, the minute passes. */
export function startCron(address: () => string, timeScale: number): Cron {
  const timer = setInterval(() => {
    fetch(`${address()}/cdn-cgi/handler/scheduled`).catch(() => undefined);
  }, MINUTE_MS / timeScale);
  return { stop: () => clearInterval(timer) };
}
