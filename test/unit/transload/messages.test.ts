import { describe, expect, it } from 'vitest';
import { visible } from '../../../scripts/frame/command.ts';
import {
  type Changed,
  changedLines,
  differenceLines,
  historyLines,
  listLines,
  type Publication,
  refusalMessage,
} from '../../../scripts/transload/mapping/messages.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const publication = (more: Partial<Publication> = {}): Publication => ({
  edition: 1,
  sha256: B,
  origin: 'published',
  action: 'publish',
  beforeSha256: A,
  by: { keyId: '1', name: 'Analyst' },
  at: '2026-03-02T08:15:30.000Z',
  note: '',
  ...more,
});
const changed = (more: Partial<Changed> = {}): Changed => ({
  name: 'stops',
  environment: 'test',
  dryRun: false,
  sha256: B,
  beforeSha256: A,
  changed: true,
  differences: [],
  differencesOmitted: 0,
  mappings: [],
  ...more,
});

describe('a refusal', () => {
  it('lists problems with their lines and what was wanted, and examples with both sides', () => {
    const words = refusalMessage({
      code: 'mapping_invalid',
      title: 'Mapping not accepted',
      detail: '2 problems found.',
      fix: 'Correct them.',
      problems: [
        { path: 'target', code: 'wrong_form', value: 'x', message: 'No.', wanted: 'milestone', line: 4, column: 1 },
        { mapping: 'stops', path: '', code: 'yaml_syntax', message: 'Broken.', wanted: 'YAML' },
      ],
      examples: [{ mapping: 'stops', path: 'examples[0]', wanted: '1', received: '2' }],
    });
    expect(words).toBe(
      [
        'Mapping not accepted (mapping_invalid). 2 problems found.',
        '  line 4:1 target: No. (received: x) Wanted: milestone',
        '  stops: Broken. Wanted: YAML',
        '  stops: examples[0]',
        '    wanted:   1',
        '    received: 2',
        'Correct them.',
      ].join('\n'),
    );
  });
});

describe('a list', () => {
  it('stands in columns', () => {
    const lines = listLines([
      { name: 'stops', description: 'Stops.', sha256: A, origin: 'bundled', publication: null },
      { name: 'long-name', description: 'Long.', sha256: B, origin: 'published', publication: publication() },
    ]).split('\n');
    expect(lines).toEqual([
      'NAME       VERSION       FROM       SINCE                        DESCRIPTION',
      'stops      aaaaaaaaaaaa  bundled    -                            Stops.',
      'long-name  bbbbbbbbbbbb  published  2026-03-02 08:15 by Analyst  Long.',
      '',
    ]);
  });
});

describe('a list of mappings', () => {
  it('says whom each is for', () => {
    const mapping = { name: 'stops', description: 'Stops.', sha256: A, origin: 'bundled', publication: null } as const;
    const owned = [
      { ...mapping, owners: 'everybody' as const },
      { ...mapping, owners: ['acme', 'birch'] },
    ];
    expect(listLines(owned).split('\n')).toEqual([
      'NAME   VERSION       FROM     FOR         SINCE  DESCRIPTION',
      'stops  aaaaaaaaaaaa  bundled  everybody   -      Stops.',
      'stops  aaaaaaaaaaaa  bundled  acme,birch  -      Stops.',
      '',
    ]);
  });
});

describe('history', () => {
  it('says when, who, what, from and to', () => {
    const lines = historyLines([
      publication({ action: 'rollback', origin: 'bundled', note: 'wrong city' }),
      publication({ action: 'code_list', codeList: 'words' }),
      publication({ beforeSha256: null }),
    ]).split('\n');
    expect(lines[1]).toBe('2026-03-02 08:15  Analyst  back to bundled  aaaaaaaaaaaa -> bbbbbbbbbbbb  wrong city');
    expect(lines[2]).toContain('code list words');
    expect(lines[3]).toContain('nothing -> bbbbbbbbbbbb');
  });

  it('of nothing says so', () => expect(historyLines([])).toContain('Never published'));
});

describe('differences', () => {
  it('show what came, what went and what changed', () => {
    const differences = [
      { path: 'a', to: 1 },
      { path: 'b', from: 'x' },
      { path: 'c', from: 'x', to: { y: 1 } },
      { path: '', to: [] },
    ];
    expect(differenceLines(differences, 3)).toBe(
      '+ a: 1\n- b: "x"\n~ c: "x" -> {"y":1}\n+ (all of it): []\n… and 3 more\n',
    );
  });

  it('cut a long value', () => {
    expect(differenceLines([{ path: 'a', to: 'x'.repeat(5_000) }]).length).toBeLessThan(200);
  });
});

describe('a change', () => {
  it('says what the name stands for now, what differs, and what went along', () => {
    const along = [{ name: 'more', beforeSha256: A, sha256: B }];
    expect(changedLines(changed({ differences: [{ path: 'codes.a', to: 'X1' }], mappings: along }), false)).toBe(
      'stops: It stands for version bbbbbbbbbbbb in test (before: aaaaaaaaaaaa).\n' +
        '+ codes.a: "X1"\nMappings that went along:\n  more: aaaaaaaaaaaa -> bbbbbbbbbbbb\n',
    );
  });

  it('that is only checked says what would be', () => {
    const words = changedLines(changed({ dryRun: true, beforeSha256: null }), true);
    expect(words).toBe(
      'stops: right, and every example holds. It would stand for version bbbbbbbbbbbb in test (nothing before).\n',
    );
  });

  it('that changes nothing says so', () => {
    expect(changedLines(changed({ changed: false }), false)).toContain('stands for that already');
  });
});

it('shows what could steer a terminal by its number', () => {
  expect(visible('a\u001b[31mb\nc')).toBe('a\\u{1b}[31mb\nc');
});
