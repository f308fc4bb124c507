import { describe, expect, it } from 'vitest';
import { Wave } from '../../../src/batch/core/pacing.ts';
import { AWAKE_CHARACTERS_MAX, AWAKE_MS_MAX, SUBJECTS_AWAKE_MAX } from '../../../src/batch/limits.ts';
import { partsBySubject } from '../../../src/batch/steps/dispatch.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { aStoredRequest, aTicket } from './samples.ts';

const full = Array.from({ length: SUBJECTS_AWAKE_MAX }, (_, at) => at + 1);

const rowOf = (record: number, more: object = {}) => aStoredRequest(record, 1, { subject: `load:L${record}`, ...more });

function waveOf(records: readonly number[], more: object = {}): Wave {
  const wave = new Wave();
  wave.wake(
    partsBySubject(
      records.map((record) => rowOf(record, more)),
      aTicket(),
    ).parts,
    0,
  );
  return wave;
}

const outcome = (record: number, state: RequestOutcome['state'], reason: RequestOutcome['reason'] = null) =>
  ({ record, request: 1, state, reason }) as RequestOutcome;

describe('a wave', () => {
  it('has no room while as many loads are awake as may be', () => {
    expect(waveOf(full).room(0)).toBeNull();
    expect(waveOf([]).room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
  });

  it('goes on when a part of its loads has told of all their requests', () => {
    const wave = waveOf(full);
    const part = full.slice(0, SUBJECTS_AWAKE_MAX / 4);
    wave.note(part.slice(1).map((record) => outcome(record, 'delivered')));
    expect(wave.room(0)).toBeNull();
    wave.note([outcome(1, 'rejected')]);
    expect(wave.room(0)?.subjects).toBe(part.length);
  });

  it('waits for no load that waits for something else than its turn', () => {
    for (const state of ['waiting', 'unknown', 'held'] as const) {
      const wave = waveOf(full);
      wave.note(full.map((record) => outcome(record, state)));
      expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
    }
    const wave = waveOf(full);
    wave.note(full.map((record) => outcome(record, 'queued', 'scac_refused')));
    expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
  });

  it('waits for no other request of a load that waits for something else than its turn', () => {
    for (const state of ['waiting', 'unknown', 'held'] as const) {
      const wave = waveOf(full);
      wave.wake(partsBySubject([aStoredRequest(900, 1, { subject: 'load:L1' })], aTicket()).parts, 0);
      wave.note(full.map((record) => outcome(record, state)));
      expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
    }
  });

  it('waits where the channel does: what is on its way, or parked with all others, is awake', () => {
    const wave = waveOf(full);
    wave.note(full.map((record) => outcome(record, 'sending')));
    wave.note(full.map((record) => outcome(record, 'queued', 'upstream_unwell')));
    expect(wave.room(0)).toBeNull();
  });

  it('waits for a load that tells nothing for a minute and no longer', () => {
    const wave = waveOf(full);
    expect(wave.restMs(20_000)).toBe(AWAKE_MS_MAX - 20_000);
    expect(wave.room(AWAKE_MS_MAX - 1)).toBeNull();
    expect(wave.room(AWAKE_MS_MAX)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
    expect(wave.restMs(AWAKE_MS_MAX)).toBe(0);
  });

  it('counts a load that is handed more until all of it is told', () => {
    const wave = waveOf(full);
    wave.wake(partsBySubject([aStoredRequest(900, 1, { subject: 'load:L1' })], aTicket()).parts, 0);
    wave.note(full.map((record) => outcome(record, 'delivered')));
    expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX - 1);
    wave.note([outcome(900, 'delivered')]);
    expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
  });

  it('counts a load that is handed more also until what it was handed before is told', () => {
    const wave = waveOf(full);
    wave.wake(partsBySubject([aStoredRequest(900, 1, { subject: 'load:L1' })], aTicket()).parts, 0);
    wave.note([...full.slice(1), 900].map((record) => outcome(record, 'delivered')));
    expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX - 1);
    wave.note([outcome(1, 'delivered')]);
    expect(wave.room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
  });

  it('does not count positions: they wait for the rest of the file', () => {
    expect(waveOf(full, { kind: 'trace' }).room(0)?.subjects).toBe(SUBJECTS_AWAKE_MAX);
  });

  it('is bounded by the bodies that wait in it, too', () => {
    const body = 'x'.repeat(AWAKE_CHARACTERS_MAX);
    const wave = waveOf([1], { body });
    expect(wave.room(0)).toBeNull();
    wave.note([outcome(1, 'delivered')]);
    expect(wave.room(0)?.characters).toBe(AWAKE_CHARACTERS_MAX);
  });
});
