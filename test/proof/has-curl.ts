import { execFileSync } from 'node:child_process';

/** Whether this machine has curl. */
export const hasCurl = ((): boolean => {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
})();
