import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../scripts/mapping/arguments.ts';

const HERE = { TRANSLOAD_URL: 'http://127.0.0.1:8787', TRANSLOAD_OPS_KEY: 'tlops_1_2' };
const command = (...args: string[]) => readArguments(args, HERE).command;

describe('the arguments of the mapping command', () => {
  it.each<[string[], object]>([
    [['list'], { does: 'list', artifact: 'mapping' }],
    [['show', 'a'], { does: 'show', artifact: 'mapping', name: 'a' }],
    [['check', 'a.yaml'], { does: 'check', file: 'a.yaml', owners: null }],
    [['publish', 'a.yaml'], { does: 'publish', file: 'a.yaml', owners: null }],
    [['publish', 'a.yaml', '--partners', 'b,c'], { does: 'publish', file: 'a.yaml', owners: ['b', 'c'] }],
    [['publish', 'a.yaml', '--shared'], { does: 'publish', file: 'a.yaml', owners: 'everybody' }],
    [['owners', 'a'], { does: 'owners', name: 'a', owners: null }],
    [['owners', 'a', '--partners', 'b'], { does: 'owners', name: 'a', owners: ['b'] }],
    [['diff', 'a'], { does: 'diff', name: 'a', from: 'previous', to: 'current' }],
    [['diff', 'a', '--from', 'bundled', '--to', '12ab'], { does: 'diff', name: 'a', from: 'bundled', to: '12ab' }],
    [['rollback', 'a', '--to', 'bundled'], { does: 'rollback', artifact: 'mapping', name: 'a', to: 'bundled' }],
    [['rerun', 'b_1'], { does: 'rerun', batchId: 'b_1', to: null }],
    [['rerun', 'b_1', '--to', 'current'], { does: 'rerun', batchId: 'b_1', to: 'current' }],
    [['history', 'a'], { does: 'history', artifact: 'mapping', name: 'a' }],
    [['code-list', 'list'], { does: 'list', artifact: 'code_list' }],
    [['code-list', 'show', 'w'], { does: 'show', artifact: 'code_list', name: 'w' }],
    [['code-list', 'history', 'w'], { does: 'history', artifact: 'code_list', name: 'w' }],
    [['code-list', 'rollback', 'w', '--to', 'x'], { does: 'rollback', artifact: 'code_list', name: 'w', to: 'x' }],
    [['code-list', 'remove', 'w', 'One word', 'b'], { does: 'edit', name: 'w', set: {}, remove: ['One word', 'b'] }],
    [
      ['code-list', 'set', 'w', 'a=X1', 'b=c=X3'],
      { does: 'edit', name: 'w', set: { a: 'X1', 'b=c': 'X3' }, remove: [] },
    ],
  ])('%j', (args, wanted) => expect(command(...args)).toEqual(wanted));

  it('name the bridge and the key, or the surroundings do', () => {
    const options = ['--url', 'https://bridge.example/', '--key', 'k', '--environment', 'production'];
    expect(readArguments(['list', ...options], HERE)).toMatchObject({
      url: 'https://bridge.example',
      key: 'k',
      environment: 'production',
    });
    expect(readArguments(['list'], HERE)).toEqual({
      command: { does: 'list', artifact: 'mapping' },
      url: 'http://127.0.0.1:8787',
      key: 'tlops_1_2',
      environment: null,
      note: '',
      ifMatch: null,
      dryRun: false,
    });
  });

  it.each<[string[], Record<string, string>, string]>([
    [[], HERE, 'Usage:'],
    [['lsit'], HERE, 'no command "lsit"'],
    [['list', 'a'], HERE, 'Usage:'],
    [['show'], HERE, 'Usage:'],
    [['show', 'a', 'b'], HERE, 'Usage:'],
    [['rollback', 'a'], HERE, '--to VERSION'],
    [['code-list'], HERE, 'Usage:'],
    [['code-list', 'drop', 'w'], HERE, 'no command "code-list drop"'],
    [['code-list', 'set', 'w'], HERE, 'Usage:'],
    [['code-list', 'set', 'w', 'Arrived'], HERE, '"Arrived" is not of the form word=code'],
    [['code-list', 'set', 'w', '=X1'], HERE, 'not of the form'],
    [['code-list', 'set', 'w', 'a='], HERE, 'not of the form'],
    [['list'], {}, 'TRANSLOAD_URL'],
    [['list'], { ...HERE, TRANSLOAD_URL: 'bridge' }, 'TRANSLOAD_URL'],
    [['list'], { TRANSLOAD_URL: 'http://127.0.0.1:1' }, 'TRANSLOAD_OPS_KEY'],
    [['list', '--dryrun'], HERE, '--dryrun'],
    [['publish', 'a.yaml', '--partners', 'b', '--shared'], HERE, 'not both'],
    [['owners', 'a', '--shared', '--dry-run'], HERE, 'neither --dry-run nor --if-match'],
    [['owners', 'a', '--shared', '--if-match', 'abcd'], HERE, 'neither --dry-run nor --if-match'],
  ])('refuse %j', (args, surroundings, reason) => {
    expect(() => readArguments(args, surroundings)).toThrow(reason);
  });
});
