/** A partner's own pages, drawn from answers that are made up. */
import { expect, it } from 'vitest';
import { ownPages } from '../../../src/console/pages/own/own.tsx';
import { drawn } from './drawn.ts';

const interchange = (batchId: string, state: string) => ({
  ...{ batchId, message: null, fileName: `${batchId}.edi`, control: '17', sender: 'SENDER', rows: 1, refused: 0 },
  ...{ state, receivedAt: '2026-03-02T08:00:00.000Z', format: 'x12' },
});

it('an acknowledgment is offered of what was read, of nothing else', async () => {
  const interchanges = ['settled', 'delivering', 'reading', 'unreadable'].map((state) => interchange(state, state));
  const html = await drawn(ownPages, {
    path: '/interchanges',
    answers: { '/v1/interchanges': { interchanges, next: null } },
  });
  const offered = [...html.matchAll(/\/batches\/(\w+)\/acknowledgment/g)].map(([, batchId]) => batchId);
  expect(offered, html).toEqual(['settled', 'delivering']);
  expect(html).toContain('none: it was not readable');
  expect(html).toContain('not yet');
});
