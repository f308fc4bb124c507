import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mappingKey } from '../../../src/kernel/names.ts';
import { readVersion } from '../../../src/mapping/document/versions.ts';
import type { MappingSummary } from '../../../src/ops/publishing/publication.ts';
import type { Changed } from '../../../src/ops/publishing/publishing.ts';
import type { Refusal } from '../../../src/ops/publishing/refusal.ts';
import { aPublisher, BY, mappingText, NOW, sha256Of, WORDS } from './published.ts';

type Outcome = { ok: true; value: Changed } | { ok: false; error: Refusal };
const done = (outcome: Outcome): Changed => {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
};
const refusal = (outcome: Outcome): Refusal => {
  if (outcome.ok) throw new Error(`changed: ${JSON.stringify(outcome.value)}`);
  return outcome.error;
};
const OPERATOR = { environment: 'test', partner: null } as const;
const OTHER = 'description: Another text.';
const changedText = (name = 'stops') => mappingText(name).replace('description: A small mapping for tests.', OTHER);

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

describe('a name', () => {
  it('stands for what is bundled until something is published under it', async () => {
    const { current, bundle, publish } = aPublisher();
    expect(await current('stops')).toBe((await bundle.mapping('stops'))?.sha256);
    const { sha256, beforeSha256 } = done(await publish('stops', changedText()));
    expect(beforeSha256).toBe((await bundle.mapping('stops'))?.sha256);
    expect(sha256).not.toBe(beforeSha256);
    expect(await current('stops')).toBe(sha256);
  });

  it('is published in one environment and stays what it is in the other', async () => {
    const { current, publish, bundle } = aPublisher();
    done(await publish('stops', changedText()));
    expect(await current('stops', 'production')).toBe((await bundle.mapping('stops'))?.sha256);
  });

  it('may be new', async () => {
    const { catalog, publish } = aPublisher();
    expect(done(await publish('events', mappingText('events'))).beforeSha256).toBeNull();
    expect(await catalog.offer({ environment: 'test', partner: 'acme' }, 'events')).toMatchObject({
      value: { names: ['events', 'stops'], mapping: { name: 'events', format: 'csv', namesScac: false, text: null } },
    });
    expect(await catalog.offer({ environment: 'production', partner: 'acme' }, 'events')).toMatchObject({
      value: { names: ['stops'] },
    });
  });

  it('of a dialect stands for a whole document: its base as bundled, and what it says itself', async () => {
    const { kept, publish } = aPublisher();
    const dialect = mappingText('events').replace(
      /source:[\s\S]*?fields:/,
      'extends: stops\nzone: { const: UTC }\nfields:',
    );
    expect(dialect).not.toContain('target:');
    const { sha256 } = done(await publish('events', dialect));
    const version = readVersion(kept.get(mappingKey(sha256)) ?? '');
    expect(version).toMatchObject({
      ok: true,
      value: { name: 'events', source: { format: 'csv' }, targets: ['milestone'] },
    });
    const unknown = refusal(await publish('others', dialect.replace('extends: stops', 'extends: stop')));
    expect(unknown).toMatchObject({ problems: [{ code: 'base_unknown', path: 'extends', line: 4 }] });
  });

  it('points at a version that is stored already, named by its content', async () => {
    const { kept, publish } = aPublisher();
    const { sha256 } = done(await publish('stops', changedText()));
    const text = kept.get(mappingKey(sha256)) ?? '';
    expect(await sha256Of(text)).toBe(sha256);
    expect(readVersion(text)).toMatchObject({ ok: true, value: { name: 'stops', description: 'Another text.' } });
  });

  it('is never moved to a version that could not be stored', async () => {
    const { publish, files, store } = aPublisher();
    files.put = () => Promise.reject(new Error('planned'));
    expect(refusal(await publish('stops', changedText()))).toEqual({ code: 'storage_unavailable' });
    expect(store.rows).toEqual([]);
  });

  it('is not called unknown while the database is down', async () => {
    const { store, current, publish } = aPublisher();
    store.isDown = true;
    expect(await current('stops')).toBe('catalog_unavailable');
    expect(refusal(await publish('stops', changedText()))).toEqual({ code: 'catalog_unavailable' });
  });
});

describe('a publication', () => {
  it('is one row of history: who, when, why, and what was there before', async () => {
    const { store, publish, bundle } = aPublisher();
    const { sha256 } = done(await publish('stops', changedText(), { note: 'as agreed' }));
    expect(store.rows).toMatchObject([
      {
        environment: 'test',
        artifact: 'mapping',
        written: changedText(),
        publication: {
          name: 'stops',
          sha256,
          edition: 1,
          action: 'publish',
          beforeSha256: (await bundle.mapping('stops'))?.sha256,
          by: BY,
          at: NOW,
          note: 'as agreed',
        },
      },
    ]);
  });

  it('is refused with every problem of the document at once, each with its place', async () => {
    const { publish, store } = aPublisher();
    const wrong = mappingText('other', { lookup: 'wrods', more: 'colour: red' });
    const error = refusal(await publish('stops', wrong));
    expect(error).toMatchObject({
      code: 'mapping_invalid',
      problems: [
        { path: 'mapping', code: 'name_differs', value: 'other', line: 2, column: 1 },
        { path: 'colour', code: 'unknown_key', line: 7 },
        { path: 'fields.eventCode.lookup', code: 'code_list_unknown', value: 'wrods', line: 10 },
      ],
    });
    expect(store.rows).toEqual([]);
  });

  it('is refused when an example does not hold: which, what was wanted, what came', async () => {
    const { publish } = aPublisher();
    expect(refusal(await publish('stops', mappingText('stops', { code: 'AF' })))).toEqual({
      code: 'examples_failed',
      name: 'stops',
      examples: [
        {
          mapping: 'stops',
          path: 'examples[0].records[0].requests[0].body.eventCode',
          wanted: '"AF"',
          received: '"X3"',
        },
      ],
    });
  });

  it('of what stands there already changes nothing', async () => {
    const { publish, store } = aPublisher();
    expect(done(await publish('stops', mappingText('stops')))).toMatchObject({ changed: false, mappings: [] });
    done(await publish('stops', changedText()));
    expect(done(await publish('stops', changedText()))).toMatchObject({ changed: false });
    expect(store.rows).toHaveLength(1);
  });

  it('of another text with the same meaning keeps the version and the new text', async () => {
    const { publish, store, catalog } = aPublisher();
    const { sha256 } = done(await publish('stops', changedText()));
    const remarked = `# a remark\n${changedText()}`;
    expect(done(await publish('stops', remarked))).toMatchObject({ changed: true, sha256, beforeSha256: sha256 });
    expect(store.rows).toHaveLength(2);
    expect(await catalog.mapping(OPERATOR, 'stops')).toMatchObject({ value: { written: remarked, sha256 } });
  });

  it('in a dry run is checked and proved, and nothing is written', async () => {
    const { publish, store, kept } = aPublisher();
    expect(done(await publish('stops', changedText(), { dryRun: true }))).toMatchObject({ changed: true });
    expect(refusal(await publish('stops', 'mapping: [', { dryRun: true })).code).toBe('mapping_invalid');
    expect([store.rows.length, kept.size]).toEqual([0, 0]);
  });

  it('says what differs from what was there, also by way of its code lists', async () => {
    const { publish, editList, store } = aPublisher();
    expect(done(await publish('stops', changedText())).differences).toEqual([
      { path: 'description', from: 'A small mapping for tests.', to: 'Another text.' },
    ]);
    expect(done(await publish('fresh', mappingText('fresh'))).differences).toMatchObject([{ path: '' }]);
    expect(done(await publish('stops', changedText())).differences).toEqual([]);
    expect(done(await editList({ Parked: 'X4' })).differences).toEqual([{ path: 'codes.Parked', to: 'X4' }]);
    expect(store.rows).toHaveLength(5);
  });

  it('is held to the version it was made on', async () => {
    const { publish, current } = aPublisher();
    const ifMatch = [(await current('stops')) ?? ''];
    const { sha256 } = done(await publish('stops', changedText(), { ifMatch }));
    const late = refusal(await publish('stops', mappingText('stops'), { ifMatch }));
    expect(late).toEqual({ code: 'version_changed', name: 'stops', current: sha256 });
    expect(refusal(await publish('fresh', mappingText('fresh'), { ifMatch }))).toMatchObject({ current: null });
  });

  it('that another one overtakes is decided again on what stands then', async () => {
    const { publish, store } = aPublisher();
    const { append } = store;
    let overtaken = 0;
    store.append = async (change) => {
      if (overtaken++ === 0) done(await publish('stops', changedText()));
      return append(change);
    };
    const later = changedText().replace('Another text.', 'A third text.');
    const { beforeSha256 } = done(await publish('stops', later));
    expect(store.rows.map(({ publication }) => publication.edition)).toEqual([1, 2]);
    expect(beforeSha256).toBe(store.rows[0]?.publication.sha256);
  });

  it('gives up when others keep coming first, and says so', async () => {
    const { publish, store } = aPublisher();
    store.append = async () => ({ ok: true, value: 'overtaken' });
    expect(refusal(await publish('stops', changedText()))).toEqual({ code: 'changed_meanwhile', name: 'stops' });
  });

  it('uses the code lists as they stand: published over bundled', async () => {
    const { publish, publishList } = aPublisher({ documents: {} });
    done(await publishList(WORDS.replace('Arrived: X3', 'Arrived: X1')));
    expect(refusal(await publish('stops', mappingText('stops'))).code).toBe('examples_failed');
    expect(done(await publish('stops', mappingText('stops', { code: 'X1' }))).changed).toBe(true);
  });
});

describe('going back', () => {
  it('to a version of before brings back that very version and its text', async () => {
    const { publish, rollBack, current, catalog, store } = aPublisher();
    const first = done(await publish('stops', changedText()));
    const second = done(await publish('stops', changedText().replace('Another text.', 'A third text.')));
    const back = done(await rollBack('stops', first.sha256, { note: 'wrong city' }));
    expect(back).toMatchObject({ sha256: first.sha256, beforeSha256: second.sha256, changed: true });
    expect(await current('stops')).toBe(first.sha256);
    expect(await catalog.mapping(OPERATOR, 'stops')).toMatchObject({ value: { written: changedText() } });
    expect(store.rows.at(-1)?.publication).toMatchObject({ edition: 3, action: 'rollback', note: 'wrong city' });
  });

  it('to a version of before claims files as that version did when it was published', async () => {
    const { publish, rollBack, store } = aPublisher();
    const first = done(await publish('stops', changedText()));
    done(await publish('stops', mappingText('stops')));
    done(await rollBack('stops', first.sha256));
    const [published, , back] = store.rows.map(({ publication }) => publication.summary as MappingSummary);
    expect(published?.claimedAs).toHaveLength(2);
    expect(back?.claimedAs).toEqual(published?.claimedAs);
  });

  it('to a version of release 0.1 claims files as that release did: by its own name', async () => {
    const { publish, rollBack, store, kept } = aPublisher();
    const first = done(await publish('stops', changedText()));
    const text = (kept.get(mappingKey(first.sha256)) ?? '').replace('"form":2', '"form":1');
    const sha256 = await sha256Of(text);
    kept.set(mappingKey(sha256), text);
    for (const row of store.rows) row.publication = { ...row.publication, sha256 };
    done(await publish('stops', mappingText('stops')));
    done(await rollBack('stops', sha256));
    expect(store.rows.at(-1)?.publication.summary).toMatchObject({ claimedAs: [expect.any(String), sha256] });
  });

  it('brings back the code lists of then', async () => {
    const { publish, rollBack, editList, kept } = aPublisher();
    const first = done(await publish('stops', changedText()));
    done(await editList({ Parked: 'X4' }));
    done(await rollBack('stops', first.sha256));
    expect(kept.get(mappingKey(first.sha256))).not.toContain('Parked');
  });

  it('to what is bundled follows the bundle again', async () => {
    const { publish, rollBack, current, bundle, store, catalog } = aPublisher();
    done(await publish('stops', changedText()));
    done(await rollBack('stops', 'bundled'));
    expect(await current('stops')).toBe((await bundle.mapping('stops'))?.sha256);
    expect(await catalog.mappings(OPERATOR)).toMatchObject({ value: [{ name: 'stops', publication: null }] });
    expect(store.rows.at(-1)?.publication).toMatchObject({ action: 'rollback', isBundled: true });
    expect(done(await rollBack('stops', 'bundled'))).toMatchObject({ changed: false });
  });

  it('to the bundled version by its sha256 pins it', async () => {
    const { publish, rollBack, bundle, catalog } = aPublisher();
    const sha256 = (await bundle.mapping('stops'))?.sha256 ?? '';
    done(await publish('stops', changedText()));
    done(await rollBack('stops', sha256));
    expect(await catalog.mappings(OPERATOR)).toMatchObject({ value: [{ sha256, publication: { isBundled: false } }] });
    expect(done(await rollBack('stops', sha256))).toMatchObject({ changed: false });
  });

  it.each(['f'.repeat(64), 'bundled', ''])('to %j, which it never was, is refused', async (to) => {
    const { publish, rollBack } = aPublisher({ documents: {} });
    done(await publish('stops', mappingText('stops')));
    expect(refusal(await rollBack('stops', to))).toEqual({ code: 'unknown_version', name: 'stops', version: to });
  });

  it('does not reach over to the other environment', async () => {
    const { publish, rollBack } = aPublisher();
    const { sha256 } = done(await publish('stops', changedText(), { environment: 'production' }));
    expect(refusal(await rollBack('stops', sha256)).code).toBe('unknown_version');
  });

  it('of a name that is not there names those that are', async () => {
    const { rollBack } = aPublisher();
    expect(refusal(await rollBack('stop', 'bundled'))).toEqual({
      code: 'unknown_mapping',
      name: 'stop',
      known: ['stops'],
    });
  });
});
