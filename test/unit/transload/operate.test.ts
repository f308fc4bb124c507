/** What operators do with the command: lists that are cut, decisions that somebody else took, keys in the database itself. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../../scripts/transload/surroundings.ts';
import { BRIDGE_URL, pauseless, transload } from './surroundings.ts';

const BATCH = 'b_01m7ww39jy4zp0vsb9jmf5mjzh';
const PARTNERS = { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: `tltest_${'0'.repeat(16)}_${'0'.repeat(64)}` };

/** A bridge that answers these requests so. */
const bridge =
  (answers: Readonly<Record<string, unknown>>): Fetch =>
  async (url, init) => {
    const request = `${init?.method ?? 'GET'} ${String(url).replace(BRIDGE_URL, '')}`;
    const found = Object.keys(answers).find((start) => request.startsWith(start));
    if (found === undefined) return Response.json({ code: 'not_found', detail: `No ${request}.` }, { status: 404 });
    return Response.json(answers[found]);
  };

describe('a list', () => {
  const letter = { batchId: BATCH, record: 1, request: 0, partner: 'acme', kind: 'milestone', subject: 'load:L' };
  const letters = Array.from({ length: 3 }, () => ({ ...letter, reason: 'x', recommended: 'y' }));
  const fetch = bridge({ 'GET /v1/ops/letters?': { letters, next: null } });

  it('that is cut says so, and how to see more; one that is whole does not', async () => {
    const cut = await transload(['holds', '-n', '2'], { fetch });
    expect([cut.stdout.match(/milestone/g)?.length, cut.stderr]).toEqual([
      2,
      'These are the first 2. To see more: -n NUMBER\n',
    ]);
    const whole = await transload(['holds', '-n', '3'], { fetch });
    expect([whole.stdout.match(/milestone/g)?.length, whole.stderr]).toEqual([3, '']);
  });

  it('as JSON has whether there are more', async () => {
    const more = async (limit: string) =>
      JSON.parse((await transload(['holds', '-n', limit, '--json'], { fetch })).stdout);
    expect(await more('2')).toMatchObject({ more: true });
    expect(await more('3')).toMatchObject({ more: false });
  });
});

describe('a list of orders', () => {
  const known = Array.from({ length: 230 }, (_, at) => `SO-${String(at).padStart(3, '0')}`);
  /** As a bridge lists them: those heard of last on one page of 50 at most, by number on as many as there are. */
  const fetch: Fetch = async (url) => {
    const { searchParams } = new URL(String(url));
    const isRecent = searchParams.get('sort') === 'recent';
    const limit = Math.min(Number(searchParams.get('limit')), isRecent ? 50 : 100);
    const left = isRecent ? known.toReversed() : known.filter((ref) => ref > (searchParams.get('cursor') ?? ''));
    const page = left.slice(0, limit);
    const more = new URLSearchParams({ sort: 'number', limit: String(limit), cursor: page.at(-1) ?? '' });
    const next = isRecent || left.length <= limit ? null : `/v1/orders?${more}`;
    const orders = page.map((orderRef) => ({ orderRef, state: null, latestStatus: null, heardAt: null }));
    return Response.json({ followed: true, orders, next });
  };
  it.each([
    ['49', 49, 'SO-229', true],
    ['50', 50, 'SO-000', true],
    ['120', 120, 'SO-000', true],
    ['230', 230, 'SO-000', false],
  ])('of %s has that many, and says whether there are more', async (limit, count, first, more) => {
    const { stdout } = await transload(['orders', '-n', limit, '--json'], { environment: PARTNERS, fetch });
    const listed = JSON.parse(stdout) as { orders: { orderRef: string }[]; more: boolean };
    expect([listed.orders.length, listed.orders[0]?.orderRef, listed.more]).toEqual([count, first, more]);
  });
});

describe('a decision about many', () => {
  const plan = {
    dryRun: true,
    requests: 5,
    kinds: {},
    reasons: {},
    partners: {},
    leftOut: {},
    notes: [],
    confirm: 'c',
  };
  const run = { requests: 5, decided: 3, skipped: 2, left: 0, actionId: 'a_1', state: 'done' };

  it('counts those alone that it decided', async () => {
    const fetch = bridge({
      'POST /v1/ops/letters/decisions?dryRun=true': plan,
      'POST /v1/ops/letters/decisions': run,
      'GET /v1/ops/actions/a_1': run,
    });
    const args = ['holds', 'decide', 'send_again', '--batch', BATCH, '--why', 'w', '--yes'];
    const { status, stdout } = await transload(args, { fetch, pause: pauseless });
    expect([status, stdout]).toEqual([1, expect.stringContaining('3 of 5 decided, 2 no longer held (a_1, done).\n')]);
  });

  it('of a request that is not held any more is not done', async () => {
    const none = { ...plan, requests: 0, leftOut: { not_held: 1 } };
    const fetch = bridge({ 'POST /v1/ops/letters/decisions?dryRun=true': none });
    const args = ['holds', 'decide', 'send_again', `${BATCH}/1/0`, '--why', 'w', '--yes', '--json'];
    const { status, stdout } = await transload(args, { fetch });
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { requests: 0, leftOut: { not_held: 1 } }]);
  });

  describe('of requests that are named', () => {
    const named = Array.from({ length: 5 }, (_, at) => `${BATCH}/${at + 1}/0`);
    const [first = '', second = '', third = ''] = named;
    const played =
      (notHeld: readonly string[]): Fetch =>
      async (url, init) => {
        const { pathname, searchParams } = new URL(String(url));
        const { requests = [] } = init?.body ? (JSON.parse(String(init.body)) as { requests?: string[] }) : {};
        const count = requests.filter((each) => !notHeld.includes(each)).length;
        if (searchParams.has('dryRun')) return Response.json({ ...plan, requests: count });
        const decided = pathname.endsWith('/decisions') ? count : named.length - notHeld.length;
        return Response.json({ ...run, requests: decided, decided, skipped: 0 });
      };
    const decide = (notHeld: readonly string[], ...more: string[]) =>
      transload(['holds', 'decide', 'send_again', ...named, first, '--why', 'w', '--yes', ...more], {
        fetch: played(notHeld),
        pause: pauseless,
      });

    it('names those that are not held any more, and is not all done', async () => {
      const { status, stdout } = await decide([second, third]);
      expect([status, stdout]).toEqual([
        1,
        `send_again: 3 requests.\n  Not decided: ${second}, ${third}\n3 of 3 decided (a_1, done).\n`,
      ]);
      const planned = await decide([third], '--dry-run', '--json');
      expect([planned.status, JSON.parse(planned.stdout)]).toMatchObject([1, { requests: 4, notDecided: [third] }]);
    });

    it('is done where all of them are, one that is named twice among them', async () => {
      expect(await decide([])).toMatchObject({ status: 0, stdout: expect.not.stringContaining('Not decided') });
      expect((await decide([], '--dry-run')).status).toBe(0);
    });
  });
});

describe('corrections', () => {
  const batch = {
    ...{ batchId: BATCH, mapping: 'm', scac: null, format: 'csv', dryRun: false, state: 'settled', rows: 2 },
    ...{ rowStates: { delivered: 1, held: 1 }, requests: 2, requestStates: {}, resolvedStates: {}, resolved: 0 },
    ...{ problems: [], notes: [], messages: null, fileName: 'a.csv', trouble: null, stops: [] },
  };

  it('are not taken before the batch is finished: more may turn out wrong', async () => {
    const fetch = bridge({ [`GET /v1/batches/${BATCH}`]: { ...batch, state: 'delivering', rowStates: { queued: 2 } } });
    const { status, stderr } = await transload(['correct', BATCH], { fetch, environment: PARTNERS });
    expect([status, stderr]).toEqual([2, expect.stringContaining(`transload batches ${BATCH} --watch`)]);
  });

  it('are no file where the file could not be read', async () => {
    const fetch = bridge({ [`GET /v1/batches/${BATCH}`]: { ...batch, state: 'unreadable', rows: 0, rowStates: {} } });
    const { status, stderr } = await transload(['correct', BATCH], { fetch, environment: PARTNERS });
    expect([status, stderr]).toEqual([2, expect.stringContaining('could not be read')]);
  });

  it('are none where what is left is held', async () => {
    const fetch = bridge({
      [`GET /v1/batches/${BATCH}/rows?state=invalid%2Crejected%2Cdead%2Ccancelled`]: { rows: [], next: null },
      [`GET /v1/batches/${BATCH}`]: batch,
    });
    const { status, stdout } = await transload(['correct', BATCH], { fetch, environment: PARTNERS });
    expect([status, stdout]).toEqual([
      0,
      `Nothing of ${BATCH} is to be corrected. What is held waits for a decision of the operator.\n`,
    ]);
  });

  it('are looked for in whole pages, however many rows are corrected already', async () => {
    const rows = Array.from({ length: 500 }, (_, record) => ({ record, replacedBy: { batchId: 'b_2', record } }));
    const urls: string[] = [];
    const fetch: Fetch = async (url) => {
      const { pathname, searchParams } = new URL(String(url));
      if (!pathname.endsWith('/rows')) return Response.json(batch);
      urls.push(searchParams.get('limit') ?? '');
      return Response.json({ rows: rows.slice(0, Number(searchParams.get('limit'))), next: null });
    };
    await transload(['correct', BATCH], { fetch, environment: PARTNERS });
    expect(urls).toEqual(['500']);
  });

  describe('as a file', () => {
    let folder = '';
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'transload-correct-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));
    const written = async (format: string, text: string, ...more: string[]) => {
      const into = join(folder, `${more.length}-${format}`);
      const fetch: Fetch = async (url) => {
        const { pathname } = new URL(String(url));
        if (pathname.endsWith('/corrections')) return new Response(text);
        const rows = [{ record: 1, replacedBy: null }];
        return Response.json(pathname.endsWith('/rows') ? { rows, next: null } : { ...batch, format });
      };
      return (await transload(['correct', BATCH, '-o', into, ...more], { fetch, environment: PARTNERS })).stdout;
    };

    it.each([
      ['csv', '\ufeff\r\n"Load #";"_batch";"_record"\r\n1;b_1;1\r\n'],
      ['xlsx', '\ufeffLoad,_batch,_record,_code\r\n1,b_1,1,x\r\n'],
      ['ndjson', '{"_batch":"b_1","_record":1,"load":"1"}\n'],
    ])('replace the rows they came from: %s', async (format, text) => {
      expect(await written(format, text)).toMatch(/^Correct the cells that _column names, then: /);
      expect(JSON.parse(await written(format, text, '--json'))).toMatchObject({ replaces: true });
    });

    it.each([
      ['csv', '\ufeff1,X3,02.03.2026\r\n', false],
      ['fixed', 'LD1   X3 020326\r\n', true],
    ])(
      'go as new rows where there are no columns that name those, and that is said: %s',
      async (format, text, page) => {
        const said = await written(format, text);
        expect(said).toContain(`its rows go as new ones, and the old ones stay listed in ${BATCH}.\n`);
        expect(said).not.toContain('_column');
        expect(said.includes('on the page of the batch')).toBe(page);
        expect(JSON.parse(await written(format, text, '--json'))).toMatchObject({ replaces: false });
      },
    );
  });
});

describe('a key in the database itself', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'transload-keys-'));
    mkdirSync(join(folder, 'v3/d1'), { recursive: true });
    const database = new DatabaseSync(join(folder, 'v3/d1/one.sqlite'));
    database.exec(`CREATE TABLE partner_key (key_id TEXT PRIMARY KEY, partner TEXT, environment TEXT, revoked_at TEXT);
      CREATE TABLE ops_key (key_id TEXT PRIMARY KEY, revoked_at TEXT);
      INSERT INTO partner_key VALUES ('${'1'.repeat(16)}', 'acme', 'test', NULL);
      CREATE TABLE audit_entry (at_ms, environment, actor, action, about, why, detail)`);
    database.close();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const revoke = (digit: string, ...words: string[]) =>
    transload(['keys', ...words, 'revoke', '--key-id', digit.repeat(16), '--persist-to', folder, '--why', 'it leaked']);

  it('is said to be revoked where it was, and nowhere else', async () => {
    const wrong = [await revoke('2'), await revoke('1', 'ops')];
    for (const { status, stderr } of wrong)
      expect([status, stderr]).toEqual([2, expect.stringContaining('there is no')]);
    const done = await revoke('1');
    expect([done.status, done.stderr]).toEqual([0, `Key ${'1'.repeat(16)} is revoked; its next request is refused.\n`]);
    expect((await revoke('1')).status, 'when it was revoked stays').toBe(2);
    const database = new DatabaseSync(join(folder, 'v3/d1/one.sqlite'));
    const entries = database.prepare('SELECT environment, actor, action, about, why, detail FROM audit_entry').all();
    database.close();
    expect(entries).toEqual([
      {
        ...{ environment: 'test', actor: 'the command line', action: 'key.revoke', about: 'partner/acme' },
        ...{ why: 'it leaked', detail: JSON.stringify({ form: 1, keyId: '1'.repeat(16) }) },
      },
    ]);
  });
});
