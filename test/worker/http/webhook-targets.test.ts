/** Which targets an event goes to, as they stand when it is told; nothing is sent here. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { anEvent, aTarget, someHooks, targetsAnswer } from '../hooks.ts';

let alarm = vi.spyOn(Webhooks.prototype, 'alarm');
beforeEach(() => {
  alarm = vi.spyOn(Webhooks.prototype, 'alarm').mockResolvedValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const statesOf = async (hooks: ReturnType<typeof someHooks>, target?: string) =>
  (await hooks.deliveries(target)).map(({ state }) => state);

describe('an event', () => {
  it('is for those who wanted it when it was told first, however often it is told again', async () => {
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await hooks.keep(aTarget('two'));
    await hooks.notify(1);
    expect([await statesOf(hooks, 'one'), await statesOf(hooks, 'two')]).toEqual([['waiting'], []]);
  });

  it('that nobody wanted is new when it is told again and somebody wants it', async () => {
    const hooks = someHooks();
    await hooks.keep(aTarget('one', { events: ['batch.held'] }));
    await hooks.notify(1);
    await hooks.keep(aTarget('one', { edition: 2 }));
    await hooks.notify(1);
    expect(await statesOf(hooks)).toEqual(['waiting']);
  });
});

describe('a statement that fails', () => {
  it('leaves nothing of an event, so that it is delivered to all when it is told again', async () => {
    const hooks = someHooks();
    await hooks.keep(aTarget('one'), aTarget('two'));
    await hooks.sql(
      `CREATE TRIGGER planned BEFORE INSERT ON delivery WHEN new.target_id = 'two' BEGIN SELECT RAISE(ABORT, 'planned'); END`,
    );
    await runInDurableObject(hooks.stub(), (object) => expect(object.notify([anEvent(1)])).rejects.toThrow('planned'));
    await hooks.sql('DROP TRIGGER planned');
    await hooks.notify(1);
    expect([await statesOf(hooks, 'one'), await statesOf(hooks, 'two')]).toEqual([['waiting'], ['waiting']]);
  });

  it('leaves nothing of an answer, so that the attempt counts as lost and is repeated', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    alarm.mockRestore();
    const answered = Promise.withResolvers<void>();
    const old = async () => {
      await answered.promise;
      return new Response('', { status: 500 });
    };
    const { told } = targetsAnswer({ one: [old], moved: [200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await vi.waitFor(() => expect(told).toHaveLength(1));
    await hooks.keep(aTarget('one', { edition: 2, url: 'https://moved.example/hook' }));
    await hooks.sql(
      `CREATE TRIGGER planned BEFORE UPDATE ON delivery WHEN new.round_attempts = 0 BEGIN SELECT RAISE(ABORT, 'planned'); END`,
    );
    answered.resolve();
    await vi.waitFor(() => expect(said).toHaveBeenCalledWith(expect.stringContaining('webhook_lane_failed')));
    await hooks.sql('DROP TRIGGER planned');
    await hooks.waitsPass();
    await hooks.reaches(['delivered']);
  });
});

describe('what waits for a target', () => {
  it('is given up as soon as that is switched off', async () => {
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await hooks.keep(aTarget('one', { edition: 2, isEnabled: false }));
    expect(await statesOf(hooks)).toEqual(['given_up']);
    expect(await hooks.stub().current()).toMatchObject([{ id: 'one', waiting: 0 }]);
  });

  it('is forgotten as soon as that is deleted', async () => {
    const hooks = someHooks();
    await hooks.keep(aTarget('one'), aTarget('two'));
    await hooks.notify(1);
    await hooks.keep(aTarget('one', { edition: 2, isDeleted: true }));
    expect([await statesOf(hooks, 'one'), await statesOf(hooks, 'two')]).toEqual([[], ['waiting']]);
  });
});

/** Its only target has answered that it is gone. */
async function withOneGone() {
  alarm.mockRestore();
  targetsAnswer({ one: [410] });
  const hooks = someHooks();
  await hooks.keep(aTarget('one'));
  await hooks.notify(1);
  await hooks.reaches(['given_up']);
  return hooks;
}

it('a target that is switched off by its own answer is logged with its partner', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const hooks = await withOneGone();
  expect(warned.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
    { event: 'webhook_target_disabled', ...hooks.scope, target: 'one', detail: 'gone' },
  ]);
});

it.each([410, 500])(
  'an old address that answers %d says nothing against the new one, which is told at once',
  async (status) => {
    alarm.mockRestore();
    const answered = Promise.withResolvers<void>();
    const old = async () => {
      await answered.promise;
      return new Response('', { status });
    };
    const { told } = targetsAnswer({ one: [old], moved: [200] });
    const hooks = someHooks();
    await hooks.keep(aTarget('one'));
    await hooks.notify(1);
    await vi.waitFor(() => expect(told).toHaveLength(1));
    await hooks.keep(aTarget('one', { edition: 2, url: 'https://moved.example/hook' }));
    answered.resolve();
    expect(await hooks.reaches(['delivered'])).toMatchObject([{ attempts: 2 }]);
    expect(told.map(({ url }) => new URL(url).hostname)).toEqual(['one.example', 'moved.example']);
    expect(await hooks.stub().current()).toMatchObject([{ failingSinceMs: null, disabledReason: null }]);
  },
);

it('a target that was switched off while it was told is not failing, whatever it answers', async () => {
  alarm.mockRestore();
  const answered = Promise.withResolvers<void>();
  const slow = async () => {
    await answered.promise;
    return new Response('', { status: 500 });
  };
  const { told } = targetsAnswer({ one: [slow] });
  const hooks = someHooks();
  await hooks.keep(aTarget('one'));
  await hooks.notify(1);
  await vi.waitFor(() => expect(told).toHaveLength(1));
  await hooks.keep(aTarget('one', { edition: 2, isEnabled: false }));
  answered.resolve();
  await hooks.reaches(['given_up']);
  await vi.waitFor(async () => expect(JSON.stringify(await hooks.stub().deliveries('one', null, 9))).toContain('500'));
  expect(await hooks.stub().current()).toMatchObject([{ failingSinceMs: null }]);
});

it('a target that was switched off by its own answer stays so with a new secret, and begins again when it is set', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const hooks = await withOneGone();
  const reason = async () => (await hooks.stub().current()).map(({ disabledReason }) => disabledReason);
  await hooks.keep(aTarget('one', { edition: 2, generation: 2, rotatedAtMs: Date.now() }));
  expect(await reason()).toEqual(['gone']);
  await hooks.keep(aTarget('one', { edition: 3, generation: 2, rotatedAtMs: Date.now() }));
  expect(await reason()).toEqual([null]);
});

it('a target that was set and has a new secret by the time it is heard of begins again', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const hooks = await withOneGone();
  await hooks.keep(aTarget('one', { edition: 3, generation: 2, rotatedAtMs: Date.now() }));
  expect(await hooks.stub().current()).toMatchObject([{ disabledReason: null }]);
});
