/** Which alerts the webhook of the operators is told of, and when each counts as over. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alertChanges,
  alertEvent,
  alertKey,
  type RaisedAlert,
  type SeenAlert,
} from '../../../src/ops/webhooks/raised-alerts.ts';
import { blocksOf } from '../../documentation/snippets.ts';

const NOW = Date.UTC(2026, 2, 9, 12);
const LIMITS = { nowMs: NOW, overAfterMs: 5_000, most: 10 };

const anAlert = (code: string, part: string | null = null, detail = 'as it is'): SeenAlert => ({
  ...{ code, about: 'acme', part, since: null, means: 'It is so.', detail, fix: 'Mend it.' },
  links: { api: '/v1/ops/health', console: null },
});
const known = (alert: SeenAlert, more: Partial<RaisedAlert> = {}): RaisedAlert => ({
  ...{ raisedAtMs: NOW - 60_000, state: 'notified', round: 1, goneAtMs: null },
  ...more,
  alert,
});

describe('changes', () => {
  it('are none while an alert stands, whatever else is said of it', () => {
    const changes = alertChanges([known(anAlert('rows_held'))], [anAlert('rows_held', null, 'more of them')], LIMITS);
    expect(changes).toEqual({ raised: [], gone: [], back: [], over: [] });
  });

  it('are one for each code and each part, the first of several, and at most so many at once', () => {
    const seen = [anAlert('scac_parked', 'ACME'), anAlert('scac_parked', 'DEMO'), anAlert('scac_parked', 'ACME', 'no')];
    expect(alertChanges([], seen, LIMITS).raised).toEqual(seen.slice(0, 2));
    expect(alertChanges([], seen, { ...LIMITS, most: 1 }).raised).toEqual(seen.slice(0, 1));
  });

  it('say that an alert is over once it was gone for long enough, and not if it came back', () => {
    const [alert, back] = [anAlert('feed_late'), anAlert('feed_gap')];
    const here = known(alert);
    expect(alertChanges([here], [], LIMITS)).toMatchObject({ gone: [here], over: [] });
    const [short, long] = [known(alert, { goneAtMs: NOW - 4_999 }), known(alert, { goneAtMs: NOW - 5_000 })];
    expect(alertChanges([short], [], LIMITS)).toMatchObject({ gone: [], over: [] });
    expect(alertChanges([long], [], LIMITS)).toMatchObject({ gone: [], over: [long] });
    const came = known(back, { goneAtMs: NOW - 9_000 });
    expect(alertChanges([came], [back], LIMITS)).toMatchObject({ back: [came], over: [] });
  });

  it.each([
    ['channel_unreachable', 'channel_stopped'],
    ['feed_unreachable', 'feed_gap'],
    ['webhooks_unreachable', 'webhook_disabled'],
  ])('do not say that what cannot be looked at is over: %s hides %s', (unreachable, code) => {
    const [stands, gone] = [known(anAlert(code)), known(anAlert(code, 'one'), { goneAtMs: NOW - 9_000 })];
    const now = [anAlert(unreachable)];
    expect(alertChanges([stands, gone], now, LIMITS)).toMatchObject({ gone: [], back: [], over: [] });
    const elsewhere = { ...anAlert(unreachable), about: 'other' };
    expect(alertChanges([stands, gone], [elsewhere], LIMITS)).toMatchObject({ gone: [stands], over: [gone] });
  });

  it('wait for what is still to be told: its raising before its end, its end before the next', () => {
    const alert = anAlert('feed_late');
    const untold = known(alert, { state: 'new', goneAtMs: NOW - 9_000 });
    expect(alertChanges([untold], [], LIMITS)).toMatchObject({ over: [] });
    const over = known(alert, { state: 'over', goneAtMs: NOW - 9_000 });
    expect(alertChanges([over], [alert], LIMITS)).toEqual({ raised: [], gone: [], back: [], over: [] });
  });
});

describe('events', () => {
  it('say what an alert is, since when, and what to do, under an id that raising and end share', () => {
    const alert = anAlert('feed_late');
    const raised = alertEvent('test', known(alert, { state: 'new' }));
    const cleared = alertEvent('test', known(alert, { state: 'over', goneAtMs: NOW }));
    expect(raised).toMatchObject({ type: 'alert.raised', data: { environment: 'test', ...alert } });
    expect(cleared).toMatchObject({ type: 'alert.cleared', data: { clearedAt: new Date(NOW).toISOString() } });
    const idOf = (event: typeof raised) => event.data.alertId;
    expect(idOf(cleared)).toBe(idOf(raised));
    expect(idOf(alertEvent('test', known(alert, { state: 'new', raisedAtMs: NOW })))).not.toBe(idOf(raised));
    expect(idOf(alertEvent('production', known(alert, { state: 'new' })))).not.toBe(idOf(raised));
  });

  it('have the members that the guide shows', () => {
    const guide = blocksOf('docs/operators.md').find(({ text }) => text.includes('"alert.raised"'))?.text ?? '';
    const shown = JSON.parse(guide) as { data: object };
    const { data } = alertEvent('test', known(anAlert('channel_stopped', 'channel'), { state: 'new' }));
    expect(Object.keys(shown.data).sort()).toEqual(Object.keys(data).sort());
  });

  it('are told once each and in turn, whatever comes and goes, and whichever run dies after telling', () => {
    const codes = ['a', 'b', 'c'];
    const run = fc.record({ seen: fc.subarray(codes), dies: fc.boolean() });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 30 }), (runs) => {
        let rows: RaisedAlert[] = [];
        const heard = new Map<string, string[]>();
        const ids = new Set<string>();
        let nowMs = NOW;
        // Nothing is seen at the end, for long enough: all that was raised must be over.
        for (const { seen, dies } of [...runs, ...Array.from({ length: 9 }, () => ({ seen: [], dies: false }))]) {
          nowMs += 3_000;
          const changes = alertChanges(
            rows,
            seen.map((code) => anAlert(code)),
            { ...LIMITS, nowMs },
          );
          rows = [
            ...rows.map((row): RaisedAlert => {
              if (changes.gone.includes(row)) return { ...row, goneAtMs: nowMs };
              if (changes.back.includes(row)) return { ...row, goneAtMs: null };
              return changes.over.includes(row) ? { ...row, state: 'over' } : row;
            }),
            ...changes.raised.map((alert) => known(alert, { state: 'new', raisedAtMs: nowMs })),
          ];
          for (const row of rows.filter(({ state }) => state !== 'notified')) {
            const event = alertEvent('test', row);
            const id = JSON.stringify([event.type, ...event.key]);
            if (ids.has(id)) continue; // the sender knows it
            ids.add(id);
            heard.set(alertKey(row.alert), [...(heard.get(alertKey(row.alert)) ?? []), event.type]);
          }
          if (dies) continue;
          rows = rows
            .filter(({ state }) => state !== 'over')
            .map((row): RaisedAlert => (row.state === 'new' ? { ...row, state: 'notified' } : row));
        }
        for (const events of heard.values())
          expect(events).toEqual(events.map((_, at) => (at % 2 === 0 ? 'alert.raised' : 'alert.cleared')));
        expect([...heard.values()].every(({ length }) => length % 2 === 0)).toBe(true);
        const seenOnce = new Set(runs.flatMap(({ seen }) => seen));
        expect(heard.size).toBe(seenOnce.size);
      }),
    );
  });
});
