/** The small changes that `npm run mutate` makes of a source, and the source with all of them in it. */
import { afterEach, describe, expect, it } from 'vitest';
import { mutation } from '../../../scripts/mutate/active.ts';
import { constantKey, derivedConstants } from '../../../scripts/mutate/derived.ts';
import { type Kind, mutantsOf } from '../../../scripts/mutate/mutants.ts';
import { drawn } from '../../../scripts/mutate/plan.ts';
import { type NumberedMutant, withMutants } from '../../../scripts/mutate/schema.ts';

const PATH = 'src/delivery/small.ts';
const changesOf = (text: string): [kind: Kind, change: string][] =>
  mutantsOf(PATH, text).map(({ kind, before, after }) => [kind, after === '' ? `${before} left out` : after]);

describe('a mutant', () => {
  it.each<[kind: Kind, text: string, changes: string[]]>([
    ['condition', 'function f(a) { if (a) g(); }', ['!(a)']],
    ['condition', 'function f(a) { while (a.b) g(); }', ['!(a.b)']],
    ['boundary', 'function f(a) { g(a < 1); }', ['a <= 1']],
    ['boundary', 'function f(a, b) { g(a >= b); }', ['a > b']],
    ['operator', 'function f(a, b) { g(a && b); }', ['(a) || (b)']],
    ['operator', 'function f(a, b) { g(a === b); }', ['a !== b']],
    ['operator', 'function f(a) { g(a - 1); }', ['a + 1']],
    ['operator', 'function f(a) { a.n += 1; }', ['a.n -= 1']],
    ['operator', 'function f(a, b) { g(a ?? b); }', ['(a) && (b)']],
    ['operator', 'function f(a) { if (a === 1) g(); }', []], // the negated condition is the same change
    ['operator', 'function f(a) { g(a + `b`); }', []], // a text
    ['return', 'function f(a) { return a; }', ['undefined']],
    ['return', 'const f = (a) => g(a);', ['undefined']],
    ['return', 'function f(a) { return !a; }', ['a']],
    ['statement', 'function f(a) { g(a); }', ['g(a); left out']],
    ['statement', 'function f(a) { for (;;) { break; } }', ['break; left out']],
    ['statement', 'class A extends B { constructor() { super(); } }', []],
    ['constant', 'function f() { g(7, true, "a.b"); }', ['8', 'false', "'a.b~'"]],
    ['constant', 'const A = 7;', ['8']],
    ['constant', 'function f() { g("Words for people."); }', []],
    ['constant', 'type A = 7; const b = { "c": d } as { c: 7 };', []],
  ])('of the kind %s in %s', (kind, text, changes) => {
    expect(changesOf(text).flatMap(([of, change]) => (of === kind ? [change] : []))).toEqual(changes);
  });

  it('knows the functions around it, and the constant in which it lies', () => {
    const [inF, inA] = mutantsOf(PATH, 'class C { f() { const g = () => 1; } }\nexport const A = { b: 2 };');
    expect(inF).toMatchObject({ inside: 'f.g', constant: null, before: '1' });
    expect(inA).toMatchObject({ inside: '', constant: 'A', before: '2' });
  });

  it('stays what it is when lines move, and is told apart from an equal one beside it', () => {
    const text = 'function f(a) { g(1); g(1); }';
    const keys = mutantsOf(PATH, text).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const moved = mutantsOf(PATH, `function other() { return h; }\n\n${text}`).map(({ key }) => key);
    expect(moved).toEqual(expect.arrayContaining(keys));
    expect(mutantsOf('src/delivery/another.ts', text).map(({ key }) => key)).not.toContain(keys[0]);
  });

  it('is drawn by the seed, the same whatever else there is', () => {
    const all = mutantsOf(PATH, `function f(a) { g(${Array.from({ length: 40 }, (_, at) => at).join(', ')}); }`);
    const ten = drawn(all, 1, 10);
    expect(ten).toHaveLength(10);
    expect(drawn(all, 1, 20).slice(0, 10)).toEqual(ten);
    expect(drawn([...all].reverse(), 1, 10)).toEqual(ten);
    expect(drawn(all, 2, 10)).not.toEqual(ten);
    const fewer = drawn(
      all.filter((each) => each !== ten[3]),
      1,
      9,
    );
    expect(fewer).toEqual(ten.filter((each) => each !== ten[3]));
  });
});

describe('a source with mutants in it', () => {
  const known = Reflect.get(globalThis, '__mutation');
  afterEach(() => {
    if (known === undefined) Reflect.deleteProperty(globalThis, '__mutation');
    else Reflect.set(globalThis, '__mutation', known);
  });

  const FILE = 99;
  async function loaded(text: string, remade: Record<string, number[]> = {}) {
    const mutants = mutantsOf(PATH, text).map((mutant, index): NumberedMutant => ({ ...mutant, id: index + 1 }));
    const state = mutation(100);
    Reflect.set(globalThis, '__mutation', state);
    const code = withMutants(PATH, text, mutants, FILE, new Map(Object.entries(remade)));
    const module = await import(`data:text/javascript,${encodeURIComponent(`${code}\n// ${Math.random()}`)}`);
    const idOf = (after: string): number => mutants.find((each) => each.after === after)?.id ?? -1;
    return { code, module, state, idOf };
  }

  it('does what the source does while none is active, and what one changes while that is', async () => {
    const text = `const seen = [];
      export function f(a) {
        seen.push(a);
        if (a < 3) return 'low';
        return a > 5 && a !== 7 ? 'high' : 'mid';
      }
      export const count = () => seen.length;`;
    const { module, state, idOf } = await loaded(text);
    const answers = () => [2, 3, 5, 6, 7].map((each) => module.f(each));
    expect(answers()).toEqual(['low', 'mid', 'mid', 'high', 'mid']);
    for (const [after, changed] of [
      ['a <= 3', ['low', 'low', 'mid', 'high', 'mid']],
      ['!(a < 3)', ['mid', 'low', 'low', 'low', 'low']],
      ['(a > 5) || (a !== 7)', ['low', 'high', 'high', 'high', 'high']],
      ["'low~'", ['low~', 'mid', 'mid', 'high', 'mid']],
    ] as const) {
      state.activate(idOf(after));
      expect([after, answers()]).toEqual([after, changed]);
    }
    const before = module.count();
    state.activate(idOf(''));
    module.f(1);
    expect(module.count()).toBe(before);
    state.activate(0);
    expect(answers()).toEqual(['low', 'mid', 'mid', 'high', 'mid']);
  });

  it('keeps its lines, and notes what was reached', async () => {
    const text = 'export function f(a) {\n  if (a) return 1;\n\n  return 2;\n}\n';
    const { code, module, state, idOf } = await loaded(text);
    expect(code.split('\n')).toHaveLength(text.split('\n').length);
    expect(state.reached[FILE]).toBe(0);
    module.f(true);
    expect([state.reached[FILE], state.reached[idOf('2')], state.reached[idOf('3')]]).toEqual([1, 1, 0]);
  });

  it('makes a constant anew with its mutant, and what is made of it', async () => {
    const { module, state, idOf } = await loaded(
      'const A = 2; export const B = { a: A * 10 }; export const of = () => B.a;',
      {
        B: [1],
      },
    );
    expect(idOf('3')).toBe(1);
    state.activate(1);
    expect([module.B.a, module.of()]).toEqual([30, 30]);
    state.activate(0);
    expect([module.B.a, module.of()]).toEqual([20, 20]);
  });

  it('makes a constant anew with a mutant in a function that made it', async () => {
    const { module, state, idOf } = await loaded('export const EVEN = [1, 2, 3].filter((each) => each % 2 === 0);');
    state.activate(idOf('each % 2 !== 0'));
    expect(module.EVEN).toEqual([1, 3]);
    state.activate(0);
    expect(module.EVEN).toEqual([2]);
  });

  it('ends a mutant that would go round for ever', async () => {
    const { module, state, idOf } = await loaded('export function f(n) { for (let i = 0; i < n; i++); return n; }');
    state.activate(idOf('i--'));
    expect(() => module.f(3)).toThrow('The mutant never ends.');
    state.activate(0);
    expect(module.f(3)).toBe(3);
  });
});

it('a constant is made of those that it names, in other modules too, by any number of steps', () => {
  const derived = derivedConstants(
    new Map([
      ['src/a.ts', 'const MINUTE = 60; export const HOUR = 60 * MINUTE; export const f = () => MINUTE;'],
      [
        'src/b/c.ts',
        `import { HOUR as LONG, f } from '../a.ts'; export const LIMITS = { longest: LONG }; const other = f;`,
      ],
    ]),
  );
  expect(derived.get(constantKey('src/a.ts', 'MINUTE'))).toEqual([
    constantKey('src/a.ts', 'HOUR'),
    constantKey('src/b/c.ts', 'LIMITS'),
  ]);
  expect(derived.has(constantKey('src/b/c.ts', 'LIMITS'))).toBe(false);
});
