/** Where the platform keeps objects. The local runtime has no jurisdictions, so that the bindings here are doubles. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inJurisdiction } from '../../../src/kernel/namespaces.ts';
import { UsageMeter } from '../../../src/kernel/usage.ts';

/** @property asked which jurisdictions were asked for, of which binding. */
function bindings(jurisdiction: string | undefined) {
  const asked: string[] = [];
  const namespace = (name: string) => ({
    getByName: () => `${name} anywhere`,
    jurisdiction: (where: string) => {
      asked.push(`${name} ${where}`);
      return { getByName: () => `${name} in ${where}` };
    },
  });
  const env = { JURISDICTION: jurisdiction, LOAD: namespace('LOAD'), BATCH: namespace('BATCH'), FILES: {} };
  return { env: env as unknown as Env, asked };
}

describe('a deployment of a jurisdiction', () => {
  it('finds every object there, and asks for it once in each process', () => {
    const { env, asked } = bindings('eu');
    const there = inJurisdiction(env);
    expect([there.LOAD.getByName('a'), there.BATCH.getByName('b')]).toEqual(['LOAD in eu', 'BATCH in eu']);
    expect([inJurisdiction(env), inJurisdiction(there)]).toEqual([there, there]);
    expect(asked).toEqual(['LOAD eu', 'BATCH eu']);
    expect(there.FILES).toBe(env.FILES);
  });

  it('counts what a metered object calls there', () => {
    const { env } = bindings('eu');
    const meter = new UsageMeter();
    expect(meter.environment(inJurisdiction(env)).LOAD.getByName('a')).toBe('LOAD in eu');
    expect(meter.take().objectCalls).toBe(1);
  });

  it.each([undefined, ''])('that names none (%j) leaves the bindings as they are', (jurisdiction) => {
    const { env, asked } = bindings(jurisdiction);
    expect(inJurisdiction(env)).toBe(env);
    expect(asked).toEqual([]);
  });
});

it('whatever the platform gives bindings to looks for objects in the jurisdiction', () => {
  const sources = globSync('src/**/*.ts', { exclude: ['src/sandbox/**'] });
  const given = sources
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => /extends DurableObject\b|satisfies ExportedHandler|function transloadApp\(/.test(text));
  expect(given.length).toBeGreaterThan(3);
  expect(given.filter(({ text }) => !text.includes('inJurisdiction(')).map(({ path }) => path)).toEqual([]);
});
