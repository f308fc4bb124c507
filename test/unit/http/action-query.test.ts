import { describe, expect, it } from 'vitest';
import { onlyKnown, readChoice, readFlag } from '../../../src/http/edge/query.ts';

describe('parameters of an action', () => {
  it('are known, or nothing is done', () => {
    expect(onlyKnown({ dryRun: 'true' }, ['dryRun', 'state'])).toEqual({ ok: true, value: null });
    expect(onlyKnown({ dryRun: 'true', dryrun: 'true' }, ['dryRun', 'state'])).toMatchObject({
      error: {
        status: 400,
        code: 'parameter_unknown',
        detail: expect.stringContaining('"dryrun"'),
        fix: 'Use dryRun, state, spelled like this. Did you mean "dryRun"?',
      },
    });
  });

  it.each([
    [{}, false],
    [{ dryRun: 'false' }, false],
    [{ dryRun: 'true' }, true],
  ])('read %j as %s', (parameters, flag) => {
    expect(readFlag(parameters, 'dryRun')).toEqual({ ok: true, value: flag });
  });

  it.each(['TRUE', '1', '', ' true'])('take %j for nothing', (dryRun) => {
    expect(readFlag({ dryRun }, 'dryRun')).toMatchObject({
      error: { code: 'parameter_invalid', fix: 'Write dryRun=true or dryRun=false.' },
    });
  });

  it('choose one or several, or all where nothing is said', () => {
    const choices = ['rejected', 'dead'] as const;
    expect(readChoice({}, 'state', choices)).toEqual({ ok: true, value: ['rejected', 'dead'] });
    expect(readChoice({ state: 'dead' }, 'state', choices)).toEqual({ ok: true, value: ['dead'] });
    expect(readChoice({ state: 'dead, rejected,dead' }, 'state', choices)).toEqual({
      ok: true,
      value: ['rejected', 'dead'],
    });
  });

  it.each(['', 'held', 'dead,held', 'Dead', 'dead,'])('refuse the choice %j', (state) => {
    expect(readChoice({ state }, 'state', ['rejected', 'dead'])).toMatchObject({
      error: { code: 'parameter_invalid', fix: 'Write state=one or several of rejected, dead.' },
    });
  });
});
