/** Which addresses a webhook may have. */
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/upstream/channels.ts';
import { isOnLoopback } from '../../../src/upstream/settings.ts';
import { allowedHosts, webhookUrl } from '../../../src/webhooks/url.ts';

const ANY = { hosts: ['*'], allowsLoopback: false, upstreamHosts: ['api.upstream.example'] };
const DEMO = { hosts: [], allowsLoopback: true, upstreamHosts: ['127.0.0.1', 'api.upstream.example'] };

const REFUSED: [what: string, urls: string[]][] = [
  ['no address', ['', 'hook', '/hook', 'https://', 'https:///hook', 'https:hooks.example.com', '//hooks.example.com/']],
  [
    'another scheme',
    ['http://hooks.example.com/', 'ftp://hooks.example.com/', 'file:///etc/passwd', 'javascript:alert(1)'],
  ],
  [
    'an IPv4 address, however it is written',
    [
      'https://127.0.0.1/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data/',
      'https://8.8.8.8/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://127.1/',
      'https://0/',
      'https://127.0.0.1./',
      'https://%31%32%37.0.0.1/',
    ],
  ],
  [
    'an IPv6 address',
    ['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[fd00::1]/', 'https://[2001:4860:4860::8888]/'],
  ],
  [
    'a private or local name',
    [
      'https://localhost/',
      'https://LOCALHOST/',
      'https://a.localhost/',
      'https://printer.local/',
      'https://metadata.google.internal/',
      'https://router.home.arpa/',
      'https://nas.lan/',
      'https://wiki.corp/',
      'https://a.intranet/',
      'https://1.0.0.127.in-addr.arpa/',
      'https://abc.onion/',
    ],
  ],
  [
    'a name that leads inward',
    [
      'https://127.0.0.1.nip.io/',
      'https://10-0-0-1.sslip.io/hook',
      'https://localtest.me/',
      'https://a.lvh.me/',
      'https://billing.default.svc/',
      'https://billing.default.svc.cluster.local/',
      'https://app.10.1.2.3.addresses.example.com/',
      'https://192-168-1-1.addresses.example.com/',
      'https://a.1u.ms/',
      'https://7f000001.c0a80001.rbndr.us/',
    ],
  ],
  ["the receiving system's own", ['https://api.upstream.example/v1/hook', 'https://API.upstream.example:8443/']],
  ['a single label', ['https://intern/', 'https://com/hook']],
  ['an empty label', ['https://hooks.example.com./', 'https://localhost./', 'https://hooks..example.com/']],
  [
    'user or password',
    [
      'https://me@hooks.example.com/',
      'https://me:pw@hooks.example.com/',
      'https://@hooks.example.com/',
      'https://:@hooks.example.com/',
    ],
  ],
  [
    'another port',
    ['https://hooks.example.com:80/', 'https://hooks.example.com:22/', 'https://hooks.example.com:8080/'],
  ],
  ['a fragment', ['https://hooks.example.com/#x', 'https://hooks.example.com/#']],
  [
    'characters that parsers read differently',
    [
      'https://hooks.example.com\\@evil.example/',
      'https:\\\\hooks.example.com/',
      'https://hooks.example.com/\n',
      ' https://hooks.example.com/',
      'https://hooks.example.com/a b',
      'https://hooks.exämple.com/',
      'https://hooks。example。com/',
      'https://127。0。0。1/',
      'https://hooks.example.com/\u0000',
    ],
  ],
  ['too many characters', [`https://hooks.example.com/${'a'.repeat(2_000)}`]],
];

describe('an address is refused that has', () => {
  it.each(REFUSED)('%s', (_, urls) => {
    expect(urls.filter((url) => webhookUrl(url, ANY).ok)).toEqual([]);
  });

  it('one of them, where the hosts are named one by one, too', () => {
    const all = REFUSED.flatMap(([, urls]) => urls);
    expect(new Set(all).size).toBeGreaterThanOrEqual(52);
    const named = { ...ANY, hosts: ['hooks.acme.example', '*.hooks.acme.example'] };
    expect(all.filter((url) => webhookUrl(url, named).ok)).toEqual([]);
  });

  it('a host on loopback, but in a demo', () => {
    const urls = ['http://127.0.0.1:8788/hook', 'http://localhost:9/', 'http://[::1]:9/'];
    expect(urls.filter((url) => webhookUrl(url, ANY).ok)).toEqual([]);
    expect(urls.filter((url) => !webhookUrl(url, DEMO).ok)).toEqual([]);
  });

  it('anything else refused, in a demo too', () => {
    const urls = REFUSED.flatMap(([, all]) => all).filter((url) => webhookUrl(url, DEMO).ok);
    const hosts = urls.map((url) => new URL(url).hostname);
    expect(hosts.filter((host) => !['127.0.0.1', 'localhost', '[::1]'].includes(host))).toEqual([]);
  });
});

it.each([
  ['https://hooks.example.com/transload', 'https://hooks.example.com/transload'],
  ['https://HOOKS.Example.com', 'https://hooks.example.com/'],
  ['https://hooks.example.com:443/a?b=c@d', 'https://hooks.example.com/a?b=c@d'],
  ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
  ['https://xn--exmple-cua.com/', 'https://xn--exmple-cua.com/'],
  ['https://4.example.com/', 'https://4.example.com/'],
])('takes %s', (given, kept) => {
  expect(webhookUrl(given, ANY)).toEqual({ ok: true, value: kept });
});

describe('a deployment is on loopback', () => {
  const channels = (...urls: string[]) => ({
    channels: new Map(urls.map((baseUrl, index) => [String(index), { baseUrl } as Channel])),
  });
  it('where all its upstreams are, and it has one', () => {
    expect(isOnLoopback(channels('http://127.0.0.1:9/a', 'http://localhost:9/'))).toBe(true);
    expect(isOnLoopback(channels('http://127.0.0.1:9/a', 'https://api.example.com'))).toBe(false);
    expect(isOnLoopback(channels())).toBe(false);
  });
});

describe('where a deployment names the hosts', () => {
  const hosts = allowedHosts({ WEBHOOK_HOSTS: 'hooks.acme.example, *.Partner.example\n one.example' });
  const taken = (url: string): boolean => webhookUrl(url, { hosts, allowsLoopback: false, upstreamHosts: [] }).ok;

  it.each([
    'https://hooks.acme.example/a',
    'https://HOOKS.acme.example:8443/a',
    'https://a.partner.example/',
    'https://a.b.partner.example/',
    'https://one.example/',
  ])('%s is one', (url) => expect(taken(url)).toBe(true));

  it.each([
    'https://acme.example/',
    'https://x.hooks.acme.example/',
    'https://partner.example/',
    'https://evilpartner.example/',
    'https://one.example.evil.example/',
    'https://169.254.169.254.nip.io/',
    'http://hooks.acme.example/',
    'https://127.0.0.1/',
  ])('%s is none', (url) => expect(taken(url)).toBe(false));

  it('says which they are', () => {
    const refused = webhookUrl('https://other.example/', { hosts, allowsLoopback: false, upstreamHosts: [] });
    expect(refused.ok ? '' : refused.error).toContain('hooks.acme.example, *.partner.example, one.example');
  });

  it('none is taken as long as it names none, but in a demo', () => {
    expect(allowedHosts({ WEBHOOK_HOSTS: ' ,\n' })).toEqual([]);
    const refused = webhookUrl('https://hooks.example.com/', { ...ANY, hosts: [] });
    expect(refused.ok ? '' : refused.error).toContain('names no hosts');
    expect(webhookUrl('https://hooks.example.com/', DEMO).ok).toBe(true);
  });
});
