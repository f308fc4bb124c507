/**
 * Where notifications may be sent: public https addresses by name, on the hosts that the deployment names. Pure.
 * Does not resolve names, for what a name leads to now it need not lead to when it is called. So a deployment outside
 * loopback names the hosts whose owners it trusts, or says `*` and knows what it does.
 */

import { err, ok, type Result } from '../kernel/result.ts';
import { isLoopback } from '../upstream/channels.ts';
import { isOnLoopback, type UpstreamVariables, upstreamOf } from '../upstream/settings.ts';
import { WEBHOOK_URL_CHARACTERS_MAX } from './limits.ts';

/** Names of this machine or this network, whatever comes before them (RFC 6761, 6762, 8375; the rest by custom). */
const PRIVATE_ENDS =
  'localhost localdomain local internal intranet private corp home lan home.arpa in-addr.arpa ip6.arpa onion test invalid';
const PRIVATE = PRIVATE_ENDS.split(' ');
/** Public names that answer with whatever address stands in them, or with that of the machine that asks; `svc` of a cluster. */
const LEADING_INWARD =
  'svc nip.io sslip.io xip.io traefik.me localtest.me lvh.me vcap.me lacolhost.com fuf.me local.gd localho.st 1u.ms rbndr.us backname.io'.split(
    ' ',
  );
/** An IPv4 address within a name: `10-0-0-1.rest.example`, `10.0.0.1.rest.example`. */
const ADDRESS_IN_NAME = /(?:^|[.-])(?:\d{1,3}[.-]){3}\d{1,3}[.-]/;
const PORTS = new Set(['', '443', '8443']);

/**
 * @property hosts see `allowedHosts`. allowsLoopback: true in a demo, whose upstream is on loopback, too. upstreamHosts:
 * where requests go: no notification may pass for one.
 */
export interface UrlRules {
  hosts: readonly string[];
  allowsLoopback: boolean;
  upstreamHosts: readonly string[];
}

export const urlRulesOf = (variables: UpstreamVariables & { WEBHOOK_HOSTS?: string }): UrlRules => {
  const settings = upstreamOf(variables);
  return {
    hosts: allowedHosts(variables),
    allowsLoopback: isOnLoopback(settings),
    upstreamHosts: [...settings.channels.values()].map(({ baseUrl }) => new URL(baseUrl).hostname),
  };
};

/**
 * @returns host names in lower case, `*.name` for all below one, `*` for any public one. Separated by commas or blanks.
 */
export const allowedHosts = ({ WEBHOOK_HOSTS = '' }: { WEBHOOK_HOSTS?: string }): readonly string[] =>
  WEBHOOK_HOSTS.toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== '');

const isAllowed = (host: string, hosts: readonly string[]): boolean =>
  hosts.some((name) => name === '*' || (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));

/** @returns the normalised address, or what is wrong with it, to follow "the address …". */
export function webhookUrl(text: string, { hosts, allowsLoopback, upstreamHosts }: UrlRules): Result<string, string> {
  if (text.length > WEBHOOK_URL_CHARACTERS_MAX) {
    return err(`has more than ${WEBHOOK_URL_CHARACTERS_MAX} characters`);
  }
  if (!/^[!-~]+$/.test(text) || text.includes('\\')) return err('may hold only visible ASCII characters, and no \\');
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return err('must be a whole https address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return err('may not carry user or password');
  }
  if (text.includes('#')) return err('may not carry a fragment');
  if (allowsLoopback && isLoopback(url)) return ok(url.href);
  if (url.protocol !== 'https:') return err('must be https');
  const wrong = hostProblem(url.hostname);
  if (wrong !== undefined) return err(wrong);
  if (upstreamHosts.includes(url.hostname)) return err('may not be that of the receiving system');
  if (!PORTS.has(url.port)) return err('may name no other port than 443 or 8443');
  if (hosts.length === 0 && !allowsLoopback) return err('is not used: this deployment names no hosts for webhooks yet');
  if (hosts.length > 0 && !isAllowed(url.hostname, hosts))
    return err(`must name one of the allowed hosts: ${hosts.join(', ')}`);
  return ok(url.href);
}

/** @param host as URL writes it: lower case, IDNA, and any IPv4 notation as four numbers. */
function hostProblem(host: string): string | undefined {
  const labels = host.split('.');
  if (host.startsWith('[') || /^\d*$/.test(labels.at(-1) ?? '')) {
    return host.endsWith('.') ? 'may not end its host with a dot' : 'must name a host, not an IP address';
  }
  if (labels.length < 2) return 'must name a host with its domain';
  if (labels.includes('')) return 'has a host with an empty part';
  const inward = LEADING_INWARD.find((name) => host === name || host.endsWith(`.${name}`));
  if (inward !== undefined) return `must lead to one host: names in .${inward} lead anywhere`;
  if (ADDRESS_IN_NAME.test(host)) return 'may not have an IP address in its name';
  const end = PRIVATE.find((name) => host === name || host.endsWith(`.${name}`));
  return end === undefined ? undefined : `must be reachable for all: hosts in .${end} are not`;
}
