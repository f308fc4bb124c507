/** A replay of all that a partner has looks only into batches that may have something to send again. */
import { expect, it } from 'vitest';
import { ok } from '../../../src/kernel/result.ts';
import { planReplays, type ReplayPorts } from '../../../src/ops/dead-letters/replays.ts';
import { batchList } from '../../../src/ops/index/batch-list.ts';
import { aDirectory } from '../directory-tables.ts';

const WANTED = {
  filter: { states: ['rejected' as const], reasons: null, statuses: null, kinds: null, subject: null, places: null },
  includeUnknown: false,
};
const COLUMNS = `environment, batch_id, partner, mapping, mapping_sha256, bytes, is_dry_run, received_at_ms, settled_at_ms, state,
  is_cancelled, row_count, row_states, held, refused, needs_somebody, written_at_ms, revision`;

interface Listed {
  partner?: string;
  isDryRun?: boolean;
  isOpen?: boolean;
}

/** @param hasSome whether a batch has something to send again. */
function aWorld(hasSome: (batchId: string) => boolean = () => true) {
  const { database } = aDirectory();
  let receivedAtMs = 0;
  const add = (batchId: string, rows: object, { partner = 'acme', isDryRun = false, isOpen = false }: Listed = {}) => {
    receivedAtMs += 1;
    const values = [
      'test',
      batchId,
      partner,
      'm',
      's',
      1,
      Number(isDryRun),
      receivedAtMs,
      isOpen ? null : 9,
      'settled',
    ];
    const all = [...values, 0, 9, JSON.stringify(rows), 0, 0, 0, 1, 1];
    return database
      .prepare(`INSERT INTO batch_index (${COLUMNS}) VALUES (${all.map(() => '?').join(', ')})`)
      .bind(...all)
      .run();
  };
  const called: string[] = [];
  const ports = {
    partners: { names: async () => ok(['acme', 'other']) },
    batch: (_: unknown, batchId: string) => ({
      planReplay: async () => {
        called.push(batchId);
        return {
          requests: Number(hasSome(batchId)),
          states: {},
          kinds: {},
          mayHaveArrived: 0,
          leftOut: {},
          digest: '',
        };
      },
    }),
    batches: batchList(database),
  } as unknown as ReplayPorts;
  const plan = async () => {
    const asked = { environment: 'test', partner: 'acme', batchIds: null, places: null, perSecond: 10 } as const;
    const planned = await planReplays(ports, { ...asked, wanted: WANTED });
    return planned.ok ? planned.value.batches.length : planned.error;
  };
  return { add, called, plan };
}

it('is those with rows that ended undelivered, and open ones, oldest first', async () => {
  const { add, called, plan } = aWorld();
  await add('b_1', { delivered: 5, rejected: 1 });
  await add('b_2', { delivered: 5, invalid: 2, coalesced: 1, skipped: 1 });
  await add('b_3', { dead: 1 });
  await add('b_4', { cancelled: 1, rejected: 0 });
  await add('b_5', { rejected: 1 }, { isDryRun: true });
  await add('b_6', { rejected: 1 }, { partner: 'other' });
  await add('b_7', { queued: 2 }, { isOpen: true });
  await add('b_8', { rejected: 0 });
  expect([await plan(), called]).toEqual([4, ['b_1', 'b_3', 'b_4', 'b_7']]);
});

it('is read from the index page by page', async () => {
  const ids = Array.from({ length: 1_002 }, (_, at) => `b_${String(at).padStart(4, '0')}`);
  const { add, called, plan } = aWorld((batchId) => batchId === ids.at(-1));
  for (const batchId of ids) await add(batchId, { queued: 1 }, { isOpen: true });
  expect([await plan(), called]).toEqual([1, ids]);
});
