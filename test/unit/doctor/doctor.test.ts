/** What the doctor finds: each wrong setting by its name, with what to do, and nothing where nothing is wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { accountFindings, type Wrangler } from '../../../scripts/doctor/account.ts';
import {
  configurationFindings,
  type DeployedConfig,
  type Deployment,
  type Finding,
} from '../../../scripts/doctor/configuration.ts';
import { runningFindings } from '../../../scripts/doctor/running.ts';
import { described, diagnose } from '../../../scripts/doctor.ts';
import { PROJECT_ROOT } from '../../../scripts/frame/kept-file.ts';

const configPath = join(PROJECT_ROOT, 'wrangler.toml');
const configOf = (env?: 'staging' | 'production'): DeployedConfig =>
  unstable_readConfig({ config: configPath, ...(env === undefined ? {} : { env }) }, { hideWarnings: true });

const CHANNELS = [{ name: 'acme-test', environment: 'test', baseUrl: 'https://upstream.internal', scacs: ['ACME'] }];
const SECRETS = {
  CHANNEL_SECRETS: JSON.stringify({ 'acme-test': { apiKey: 'key', clientSecret: 'secret' } }),
  WEBHOOK_KEY: 'k'.repeat(48),
};

/** What `wrangler.toml` ships, with its placeholders filled in. */
function filled(env: 'staging' | 'production'): DeployedConfig {
  const shipped = configOf(env);
  return {
    ...shipped,
    vars: { ...shipped.vars, CHANNELS: JSON.stringify(CHANNELS), WEBHOOK_HOSTS: '*.acme.com' },
    kv_namespaces: shipped.kv_namespaces.map(({ binding }) => ({ binding, id: `${env}${binding}` })),
    d1_databases: shipped.d1_databases.map((each) => ({ ...each, database_id: `${env}-directory` })),
  };
}

const deployment = (changed: Partial<DeployedConfig> = {}, more: Partial<Deployment> = {}): Deployment => ({
  environment: 'staging',
  config: { ...filled('staging'), ...changed },
  local: configOf(),
  others: { production: filled('production') },
  secrets: SECRETS,
  ...more,
});

const places = (findings: readonly Finding[]): string[] => findings.map(({ where }) => where);
const levelOf = (where: string) => (/(?:SETTLED_OBJECTS|WEBHOOK_HOSTS)$/.test(where) ? 'unsure' : 'wrong');
const staging = filled('staging');
const vars = (changed: Record<string, unknown>) => ({ vars: { ...staging.vars, ...changed } });
const channel = (changed: object) => vars({ CHANNELS: JSON.stringify([{ ...CHANNELS[0], ...changed }]) });

describe('the doctor, of a configuration', () => {
  it('finds nothing where all is filled in', () => {
    expect(configurationFindings(deployment())).toEqual([]);
    expect(configurationFindings(deployment({}, { secrets: null }))).toEqual([]);
    expect(described([])).toEqual(['Nothing is wrong.']);
  });

  it.each<[string, Partial<DeployedConfig>, Partial<Deployment>, string, RegExp]>([
    [
      'a placeholder for an id',
      { kv_namespaces: [{ binding: 'TOKENS', id: '0'.repeat(32) }, ...staging.kv_namespaces.slice(1)] },
      {},
      'env.staging.kv_namespaces.TOKENS',
      /kv namespace create/,
    ],
    [
      'a database that production has, too',
      { d1_databases: filled('production').d1_databases },
      {},
      'env.staging.d1_databases.DIRECTORY',
      /Create another one/,
    ],
    ['no hosts for webhooks', vars({ WEBHOOK_HOSTS: ' ' }), {}, 'env.staging.vars.WEBHOOK_HOSTS', /name their hosts/],
    [
      'one store bound twice',
      { kv_namespaces: staging.kv_namespaces.map((each) => ({ ...each, id: 'same' })) },
      {},
      'env.staging.kv_namespaces.LOOK_UPS',
      /Create another one/,
    ],
    ['a Worker named as production', { name: 'transload-production' }, {}, 'env.staging.name', /Create another one/],
    ['a binding that is missing', { r2_buckets: [] }, {}, 'env.staging.r2_buckets.FILES', /Copy it/],
    [
      'objects of another Worker',
      {
        durable_objects: {
          bindings: staging.durable_objects.bindings.map((each) => ({ ...each, script_name: 'transload-production' })),
        },
      },
      {},
      'env.staging.durable_objects.INTAKE_REGISTER',
      /own objects/,
    ],
    ['a jurisdiction that there is not', vars({ JURISDICTION: 'de' }), {}, 'env.staging.vars.JURISDICTION', /eu, us/],
    [
      'files kept elsewhere than objects',
      vars({ JURISDICTION: 'eu' }),
      {},
      'env.staging.r2_buckets.FILES',
      /--jurisdiction eu/,
    ],
    ['no schedule', { triggers: {} }, {}, 'env.staging.triggers.crons', /crons/],
    ['no nodejs_compat', { compatibility_flags: [] }, {}, 'compatibility_flags', /nodejs_compat/],
    ['no channel', vars({ CHANNELS: '[]' }), {}, 'env.staging.vars.CHANNELS', /Describe one/],
    ['channels that are no JSON', vars({ CHANNELS: '[{' }), {}, 'env.staging.vars.CHANNELS', /Set up a channel/],
    [
      'a channel without https',
      channel({ baseUrl: 'http://upstream.internal' }),
      {},
      'env.staging.vars.CHANNELS[0].baseUrl',
      /Set up a channel/,
    ],
    [
      'a channel of the documentation',
      channel({ baseUrl: 'https://test.upstream.example' }),
      {},
      'env.staging.vars.CHANNELS',
      /address of the receiving system/,
    ],
    [
      'a channel to this machine',
      channel({ baseUrl: 'http://127.0.0.1:8788' }),
      {},
      'env.staging.vars.CHANNELS',
      /address of the receiving system/,
    ],
    [
      'a channel without its secrets',
      {},
      { secrets: { ...SECRETS, CHANNEL_SECRETS: '{}' } },
      'secret CHANNEL_SECRETS.acme-test',
      /Set up a channel/,
    ],
    [
      'secrets that are not set',
      {},
      { secrets: {} },
      'secret CHANNEL_SECRETS',
      /secret put CHANNEL_SECRETS --env staging\)/,
    ],
    [
      'a number that is no text',
      vars({ NEW_SUBJECTS_PER_MINUTE: 600 }),
      {},
      'env.staging.vars.NEW_SUBJECTS_PER_MINUTE',
      /in quotes/,
    ],
    ['a list that is no text', vars({ CHANNELS: CHANNELS }), {}, 'env.staging.vars.CHANNELS', /in quotes/],
    [
      'a short webhook key',
      {},
      { secrets: { ...SECRETS, WEBHOOK_KEY: 'short' } },
      'secret WEBHOOK_KEY',
      /openssl rand/,
    ],
    ['another pace of time', vars({ TIME_SCALE: '60' }), {}, 'env.staging.vars.TIME_SCALE', /"1"/],
    ['days that are none', vars({ AUDIT_DAYS: 'two years' }), {}, 'env.staging.vars.AUDIT_DAYS', /whole number/],
    [
      'no limit of requests',
      { ratelimits: staging.ratelimits.slice(1) },
      {},
      'env.staging.ratelimits.REQUESTS_OF_KEY',
      /Copy it/,
    ],
    [
      'a limit that production counts, too',
      { ratelimits: [...filled('production').ratelimits.slice(0, 1), ...staging.ratelimits.slice(1)] },
      {},
      'env.staging.ratelimits.REQUESTS_OF_KEY',
      /Create another one/,
    ],
    [
      'a limit that is told wrongly',
      vars({ TRIALS_PER_MINUTE: '10' }),
      {},
      'env.staging.vars.TRIALS_PER_MINUTE',
      /Set it to "60"/,
    ],
    ['files that are none', vars({ FILES_UNDER_WAY: 'all' }), {}, 'env.staging.vars.FILES_UNDER_WAY', /whole number/],
    [
      'a test identity of Access',
      vars({ ACCESS_TEST_IDENTITY: '{"email":"me@bridge.example"}' }),
      {},
      'env.staging.vars.ACCESS_TEST_IDENTITY',
      /Set it to ""/,
    ],
    [
      'roles of Access that cannot be read',
      vars({ ACCESS_ROLES: '[{"group":"ops","role":"boss","environments":["test"]}]' }),
      {},
      'env.staging.vars.ACCESS_ROLES',
      /People/,
    ],
    ['objects that are let go', vars({ SETTLED_OBJECTS: 'go' }), {}, 'env.staging.vars.SETTLED_OBJECTS', /"stay"/],
  ])('finds %s, where it is, and names the fix', (_, changed, more, where, fix) => {
    const findings = configurationFindings(deployment(changed, more));
    expect([...new Set(places(findings.filter(({ level }) => level === levelOf(where))))]).toEqual([where]);
    expect(findings.find((finding) => finding.where === where)?.fix).toMatch(fix);
  });

  it('finds in what is shipped the placeholders, the missing channels and the hosts of webhooks alone', async () => {
    const asked = { env: null, secrets: null, account: false, url: null, key: null };
    const findings = await diagnose(asked, async () => ({ isDone: false, output: '', errors: 'not asked' }));
    expect(places(findings)).toEqual(
      ['staging', 'production'].flatMap((name) => [
        `env.${name}.kv_namespaces.TOKENS`,
        `env.${name}.kv_namespaces.LOOK_UPS`,
        `env.${name}.d1_databases.DIRECTORY`,
        `env.${name}.vars.WEBHOOK_HOSTS`,
        `env.${name}.vars.CHANNELS`,
      ]),
    );
    await expect(
      diagnose({ ...asked, env: 'stagging' }, async () => ({ isDone: true, output: '', errors: '' })),
    ).rejects.toThrow('use staging or production');
  });

  it('asks nothing of a bridge to which the key would travel unencrypted, or of what is no address', async () => {
    const asked = { env: 'staging', secrets: null, account: false, key: 'tlops_1_2' };
    const says = (url: string) => diagnose({ ...asked, url }).catch((thrown: Error) => thrown.message);
    expect(await says('http://bridge.example')).toBe('The key would travel unencrypted. Use https://bridge.example.');
    expect(await says('bridge.example')).toMatch(/is no address such as https/);
  });
});

describe('the doctor, of an account', () => {
  const says =
    (secrets: string, migrations: string, isDone = true): Wrangler =>
    async (args) => ({
      isDone,
      output: args[0] === 'secret' ? secrets : migrations,
      errors: isDone ? '' : 'You are not authenticated.',
    });

  it('knows which secrets are set, by name, and which migrations are not applied', async () => {
    const set = '[{"name":"CHANNEL_SECRETS","type":"secret_text"}]';
    const { secrets, findings } = await accountFindings('staging', says(set, '│ 0013_issues.sql │\n│ 0014_ops.sql │'));
    expect(secrets).toEqual({ CHANNEL_SECRETS: null });
    expect(findings).toMatchObject([
      {
        level: 'wrong',
        found: 'lacks 2 migrations: 0013_issues.sql, 0014_ops.sql',
        fix: expect.stringMatching(/apply DIRECTORY --remote --env staging/),
      },
    ]);
    expect((await accountFindings('staging', says(set, 'No migrations to apply!'))).findings).toEqual([]);
  });

  it('is what counts for secrets, beside a file that has their values', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'transload-doctor-')), 'secrets.json');
    writeFileSync(path, JSON.stringify(SECRETS));
    const asked = { env: 'staging', secrets: path, account: true, url: null, key: null };
    const found = async (set: readonly string[]) =>
      (await diagnose(asked, says(JSON.stringify(set.map((name) => ({ name }))), '')))
        .map(({ where }) => where)
        .filter((where) => where.startsWith('secret '));
    expect(await found(['WEBHOOK_KEY'])).toEqual(['secret CHANNEL_SECRETS']);
    expect(await found(['CHANNEL_SECRETS'])).toEqual(['secret WEBHOOK_KEY']);
    expect(await found(['CHANNEL_SECRETS', 'WEBHOOK_KEY'])).toEqual([]);
    rmSync(dirname(path), { recursive: true });
  });

  it('says where it could not ask, and invents nothing', async () => {
    const { secrets, findings } = await accountFindings('staging', says('', '', false));
    expect(secrets).toBe(null);
    expect(findings.map(({ level, found }) => [level, found])).toEqual([
      ['unsure', 'could not be asked: You are not authenticated.'],
      ['unsure', 'could not be asked: You are not authenticated.'],
    ]);
  });
});

describe('the doctor, of a bridge that runs', () => {
  const URL = 'https://bridge.test';
  const NOW_MS = Date.parse('2026-03-02T08:00:00Z');
  const ok = () => new Response('{"state":"ok"}', { headers: { Date: new Date(NOW_MS).toUTCString() } });
  const bridge = (answers: Record<string, () => Response>, key: string | null = 'tlops_1_2') => ({
    url: URL,
    key,
    nowMs: () => NOW_MS,
    fetch: async (url: string) => {
      const path = url.slice(URL.length).replace(/\?.*/, '');
      const answer = { '/healthz': ok, ...answers }[path];
      if (answer === undefined) throw new TypeError('fetch failed', { cause: new Error('connection refused') });
      return answer();
    },
  });
  const health = () => Response.json({ channels: [{ name: 'acme-test', state: 'ok' }] });
  const tested = (state: string, detail: string) => () =>
    Response.json({ state, token: { obtained: false, code: 'token_refused', detail }, call: null });
  const findings = (answers: Record<string, () => Response>, key?: string | null) =>
    runningFindings(bridge(answers, key), ['test']);
  const TEST = '/v1/ops/channels/acme-test/test';

  it('finds nothing where it answers and its channels work', async () => {
    expect(await findings({ '/v1/ops/health': health, [TEST]: tested('ok', '') })).toEqual([]);
  });

  it('says what it did not test: all channels without a key, those of the other environment with a key of one', async () => {
    expect(await findings({}, null)).toMatchObject([
      { level: 'unsure', found: expect.stringMatching(/no key was given/) },
    ]);
    const refused = () => Response.json({ code: 'environment_not_allowed' }, { status: 403 });
    expect(await findings({ '/v1/ops/health': refused })).toMatchObject([
      { level: 'unsure', where: `${URL}, test`, found: 'is not for this key: its channels were not tested' },
    ]);
  });

  it.each<[string, Record<string, () => Response>, RegExp, RegExp]>([
    [
      'a refused configuration',
      { '/healthz': () => new Response('{}', { status: 503 }) },
      /503/,
      /configuration_refused/,
    ],
    [
      'a way in front of it',
      { '/healthz': () => new Response(null, { status: 302, headers: { Location: 'https://in.example/' } }) },
      /302 and leads to https:\/\/in\.example\//,
      /Cloudflare Access/,
    ],
    ['another address', { '/healthz': () => new Response('', { status: 404 }) }, /404, which the bridge/, /address/],
    [
      'a clock that is off',
      {
        '/healthz': () =>
          new Response('{"state":"ok"}', { headers: { Date: new Date(NOW_MS + 90_000).toUTCString() } }),
        '/v1/ops/health': health,
        [TEST]: tested('ok', ''),
      },
      /90 s apart/,
      /clock/,
    ],
    ['a refused key', { '/v1/ops/health': () => new Response('{}', { status: 401 }) }, /refuses the key/, /ops create/],
    [
      'a database that is behind',
      { '/v1/ops/health': () => new Response('{}', { status: 500 }) },
      /500/,
      /migrations apply/,
    ],
    [
      'refused credentials',
      { '/v1/ops/health': health, [TEST]: tested('credentials_refused', 'token endpoint answered 401') },
      /token endpoint answered 401/,
      /CHANNEL_SECRETS/,
    ],
    [
      'a receiving system that cannot be reached',
      { '/v1/ops/health': health, [TEST]: tested('unreachable', 'no connection') },
      /no connection/,
      /baseUrl/,
    ],
    [
      'a bridge that does not answer',
      {
        '/healthz': () => {
          throw new TypeError('refused');
        },
      },
      /does not answer/,
      /deployments list --env NAME/,
    ],
    [
      'a page that is none of a bridge',
      { '/healthz': () => new Response('<p>Hello') },
      /something else/,
      /bridge itself/,
    ],
    ['health that says null', { '/v1/ops/health': () => Response.json(null) }, /says nothing of channels/, /log/],
    [
      'a test that is answered by a page',
      { '/v1/ops/health': health, [TEST]: () => new Response('<p>Hello') },
      /answers with no JSON/,
      /again/,
    ],
  ])('finds %s, and names the fix', async (_, answers, found, fix) => {
    expect(await findings(answers)).toMatchObject([
      { found: expect.stringMatching(found), fix: expect.stringMatching(fix) },
    ]);
  });
});
