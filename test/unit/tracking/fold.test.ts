import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../../src/tracking/request.ts';
import { type Archived, archiveAttempts, textsOf } from '../../../src/tracking/retention.ts';

const entry = (seq: number, body = ''): TimelineEntry =>
  ({ request: { seq, body }, attempts: [{ seq, attempt: 1 }] }) as unknown as TimelineEntry;

const folded = (seqs: Record<string, TimelineEntry[]>): Archived => ({
  identity: { environment: 'test', partner: 'acme' },
  name: '["test","acme","ABCD","L1"]',
  life: 42,
  batches: () => Object.keys(seqs),
  seqsOf: (batchId) => (seqs[batchId] ?? []).map(({ request }) => request.seq),
  entry: (seq) =>
    Object.values(seqs)
      .flat()
      .find(({ request }) => request.seq === seq),
});

/** Keeps what is put; `keeps` may change it. */
function files(keeps: (text: string) => string = (text) => text) {
  const stored = new Map<string, string>();
  const head = async (key: string) => {
    const text = stored.get(key);
    if (text === undefined) return null;
    const sha256 = createHash('sha256').update(text).digest();
    return { checksums: { sha256: sha256.buffer.slice(sha256.byteOffset, sha256.byteOffset + sha256.byteLength) } };
  };
  const put = async (key: string, text: string) => void stored.set(key, keeps(text));
  return { stored, port: { head, put } as unknown as Parameters<typeof archiveAttempts>[0] };
}

describe('attempts that are folded', () => {
  it('are a file per batch and subject, a line per request with its attempts', async () => {
    const { stored, port } = files();
    await archiveAttempts(port, folded({ b_1: [entry(1), entry(3)], b_2: [entry(2)] }));
    const subject = createHash('sha256').update('["test","acme","ABCD","L1"]').digest('hex');
    expect([...stored.keys()]).toEqual([
      `test/acme/b_1/attempts/${subject}/42-1.jsonl`,
      `test/acme/b_2/attempts/${subject}/42-1.jsonl`,
    ]);
    const lines = [...stored.values()].map((text) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    expect(lines.map((file) => file.map(({ request }) => request.seq))).toEqual([[1, 3], [2]]);
    expect(lines[0]?.[0]).toEqual({
      subject: { environment: 'test', partner: 'acme' },
      request: { seq: 1, body: '' },
      attempts: [{ seq: 1, attempt: 1 }],
    });
  });

  it('are the same files when they are folded again', async () => {
    const { stored, port } = files();
    const load = folded({ b_1: [entry(1)] });
    await archiveAttempts(port, load);
    const before = [...stored];
    await archiveAttempts(port, load);
    expect([...stored]).toEqual(before);
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -1)],
    ['changed', (text: string) => text.replace('1', '2')],
  ])('do not count as stored when the file is %s', async (_, keeps) => {
    await expect(archiveAttempts(files(keeps).port, folded({ b_1: [entry(1)] }))).rejects.toThrow(
      'was not stored whole',
    );
  });

  it('are several files where one would be long; no line is cut', () => {
    const load = folded({ b_1: [entry(1, 'x'.repeat(50)), entry(2), entry(3, 'y'.repeat(500)), entry(4)] });
    const texts = [...textsOf(load, 'b_1', 400)];
    expect(
      texts.map((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).request.seq),
      ),
    ).toEqual([[1, 2], [3], [4]]);
  });

  it('are one file as long as that fits to the character, and pass over what is not there', () => {
    const load = folded({ b_1: [entry(1), entry(2)] });
    const [whole = ''] = [...textsOf(load, 'b_1')];
    expect([...textsOf(load, 'b_1', whole.length)]).toEqual([whole]);
    expect([...textsOf(load, 'b_1', whole.length - 1)]).toHaveLength(2);
    const gone = { ...load, entry: (seq: number) => (seq === 1 ? undefined : load.entry(seq)) };
    expect([...textsOf(gone, 'b_1')].join('').trimEnd().split('\n')).toHaveLength(1);
  });
});
