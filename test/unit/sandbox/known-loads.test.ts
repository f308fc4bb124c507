/** The loads that exist, where a test says which: events of others are refused in the declared way. */
import { describe, expect, it } from 'vitest';
import { isLoadUnknown } from '../../../src/delivery/classify.ts';
import type { Answer } from '../../../src/sandbox/http.ts';
import { JSON_HEADERS, MemorySandbox, MILESTONE, MILESTONES, TIME } from './memory-sandbox.ts';

const TRACES = '/test/rcsc/events/v1/loads/trace-requests';
const POINT = { time: TIME, coordinate: { latitude: 41.5, longitude: -88.1 } };

const answers = (sandbox: MemorySandbox, loadNumber: string): Answer[] => [
  sandbox.send('POST', MILESTONES, JSON_HEADERS, { ...MILESTONE, loadNumber }).answer,
  sandbox.send('POST', TRACES, JSON_HEADERS, { loadNumber, traces: [POINT] }).answer,
];
const statuses = (sandbox: MemorySandbox, loadNumber: string): number[] =>
  answers(sandbox, loadNumber).map(({ status }) => status);

/** As the bridge sees it. */
const observed = ({ status, body }: Answer) =>
  ({
    outcome: 'answered',
    status,
    headers: {},
    body,
    bodyEncoding: 'utf-8',
    bodyEnd: 'whole',
    latencyMs: 1,
  }) as const;

describe('a sandbox that is told which loads exist', () => {
  it('takes their events, and refuses those of others as the bridge knows a load that is not known', () => {
    const sandbox = new MemorySandbox();
    sandbox.request('PUT', '/_sandbox/settings', { knownLoads: ['L-1'] });
    expect(statuses(sandbox, 'L-1')).toEqual([200, 200]);
    expect(answers(sandbox, 'L-2').map((answer) => isLoadUnknown(observed(answer)))).toEqual([true, true]);
  });

  it('takes the events of every load until it is told, and again when it is told nothing', () => {
    const sandbox = new MemorySandbox();
    expect(statuses(sandbox, 'L-1')).toEqual([200, 200]);
    sandbox.request('PUT', '/_sandbox/settings', { knownLoads: [] });
    expect(statuses(sandbox, 'L-1')).toEqual([404, 404]);
    sandbox.request('PUT', '/_sandbox/settings', {});
    expect(statuses(sandbox, 'L-1')).toEqual([200, 200]);
  });
});
