/** The page of a batch that was cancelled or retried. */
import { describe, expect, it } from 'vitest';
import type { BatchRow, BatchSummary } from '../../../src/batch/report/summary.ts';
import { batchPage } from '../../../src/console/batch-page.tsx';
import { aRow, aRowRequest, aSummary } from '../batch/samples.ts';
import { OWN } from '../http/loads.ts';

const page = (more: Partial<BatchSummary>, rows: BatchRow[] = []): string =>
  batchPage({ reader: OWN, summary: aSummary(more), rows, shown: null, nextPage: null });
const pageOf = (row: BatchRow): string => page({}, [row]);
const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

describe('a batch that was cancelled', () => {
  const cancelled = { cancelledAt: '2026-03-02T08:00:05.000Z', notes: ['Cancelled on request: words.'] };

  it('says so, and when', () => {
    const html = page({ ...cancelled, state: 'settled', rowStates: { cancelled: 1 } });
    expect(html).toContain('>Cancelled</strong>');
    expect(textOf(html)).toContain('2026-03-02 08:00:05 UTC');
    expect(textOf(html)).toContain('Cancelled on request: words.');
  });

  it('says so while it is under way, unless a decision is awaited', () => {
    expect(page({ ...cancelled, state: 'delivering', rowStates: { queued: 1 } })).toContain('>Cancelling</strong>');
    expect(page({ ...cancelled, state: 'delivering', rowStates: { held: 1, cancelled: 2 } })).toContain('>Waiting for');
    expect(page({ ...cancelled, state: 'unreadable' })).toContain('>File not readable</strong>');
  });
});

describe('a request that was sent again', () => {
  const met = { reason: null, attempts: 1, answer: 'no', decidedAt: null } as const;

  it('says the how manieth time it is, and what became of the earlier ones', () => {
    const earlier = [
      { ...met, generation: 1, state: 'rejected' as const, outcome: null, status: 422 },
      { ...met, generation: 2, state: 'dead' as const, outcome: 'unknown' as const, status: null },
    ];
    const text = textOf(pageOf(aRow(18, { requests: [aRowRequest({ generation: 3, earlier })] })));
    expect(text).toContain('3rd time');
    expect(text).toContain('1st time: Refused · status 422');
    expect(text).toContain('2nd time: Given up. It may have arrived.');
  });

  it('is counted as people count', () => {
    const times = [2, 4, 11, 12, 13, 21, 22, 101, 111].map((generation) => {
      const text = textOf(pageOf(aRow(18, { requests: [aRowRequest({ generation })] })));
      return / · (\S+) time/.exec(text)?.[1];
    });
    expect(times).toEqual(['2nd', '4th', '11th', '12th', '13th', '21st', '22nd', '101st', '111th']);
  });

  it('says nothing of it the first time', () => {
    expect(textOf(pageOf(aRow(18)))).not.toContain(' time');
  });
});
