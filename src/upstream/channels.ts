/**
 * Channels: one set of upstream credentials each, read from configuration once and validated as a whole.
 *
 * Upstream origins come from here only, so no file, mapping or row can name a host.
 */
import * as z from 'zod';
import { CHANNEL_BURST_DEFAULT, CHANNEL_BURST_MAX, CHANNEL_RATE_DEFAULT, CHANNEL_RATE_MAX } from '../kernel/limits.ts';
import { ENVIRONMENTS, type Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { Secret } from '../kernel/secret.ts';
import { HEADER_TEXT_FORM, SCAC_FORM } from './contracts/bodies.ts';
import { type AuthMethod, NOT_SHOWN, type OtherUpdates, type UpstreamApi } from './contracts/not-shown.ts';

const authMethod = z.enum(['key', 'key+bearer']);

export const channelSettings = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and dashes'),
  environment: z.enum(ENVIRONMENTS),
  baseUrl: z.url(),
  /** Which of the two token endpoints of seed 4.1 issues this channel's tokens. */
  tokenEndpoint: z.enum(['oauth', 'plain']).default('oauth'),
  scacs: z.array(z.string().regex(SCAC_FORM, 'two to four capital letters')).min(1),
  customerNumber: z.string().optional(),
  /**
   * Calls a second, on the scaled clock, and in a burst. The upstream's own limits are not shown (seed 8). A sandbox on this
   * machine is ours: it needs no rate, and any is accepted.
   */
  ratePerSecond: z.number().positive().default(CHANNEL_RATE_DEFAULT),
  burst: z.int().min(1).max(CHANNEL_BURST_MAX).default(CHANNEL_BURST_DEFAULT),
  /** What the gate itself calls to check the credentials: GET locations (seed 4.2), or nothing. */
  probe: z.enum(['locations', 'none']).default('locations'),
  /**
   * Who sees the account's vehicles and locations: `shown`: the read API and mapping lookups; `look-ups`: mappings
   * only; `off`: nobody. A customerNumber narrows vehicles to that customer's.
   */
  fleet: z.enum(['shown', 'look-ups', 'off']).default('shown'),
  /**
   * Whether each create of an order first checks what exists under its reference: for references that others may use
   * too.
   */
  orderPreCheck: z.boolean().default(false),
  /**
   * Updates of members that the documentation does not list (seed 2.8): refused here, or sent for the upstream to
   * decide.
   */
  otherUpdates: z.enum(['refuse', 'send']).default(NOT_SHOWN.orderUpdatable.others),
  auth: z
    .partialRecord(z.enum(Object.keys(NOT_SHOWN.authByApi) as [UpstreamApi, ...UpstreamApi[]]), authMethod)
    .default({}),
});
/** Used in headers and forms: anything else would fail every call before it leaves. */
const secretText = z.string().regex(HEADER_TEXT_FORM, 'must be visible ASCII without blanks');
/** Every field optional, to read what is there. */
const looseChannel = z
  .looseObject({ name: z.string().catch(''), baseUrl: z.string().catch(''), environment: z.string().catch('') })
  .catch({ name: '', baseUrl: '', environment: '' });

const channelSecret = z.strictObject({
  /** Without a colon, which would end the user name in Basic credentials (RFC 7617). */
  apiKey: z.string().regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must be visible ASCII without blanks or colons'),
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
  ratePerSecond: number;
  burst: number;
  probe: 'locations' | 'none';
  fleet: 'shown' | 'look-ups' | 'off';
  orderPreCheck: boolean;
  otherUpdates: OtherUpdates;
  auth: Record<UpstreamApi, AuthMethod>;
  apiKey: Secret;
  /** For token endpoint 2 (seed 4.1), which needs one. */
  clientId?: Secret;
  clientSecret: Secret;
}

export interface ConfigurationProblem {
  path: string;
  message: string;
}

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);
export const isLoopback = (url: URL): boolean => LOOPBACK_HOSTS.has(url.hostname);

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
  const read = (settings.data ?? []).map((one, index) =>
    readChannel(`CHANNELS[${index}]`, one, secrets.data, timeScale),
  );
  const problems = [
    ...(settings.success ? [] : issues('CHANNELS', settings.error)),
    ...(secrets.success ? [] : issues('CHANNEL_SECRETS', secrets.error)),
    ...read.flatMap((one) => one.problems),
    ...repeatedNames(read),
    ...sharedAddresses(read),
  ];
  if (problems.length > 0) return err(problems);
  return ok(new Map(read.flatMap(({ channel }) => (channel ? [[channel.name, channel] as const] : []))));
}

/** What could be read of one channel, so that it is validated even if the rest is wrong. */
interface ReadChannel {
  path: string;
  name: string;
  baseUrl: string;
  environment: string;
  channel?: Channel;
  problems: ConfigurationProblem[];
}

function readChannel(
  path: string,
  value: unknown,
  secrets: Record<string, unknown> | undefined,
  timeScale: number,
): ReadChannel {
  const parsed = channelSettings.safeParse(value);
  const { name, baseUrl, environment } = looseChannel.parse(value);
  const secret = secrets && Object.hasOwn(secrets, name) ? channelSecret.safeParse(secrets[name]) : undefined;
  const isMissing = secrets !== undefined && name !== '' && secret === undefined;
  const problems = [
    ...(parsed.success ? [] : issues(path, parsed.error)),
    ...(URL.canParse(baseUrl) ? originProblems(`${path}.baseUrl`, baseUrl, timeScale) : []),
    ...(isMissing ? [{ path: `CHANNEL_SECRETS.${name}`, message: 'is missing' }] : []),
    ...(secret && !secret.success ? issues(`CHANNEL_SECRETS.${name}`, secret.error) : []),
    ...(parsed.success ? rateProblems(path, parsed.data) : []),
    ...(parsed.success && secret?.success ? missingCredentials(parsed.data, secret.data) : []),
  ];
  const seen = { path, name, baseUrl, environment, problems };
  if (!parsed.success || !secret?.success) return seen;
  const { customerNumber, auth, ...rest } = parsed.data;
  const channel: Channel = {
    ...rest,
    ...(customerNumber === undefined ? {} : { customerNumber }),
    baseUrl: new URL(baseUrl).href.replace(/\/+$/, ''),
    auth: { ...NOT_SHOWN.authByApi, ...(auth as Partial<Record<UpstreamApi, AuthMethod>>) },
    apiKey: new Secret(secret.data.apiKey),
    ...(secret.data.clientId === undefined ? {} : { clientId: new Secret(secret.data.clientId) }),
    clientSecret: new Secret(secret.data.clientSecret),
  };
  return { ...seen, channel };
}

function rateProblems(
  path: string,
  { ratePerSecond, baseUrl }: z.output<typeof channelSettings>,
): ConfigurationProblem[] {
  if (ratePerSecond <= CHANNEL_RATE_MAX || isLoopback(new URL(baseUrl))) return [];
  return [
    { path: `${path}.ratePerSecond`, message: `must be ${CHANNEL_RATE_MAX} at most (more is for loopback only)` },
  ];
}

/** Credentials that its token endpoint needs and that are missing. */
function missingCredentials(
  { name, tokenEndpoint }: z.output<typeof channelSettings>,
  secret: z.output<typeof channelSecret>,
): ConfigurationProblem[] {
  return NOT_SHOWN.tokenCredentials[tokenEndpoint]
    .filter((member) => secret[member] === undefined)
    .map((member) => ({
      path: `CHANNEL_SECRETS.${name}.${member}`,
      message: `is missing: the token endpoint "${tokenEndpoint}" wants it`,
    }));
}

const repeatedNames = (read: readonly ReadChannel[]): ConfigurationProblem[] =>
  read
    .filter(({ name }, index) => name !== '' && read.findIndex((other) => other.name === name) < index)
    .map(({ path, name }) => ({ path: `${path}.name`, message: `"${name}" is there twice` }));

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
 * Test and production may share a host (seed 1.6 does not say that hosts differ) if paths tell them apart. Neither
 * address may equal the other or begin with it, so that no call of one reaches the other.
 */
function sharedAddresses(read: readonly ReadChannel[]): ConfigurationProblem[] {
  const addressed = read.filter(({ baseUrl }) => URL.canParse(baseUrl));
  return addressed.flatMap((one, index) => {
    const mine = addressOf(new URL(one.baseUrl));
    const other = addressed.slice(0, index).find(({ environment, baseUrl }) => {
      const theirs = addressOf(new URL(baseUrl));
      return environment !== one.environment && (mine.startsWith(theirs) || theirs.startsWith(mine));
    });
    if (other === undefined) return [];
    const isEqual = addressOf(new URL(other.baseUrl)) === mine;
    const message = isEqual
      ? `is the address of ${other.environment} channel "${other.name}" too`
      : `lies above or below the address of ${other.environment} channel "${other.name}": give each environment a path of its own`;
    return [{ path: `${one.path}.baseUrl`, message }];
  });
}

/** Ends with a slash. A trailing dot of a host is ignored, case too; escapes are decoded. */
function addressOf(url: URL): string {
  const path = url.pathname.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const segments = path.split('/').filter((segment) => segment !== '');
  return `${[`${url.protocol}//${url.hostname.replace(/\.$/, '')}:${url.port}`, ...segments].join('/').toLowerCase()}/`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the schema reports what is wrong
  }
}

/** Paths in one style: `CHANNELS[0].scacs[1]`. */
function issues(root: string, error: z.ZodError): ConfigurationProblem[] {
  return error.issues.map(({ path, message }) => ({
    path: root + path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join(''),
    message,
  }));
}
