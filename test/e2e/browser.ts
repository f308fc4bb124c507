/**
 * A headless Chromium for the console tests: the one that comes with the npm package, or CHROMIUM_PATH.
 *
 * Background traffic is off: nothing may leave this machine.
 */
import packaged from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await packaged.executablePath());
  return chromium.launch({ executablePath, args: ARGS, headless: true });
}
