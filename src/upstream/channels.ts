/**
 * Channels: one set of upstream credentials each, read from configuration once and checked whole.
 *
 * Upstream origins come from here and from nowhere else, so no file, mapping or row can name a host.
 */
import { z } from 'zod';
import { ENVIRONMENTS, type Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { Secret } from '../kernel/secret.ts';
import { HEADER_TEXT_FORM, SCAC_FORM } from './contracts/bodies.ts';
import { type AuthMethod, NOT_SHOWN, type UpstreamApi } from './contracts/not-shown.ts';

const authMethod = z.enum(['key', 'key+bearer']);

const channelSettings = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and dashes'),
  environment: z.enum(ENVIRONMENTS),
  baseUrl: z.url(),
  /** Which of the two token endpoints of seed 4.1 issues this channel's tokens. */
  tokenEndpoint: z.enum(['oauth', 'plain']).default('oauth'),
  scacs: z.array(z.string().regex(SCAC_FORM, 'two to four capital letters')).min(1),
  customerNumber: z.string().optional(),
  auth: z
    .partialRecord(z.enum(Object.keys(NOT_SHOWN.authByApi) as [UpstreamApi, ...UpstreamApi[]]), authMethod)
    .default({}),
});
/** They go into headers and forms: anything else would fail every call before it leaves. */
const secretText = z.string().regex(HEADER_TEXT_FORM, 'must be visible ASCII without blanks');
const channelSecret = z.strictObject({
  apiKey: secretText,
  clientId: secretText.optional(),
  clientSecret: secretText,
});

export interface Channel {
  name: string;
  environment: Environment;
  /** Without a trailing slash. */
  baseUrl: string;
  tokenEndpoint: 'oauth' | 'plain';
  scacs: readonly string[];
  customerNumber?: string;
  auth: Record<UpstreamApi, AuthMethod>;
  apiKey: Secret;
  /** For token endpoint 2 (seed 4.1); the API key where none is set. */
  clientId: Secret;
  clientSecret: Secret;
}

export interface ConfigurationProblem {
  path: string;
  message: string;
}

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);
const isLoopback = (url: URL): boolean => LOOPBACK_HOSTS.has(url.hostname);

/**
 * @param settings JSON of the variable CHANNELS; @param secrets JSON of the secret CHANNEL_SECRETS, by channel name.
 * @returns every problem at once, each with its path; secrets are never quoted.
 */
export function readChannels(
  texts: { settings: string; secrets: string },
  timeScale: number,
): Result<ReadonlyMap<string, Channel>, ConfigurationProblem[]> {
  const settings = z.array(z.unknown()).safeParse(parseJson(texts.settings));
  const secrets = z.record(z.string(), z.unknown()).safeParse(parseJson(texts.secrets));
  const problems = [
    ...(settings.success ? [] : issues('CHANNELS', settings.error)),
    ...(secrets.success ? [] : issues('CHANNEL_SECRETS', secrets.error)),
  ];
  const channels = new Map<string, Channel>();
  for (const [index, one] of (settings.data ?? []).entries()) {
    const read = readChannel(`CHANNELS[${index}]`, one, secrets.data ?? {}, timeScale);
    problems.push(...read.problems);
    if (!read.channel) continue;
    if (channels.has(read.channel.name)) {
      problems.push({ path: `CHANNELS[${index}].name`, message: `"${read.channel.name}" is there twice` });
    }
    channels.set(read.channel.name, read.channel);
  }
  problems.push(...sharedOrigins([...channels.values()]));
  return problems.length > 0 ? err(problems) : ok(channels);
}

/** What of it is readable is checked even where the rest is not, so that one round of corrections is enough. */
function readChannel(
  path: string,
  value: unknown,
  secrets: Record<string, unknown>,
  timeScale: number,
): { channel?: Channel; problems: ConfigurationProblem[] } {
  const parsed = channelSettings.safeParse(value);
  const loose = z.looseObject({ name: z.string().catch(''), baseUrl: z.string().catch('') }).safeParse(value);
  const { name, baseUrl } = loose.data ?? { name: '', baseUrl: '' };
  const secret = Object.hasOwn(secrets, name) ? channelSecret.safeParse(secrets[name]) : undefined;
  const problems = [
    ...(parsed.success ? [] : issues(path, parsed.error)),
    ...(URL.canParse(baseUrl) ? originProblems(`${path}.baseUrl`, baseUrl, timeScale) : []),
    ...(name !== '' && secret === undefined ? [{ path: `CHANNEL_SECRETS.${name}`, message: 'is missing' }] : []),
    ...(secret && !secret.success ? issues(`CHANNEL_SECRETS.${name}`, secret.error) : []),
  ];
  if (!parsed.success || !secret?.success) return { problems };
  const { customerNumber, auth, ...rest } = parsed.data;
  const channel: Channel = {
    ...rest,
    ...(customerNumber === undefined ? {} : { customerNumber }),
    baseUrl: new URL(baseUrl).href.replace(/\/+$/, ''),
    auth: { ...NOT_SHOWN.authByApi, ...(auth as Partial<Record<UpstreamApi, AuthMethod>>) },
    apiKey: new Secret(secret.data.apiKey),
    clientId: new Secret(secret.data.clientId ?? secret.data.apiKey),
    clientSecret: new Secret(secret.data.clientSecret),
  };
  return { channel, problems };
}

function originProblems(path: string, baseUrl: string, timeScale: number): ConfigurationProblem[] {
  const url = new URL(baseUrl);
  const problems: ConfigurationProblem[] = [];
  if (url.username !== '' || url.password !== '') problems.push({ path, message: 'may not carry user or password' });
  if (url.search !== '' || url.hash !== '') problems.push({ path, message: 'may not carry a query or fragment' });
  if (url.protocol !== 'https:' && url.protocol !== 'http:') problems.push({ path, message: 'must be https' });
  if (isLoopback(url)) return problems;
  if (url.protocol === 'http:') problems.push({ path, message: 'must be https (http is for loopback only)' });
  if (/^[\d.]+$|^\[/.test(url.hostname)) problems.push({ path, message: 'must name a host, not an IP address' });
  if (timeScale !== 1)
    problems.push({ path, message: `TIME_SCALE ${timeScale} is accepted for loopback upstreams only` });
  return problems;
}

/**
 * A test channel may not share an origin with a production one: the environment would then be a matter of luck.
 * On loopback the path tells them apart, because the sandbox serves both.
 */
function sharedOrigins(channels: Channel[]): ConfigurationProblem[] {
  const owners = new Map<string, Channel>();
  const problems: ConfigurationProblem[] = [];
  for (const channel of channels) {
    const url = new URL(channel.baseUrl);
    const place = isLoopback(url) ? url.href : url.origin;
    const other = owners.get(place);
    if (other && other.environment !== channel.environment) {
      problems.push({
        path: `CHANNELS.${channel.name}.baseUrl`,
        message: `is the address of ${other.environment} channel "${other.name}" too`,
      });
    }
    owners.set(place, channel);
  }
  return problems;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the schema then says what was wanted
  }
}

function issues(root: string, error: z.ZodError): ConfigurationProblem[] {
  return error.issues.map((issue) => ({ path: [root, ...issue.path].join('.'), message: issue.message }));
}
