import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ConfigurationProblem, channelSettings, readChannels } from '../../../src/upstream/channels.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';

const MAIN = { name: 'main', environment: 'test', baseUrl: 'https://test.upstream.example', scacs: ['ABCD'] };
const SECRET = { apiKey: 'canary-api-key', clientSecret: 'canary-client-secret' };

function read(channels: unknown, secrets: unknown = { main: SECRET }, timeScale = 1) {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return readChannels({ settings: text(channels), secrets: text(secrets) }, timeScale);
}

function problemsOf(...asked: Parameters<typeof read>): ConfigurationProblem[] {
  const channels = read(...asked);
  return channels.ok ? [] : channels.error;
}

const pathsOf = (...asked: Parameters<typeof read>): string[] => problemsOf(...asked).map(({ path }) => path);

const messageFor = (baseUrl: string, timeScale = 1): string =>
  problemsOf([{ ...MAIN, baseUrl }], { main: SECRET }, timeScale)
    .map(({ message }) => message)
    .join('; ');

describe('the guide of operators', () => {
  const guide = readFileSync('docs/operators.md', 'utf8');
  const section = guide.slice(guide.indexOf('## Set up a channel'), guide.indexOf('## Check a deployment'));

  it('has every setting of a channel, and no other', () => {
    const named = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names = '']) => names.split(', '));
    expect(named.map((name) => name.replaceAll('`', '')).sort()).toEqual(Object.keys(channelSettings.shape).sort());
  });

  it('shows settings and secrets that are accepted', () => {
    const [settings = '', secrets = ''] = [...section.matchAll(/```json\n([^`]*)```/g)].map(([, text]) => text);
    expect(problemsOf(settings, secrets.replaceAll('…', 'canary'))).toEqual([]);
  });
});

describe('a channel', () => {
  it('is read with the defaults of what is not shown', () => {
    const channels = read([MAIN]);
    expect(channels.ok && channels.value.get('main')).toMatchObject({
      name: 'main',
      environment: 'test',
      baseUrl: 'https://test.upstream.example',
      tokenEndpoint: 'oauth',
      scacs: ['ABCD'],
      auth: NOT_SHOWN.authByApi,
    });
  });

  it('refuses changes of an order that are not documented as updatable, where it does not say', () => {
    const [set, unset] = [read([{ ...MAIN, otherUpdates: 'send' }]), read([MAIN])];
    expect(set.ok && set.value.get('main')?.otherUpdates).toBe('send');
    expect(unset.ok && unset.value.get('main')?.otherUpdates).toBe('refuse');
  });

  it.each(['shown', 'look-ups', 'off'])(
    'may show %s of its vehicles and locations, and shows them where it does not say',
    (fleet) => {
      const [set, unset] = [read([{ ...MAIN, fleet }]), read([MAIN])];
      expect(set.ok && set.value.get('main')?.fleet).toBe(fleet);
      expect(unset.ok && unset.value.get('main')?.fleet).toBe('shown');
    },
  );

  it('may override how one API is signed in to, and leaves the others', () => {
    const channels = read([{ ...MAIN, auth: { events: 'key+bearer' } }]);
    expect(channels.ok && channels.value.get('main')?.auth).toEqual({ ...NOT_SHOWN.authByApi, events: 'key+bearer' });
  });

  it('writes its address one way, however it is spelled', () => {
    const channels = read([{ ...MAIN, baseUrl: 'https://TEST.upstream.example:443/./gateway/' }]);
    expect(channels.ok && channels.value.get('main')?.baseUrl).toBe('https://test.upstream.example/gateway');
  });

  it('drops slashes at the end of its address, so that paths join with one', () => {
    const channels = read([{ ...MAIN, baseUrl: 'https://test.upstream.example/gateway//' }]);
    expect(channels.ok && channels.value.get('main')?.baseUrl).toBe('https://test.upstream.example/gateway');
  });

  it('takes its client id; on the plain token endpoint a missing one is a configuration error (seed 4.1 row 2)', () => {
    const plain = { ...MAIN, tokenEndpoint: 'plain' };
    const named = read([plain], { main: { ...SECRET, clientId: 'client-1' } });
    expect(named.ok && named.value.get('main')?.clientId?.reveal()).toBe('client-1');
    expect(problemsOf([plain])).toMatchObject([{ path: 'CHANNEL_SECRETS.main.clientId' }]);
    expect(read([MAIN]).ok).toBe(true);
  });

  it('keeps a customer number when there is one', () => {
    const channels = read([{ ...MAIN, customerNumber: 'C-100' }]);
    expect(channels.ok && channels.value.get('main')?.customerNumber).toBe('C-100');
  });

  it('looks before it creates orders only where it says so', () => {
    const preCheckOf = (more: object) => {
      const channels = read([{ ...MAIN, ...more }]);
      return channels.ok ? channels.value.get('main')?.orderPreCheck : channels.error.map(({ path }) => path);
    };
    expect(preCheckOf({})).toBe(false);
    expect(preCheckOf({ orderPreCheck: true })).toBe(true);
    expect(preCheckOf({ orderPreCheck: 'yes' })).toEqual(['CHANNELS[0].orderPreCheck']);
  });

  it('may send as fast as one gate answers, and on this machine at any rate', () => {
    const ratePerSecond = 501;
    expect(problemsOf([{ ...MAIN, ratePerSecond: 500 }])).toEqual([]);
    expect(problemsOf([{ ...MAIN, ratePerSecond }])).toEqual([
      { path: 'CHANNELS[0].ratePerSecond', message: 'must be 500 at most (more is for loopback only)' },
    ]);
    expect(problemsOf([{ ...MAIN, ratePerSecond, baseUrl: 'http://127.0.0.1:8788' }])).toEqual([]);
  });

  it('may be missing altogether: a deployment without channels is sound', () => {
    expect(read([], {})).toEqual({ ok: true, value: new Map() });
  });
});

describe('an address', () => {
  it.each([
    'https://upstream.example',
    'https://upstream.example:8443/gateway',
    'http://127.0.0.1:8788',
    'http://localhost:8788',
    'http://[::1]:8788',
  ])('%s is taken', (baseUrl) => {
    expect(messageFor(baseUrl)).toBe('');
  });

  it.each([
    'http://upstream.example',
    'http://10.0.0.7',
    'ftp://upstream.example',
    'ftp://localhost',
    'ws://127.0.0.1:8788',
    'file:///etc/passwd',
  ])('%s must be https', (baseUrl) => {
    expect(messageFor(baseUrl)).toContain('must be https');
  });

  it.each([
    'https://10.0.0.7',
    'https://169.254.169.254',
    'https://[fd00::1]',
    'https://[::ffff:10.0.0.7]',
    'https://0x0a000007',
    'https://167772167',
    'https://127.0.0.2',
  ])('%s must name a host, not an IP address', (baseUrl) => {
    expect(messageFor(baseUrl)).toContain('must name a host, not an IP address');
  });

  it.each([
    'https://me@upstream.example',
    'https://me:canary-password@upstream.example',
    'http://me:canary-password@localhost:1',
  ])('%s may not carry user or password, and the password is not quoted', (baseUrl) => {
    expect(messageFor(baseUrl)).toContain('may not carry user or password');
    expect(messageFor(baseUrl)).not.toContain('canary');
  });

  it.each(['https://upstream.example/?key=1', 'https://upstream.example/#here'])(
    '%s may not carry a query or fragment',
    (baseUrl) => {
      expect(messageFor(baseUrl)).toContain('may not carry a query or fragment');
    },
  );

  it.each(['upstream.example', '', '/gateway', 'https://'])('%j is no address', (baseUrl) => {
    expect(problemsOf([{ ...MAIN, baseUrl }])).toMatchObject([{ path: 'CHANNELS[0].baseUrl' }]);
  });

  it('is not taken for loopback by its beginning', () => {
    expect(messageFor('http://127.0.0.1.upstream.example')).toContain('must be https');
    expect(messageFor('http://localhost.upstream.example')).toContain('must be https');
  });
});

describe('the time scale', () => {
  it('is accepted above 1 for loopback only', () => {
    expect(messageFor('http://127.0.0.1:8788', 720)).toBe('');
    expect(messageFor('https://upstream.example', 720)).toContain(
      'TIME_SCALE 720 is accepted for loopback upstreams only',
    );
  });
});

describe('test and production', () => {
  const both = (test: string, production: string) =>
    problemsOf(
      [
        { ...MAIN, baseUrl: test },
        { ...MAIN, name: 'live', environment: 'production', baseUrl: production },
      ],
      { main: SECRET, live: SECRET },
    );

  it('may not share an address', () => {
    const shared = both('https://upstream.example', 'https://upstream.example');
    expect(shared).toMatchObject([{ message: 'is the address of test channel "main" too' }]);
    expect(shared[0]?.path).toMatch(/^CHANNELS\b.*\.baseUrl$/);
  });

  it.each([
    'https://upstream.example/',
    'https://UPSTREAM.example',
    'https://upstream.example:443',
    'https://upstream.example/./',
    'https://upstream.example//',
    'https://upstream%2Eexample',
  ])('may not share an address, spelled as %s', (production) => {
    expect(both('https://upstream.example', production)).toHaveLength(1);
  });

  it('on one host, told apart by path, are two addresses', () => {
    expect(both('https://upstream.example/test', 'https://upstream.example/live')).toEqual([]);
    expect(both('https://upstream.example/test', 'https://upstream.example/test-live')).toEqual([]);
  });

  it.each([
    ['https://upstream.example', 'https://upstream.example/live'],
    ['https://upstream.example/api/test', 'https://upstream.example/api'],
    ['https://upstream.example/test', 'https://upstream.example/TEST/live'],
    ['https://upstream.example/test', 'https://upstream.example/%74est'],
  ])('may not lie one below the other: %s and %s', (test, production) => {
    expect(both(test, production)).toHaveLength(1);
  });

  it('may share a host of this machine, where the path tells them apart', () => {
    expect(both('http://127.0.0.1:8788/test', 'http://127.0.0.1:8788/production')).toEqual([]);
    expect(both('http://localhost:8788', 'http://localhost:8789')).toEqual([]);
    expect(both('http://127.0.0.1:8788/test', 'http://127.0.0.1:8788/test/')).toHaveLength(1);
  });

  it('stand side by side with addresses of their own', () => {
    expect(both('https://test.upstream.example', 'https://upstream.example')).toEqual([]);
  });

  it('may share an address within one environment', () => {
    const two = [MAIN, { ...MAIN, name: 'second' }];
    expect(problemsOf(two, { main: SECRET, second: SECRET })).toEqual([]);
  });
});

describe('problems', () => {
  it('are all reported at once, with their paths', () => {
    const channels = [
      { ...MAIN, baseUrl: 'http://10.0.0.7' },
      { ...MAIN, name: 'second', baseUrl: 'https://me@upstream.example/?a=1' },
      { ...MAIN, name: 'main' },
    ];
    expect(problemsOf(channels, { main: SECRET }).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'CHANNELS[0].baseUrl: must be https (http is for loopback only)',
      'CHANNELS[0].baseUrl: must name a host, not an IP address',
      'CHANNELS[1].baseUrl: may not carry user or password',
      'CHANNELS[1].baseUrl: may not carry a query or fragment',
      'CHANNEL_SECRETS.second: is missing',
      'CHANNELS[2].name: "main" is there twice',
    ]);
  });

  it('of settings and of secrets are reported together', () => {
    const paths = pathsOf([{ ...MAIN, scacs: [], environment: 'staging' }], { main: { apiKey: '' } });
    expect(paths.sort()).toEqual([
      'CHANNELS[0].environment',
      'CHANNELS[0].scacs',
      'CHANNEL_SECRETS.main.apiKey',
      'CHANNEL_SECRETS.main.clientSecret',
    ]);
  });

  it('of the shape of one channel and of the address of another are reported together', () => {
    const paths = pathsOf(
      [
        { ...MAIN, scacs: [] },
        { ...MAIN, name: 'second', baseUrl: 'http://upstream.example' },
      ],
      {},
    );
    expect(paths.sort()).toEqual([
      'CHANNELS[0].scacs',
      'CHANNELS[1].baseUrl',
      'CHANNEL_SECRETS.main',
      'CHANNEL_SECRETS.second',
    ]);
  });

  it('of the shape and of the address of the same channel are reported together', () => {
    const paths = pathsOf([{ ...MAIN, name: 'Main', baseUrl: 'http://10.0.0.7' }]);
    expect(new Set(paths)).toEqual(new Set(['CHANNELS[0].name', 'CHANNELS[0].baseUrl', 'CHANNEL_SECRETS.Main']));
  });

  it.each([null, 'main', 7, []])('name the place of a channel that is %j and not an object', (channel) => {
    expect(pathsOf([MAIN, channel])).toEqual(['CHANNELS[1]']);
  });

  it.each(['constructor', 'second'])('name the missing secret of a channel called %s', (name) => {
    expect(problemsOf([{ ...MAIN, name }], {})).toEqual([{ path: `CHANNEL_SECRETS.${name}`, message: 'is missing' }]);
  });

  it.each([
    ['a SCAC in small letters', { scacs: ['abcd'] }, 'CHANNELS[0].scacs'],
    ['a SCAC that would break a header', { scacs: ['AB\r\nX: 1'] }, 'CHANNELS[0].scacs'],
    ['an unknown token endpoint', { tokenEndpoint: 'saml' }, 'CHANNELS[0].tokenEndpoint'],
    ['an unknown way to sign in', { auth: { events: 'none' } }, 'CHANNELS[0].auth.events'],
    ['an unknown API', { auth: { invoices: 'key' } }, 'CHANNELS[0].auth'],
    ['a name with a blank', { name: 'my channel' }, 'CHANNELS[0].name'],
    ['a setting nobody knows', { retries: 3 }, 'CHANNELS[0]'],
    ['a secret among the settings', { apiKey: 'canary-api-key' }, 'CHANNELS[0]'],
  ])('name %s', (_what, wrong, path) => {
    const [first, ...others] = pathsOf([{ ...MAIN, ...wrong }]);
    expect(first?.startsWith(path)).toBe(true);
    expect(others.filter((other) => other.startsWith('CHANNELS'))).toEqual([]);
  });

  it.each([
    ['CHANNELS is no JSON', '[{', { main: SECRET }, 'CHANNELS'],
    ['CHANNELS is no list', {}, { main: SECRET }, 'CHANNELS'],
    ['CHANNEL_SECRETS is no JSON', [MAIN], 'canary-half-pasted {"main"', 'CHANNEL_SECRETS'],
    ['CHANNEL_SECRETS is a list', [MAIN], [], 'CHANNEL_SECRETS'],
  ])('say that %s', (_what, channels, secrets, path) => {
    expect(pathsOf(channels, secrets)[0]).toBe(path);
  });
});

describe('secrets', () => {
  it.each([
    ['no JSON', '{"main":{"apiKey":"canary-api-key"'],
    ['of the wrong type', { main: { apiKey: ['canary-api-key'], clientSecret: 'canary-client-secret' } }],
    ['a bare text', { main: 'canary-api-key' }],
    ['incomplete', { main: { apiKey: 'canary-api-key' } }],
    ['for another channel', { other: SECRET }],
  ])('are not quoted when they are %s', (_what, secrets) => {
    const problems = problemsOf([MAIN], secrets);
    expect(problems).not.toEqual([]);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });

  it.each([
    '',
    'canary\nkey',
    'canary\r\nX-Evil: 1',
    'canary\0',
    ' canary ',
    'canary key',
    'канарейка-canary',
    'canary-ü',
    'canary\u007f',
  ])('are refused with the configuration, and not quoted, when they are %j: no header can hold that', (secret) => {
    for (const member of ['apiKey', 'clientId', 'clientSecret']) {
      const problems = problemsOf([MAIN], { main: { ...SECRET, [member]: secret } });
      expect(problems).toMatchObject([{ path: `CHANNEL_SECRETS.main.${member}` }]);
      expect(JSON.stringify(problems)).not.toContain('canary');
    }
  });

  it('may hold every visible character of ASCII', () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
    const channels = read([MAIN], { main: { apiKey: visible.replace(':', ''), clientSecret: visible } });
    expect(channels.ok && channels.value.get('main')?.clientSecret.reveal()).toBe(visible);
  });

  it('do not show in a channel that is written anywhere', () => {
    const channels = read([MAIN], { main: { ...SECRET, clientId: 'canary-client-id' } });
    const channel = channels.ok ? channels.value.get('main') : undefined;
    expect(JSON.stringify(channel)).toContain('[secret]');
    expect(JSON.stringify(channel)).not.toContain('canary');
    expect(inspect(channel, { depth: null, showHidden: true })).not.toContain('canary');
  });
});

describe('one round of corrections is enough', () => {
  const live = { ...MAIN, name: 'live', environment: 'production' };

  it('names a shape mistake inside a list in the same style as any other', () => {
    expect(problemsOf([{ ...MAIN, scacs: ['abcd'] }])).toMatchObject([{ path: 'CHANNELS[0].scacs[0]' }]);
  });

  it('names the channel that shares an address by its place', () => {
    expect(problemsOf([MAIN, live], { main: SECRET, live: SECRET })).toMatchObject([{ path: 'CHANNELS[1].baseUrl' }]);
  });

  it('takes a host with a dot at its end for the same host', () => {
    const dotted = { ...live, baseUrl: MAIN.baseUrl.replace('.example', '.example.') };
    expect(problemsOf([MAIN, dotted], { main: SECRET, live: SECRET })).not.toEqual([]);
  });

  it('tells of a repeated name and a shared address though that channel has another mistake too', () => {
    const paths = problemsOf([MAIN, { ...MAIN, environment: 'production', scacs: [] }]).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['CHANNELS[1].scacs', 'CHANNELS[1].name', 'CHANNELS[1].baseUrl']));
  });

  it('does not call secrets missing that could not be read', () => {
    const unreadable = readChannels({ settings: JSON.stringify([MAIN]), secrets: 'x{' }, 1);
    expect(unreadable.ok ? [] : unreadable.error.map(({ path }) => path)).toEqual(['CHANNEL_SECRETS']);
  });
});
