import { afterEach, describe, expect, it, vi } from 'vitest';
import { countLogged, log, messageOf, stackOf } from '../../../src/kernel/log.ts';
import { quoteValue } from '../../../src/kernel/problem.ts';

afterEach(() => vi.restoreAllMocks());

function logged(fields: Parameters<typeof log>[2]): string {
  const written = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  log('warn', 'token_failed', fields);
  return String(written.mock.calls[0]?.[0]);
}

describe('log', () => {
  it('writes one JSON line with the event first', () => {
    const line = logged({ channel: 'main', status: 503 });
    expect(line.startsWith('{"event":"token_failed"')).toBe(true);
    expect(JSON.parse(line)).toEqual({ event: 'token_failed', channel: 'main', status: 503 });
  });

  it.each([
    ['a line end that would forge an event', 'x\n{"event":"paid"}'],
    ['a carriage return', 'x\ry'],
    ['a terminal escape', '\u001b[2Jx'],
    ['NUL', 'a\0b'],
    ['a C1 control', 'a\u009bb'],
    ['a right-to-left override', 'abc\u202egpj.exe'],
    ['a bidirectional isolate', 'a\u2066b'],
    ['an Arabic letter mark', 'a\u061cb'],
  ])('takes out %s', (_what, detail) => {
    const written = JSON.parse(logged({ detail })).detail;
    expect(written).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
    expect(written).toContain('�');
  });

  it('keeps 500 characters of a text, so that an answer cannot fill the log', () => {
    expect(JSON.parse(logged({ detail: 'x'.repeat(9_000) })).detail).toHaveLength(500);
  });

  it('writes on the level asked for', () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const info = vi.spyOn(console, 'info').mockImplementation(() => undefined);
    log('error', 'a');
    log('info', 'b');
    expect([error.mock.calls.length, info.mock.calls.length]).toEqual([1, 1]);
  });
});

describe('stackOf', () => {
  it('says where it was thrown, and nothing of what was said', () => {
    const thrown = new Error('the row of load LD-SECRET\n    at is quoted');
    const { stack = '' } = stackOf(thrown);
    expect(stack).toContain('log.test.ts');
    expect(stack).not.toContain('\n');
    expect(stackOf('a text')).toEqual({});
    expect(JSON.parse(logged({ stack: 'x'.repeat(9_000) })).stack).toHaveLength(1_500);
  });

  it('leaves out a message of several lines, also where one looks like a frame', () => {
    expect(stackOf(new Error('no\n    at LD-SECRET (row 7)')).stack).not.toContain('LD-SECRET');
  });
});

describe('countLogged', () => {
  it('hears of every event with its level', () => {
    const heard: string[] = [];
    countLogged((level, event) => heard.push(`${level} ${event}`));
    logged({});
    countLogged(() => undefined);
    expect(heard).toEqual(['warn token_failed']);
  });
});

describe('messageOf', () => {
  it.each([
    [new Error('no route'), 'no route'],
    ['plain text', 'plain text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ a: 1 }, '[object Object]'],
  ])('describes %s without failing', (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });
});

describe('quoteValue', () => {
  it('leaves 120 characters whole', () => {
    expect(quoteValue('x'.repeat(120))).toBe('x'.repeat(120));
  });

  it('shortens a longer value and says how long it was', () => {
    expect(quoteValue('x'.repeat(5_000))).toBe(`${'x'.repeat(120)}… (5000 characters)`);
  });
});
