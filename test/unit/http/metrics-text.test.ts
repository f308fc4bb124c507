/** What a monitor scrapes is what Prometheus reads: names, labels, cumulative classes. */
import { expect, it } from 'vitest';
import { DELIVERY_TIME_CLASSES } from '../../../src/batch/core/minutes.ts';
import { metricsText } from '../../../src/http/ops/views/metrics-text.ts';

const NOTHING = { nowMs: 10_000, day: { sums: [], dollars: [] }, backlog: [], channels: [], faults: [], alerts: [] };
/** A line of the text format: a name, labels in quotes, a number. */
const SAMPLE =
  /^transload_[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? -?[\d.e+-]+$/;

it('is empty where nothing is known', () => {
  expect(metricsText(NOTHING)).toBe('');
});

it('has classes of times with all that were faster, and every line in the form of the format', () => {
  const times = Array.from({ length: DELIVERY_TIME_CLASSES }, (_, index) =>
    index < 2 || index === DELIVERY_TIME_CLASSES - 1 ? 1 : 0,
  );
  const sums = [{ partner: 'ac"me\n', channel: 'main', delivered: 3, refused: 2, invalid: 1, times }];
  const line = { state: 'waiting' as const, rows: 4, batches: 1, batchId: 'b_1', silentSinceMs: null };
  const text = metricsText({
    ...NOTHING,
    day: { sums, dollars: [{ partner: 'acme', dollars: 0.00125 }] },
    backlog: [
      { ...line, partner: 'acme', oldestMs: 7_000 },
      { ...line, partner: 'acme', state: 'held', oldestMs: 0 },
    ],
    channels: [{ channel: 'gone', reached: false, detail: 'timeout' }],
    faults: [{ event: 'request_failed', count: 2 }],
  });
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((one) => !one.startsWith('# ') && !SAMPLE.test(one))).toEqual([]);
  expect(text).toContain('transload_requests_total{partner="ac\\"me\\n",channel="main",outcome="delivered"} 3\n');
  expect(text).toContain('le="0.1"} 1\n');
  expect(text).toContain('le="0.25"} 2\n');
  expect(text).toContain('le="7200"} 2\n');
  expect(text).toContain('le="+Inf"} 3\n');
  expect(text).toContain('transload_oldest_open_row_seconds{partner="acme"} 3\n'); // what is held waits for a person
  expect(text).toContain('transload_channel_reached{channel="gone"} 0\n');
  expect(text).toContain('transload_faults_total{event="request_failed"} 2\n');
});
