/**
 * What `wrangler.toml` says of one deployment, with its secrets where they are at hand → what is wrong with it, and what to
 * do. Pure.
 */

import { readTimeScale } from '../../src/kernel/clock.ts';
import { accessRoleProblems } from '../../src/ops/people/access.ts';
import { isLoopback, readChannels } from '../../src/upstream/channels.ts';
import { WEBHOOK_KEY_CHARACTERS_MIN } from '../../src/webhooks/limits.ts';
import { allowedHosts } from '../../src/webhooks/url.ts';

/** `wrong`: it must not be deployed so. `unsure`: somebody should look. */
export interface Finding {
  level: 'wrong' | 'unsure';
  /** Where it is set, such as `env.staging.kv_namespaces.TOKENS`. */
  where: string;
  found: string;
  fix: string;
}

interface Bound {
  binding: string;
}

/** What is read here of a configuration, as wrangler reads it. */
export interface DeployedConfig {
  name?: string | undefined;
  compatibility_date?: string | undefined;
  compatibility_flags: readonly string[];
  vars: Readonly<Record<string, unknown>>;
  triggers: { crons?: readonly string[] | undefined };
  durable_objects: { bindings: readonly { name: string; class_name: string; script_name?: string | undefined }[] };
  kv_namespaces: readonly (Bound & { id?: string | undefined })[];
  d1_databases: readonly (Bound & { database_id?: string | undefined; database_name?: string | undefined })[];
  r2_buckets: readonly (Bound & { bucket_name?: unknown; jurisdiction?: string | undefined })[];
  ratelimits: readonly { name: string; namespace_id: string; simple: { limit: number; period: number } }[];
}

/** Secrets by name; a value is null where only the name is known. */
export type KnownSecrets = Readonly<Record<string, string | null>>;

export interface Deployment {
  /** Its name in `wrangler.toml`. */
  environment: string;
  config: DeployedConfig;
  /** What runs on a developer's machine: every binding of it is needed. */
  local: DeployedConfig;
  /** The other deployments, which may share nothing with this one. */
  others: Readonly<Record<string, DeployedConfig>>;
  /** null: not known here. */
  secrets: KnownSecrets | null;
}

export function configurationFindings(deployment: Deployment): Finding[] {
  return [
    ...missingBindings(deployment),
    ...placeholders(deployment),
    ...shared(deployment),
    ...platform(deployment),
    ...variables(deployment),
    ...jurisdiction(deployment),
    ...channels(deployment),
    ...secretFindings(deployment),
  ];
}

/* Resources. */

interface Resource {
  where: string;
  kind: string;
  id: string;
}

function resourcesOf(environment: string, config: DeployedConfig): Resource[] {
  const at = (section: string, binding: string): string => `env.${environment}.${section}.${binding}`;
  return [
    { where: `env.${environment}.name`, kind: 'Worker', id: config.name ?? '' },
    ...config.kv_namespaces.map(({ binding, id = '' }) => ({ where: at('kv_namespaces', binding), kind: 'KV', id })),
    ...config.r2_buckets.map(({ binding, bucket_name }) => ({
      where: at('r2_buckets', binding),
      kind: 'R2',
      id: typeof bucket_name === 'string' ? bucket_name : '',
    })),
    ...config.d1_databases.map(({ binding, database_id: id = '' }) => ({
      where: at('d1_databases', binding),
      kind: 'D1',
      id,
    })),
    ...config.ratelimits.map(({ name, namespace_id: id }) => ({
      where: at('ratelimits', name),
      kind: 'rate limit',
      id,
    })),
  ];
}

const namesOf = (config: DeployedConfig): string[] => [
  ...config.kv_namespaces.map(({ binding }) => `kv_namespaces.${binding}`),
  ...config.r2_buckets.map(({ binding }) => `r2_buckets.${binding}`),
  ...config.d1_databases.map(({ binding }) => `d1_databases.${binding}`),
  ...config.durable_objects.bindings.map(({ name }) => `durable_objects.${name}`),
  ...config.ratelimits.map(({ name }) => `ratelimits.${name}`),
  ...Object.keys(config.vars).map((name) => `vars.${name}`),
];

function missingBindings({ environment, config, local }: Deployment): Finding[] {
  const present = new Set(namesOf(config));
  return namesOf(local)
    .filter((name) => !present.has(name))
    .map((name) => ({
      level: 'wrong',
      where: `env.${environment}.${name}`,
      found: 'is missing: environments of wrangler inherit no bindings and no variables',
      fix: `Copy it from the top of wrangler.toml to [env.${environment}], with a resource of its own.`,
    }));
}

/** Zeros, or the words that `wrangler.toml` comes with. */
const PLACEHOLDER = /^(?:|[0-]+|replace-with-.*)$/;

const placeholders = ({ environment, config }: Deployment): Finding[] =>
  resourcesOf(environment, config)
    .filter(({ id }) => PLACEHOLDER.test(id))
    .map(({ where, kind, id }) => ({
      level: 'wrong',
      where,
      found: id === '' ? 'names no resource' : `is still the placeholder "${id}"`,
      fix: `${CREATES[kind] ?? 'Name it'}, and put what it prints here.`,
    }));

const CREATES: Readonly<Record<string, string>> = {
  KV: 'Create it (npx wrangler kv namespace create NAME)',
  D1: 'Create it (npx wrangler d1 create NAME)',
  R2: 'Create it (npx wrangler r2 bucket create NAME)',
};

/** Two deployments that share a resource share their partners' data. */
function shared({ environment, config, others }: Deployment): Finding[] {
  const mine = resourcesOf(environment, config).filter(({ id }) => !PLACEHOLDER.test(id));
  const within = mine.filter(({ kind, id }, index) =>
    mine.some((other, at) => at < index && other.kind === kind && other.id === id),
  );
  const taken = Object.entries(others).flatMap(([name, other]) =>
    mine
      .filter(({ kind, id }) => resourcesOf(name, other).some((theirs) => theirs.kind === kind && theirs.id === id))
      .map((resource) => ({ ...resource, name })),
  );
  const fix = 'Create another one for it: deployments share nothing.';
  return [
    ...within.map(({ where, id }): Finding => ({ level: 'wrong', where, found: `"${id}" is bound twice`, fix })),
    ...taken.map(
      ({ where, id, name }): Finding => ({ level: 'wrong', where, found: `"${id}" is also that of ${name}`, fix }),
    ),
  ];
}

/* What the platform is asked for. */

function platform({ environment, config }: Deployment): Finding[] {
  const findings: Finding[] = [];
  if (!config.compatibility_flags.includes('nodejs_compat'))
    findings.push({
      level: 'wrong',
      where: 'compatibility_flags',
      found: 'has no nodejs_compat: the bridge does not start without it',
      fix: 'Add "nodejs_compat".',
    });
  if ((config.triggers.crons ?? []).length === 0)
    findings.push({
      level: 'wrong',
      where: `env.${environment}.triggers.crons`,
      found: 'has no schedule: what lost its alarm would never be found',
      fix: 'Set crons = ["* * * * *"].',
    });
  const elsewhere = config.durable_objects.bindings.find(({ script_name }) => script_name !== undefined);
  if (elsewhere !== undefined)
    findings.push({
      level: 'wrong',
      where: `env.${environment}.durable_objects.${elsewhere.name}`,
      found: `is bound to the objects of another Worker, ${elsewhere.script_name}`,
      fix: 'Leave script_name out: a deployment has its own objects.',
    });
  return findings;
}

/* Variables. */

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
const TEXT_FIX = `Write it in quotes, and lists as JSON in quotes: '["a"]'.`;
const DAYS = /^[1-9]\d{0,4}$/;

const WHOLE = /^[1-9]\d*$/;
/** Variables that tell callers what a limiter holds them to. */
const TOLD_LIMITS = [
  ['REQUESTS_PER_MINUTE', 'REQUESTS_OF_KEY'],
  ['TRIALS_PER_MINUTE', 'TRIALS_OF_KEY'],
] as const;

const JURISDICTIONS = ['', 'eu', 'us', 'fedramp', 'fedramp-high'];
/** Those that a bucket can have. */
const OF_BUCKETS = ['eu', 'fedramp'];

/** Objects and files are of one. Whether the database is, only its creation says. */
function jurisdiction({ environment, config: { vars, r2_buckets } }: Deployment): Finding[] {
  const wanted = textOf(vars.JURISDICTION ?? '');
  const where = `env.${environment}.vars.JURISDICTION`;
  if (!JURISDICTIONS.includes(wanted))
    return [{ level: 'wrong', where, found: `is "${wanted}"`, fix: 'Write eu, us, fedramp or fedramp-high, or "".' }];
  return r2_buckets
    .filter((bucket) => OF_BUCKETS.includes(wanted) && bucket.jurisdiction !== wanted)
    .map(({ binding }) => ({
      level: 'wrong',
      where: `env.${environment}.r2_buckets.${binding}`,
      found: `is kept anywhere, and objects in "${wanted}"`,
      fix: `Create the bucket with --jurisdiction ${wanted}, and write jurisdiction = "${wanted}" below its name.`,
    }));
}

function variables({ environment, config: { vars, ratelimits } }: Deployment): Finding[] {
  const at = (name: string): string => `env.${environment}.vars.${name}`;
  const scale = readTimeScale(textOf(vars.TIME_SCALE ?? '1'));
  const findings: Finding[] = [];
  const wrong = (name: string, found: string, fix: string): void => {
    findings.push({ level: 'wrong', where: at(name), found, fix });
  };
  for (const [name, value] of Object.entries(vars))
    if (typeof value !== 'string')
      wrong(name, `is no text but ${JSON.stringify(value)}, which the bridge does not read`, TEXT_FIX);
  if (!scale.ok || scale.value !== 1)
    wrong('TIME_SCALE', `is "${textOf(vars.TIME_SCALE)}": time passes at another pace`, 'Set it to "1".');
  for (const name of ['AUDIT_DAYS', 'MINUTE_TOTALS_DAYS'])
    if (vars[name] !== undefined && !DAYS.test(textOf(vars[name])))
      wrong(name, `is "${textOf(vars[name])}", which counts as not set`, 'Write a whole number of days.');
  for (const name of ['FILES_UNDER_WAY', 'BYTES_UNDER_WAY', 'ROWS_UNDER_WAY', 'NEW_SUBJECTS_PER_MINUTE'])
    if (vars[name] !== undefined && !WHOLE.test(textOf(vars[name])))
      wrong(name, `is "${textOf(vars[name])}", which counts as not set`, 'Write a whole number.');
  for (const [name, limiter] of TOLD_LIMITS) {
    const held = ratelimits.find((each) => each.name === limiter)?.simple.limit;
    if (held !== undefined && textOf(vars[name]) !== String(held))
      wrong(name, `is "${textOf(vars[name])}", and ${limiter} holds callers to ${held}`, `Set it to "${held}".`);
  }
  if (textOf(vars.ACCESS_TEST_IDENTITY) !== '')
    wrong('ACCESS_TEST_IDENTITY', 'is set: it is for one machine alone', 'Set it to "".');
  for (const problem of accessRoleProblems(textOf(vars.ACCESS_ROLES ?? '[]')))
    wrong('ACCESS_ROLES', `${problem}: nobody would come in by Access`, 'See docs/operators.md, "People".');
  if (allowedHosts({ WEBHOOK_HOSTS: textOf(vars.WEBHOOK_HOSTS ?? '') }).length === 0)
    findings.push({
      level: 'unsure',
      where: at('WEBHOOK_HOSTS'),
      found: 'names no hosts: no webhook can be set, and none is sent',
      fix: `If partners shall have some, name their hosts, such as "hooks.acme.example, *.partner.example".`,
    });
  if (vars.SETTLED_OBJECTS !== 'stay')
    findings.push({
      level: 'unsure',
      where: at('SETTLED_OBJECTS'),
      found: `is "${textOf(vars.SETTLED_OBJECTS)}": on the platform, objects leave memory by themselves`,
      fix: 'Set it to "stay".',
    });
  return findings;
}

/* Channels and their secrets. */

/** Hosts that exist in documentation alone (RFC 2606). */
const EXAMPLE_HOST = /(?:^|\.)(?:example|invalid|test|example\.(?:com|net|org))$/;

function channels({ environment, config, secrets }: Deployment): Finding[] {
  const where = `env.${environment}.vars.CHANNELS`;
  const settings = textOf(config.vars.CHANNELS ?? '[]');
  const given = secrets?.CHANNEL_SECRETS ?? null;
  // Where the secrets are not at hand, each channel gets some, so that everything else about it is checked.
  const read = readChannels({ settings, secrets: given ?? assumedSecrets(settings) }, 1);
  if (!read.ok)
    return read.error.map(({ path, message }) => ({
      level: 'wrong',
      where: path.startsWith('CHANNEL_SECRETS') ? `secret ${path}` : `env.${environment}.vars.${path}`,
      found: message,
      fix: 'Write it as docs/operators.md, "Set up a channel", shows.',
    }));
  const all = [...read.value.values()];
  if (all.length === 0)
    return [{ level: 'wrong', where, found: 'has no channel: nothing could be sent', fix: 'Describe one.' }];
  return all.flatMap(({ name, baseUrl }): Finding[] => {
    const url = new URL(baseUrl);
    const isOurs = isLoopback(url) || EXAMPLE_HOST.test(url.hostname);
    if (!isOurs) return [];
    return [
      { level: 'wrong', where, found: `${name} leads to ${url.host}`, fix: 'Put the address of the receiving system.' },
    ];
  });
}

function assumedSecrets(settings: string): string {
  const secret = { apiKey: 'assumed', clientId: 'assumed', clientSecret: 'assumed' };
  const names = [...settings.matchAll(/"name"\s*:\s*"([^"]*)"/g)].map(([, name = '']) => name);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, secret])));
}

function secretFindings({ environment, secrets }: Deployment): Finding[] {
  if (secrets === null) return [];
  const put = (name: string): string => `npx wrangler secret put ${name} --env ${environment}`;
  const key = secrets.WEBHOOK_KEY;
  const findings: Finding[] = [];
  if (!('CHANNEL_SECRETS' in secrets))
    findings.push({
      level: 'wrong',
      where: 'secret CHANNEL_SECRETS',
      found: 'is not set: the bridge refuses to run',
      fix: `Set it (${put('CHANNEL_SECRETS')}).`,
    });
  if (key === undefined)
    findings.push({
      level: 'unsure',
      where: 'secret WEBHOOK_KEY',
      found: 'is not set: there are no webhooks',
      fix: `If partners shall have some: openssl rand -base64 48 | ${put('WEBHOOK_KEY')}.`,
    });
  if (typeof key === 'string' && key.length < WEBHOOK_KEY_CHARACTERS_MIN)
    findings.push({
      level: 'wrong',
      where: 'secret WEBHOOK_KEY',
      found: `has ${key.length} characters, ${WEBHOOK_KEY_CHARACTERS_MIN} at least are wanted`,
      fix: `Make one: openssl rand -base64 48 | ${put('WEBHOOK_KEY')}. It changes every webhook's signing key.`,
    });
  return findings;
}
