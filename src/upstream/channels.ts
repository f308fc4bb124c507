/**
 * Channels: one set of upstream credentials each, read from configuration once and checked whole.
 *
 * Upstream origins come from here and from nowhere else, so no file, mapping or row can name a host.
 */
import { z } from 'zod';
import { ENVIRONMENTS, type Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { Secret } from '../kernel/secret.ts';
import { SCAC_FORM } from './contracts/bodies.ts';
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
const channelSecrets = z.record(
  z.string(),
  z.strictObject({ apiKey: z.string().min(1), clientId: z.string().optional(), clientSecret: z.string().min(1) }),
);

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
  const settings = z.array(channelSettings).safeParse(parseJson(texts.settings));
  const secrets = channelSecrets.safeParse(parseJson(texts.secrets));
  const problems = [
    ...(settings.success ? [] : issues('CHANNELS', settings.error)),
    ...(secrets.success ? [] : issues('CHANNEL_SECRETS', secrets.error)),
  ];
  if (!settings.success || !secrets.success) return err(problems);

  const channels = new Map<string, Channel>();
  settings.data.forEach((channel, index) => {
    const path = `CHANNELS[${index}]`;
    const secret = secrets.data[channel.name];
    if (channels.has(channel.name))
      problems.push({ path: `${path}.name`, message: `"${channel.name}" is there twice` });
    problems.push(...originProblems(`${path}.baseUrl`, channel.baseUrl, timeScale));
    if (!secret) {
      problems.push({ path: `CHANNEL_SECRETS.${channel.name}`, message: 'is missing' });
      return;
    }
    const { customerNumber, ...rest } = channel;
    channels.set(channel.name, {
      ...rest,
      ...(customerNumber === undefined ? {} : { customerNumber }),
      baseUrl: channel.baseUrl.replace(/\/+$/, ''),
      auth: { ...NOT_SHOWN.authByApi, ...(channel.auth as Partial<Record<UpstreamApi, AuthMethod>>) },
      apiKey: new Secret(secret.apiKey),
      clientId: new Secret(secret.clientId ?? secret.apiKey),
      clientSecret: new Secret(secret.clientSecret),
    });
  });
  problems.push(...sharedAddresses([...channels.values()]));
  return problems.length > 0 ? err(problems) : ok(channels);
}

function originProblems(path: string, baseUrl: string, timeScale: number): ConfigurationProblem[] {
  const url = new URL(baseUrl);
  const problems: ConfigurationProblem[] = [];
  if (url.username !== '' || url.password !== '') problems.push({ path, message: 'may not carry user or password' });
  if (url.search !== '' || url.hash !== '') problems.push({ path, message: 'may not carry a query or fragment' });
  if (isLoopback(url)) return problems;
  if (url.protocol !== 'https:') problems.push({ path, message: 'must be https (http is for loopback only)' });
  if (/^[\d.]+$|^\[/.test(url.hostname)) problems.push({ path, message: 'must name a host, not an IP address' });
  if (timeScale !== 1)
    problems.push({ path, message: `TIME_SCALE ${timeScale} is accepted for loopback upstreams only` });
  return problems;
}

/** A test channel may not share its address with a production one: the environment would then be a matter of luck. */
function sharedAddresses(channels: Channel[]): ConfigurationProblem[] {
  const addresses = new Map<string, Channel>();
  const problems: ConfigurationProblem[] = [];
  for (const channel of channels) {
    const other = addresses.get(channel.baseUrl);
    if (other && other.environment !== channel.environment) {
      problems.push({
        path: `CHANNELS.${channel.name}.baseUrl`,
        message: `is the address of ${other.environment} channel "${other.name}" too`,
      });
    }
    addresses.set(channel.baseUrl, channel);
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
