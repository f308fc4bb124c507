import { describe, expect, it } from 'vitest';
import { Wave } from '../../../src/batch/core/pacing.ts';
import type { StoredBatchRequest } from '../../../src/batch/core/row.ts';
import { AWAKE_CHARACTERS_MAX, AWAKE_MS_MAX, SUBJECTS_AWAKE_MAX } from '../../../src/batch/limits.ts';
import { partsBySubject } from '../../../src/batch/steps/dispatch.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { aStoredRequest, aTicket } from './samples.ts';

const full = Array.from({ length: SUBJECTS_AWAKE_MAX }, (_, at) => at + 1);

const rowOf = (record: number, more: object = {}) => aStoredRequest(record, 1, { subject: `load:L${record}`, ...more });

function wakeAll(wave: Wave, rows: StoredBatchRequest[]): void {
  for (const [name, { requests }] of partsBySubject(rows, aTicket()).parts) wave.wake(name, requests, 0);
}

function waveOf(records: readonly number[], more: object = {}): Wave {
  const wave = new Wave();
  wakeAll(
    wave,
    records.map((record) => rowOf(record, more)),
  );
  return wave;
}

const outcome = (record: number, state: RequestOutcome['state'], reason: RequestOutcome['reason'] = null) =>
  ({ record, request: 1, state, reason }) as RequestOutcome;

describe('a wave', () => {
  it('has no room while as many loads are awake as may be', () => {
    expect(waveOf(full).hasRoom(0)).toBe(false);
    expect(waveOf([]).hasRoom(0)).toBe(true);
  });

  it('goes on when one of its loads has told of all its requests', () => {
    const wave = waveOf(full);
    wakeAll(wave, [aStoredRequest(1, 2, { subject: 'load:L1' })]);
    wave.note([outcome(1, 'rejected')]);
    expect(wave.hasRoom(0)).toBe(false);
    wave.note([{ ...outcome(1, 'delivered'), request: 2 }]);
    expect(wave.hasRoom(0)).toBe(true);
  });

  it('waits for no load that waits for something else than its turn', () => {
    for (const state of ['waiting', 'unknown', 'held'] as const) {
      const wave = waveOf(full);
      wave.note(full.map((record) => outcome(record, state)));
      expect(wave.hasRoom(0)).toBe(true);
    }
    const wave = waveOf(full);
    wave.note(full.map((record) => outcome(record, 'queued', 'scac_refused')));
    expect(wave.hasRoom(0)).toBe(true);
  });

  it('waits for no other request of a load that waits for something else than its turn', () => {
    for (const state of ['waiting', 'unknown', 'held'] as const) {
      const wave = waveOf(full);
      wakeAll(wave, [aStoredRequest(900, 1, { subject: 'load:L1' })]);
      wave.note(full.map((record) => outcome(record, state)));
      expect(wave.hasRoom(0)).toBe(true);
    }
  });

  it('waits where the channel does: what is on its way, or parked with all others, is awake', () => {
    const wave = waveOf(full);
    wave.note(full.map((record) => outcome(record, 'sending')));
    wave.note(full.map((record) => outcome(record, 'queued', 'upstream_unwell')));
    expect(wave.hasRoom(0)).toBe(false);
  });

  it('waits for a load that tells nothing for a minute and no longer', () => {
    const wave = waveOf(full);
    expect(wave.restMs(20_000)).toBe(AWAKE_MS_MAX - 20_000);
    expect(wave.hasRoom(AWAKE_MS_MAX - 1)).toBe(false);
    expect(wave.hasRoom(AWAKE_MS_MAX)).toBe(true);
    expect(wave.restMs(AWAKE_MS_MAX)).toBe(0);
  });

  it('counts a load that is handed more until all of it is told', () => {
    const wave = waveOf(full);
    wakeAll(wave, [aStoredRequest(900, 1, { subject: 'load:L1' })]);
    wave.note(full.map((record) => outcome(record, 'delivered')));
    expect(wave.hasRoom(0)).toBe(true);
    wave.note([outcome(900, 'delivered')]);
    expect(wave.hasRoom(0)).toBe(true);
  });

  it('counts a load that is handed more also until what it was handed before is told', () => {
    const wave = waveOf(full);
    wakeAll(wave, [aStoredRequest(900, 1, { subject: 'load:L1' })]);
    wave.note([...full.slice(1), 900].map((record) => outcome(record, 'delivered')));
    expect(wave.hasRoom(0)).toBe(true);
    wave.note([outcome(1, 'delivered')]);
    expect(wave.hasRoom(0)).toBe(true);
  });

  it('does not count positions: they wait for the rest of the file', () => {
    expect(waveOf(full, { kind: 'trace' }).hasRoom(0)).toBe(true);
  });

  it('is bounded by the bodies that wait in it, too', () => {
    const body = 'x'.repeat(AWAKE_CHARACTERS_MAX);
    const wave = waveOf([1], { body });
    expect(wave.hasRoom(0)).toBe(false);
    wave.note([outcome(1, 'delivered')]);
    expect(wave.hasRoom(0)).toBe(true);
  });
});
