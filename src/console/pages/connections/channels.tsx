/** `/console/channels`: the channels to the receiving system, what stops them, a test and a release of each. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import { capital } from '../../../kernel/text.ts';
import type { OpenedBy } from '../../../upstream/gate/breaker.ts';
import type { ChannelTestState } from '../../../upstream/gate/channel-test.ts';
import { type Action, action, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { Fact, Facts, type Look, Note, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';

type Channel = Answered<'GET /v1/ops/channels'>['channels'][number];
type SetupView = Channel['setup'];
/** One whose gate answered. */
type Reached = Channel & Omit<Required<Channel>, 'detail'>;
type BreakerView = Reached['breakers'][number];

const pathOf = (name = ''): string => `/channels/${encodeURIComponent(name)}`;

const TESTED: Record<ChannelTestState, [title: string, advice: string]> = {
  ok: ['The channel works', 'The receiving system answered and accepted the credentials.'],
  unreachable: [
    'Not reached',
    'No answer came. Check the address and whether the receiving system is up; then test again.',
  ],
  credentials_refused: [
    'Credentials refused',
    'The receiving system answered and refused the key. Have it renewed, then test again.',
  ],
  token_failed: ['No token', 'No token was obtained. Check the client id and secret of the channel; then test again.'],
  not_allowed: [
    'Not allowed',
    'The key is known, but may not read locations. Have it subscribed to that API, or set probe to none.',
  ],
  failing: ['It answers with an error', 'The receiving system is reached and fails. Wait, or ask its operator.'],
};

const ACTIONS: readonly Action[] = [
  action({
    name: 'test-channel',
    route: 'POST /v1/ops/channels/{name}/test',
    role: 'operator',
    title: ({ channel = 'a channel' }) => `Test ${channel}`,
    explain:
      'Asks for a token, and reads the locations where the channel may. Nothing is changed at the receiving system, and nothing here.',
    fields: [{ ...WHY, value: 'test of the connection' }],
    button: 'Test connection',
    call: ({ channel = '', why = '' }) => ({
      path: { name: channel },
      body: { why },
    }),
    done: ({ state, token, call }, { channel }, page) => ({
      title: TESTED[state][0],
      lines: [
        TESTED[state][1],
        token.obtained ? 'Token: obtained.' : `Token: not obtained, ${token.detail || token.code}.`,
        call === null
          ? 'Locations: not asked, since the channel may not read them.'
          : `${call.asked}: ${call.status === null ? `no answer ${call.detail}` : `status ${call.status}`}.`,
      ],
      back: page.at(pathOf(channel)),
    }),
  }),
  action({
    name: 'release-channel',
    route: 'POST /v1/ops/channels/{name}/release',
    role: 'operator',
    title: ({ channel = 'a channel', scope = '' }) => `Release ${scopeText(scope)} on ${channel}`,
    explain:
      'Sending goes on at once instead of one probe at a time. Release it when the cause is mended; else it stops again.',
    fields: [
      { name: 'scope', label: 'What', kind: 'hidden' },
      { ...WHY, name: 'reason' },
    ],
    button: 'Release',
    isDangerous: true,
    call: ({ channel = '', scope = '', reason = '' }) => ({
      path: { name: channel },
      body: { scope, reason },
    }),
    done: (_, { channel }, page) => ({ goTo: page.at(pathOf(channel)) }),
  }),
];

export const channelPages: ConsolePages = {
  get: { '/channels': channelsPage, '/channels/:name': channelPage },
  reads: ['GET /v1/ops/channels', 'GET /v1/ops/channels/{name}'],
  actions: ACTIONS,
};

const STATES: Record<string, [Look, string]> = {
  ok: ['good', 'Working'],
  limited: ['wait', 'Some SCACs wait'],
  stopped: ['bad', 'Stopped'],
  unreachable: ['bad', 'Not reached'],
};

const ChannelState: FC<{ state: string }> = ({ state }) => {
  const [look, label] = STATES[state] ?? ['wait', state];
  return <State look={look}>{label}</State>;
};

const isReached = (channel: Channel): channel is Reached => 'bucket' in channel;

async function channelsPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/channels');
  if (!found.ok) return page.refuse(found.error);
  return page.show({
    title: 'Channels',
    nav: 'channels',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <div>
            <h1>Channels</h1>
            <p class="quiet">Each is a set of credentials at the receiving system, with a rate of its own.</p>
          </div>
        </div>
        <Table
          caption="Channels"
          columns={[
            { label: 'Channel', kind: 'main' },
            { label: 'Address' },
            { label: 'SCACs' },
            { label: 'Rate', kind: 'word' },
            { label: 'Token ends', kind: 'word' },
            { label: 'State' },
          ]}
          rows={found.value.channels.map((channel) => {
            const href = page.at(pathOf(channel.name));
            const { bucket, token } = isReached(channel) ? channel : { bucket: null, token: null };
            return {
              href,
              cells: [
                <a href={href}>{channel.name}</a>,
                new URL(channel.setup.baseUrl).host,
                channel.setup.scacs.join(', '),
                bucket === null ? '' : `${bucket.ratePerSecond}/s`,
                token === null ? <span class="quiet">none</span> : <Time at={token.expiresAt} />,
                <ChannelState state={channel.state} />,
              ],
            };
          })}
          empty="No channel is set up for this environment. Channels are in the deployment's settings."
        />
      </>
    ),
  });
}

async function channelPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/channels/{name}', {
    path: { name: page.context.req.param('name') ?? '' },
  });
  if (!found.ok) return page.refuse(found.error);
  const channel = found.value;
  return page.show({
    title: channel.name,
    nav: 'channels',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Channels', page.at('/channels')]]} />
        <div class="heading">
          <div>
            <h1>{channel.name}</h1>
            <ChannelState state={channel.state} />
          </div>
          {page.mayActAs('operator') ? (
            <a
              class="button primary"
              href={page.at('/do/test-channel', { channel: channel.name, from: page.at(pathOf(channel.name)) })}
            >
              Test connection
            </a>
          ) : null}
        </div>
        {isReached(channel) ? (
          <Gate page={page} channel={channel} />
        ) : (
          <Note look="bad">The gate of this channel cannot be reached at the moment. Nothing is sent meanwhile.</Note>
        )}
        <Setup setup={channel.setup} />
        <p>
          <a href={page.at('/audit', { about: `channel/${channel.name}` })}>Show tests and releases, by whom</a>
        </p>
      </>
    ),
  });
}

const Gate: FC<{ page: Page; channel: Reached }> = ({ page, channel }) => {
  const { bucket, token, auth, breakers, parkedScacs, failingReads } = channel;
  const stopped = [...(auth === null ? [] : [auth]), ...breakers, ...parkedScacs];
  return (
    <>
      <Facts>
        <Fact name="Rate">
          {bucket.ratePerSecond}/s, up to {bucket.burst} at once
        </Fact>
        <Fact name="Calls now">{bucket.permitsOut} under way</Fact>
        <Fact name={token === null ? 'Token' : 'Token from'}>
          {token === null ? 'no token yet' : <Time at={token.obtainedAt} />}
        </Fact>
        {token === null ? null : (
          <Fact name="Token ends">
            <Time at={token.expiresAt} />
          </Fact>
        )}
      </Facts>
      <section>
        <h2>What is stopped</h2>
        <Table
          caption="What is stopped"
          columns={[
            { label: 'What', kind: 'main' },
            { label: 'Why' },
            { label: 'Since', kind: 'word' },
            { label: 'Next try', kind: 'word' },
            { label: '' },
          ]}
          rows={stopped.map((breaker) => breakerRow(page, channel.name, breaker))}
          empty="Nothing: every call may leave."
        />
      </section>
      {failingReads.length === 0 ? null : (
        <section>
          <h2>Reads that fail</h2>
          <Table
            caption="Reads that fail"
            columns={[
              { label: 'API', kind: 'main' },
              { label: 'Last answer' },
              { label: 'Since', kind: 'word' },
              { label: 'Last try', kind: 'word' },
            ]}
            rows={failingReads.map(({ api, status, detail, since, last }) => ({
              cells: [
                api,
                status === null ? `none: ${detail}` : `status ${status}`,
                <Time at={since} />,
                <Time at={last} />,
              ],
            }))}
          />
        </section>
      )}
    </>
  );
};

const WHY_STOPPED: Record<OpenedBy, string> = {
  failures: 'Calls failed one after another',
  redirects: 'Calls were redirected',
  credentials_refused: 'The credentials were refused',
  channel_refused: 'The channel was refused',
  scacs_parked: 'All its SCACs were refused',
  not_onboarded: 'The SCAC is not accepted there',
};

function scopeText(scope: string): string {
  if (scope === 'auth') return 'credentials';
  if (scope === 'channel') return 'the whole channel';
  return scope.startsWith('scac:') ? `SCAC ${scope.slice(5)}` : `partner ${scope.slice(scope.indexOf(':') + 1)}`;
}

function breakerRow(page: Page, channel: string, { scope, why, since, nextProbe, probing, lastFailure }: BreakerView) {
  const answer = lastFailure && (lastFailure.status === null ? lastFailure.detail : `status ${lastFailure.status}`);
  return {
    cells: [
      <State look={scope.startsWith('scac:') ? 'wait' : 'bad'}>{capital(scopeText(scope))}</State>,
      <>
        {WHY_STOPPED[why]} {answer === null ? null : <span class="quiet">last: {answer}</span>}
      </>,
      <Time at={since} />,
      probing ? 'now' : <Time at={nextProbe} />,
      page.mayActAs('operator') ? (
        <a
          class="button"
          href={page.at('/do/release-channel', { channel, scope, from: page.at(pathOf(channel)) })}
          aria-label={`Release ${scopeText(scope)}`}
        >
          Release…
        </a>
      ) : null,
    ],
  };
}

const FLEET_LINES: Record<SetupView['fleet'], string> = {
  shown: 'Partners can read vehicles and locations, and mappings can look them up.',
  'look-ups': 'Mappings can look vehicles and locations up; partners cannot read them.',
  off: 'Nobody reads vehicles or locations.',
};

const API_NAMES: Record<keyof SetupView['auth'], string> = {
  fleet: 'vehicles',
  locations: 'locations',
  events: 'events',
  orders: 'orders',
  loadMilestoneEvents: 'load milestones',
};

/** The settings of the deployment, as sentences. */
function setupLines({ tokenEndpoint, probe, fleet, orderPreCheck, otherUpdates, auth }: SetupView): string[] {
  const signedBy = (method: string): string =>
    (Object.keys(API_NAMES) as (keyof SetupView['auth'])[])
      .filter((api) => auth[api] === method)
      .map((api) => API_NAMES[api])
      .join(', ');
  const [byKey, byToken] = [signedBy('key'), signedBy('key+bearer')];
  return [
    ...(byKey === '' ? [] : [`Calls about ${byKey} are signed in with the key.`]),
    ...(byToken === '' ? [] : [`Calls about ${byToken} are signed in with the key and a token.`]),
    `Tokens come from the ${tokenEndpoint === 'oauth' ? 'OAuth' : 'plain'} token endpoint.`,
    probe === 'locations'
      ? 'The connection is tested by reading the locations.'
      : 'The connection is tested by asking for a token only.',
    FLEET_LINES[fleet],
    orderPreCheck
      ? 'Before an order is created, its reference is looked up there.'
      : 'An order is created without looking its reference up there first.',
    otherUpdates === 'refuse'
      ? 'Changes to an order that the documentation of the receiving system does not list as allowed are refused here.'
      : 'Changes to an order that the documentation of the receiving system does not list as allowed are sent all the same: the receiving system decides.',
  ];
}

const Setup: FC<{ setup: SetupView }> = ({ setup }) => (
  <section>
    <h2>Setup</h2>
    <Facts>
      <Fact name="Address" isWide>
        {setup.baseUrl}
      </Fact>
      <Fact name="SCACs">{setup.scacs.join(', ')}</Fact>
      <Fact name="Customer number">{setup.customerNumber ?? 'none'}</Fact>
    </Facts>
    <ul>
      {setupLines(setup).map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  </section>
);
