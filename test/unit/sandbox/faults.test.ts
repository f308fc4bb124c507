import { describe, expect, it } from 'vitest';
import { draw } from '../../../src/sandbox/faults/faults.ts';
import { codeOf, HISTORY, JSON_HEADERS, MemorySandbox, MILESTONE, MILESTONES, ORDERS } from './memory-sandbox.ts';

function withFaults(...rules: unknown[]): MemorySandbox {
  const sandbox = new MemorySandbox();
  const answer = sandbox.request('PUT', '/_sandbox/faults', rules);
  expect(answer.status).toBe(200);
  return sandbox;
}

const statuses = (sandbox: MemorySandbox, count: number): number[] => {
  return Array.from({ length: count }, () => sandbox.send('POST', MILESTONES, JSON_HEADERS, MILESTONE).answer.status);
};

const ordersKept = (sandbox: MemorySandbox): number =>
  JSON.parse(sandbox.request('GET', '/_sandbox/orders').body).orders.length;
const lastEntry = (sandbox: MemorySandbox) =>
  JSON.parse(sandbox.request('GET', '/_sandbox/journal').body).entries.at(-1);

describe('which request meets a fault', () => {
  const busy = { type: 'status', status: 503 };

  it('skips the first matches and stops after its times', () => {
    expect(statuses(withFaults({ fault: busy, afterRequests: 1, times: 2 }), 5)).toEqual([200, 503, 503, 200, 200]);
  });

  it('lets the first rule that fires act, and counts both', () => {
    const sandbox = withFaults({ id: 'once', fault: busy, times: 1 }, { fault: { type: 'status', status: 500 } });
    expect(statuses(sandbox, 3)).toEqual([503, 500, 500]);
    const { rules } = JSON.parse(sandbox.request('GET', '/_sandbox/faults').body);
    expect(rules).toMatchObject([
      { id: 'once', matched: 3, fired: 1 },
      { id: 'rule-2', matched: 2, fired: 2 },
    ]);
  });

  it('counts from zero under new rules', () => {
    const rule = { fault: busy, times: 1 };
    const sandbox = withFaults(rule);
    expect(statuses(sandbox, 2)).toEqual([503, 200]);
    sandbox.request('PUT', '/_sandbox/faults', [rule]);
    expect(statuses(sandbox, 2)).toEqual([503, 200]);
    sandbox.request('DELETE', '/_sandbox/faults');
    expect(statuses(sandbox, 1)).toEqual([200]);
  });

  it.each([
    [{ method: 'post' }, 503],
    [{ method: 'GET' }, 200],
    [{ path: '/rcsc/events/v1/loads/milestone-requests' }, 503],
    [{ path: MILESTONES }, 503],
    [{ path: '/rcsc/events/*' }, 503],
    [{ path: '/rcsc/events/' }, 200],
    [{ environment: 'production' }, 200],
    [{ scac: 'DEMO' }, 503],
    [{ scac: 'ACME' }, 200],
    [{ bodyIncludes: '"L-1"' }, 503],
    [{ bodyIncludes: '"L-2"' }, 200],
  ])('matches by %j', (match, status) => {
    expect(statuses(withFaults({ match, fault: busy }), 1)).toEqual([status]);
  });

  it('matches a query by the name of a parameter, whatever its value', () => {
    const sandbox = withFaults({
      match: { path: '/rcsc/order-status/v1/orders', parameter: 'partnerId' },
      fault: busy,
    });
    const statusOf = (query: string): number =>
      sandbox.send('GET', `/test/rcsc/order-status/v1/orders?${query}`, JSON_HEADERS).answer.status;
    expect(statusOf('partnerId=P&clientId=C')).toBe(503);
    expect(statusOf('orderRef=partnerId')).toBe(200);
  });

  it('draws the same requests from the same seed, near the share asked for', () => {
    const rule = { fault: busy, probability: 0.3, seed: 7 };
    const drawn = statuses(withFaults(rule), 400);
    expect(statuses(withFaults(rule), 400)).toEqual(drawn);
    expect(statuses(withFaults({ ...rule, seed: 8 }), 400)).not.toEqual(drawn);
    const share = drawn.filter((status) => status === 503).length / 400;
    expect(share).toBeGreaterThan(0.22);
    expect(share).toBeLessThan(0.38);
  });

  it('draws numbers from 0 up to 1', () => {
    const drawn = Array.from({ length: 10_000 }, (_, count) => draw(1, count));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
  });

  it('refuses rules it cannot read, with the place', () => {
    const answer = new MemorySandbox().request('PUT', '/_sandbox/faults', [{ fault: { type: 'status', status: 99 } }]);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).error.fields).toMatchObject([{ path: '[0].fault.status' }]);
  });

  it('refuses a header that cannot be sent', () => {
    const fault = { type: 'status', status: 200, headers: { 'x-a': 'a\nb' } };
    expect(new MemorySandbox().request('PUT', '/_sandbox/faults', [{ fault }]).status).toBe(400);
  });
});

describe('whether the request takes effect', () => {
  const create = (sandbox: MemorySandbox) => sandbox.send('POST', ORDERS, JSON_HEADERS, { orderRef: 'PO-1' });

  it.each([
    ['before', 1],
    ['never', 0],
  ])('applies a create %s a status fault', (apply, kept) => {
    const sandbox = withFaults({ fault: { type: 'status', status: 500, apply } });
    expect(create(sandbox).answer.status).toBe(500);
    expect(lastEntry(sandbox)).toMatchObject({ status: 500, applied: kept === 1, fault: 'rule-1' });
    expect(ordersKept(sandbox)).toBe(kept);
  });

  it('does not apply under a bare status fault', () => {
    const sandbox = withFaults({ fault: { type: 'status', status: 500 } });
    create(sandbox);
    expect(ordersKept(sandbox)).toBe(0);
  });

  it('applies late, under the id the answer would have named', () => {
    const sandbox = withFaults({ fault: { type: 'reset', apply: 'after', lateMs: 60_000 }, times: 1 });
    const delivery = create(sandbox);
    expect(delivery.manner.kind).toBe('reset');
    expect(ordersKept(sandbox)).toBe(0);
    expect(lastEntry(sandbox)).toMatchObject({ status: null, applied: false, appliedAtMs: null });
    sandbox.nowMs += 60_000;
    const [kept] = JSON.parse(sandbox.request('GET', '/_sandbox/orders').body).orders;
    expect(kept.id).toBe(JSON.parse(delivery.answer.body).id);
    expect(kept.createdAtMs).toBeGreaterThan(sandbox.nowMs - 1_000);
    expect(lastEntry(sandbox)).toMatchObject({ applied: true });
  });

  it('lets a late update overwrite a newer one', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    const update = (comments: number) =>
      sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1', comments });
    sandbox.request('PUT', '/_sandbox/faults', [{ fault: { type: 'delay', ms: 5_000, apply: 'after' }, times: 1 }]);
    expect(update(1).waitMs).toBe(5_000);
    update(2);
    sandbox.nowMs += 5_000;
    const [kept] = JSON.parse(sandbox.request('GET', '/_sandbox/orders').body).orders;
    expect(kept.document.comments).toBe(1);
  });

  it('gives each of several late updates, and the request behind them, an instant of its own', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create({ orderRef: 'PO-1', partnerId: 'P', clientId: 'C' });
    const update = (comments: number) =>
      sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1', partnerId: 'P', clientId: 'C', comments });
    const late = { fault: { type: 'reset', apply: 'after', lateMs: 1_000 }, times: 2 };
    sandbox.request('PUT', '/_sandbox/faults', [late]);
    update(1);
    update(2);
    sandbox.nowMs += 5_000; // nobody asks meanwhile
    update(3);
    const poll = sandbox.send('GET', `${HISTORY}?partnerId=P&clientId=C`);
    const events: { code: string; eventTime: string }[] = JSON.parse(poll.answer.body).events;
    const times = events.filter(({ code }) => code === 'updated').map(({ eventTime }) => eventTime);
    expect(times).toHaveLength(3);
    expect(new Set(times).size).toBe(3);
  });

  it('moves the cursor of a poll whose answer is lost', () => {
    const sandbox = new MemorySandbox();
    sandbox.create();
    sandbox.request('PUT', '/_sandbox/faults', [{ match: { method: 'GET' }, fault: { type: 'lost_poll' }, times: 1 }]);
    const poll = () => sandbox.send('GET', `${HISTORY}?partnerId=DEMO-PARTNER&clientId=DEMO-CLIENT`);
    expect(poll().manner).toEqual({ kind: 'cut', keepBytes: 1 });
    expect(JSON.parse(poll().answer.body).events).toEqual([]);
  });

  it('has nothing to apply late of a plain read', () => {
    const sandbox = withFaults({ fault: { type: 'delay', ms: 60_000, apply: 'after' } });
    sandbox.send('GET', '/test/fms/fleet/v1/vehicles');
    expect(lastEntry(sandbox)).toMatchObject({ applied: true });
    expect(JSON.parse(sandbox.request('GET', '/_sandbox/state').body).lateEffects).toBe(0);
  });

  it('never calls a refused request applied', () => {
    const sandbox = withFaults({ fault: { type: 'delay', ms: 1 } });
    sandbox.send('POST', MILESTONES, JSON_HEADERS, {});
    expect(lastEntry(sandbox)).toMatchObject({ status: 400, applied: false });
  });
});

describe('what goes out', () => {
  const sent = (fault: unknown) => withFaults({ fault }).send('POST', MILESTONES, JSON_HEADERS, MILESTONE);

  it('redirects to where the rule says, with nothing applied', () => {
    const sandbox = withFaults({ fault: { type: 'redirect', status: 307, location: 'http://127.0.0.1:9/x' } });
    const { answer } = sandbox.send('POST', MILESTONES, JSON_HEADERS, MILESTONE);
    expect(answer).toMatchObject({ status: 307, headers: { location: 'http://127.0.0.1:9/x' } });
    expect(lastEntry(sandbox).applied).toBe(false);
  });

  it('sends Retry-After as it stands', () => {
    expect(sent({ type: 'too_many_requests', retryAfter: 'soon' }).answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': 'soon' },
    });
    expect(sent({ type: 'too_many_requests' }).answer.headers).not.toHaveProperty('retry-after');
  });

  it('answers with the body of the rule, also an empty one', () => {
    expect(sent({ type: 'status', status: 200, body: '' }).answer.body).toBe('');
    expect(codeOf(sent({ type: 'status', status: 500 }).answer)).toBe('fault');
  });

  it('shortens a body cleanly or marks it for cutting', () => {
    expect(sent({ type: 'truncate', keepBytes: 5, clean: true })).toMatchObject({
      answer: { body: '{"id"' },
      manner: { kind: 'whole' },
    });
    expect(sent({ type: 'truncate', keepBytes: 5 }).manner).toEqual({ kind: 'cut', keepBytes: 5 });
  });

  it('says gzip of bytes that are none', () => {
    expect(sent({ type: 'bad_gzip' }).answer.headers['content-encoding']).toBe('gzip');
  });

  it('pads headers and body', () => {
    const delivery = sent({ type: 'oversize', bodyBytes: 1_000_000, headerBytes: 300 });
    expect(delivery.manner).toEqual({ kind: 'padded', bodyBytes: 1_000_000 });
    expect(delivery.answer.headers['x-padding']).toHaveLength(300);
  });
});
