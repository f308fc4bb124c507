/** Deliveries of webhooks: signed, retried, given up; and that no death, slow target or lost alarm costs one. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../../src/kernel/clock.ts';
import { WEBHOOK_RETENTION_MS } from '../../../src/webhooks/limits.ts';
import { WebhookStore } from '../../../src/webhooks/store.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { anEvent, aTarget, hooksOf, keyOf, someHooks, targetsAnswer } from '../hooks.ts';
import { PATIENCE } from '../loads.ts';
import { answerTo, heldAnswer, neverAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const answering =
  (status: number, headers: Record<string, string> = {}) =>
  async () =>
    new Response(status === 204 ? null : 'said', { status, headers });

describe('a target that is told of an event', () => {
  it('gets one signed POST, whose signature the public library accepts', async () => {
    const { told } = targetsAnswer({});
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    const [delivery] = await hooks.reaches(['delivered']);
    const [sent] = told;
    expect([sent?.method, sent?.url, sent?.redirect]).toEqual(['POST', 'https://one.example/hook', 'manual']);
    expect(sent?.headers['webhook-id']).toBe(delivery?.eventId);
    const verified = new Webhook(await keyOf(hooks.scope)).verify(sent?.body ?? '', sent?.headers ?? {});
    const { data } = anEvent(1);
    expect(verified).toEqual({ type: 'batch.settled', timestamp: '2026-03-03T04:05:06.000Z', data });
    expect(delivery).toMatchObject({ attempts: 1, lastStatus: 200, nextAtMs: null });
    const other = new Webhook(await keyOf(hooks.scope, 'two'));
    expect(() => other.verify(sent?.body ?? '', sent?.headers ?? {})).toThrow();
  });

  it('gets it once however often it is told of', async () => {
    const { told } = targetsAnswer({});
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await Promise.all([hooks.notify(1, 2), hooks.notify(1), hooks.notify(2)]);
    await hooks.reaches(['delivered', 'delivered']);
    await hooks.notify(1, 2);
    await hooks.waitsPass();
    expect(told).toHaveLength(2);
    expect(new Set(told.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('gets only what it asked for, and nothing once it is off or deleted', async () => {
    const { told } = targetsAnswer({});
    const hooks = someHooks();
    await hooks.keep(
      aTarget('one', { events: ['batch.held'] }),
      aTarget('off', { isEnabled: false }),
      aTarget('gone', { isDeleted: true }),
      aTarget('two'),
    );
    await hooks.notify(1);
    await hooks.reaches(['delivered'], 'two');
    expect(told.map(({ url }) => url)).toEqual(['https://two.example/hook']);
    expect(await hooks.deliveries('one')).toEqual([]);
    expect(await hooks.deliveries('off')).toEqual([]);
  });

  it('keeps nothing where nobody wants to be told', async () => {
    const hooks = someHooks();
    await hooks.notify(1);
    await hooks.keep(aTarget('one'));
    expect(await hooks.deliveries()).toEqual([]);
    expect(await runInDurableObject(hooks.stub(), (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  it('belongs to one partner and environment: others have other objects and other keys', async () => {
    const { told } = targetsAnswer({});
    const [one, other] = [someHooks(), someHooks()];
    const live = hooksOf({ ...one.scope, environment: 'production' });
    await one.keep(aTarget('one'));
    await other.notify(1);
    await live.notify(1);
    await one.notify(1);
    await one.reaches(['delivered']);
    expect(told).toHaveLength(1);
    expect(new Set([await keyOf(one.scope), await keyOf(other.scope), await keyOf(live.scope)]).size).toBe(3);
  });
});

describe('what did not arrive', () => {
  it.each([
    ['an answer 500', answering(500), 500],
    ['an answer 404', answering(404), 404],
    ['a redirect, which is not followed', answering(302, { Location: 'https://two.example/' }), 302],
    ['a broken connection', new Error('Network connection lost.'), null],
  ])('is sent again after %s, under the same id with the same body', async (_, answer, status) => {
    const { told } = targetsAnswer({ one: [answer, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    const [delivery] = await hooks.reaches(['delivered']);
    expect(delivery?.attempts).toBe(2);
    expect(told.map(({ url }) => url)).toEqual(Array(2).fill('https://one.example/hook'));
    expect(told[0]?.body).toBe(told[1]?.body);
    expect(told[0]?.headers['webhook-id']).toBe(told[1]?.headers['webhook-id']);
    expect(status === null || status > 299).toBe(true);
  });

  it('is shown with its last answer while it waits', async () => {
    targetsAnswer({ one: [answering(503)] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    const found = await vi.waitFor(async () => {
      const [first] = await hooks.deliveries();
      expect(first).toMatchObject({ state: 'waiting', lastStatus: 503, lastDetail: 'said' });
      return first;
    }, PATIENCE);
    expect(found?.nextAtMs).not.toBeNull();
    expect((await hooks.stub().current())[0]).toMatchObject({ id: 'one', waiting: 1, disabledReason: null });
  });

  it('is given up after ten attempts, and sent again on request from the begin of its schedule', async () => {
    const { told } = targetsAnswer({ one: [...Array<number>(10).fill(500), 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await vi.waitFor(async () => {
      await hooks.waitsPass();
      expect((await hooks.deliveries())[0]?.state).toBe('given_up');
    }, PATIENCE);
    expect(told).toHaveLength(10);
    await hooks.waitsPass();
    expect(told).toHaveLength(10);
    const [given] = await hooks.deliveries();
    expect(await hooks.stub().sendAgain('one', given?.eventId ?? '', 'Analyst')).toBe('done');
    expect((await hooks.reaches(['delivered']))[0]).toMatchObject({ attempts: 11, sentAgainBy: 'Analyst' });
    expect(await hooks.stub().sendAgain('one', 'e_0', 'Analyst')).toBe('unknown');
    expect(await hooks.stub().sendAgain('two', given?.eventId ?? '', 'Analyst')).toBe('disabled');
  });

  it('is tried anew where it was sent again during its last try, whatever comes of that one', async () => {
    const held = heldAnswer();
    const last = heldAnswer(); // its wait may pass by itself, where the machine is busy
    targetsAnswer({ one: [500, held.answer, last.answer] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    const shows = (wanted: object) =>
      vi.waitFor(async () => {
        const [delivery] = await hooks.deliveries();
        expect(delivery).toMatchObject(wanted);
        return delivery;
      }, PATIENCE);
    await shows({ state: 'waiting', lastStatus: 500 });
    await hooks.sql('UPDATE target SET failing_since_ms = 0');
    await hooks.sql('UPDATE delivery SET round_attempts = 9');
    await hooks.waitsPass();
    const sending = await shows({ state: 'sending', attempts: 2 });
    expect(await hooks.stub().sendAgain('one', sending?.eventId ?? '', 'Analyst')).toBe('done');
    held.release(500);
    await vi.waitFor(async () => {
      const [delivery] = await hooks.deliveries();
      // What a try that has begun will be answered is not known yet.
      expect(['waiting after 2: 500', 'sending after 3: null']).toContain(
        `${delivery?.state} after ${delivery?.attempts}: ${delivery?.lastStatus}`,
      );
      expect(delivery).toMatchObject({ sentAgainBy: 'Analyst' });
    }, PATIENCE);
    expect((await hooks.stub().current())[0]).toMatchObject({ disabledReason: null, waiting: 1 });
    await hooks.waitsPass();
    last.release(503);
    await shows({ lastStatus: 503 }); // only a third try, or a later one, meets that
  });

  it('ends with its target at the answer 410, until that is set anew', async () => {
    const { told } = targetsAnswer({ one: [410, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await hooks.reaches(['given_up']);
    expect((await hooks.stub().current())[0]).toMatchObject({ disabledReason: 'gone' });
    await hooks.notify(2);
    expect(told).toHaveLength(1);
    await hooks.keep(aTarget('one')); // an edition that is known changes nothing
    await hooks.notify(3);
    expect(told).toHaveLength(1);
    await hooks.keep(aTarget('one', { edition: 2 }));
    await hooks.notify(4);
    await hooks.reaches(['delivered', 'given_up']);
    expect((await hooks.stub().current())[0]).toMatchObject({ disabledReason: null });
  });

  it('is tried by its whole schedule where the target failed long ago and nothing was sent since', async () => {
    const { told } = targetsAnswer({ one: [...Array<number>(9).fill(500), 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.sql('UPDATE target SET failing_since_ms = 0');
    await hooks.notify(1);
    await vi.waitFor(async () => {
      await hooks.waitsPass();
      expect((await hooks.deliveries())[0]).toMatchObject({ state: 'delivered', attempts: 10 });
    }, PATIENCE);
    expect(told).toHaveLength(10);
    expect((await hooks.stub().current())[0]).toMatchObject({ failingSinceMs: null, disabledReason: null });
  });

  it('switches its target off with its last try when nothing has arrived in five days, and all that waits is given up', async () => {
    targetsAnswer({ one: [500] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.sql('UPDATE target SET failing_since_ms = 0');
    await hooks.notify(1);
    const tried = (count: number) =>
      vi.waitFor(async () => {
        expect((await hooks.deliveries()).at(-1)).toMatchObject({ state: 'waiting', attempts: count });
      }, PATIENCE);
    await tried(1);
    await hooks.waitsPass();
    await tried(2);
    expect((await hooks.stub().current())[0]).toMatchObject({ disabledReason: null, waiting: 1 });
    await hooks.sql('UPDATE delivery SET round_attempts = 9, due_ms = 0');
    await hooks.notify(2);
    await hooks.reaches(['given_up', 'given_up']);
    expect((await hooks.stub().current())[0]).toMatchObject({ disabledReason: 'failing', waiting: 0 });
  });

  it('leaves its target on after a success, however long it had failed', async () => {
    targetsAnswer({ one: [200, 500, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.sql('UPDATE target SET failing_since_ms = 0');
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
    await hooks.notify(2);
    await hooks.reaches(['delivered', 'delivered']);
    expect((await hooks.stub().current())[0]).toMatchObject({ failingSinceMs: null, disabledReason: null });
  });
});

describe('a slow target', () => {
  it('delays no other, and its own deliveries go out one by one', async () => {
    const held = heldAnswer();
    const { told } = targetsAnswer({ one: [held.answer, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'), aTarget('two'));
    await hooks.notify(1, 2);
    await hooks.reaches(['delivered', 'delivered'], 'two');
    await hooks.notify(3);
    await hooks.reaches(['delivered', 'delivered', 'delivered'], 'two');
    expect(told.filter(({ url }) => url.includes('one'))).toHaveLength(1);
    held.release(200);
    await hooks.reaches(['delivered', 'delivered', 'delivered'], 'one');
  });

  it('that never answers is told again', async () => {
    const { told } = targetsAnswer({ one: [neverAnswers, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
    expect(told).toHaveLength(2);
  });
});

describe('a process that dies', () => {
  it('between the intent and the answer repeats the event under the same id', async () => {
    const held = heldAnswer();
    const { told } = targetsAnswer({ one: [held.answer, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await hooks.reaches(['sending']);
    await runInDurableObject(hooks.stub(), (_, state) => state.abort('planned: the process dies')).catch(
      () => undefined,
    );
    held.release(200);
    await vi.waitFor(() => expect(told).toHaveLength(2), PATIENCE);
    expect((await hooks.reaches(['delivered']))[0]?.attempts).toBe(2);
    expect(told[0]?.headers['webhook-id']).toBe(told[1]?.headers['webhook-id']);
  });

  it('or sleeps while an event waits, or loses its alarm, costs nothing: the next look arms it again', async () => {
    const { told } = targetsAnswer({ one: [500, 500, 200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(0), PATIENCE); // on a busy machine the second try may be over, too
    await runInDurableObject(hooks.stub(), async (_, { storage }) => {
      storage.sql.exec('UPDATE delivery SET due_ms = ? WHERE due_ms IS NOT NULL', Date.now() + 300);
      await storage.deleteAlarm();
    });
    await evictDurableObject(hooks.stub());
    await hooks.keep(aTarget('one'));
    await hooks.reaches(['delivered']);
    expect(told).toHaveLength(3);
  });
});

describe('a rotated key', () => {
  const signatures = async (rotatedAtMs: number | null) => {
    const { told } = targetsAnswer({});
    const hooks = someHooks();
    await hooks.keep(aTarget('one', { generation: 2, rotatedAtMs }));
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
    const { body = '', headers = {} } = told[0] ?? {};
    const accepts = async (generation: number) => {
      try {
        new Webhook(await keyOf(hooks.scope, 'one', generation)).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    };
    return [await accepts(1), await accepts(2), await accepts(3)];
  };

  it('signs beside the one before it for a day', async () => {
    expect(await signatures(Date.now())).toEqual([true, true, false]);
  });

  it('signs alone after that, and where a target was registered anew', async () => {
    expect(await signatures(Date.now() - 24 * 3_600_000)).toEqual([false, true, false]);
    expect(await signatures(null)).toEqual([false, true, false]);
  });
});

it('wakes when the life of a delivery ends, and forgets it', async () => {
  targetsAnswer({});
  const hooks = someHooks();
  await hooks.keep(aTarget('one'));
  await hooks.notify(1);
  await hooks.reaches(['delivered']);
  await vi.waitFor(async () => {
    const [delivery] = await hooks.deliveries();
    const wakesAtMs = await runInDurableObject(hooks.stub(), async (object, { storage }) => {
      await storage.deleteAlarm();
      await object.alarm();
      return storage.getAlarm();
    });
    expect(wakesAtMs).toBe((delivery?.toldAtMs ?? 0) + WEBHOOK_RETENTION_MS / TEST_TIME_SCALE + 1);
  }, PATIENCE);
  await hooks.sql('UPDATE event SET told_at_ms = 0');
  await runInDurableObject(hooks.stub(), (object) => object.alarm());
  expect(await hooks.deliveries()).toEqual([]);
});

it('keeps what was told in the last thirty days, and nothing older', async () => {
  targetsAnswer({});
  const hooks = someHooks();
  await hooks.keep(aTarget('one'));
  await hooks.notify(1, 2);
  await hooks.reaches(['delivered', 'delivered']);
  const daysAgo = (days: number) => Date.now() - (days * DAY_MS) / TEST_TIME_SCALE;
  await hooks.sql('UPDATE event SET told_at_ms = ?', daysAgo(29.5));
  await hooks.sql('UPDATE event SET told_at_ms = ? WHERE event_id = (SELECT min(event_id) FROM event)', daysAgo(30.5));
  await runInDurableObject(hooks.stub(), (object) => object.alarm());
  expect(await hooks.deliveries()).toHaveLength(1);
});

it('a wake-up whose storage fails is logged, and comes again', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const hooks = someHooks();
  await hooks.keep(aTarget('one'));
  await runInDurableObject(hooks.stub(), async (object, { storage }) => {
    vi.spyOn(WebhookStore.prototype, 'forget').mockImplementationOnce(() => {
      throw new Error('planned: the disk is full');
    });
    const arms = vi.spyOn(storage, 'setAlarm');
    const beforeMs = Date.now();
    await object.alarm();
    expect(arms).toHaveBeenCalledOnce();
    expect(arms.mock.calls[0]?.[0]).toBeGreaterThan(beforeMs);
    arms.mockRestore();
  });
  expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
    { event: 'webhooks_round_failed', detail: 'planned: the disk is full' },
  ]);
});

it('double alarms send nothing twice', async () => {
  const { told } = targetsAnswer({ one: [async (left, signal) => answerTo(200, left, signal)] });
  const hooks = someHooks();
  await hooks.keep(aTarget('one'));
  await hooks.notify(1, 2, 3);
  await runInDurableObject(hooks.stub(), (object) => Promise.all([object.alarm(), object.alarm()]));
  await hooks.reaches(['delivered', 'delivered', 'delivered']);
  expect(told).toHaveLength(3);
});
