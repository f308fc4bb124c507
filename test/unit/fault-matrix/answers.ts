/** Faults in what comes back: limits, broken bodies, redirects, refused credentials. */
import { type Cell, proof, rowsOf, run, simulate, unit, worker } from './proofs.ts';

const WIRE = 'a milestone that is answered by > $name is sent once and $wanted.state, with the status that came';
const BLAMED = 'an answer that blames the channel >';

export const ANSWERS: Cell[] = [
  {
    fault: '429 with a Retry-After in seconds, as a date, as garbage, negative, or beyond measure',
    expected: 'never before it, six hours at most',
    heldBy: [
      ...unit(
        'delivery/retry-after',
        'readRetryAfter > reads %j as seconds',
        'readRetryAfter > reads the date %j as the wait until then',
        'readRetryAfter > waits six hours at most, for %.20s',
        'readRetryAfter > leaves %j to the schedule: neither whole seconds nor a date',
      ),
      ...unit('delivery/next-step-properties', 'whatever was seen > the next try never comes before Retry-After (I15)'),
      ...worker('load/gate-breakers', 'a Retry-After > is believed up to six hours: %s'),
      ...worker(
        'load/load-answers',
        'an answer that proves nothing was applied > waits as long as Retry-After says, then delivers without a word of duplicates',
      ),
      ...simulate('busy', 'busy_until', 'request_timeout'),
    ],
  },
  {
    fault: 'a slow drip',
    expected: 'cut when its time is over; its status counts',
    heldBy: [
      ...rowsOf(proof('wire', WIRE), 'drip: ['),
      ...unit(
        'upstream/send',
        'a body that comes too slowly > is cut when its own ten seconds are over, at scale %d too; the status stays',
      ),
    ],
  },
  {
    fault: 'a body of a gibibyte',
    expected: '64 KiB are kept, the rest is not taken',
    heldBy: [
      ...rowsOf(proof('wire', WIRE), 'endless: ['),
      ...proof('wire', 'once all of them have been sent > little of a gibibyte has crossed the wire'),
      ...worker('load/load-answers', 'what is kept of an answer > keeps the first 64 KB of a long body'),
    ],
  },
  {
    fault: 'a header of 300 KB, and one of 8 MB',
    expected: 'the status counts where the runtime takes it, else unknown',
    heldBy: rowsOf(proof('wire', WIRE), "'header-of-300-kb': [", "'header-of-8-mb': ["),
  },
  {
    fault: 'a body that breaks off, a bad chunk, bad gzip, HTML, or nothing, with 200',
    expected: 'delivered by its status',
    heldBy: [
      ...rowsOf(proof('wire', WIRE), "'cut-body': [", "'bad-chunk': [", "'bad-gzip': [", 'html: [', 'empty: ['),
      ...worker(
        'load/load-answers',
        'what is kept of an answer > keeps what came of a body that breaks off, and delivers by its status',
        'an answer that ends a record > delivers on a 2xx whose body is no JSON, and keeps the body',
      ),
      ...simulate('cut_body'),
    ],
  },
  {
    fault: 'the same to a create: the id cannot be read',
    expected: 'it is looked up, and never sent again',
    heldBy: [
      ...rowsOf(
        proof('wire', 'a create that is answered by > $name is looked up and never sent again'),
        "'create-cut': [",
        "'create-bad-gzip': [",
      ),
      ...worker('order/order-reconcile', 'a create that was taken without an id > gets its id from the look-up'),
      ...unit('delivery/order-step', 'a create that was answered > is looked up when its id cannot be read: %s'),
      ...simulate('idMissing'),
    ],
  },
  {
    fault: '301, 302, 303, 307, 308 to the same host, another one, http, in a loop, or nowhere',
    expected: 'recorded and not followed; the other host hears nothing',
    heldBy: [
      ...rowsOf(
        proof('wire', 'a redirect > $status to $place is not followed, and given up with its status'),
        '[301, 302, 303, 307, 308]',
        "'same-host':",
        "'other-host':",
        'plain:',
        'loop:',
        'bad:',
      ),
      ...proof('wire', 'once all of them have been sent > no redirect has reached the host it leads to with anything'),
      ...worker('load/gate-outage', 'redirects of several loads > open the breaker before every load has lost a row'),
      ...simulate('redirect'),
    ],
  },
  {
    fault: '401 once',
    expected: 'the token is renewed once, the request sent once more',
    heldBy: [
      ...worker(
        'load/load-answers',
        `${BLAMED} renews a refused token once, sends once more and records both attempts`,
        `${BLAMED} renews one refused token once for many loads`,
      ),
      ...unit(
        'upstream/call',
        'a 401 to a bearer call > is the answer when it comes a second time: never a third sending (I13)',
      ),
      ...simulate('tokenRevoked', 'credentials'),
    ],
  },
  {
    fault: '401 always',
    expected: 'the channel stops, no row is rejected, all drains when the key is right',
    heldBy: [
      ...worker(
        'load/gate-breakers',
        'credentials that expire in the middle > reject no row: the auth breaker stands in the health, and all drains once the key is right',
        'credentials that expire in the middle > open the breaker for a token that stays refused after it was renewed',
      ),
      ...worker(
        'load/gate-states',
        'a gate that knows > that %s still knows it after evictions and doubled alarms, and asks nothing for them',
      ),
    ],
  },
  {
    fault: 'the token endpoint answers 500, or nothing',
    expected: 'nothing is sent and no try is lost; one request at a time',
    heldBy: [
      ...worker(
        'load/load-answers',
        `${BLAMED} stays queued without an attempt while no token can be had, and goes on by itself`,
      ),
      ...worker(
        'load/upstream-gate',
        'a token endpoint that fails > is asked once, and not again until the pause is over',
        'a token endpoint that fails > fails all who wait for the one request, and leaves nothing stored',
        'the gate > gives the old token while renewing fails, as long as it lives',
      ),
      ...unit('upstream/mint', 'a token answer > that never comes leaves the endpoint unreachable'),
      ...unit('upstream/send', 'a call that hangs > times out after twenty seconds without headers'),
      ...simulate('tokenFails'),
    ],
  },
  {
    fault: 'a token whose life is called expired_in, and one that lives a minute',
    expected: 'renewed in time, no row rejected, no token minted twice',
    heldBy: [
      ...unit('upstream/mint', 'a token answer > of endpoint 2 names its life as expired_in (seed 2.1)'),
      ...unit('upstream/token-life', 'holdToken > renews a token of a minute after 48 seconds'),
      ...run('prove', '--tokens'),
      ...simulate('tokenLifeSeconds'),
    ],
  },
  {
    fault: 'the copy of a token in KV is stale for a minute',
    expected: 'one refused sending per request, one token, nothing rejected',
    heldBy: [
      ...worker(
        'load/rotation',
        'a copy of a token in KV that is stale for a minute > costs each load one refused sending and the channel one token, and rejects nothing',
      ),
      ...worker('load/upstream-gate', 'the copy in KV > is not trusted when it is stale: the gate is asked'),
      ...simulate('cacheStale', 'cacheFails'),
    ],
  },
  {
    fault: '403 for everything in the middle of a batch',
    expected: 'its SCACs are parked, then the credentials in doubt; no row is rejected',
    heldBy: [
      ...worker(
        'load/load-answers',
        `${BLAMED} waits on a 403 without losing a try and rejects nothing: its SCAC is parked`,
      ),
      ...unit('upstream/breakers', 'a SCAC that is answered 403 > puts the credentials in doubt when it is the third'),
      ...simulate('scac'),
    ],
  },
  {
    fault: 'credentials are renewed in the middle of a batch: of the partner, of the channel',
    expected: 'both are valid meanwhile, no row is rejected',
    heldBy: worker(
      'load/rotation',
      'the key of a channel, renewed between two wake-ups > is used from the next request on; what went before stands, while both are valid',
      'the key of a channel, renewed between two wake-ups > rejects nothing though the old one is refused before the new one is there',
      'the secret of a channel, renewed while its token lives > mints the next token; until then the old one is used, and no row is lost between them',
      'the key of a partner, renewed while his batch is on its way > changes nothing of the batch: both keys see it, and it goes on when the old one is revoked',
    ),
  },
];
