/** Which bridge is asked, and as whom: profiles in a file of the user's own, or the environment. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { didYouMean } from '../../src/mapping/document/nearest.ts';
import { NotRun } from '../frame/command.ts';
import type { Surroundings } from './surroundings.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** What group and others must not have. */
const OTHERS_BITS = 0o077;

const profilesFile = z.object({
  current: z.string(),
  profiles: z.record(z.string(), z.object({ url: z.string(), key: z.string() })),
});
type Profiles = z.output<typeof profilesFile>;

/** @property environment null: the key names one only. */
export interface AskedBridge {
  url: string;
  key: string;
  environment: string | null;
}

/** What every command that asks a bridge takes. */
export interface BridgeOptions {
  profile?: string;
  url?: string;
  environment?: string;
}

type Environment = Surroundings['environment'];

function profilesPath(environment: Environment): string {
  const base =
    environment.XDG_CONFIG_HOME ||
    (process.platform === 'win32' ? environment.APPDATA : undefined) ||
    join(environment.HOME || homedir(), '.config');
  return join(base, 'transload', 'profiles.json');
}

export function readProfiles(environment: Environment): Profiles {
  const path = profilesPath(environment);
  if (!existsSync(path)) return { current: 'default', profiles: {} };
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_BITS) !== 0) {
    throw new NotRun(`${path} holds keys and may be read by others. Change that: chmod 600 ${path}`);
  }
  const read = profilesFile.safeParse(parsed(readFileSync(path, 'utf8')));
  if (!read.success) throw new NotRun(`${path} cannot be read. Remove it and log in again.`);
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Moved into its place whole; nobody else may read it at any moment. */
export function writeProfiles(environment: Environment, profiles: Profiles): string {
  const path = profilesPath(environment);
  mkdirSync(join(path, '..'), { recursive: true, mode: FOLDER_MODE });
  writeFileSync(`${path}.new`, `${JSON.stringify(profiles, null, 2)}\n`, { mode: FILE_MODE });
  chmodSync(`${path}.new`, FILE_MODE);
  renameSync(`${path}.new`, path);
  return path;
}

/** @returns the address without a slash at its end. @throws NotRun also where a key would travel in the clear. */
export function bridgeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new NotRun(`"${text}" is no address such as https://bridge.example.`);
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|.*\.test)$/.test(url.hostname);
  if (url.protocol === 'http:' && !isHere)
    throw new NotRun(`The key would travel unencrypted. Use https://${url.host}.`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** The environment first, then the profile; a variable that is empty says nothing. @throws NotRun where one of them is missing. */
export function bridgeIn(options: BridgeOptions, environment: Environment): AskedBridge {
  const { name, profile } = profileIn(options, environment);
  const named = options.url ?? (environment.TRANSLOAD_URL || undefined);
  const url = named ?? profile?.url;
  const ownKey = environment.TRANSLOAD_KEY;
  const key = ownKey || profile?.key;
  if (!url)
    throw new NotRun('Say where the bridge is: transload login, --url https://…, or TRANSLOAD_URL in the environment.');
  if (!key) throw new NotRun('Say who you are: transload login, or TRANSLOAD_KEY in the environment.');
  if (!ownKey && profile !== undefined && bridgeUrl(url) !== profile.url) {
    throw new NotRun(
      `The key of the profile "${name}" is for ${profile.url} and is sent nowhere else. For ${url}: transload login --profile NAME --url ${url}.`,
    );
  }
  return { url: bridgeUrl(url), key, environment: options.environment ?? (environment.TRANSLOAD_ENVIRONMENT || null) };
}

function profileIn(options: BridgeOptions, environment: Environment) {
  const asked = options.profile ?? (environment.TRANSLOAD_PROFILE || undefined);
  if (asked === undefined && environment.TRANSLOAD_URL && environment.TRANSLOAD_KEY)
    return { name: '', profile: undefined };
  const { current, profiles } = readProfiles(environment);
  const name = asked ?? current;
  const profile = profiles[name];
  if (profile === undefined && asked !== undefined) {
    const near = didYouMean(asked, Object.keys(profiles));
    throw new NotRun(`There is no profile "${asked}".${near} Make it: transload login --profile ${asked}`);
  }
  return { name, profile };
}

/** Keys of operators begin so; those of partners name their environment instead. */
export const isOperators = ({ key }: Pick<AskedBridge, 'key'>): boolean => key.startsWith('tlops_');
