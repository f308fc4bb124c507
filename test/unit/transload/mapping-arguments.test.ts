import { expect, it } from 'vitest';
import { ownersIn, queryFor, wordsSet } from '../../../scripts/transload/mapping/arguments.ts';
import { BRIDGE_URL, transload } from './surroundings.ts';

it('splits a word from its code at the last equals sign', () => {
  expect(wordsSet(['a=X1', 'b=c=X3'])).toEqual({ a: 'X1', 'b=c': 'X3' });
  expect(() => wordsSet(['Arrived'])).toThrow('"Arrived" is not of the form word=code');
  expect(() => wordsSet(['=X1'])).toThrow('not of the form');
  expect(() => wordsSet(['a='])).toThrow('not of the form');
});

it('says whom a mapping is for, and changes nothing that was not asked for', () => {
  expect([ownersIn({}), ownersIn({ partners: 'b,c' }), ownersIn({ shared: true })]).toEqual([
    null,
    ['b', 'c'],
    'everybody',
  ]);
  const command = { does: 'list', artifact: 'mapping' } as const;
  expect(queryFor(command, {})).toEqual({ command, note: '', ifMatch: null, dryRun: false });
});

it.each<[string, string]>([
  ['lsit', "unknown command 'lsit'"],
  ['lsit', '(Did you mean list?)'],
  ['list a', 'Usage: transload mapping list'],
  ['show', "missing required argument 'name'"],
  ['show a b', 'Usage: transload mapping show'],
  ['rollback a', '--to <version>'],
  ['code-list drop w', "unknown command 'drop'"],
  ['code-list set w', 'Usage: transload mapping code-list set'],
  ['list --dryrun', "unknown option '--dryrun'"],
  ['list --environment prod', 'test, production'],
  ['publish a.yaml --partners b --shared', 'cannot be used with'],
  ['owners a --shared --dry-run', "unknown option '--dry-run'"],
])('transload mapping %s exits with 2 and says %s', async (args, words) => {
  const { status, stdout, stderr } = await transload(['mapping', ...args.split(' ')]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(words);
});

it.each<[Record<string, string>, string]>([
  [{}, 'TRANSLOAD_URL'],
  [{ TRANSLOAD_URL: 'bridge', TRANSLOAD_KEY: 'k' }, '"bridge" is no address'],
  [{ TRANSLOAD_URL: 'http://bridge.example', TRANSLOAD_KEY: 'k' }, 'The key would travel unencrypted'],
  [{ TRANSLOAD_URL: BRIDGE_URL }, 'TRANSLOAD_KEY'],
])('without a bridge or a key (%j) it says which is missing', async (environment, words) => {
  const ran = await transload(['mapping', 'list'], { environment: { XDG_CONFIG_HOME: '/nowhere', ...environment } });
  expect([ran.status, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain(words);
});
