/** Archives of a load or order: looked for among all files of its partner, and no further than a request may go. */
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { planErasure } from '../../../src/ops/erasure.ts';
import { ARCHIVE_PAGES_MAX } from '../../../src/ops/limits.ts';

const scope = { environment: 'test', partner: 'acme' } as const;
const of = { scope, name: 'the load', subject: 'load:L1', scac: 'DEMO' };
const archive = (batchId: string): string => `test/acme/${batchId}/attempts/${sha256Hex(of.name)}/1-1.jsonl`;

/** @param pages of other files before the archive of `b_last`. */
function stored(pages: number) {
  const asked: string[] = [];
  const list = async ({ prefix = '', cursor }: R2ListOptions = {}) => {
    asked.push(prefix);
    const at = Number(cursor ?? 0);
    if (prefix !== 'test/acme/') return { objects: [{ key: `${prefix}1-1.jsonl` }], truncated: false };
    if (at < pages) return { objects: [{ key: `test/acme/b_${at}/source` }], truncated: true, cursor: String(at + 1) };
    return { objects: [{ key: archive('b_last') }], truncated: false };
  };
  const ports = {
    subject: {
      erasable: async () => ({ requests: 1, open: 0, untold: 0, batches: ['b_known'] }),
      erase: async () => true,
    },
    batch: () => ({
      erasable: async () => ({ rows: 1, requests: 1, hasBytes: false, isUnderWay: false, replaced: [] }),
      erase: async () => true,
    }),
    files: { list, delete: async () => undefined } as unknown as R2Bucket,
  };
  return { asked, ports };
}

it('finds an archive behind many other files', async () => {
  const { ports } = stored(ARCHIVE_PAGES_MAX - 1);
  const plan = await planErasure(ports, of);
  expect(plan).toMatchObject({ isCut: false, files: [archive('b_last')] });
  expect(plan?.batches.map(({ batchId }) => batchId)).toEqual(['b_known', 'b_last']);
});

it('stops where there are too many, says so, and looks into the batches that are known', async () => {
  const { asked, ports } = stored(Number.POSITIVE_INFINITY);
  expect(await planErasure(ports, of)).toMatchObject({ isCut: true, files: [archive('b_known')] });
  expect(asked).toHaveLength(ARCHIVE_PAGES_MAX + 1);
});
