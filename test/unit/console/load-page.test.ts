import { describe, expect, it } from 'vitest';
import { loadChoicePage, loadPage } from '../../../src/console/load-page.tsx';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import { loadPagePath } from '../../../src/http/edge/reader.ts';
import { type LoadEventView, rowLocation } from '../../../src/http/views/load.ts';
import { BATCH_ID } from '../batch/samples.ts';
import { aLoadEvent, aLoadView, OWN } from '../http/loads.ts';

const pageOf = (...events: Partial<LoadEventView>[]): string => loadPage(aLoadView({ events: events.map(aLoadEvent) }));
const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

describe('the page of a load', () => {
  it('is a whole document with no script of its own', () => {
    const html = loadPage(aLoadView());
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).toContain('<title>Load L1 – Transload</title>');
    expect(html).not.toMatch(/<script|\son\w+=|javascript:|style="/);
    expect(html).not.toMatch(/\[object|undefined|null|NaN/);
  });

  it('tells of each event what it is, what became of it and where it came from', () => {
    const text = textOf(pageOf({}));
    for (const fact of [
      'X3',
      'stop 1',
      '2026-03-02 08:15:00 -06:00',
      'Joliet, IL',
      ROW_MESSAGES.delivered.label,
      'status 200',
      '1 attempt',
      `row 7 of batch ${BATCH_ID}`,
      'sent 2026-03-02 14:16:00 UTC',
      '1,234 ms',
    ]) {
      expect(text).toContain(fact);
    }
    expect(pageOf({})).toContain(`href="/console/batches/${BATCH_ID}?state=all&amp;after=6"`);
  });

  it('tells why an event is not there yet, and until when it waits for its load', () => {
    const text = textOf(
      pageOf({
        state: 'waiting',
        reason: 'load_unknown',
        nextAt: '2026-03-02T15:00:00.000Z',
        waitsForLoadUntil: '2026-03-03T14:15:30.000Z',
      }),
    );
    expect(text).toContain(REASON_MESSAGES.load_unknown);
    expect(text).toContain('again at 2026-03-02 15:00:00 UTC');
    expect(text).toContain('waits for its load until 2026-03-03 14:15:30 UTC');
  });

  it('marks what is late, may be doubled, was sent again, or is odd', () => {
    const warning = {
      code: 'sequence_suspicious',
      kind: 'stops',
      value: 'v',
      other: 'o',
      message: 'Strange stop.',
      fix: 'Check it.',
    } as const;
    const from = { ...rowLocation(OWN, BATCH_ID, 7, 1), generation: 2 };
    const text = textOf(pageOf({ late: true, possibleDuplicate: true, from, warnings: [warning] }));
    for (const mark of [
      'late',
      'possible duplicate',
      'generation 2',
      'Strange stop.',
      'sequence_suspicious',
      'Check it.',
    ])
      expect(text).toContain(mark);
  });

  it('names the request that an event travels in, or repeats', () => {
    const into = { ...rowLocation(OWN, BATCH_ID, 3, 1), state: 'delivered' as const };
    const text = textOf(pageOf({ state: 'coalesced', into }));
    expect(text).toContain(`travels with row 3 of batch ${BATCH_ID}`);
    expect(text, 'its end is that of the other').toContain(`${ROW_MESSAGES.delivered.label} · 2026`);
    expect(textOf(pageOf({ state: 'duplicate', into }))).toContain(`the same as row 3 of batch ${BATCH_ID}`);
  });

  it('offers the other order, the whole as CSV, and the next events', () => {
    const html = loadPage(aLoadView({ next: '/v1/loads/L1?scac=ABCD&order=event&limit=100&cursor=event~1~2' }));
    expect(html).toContain('href="/console/loads/L1?scac=ABCD&amp;order=sent"');
    expect(html).toContain('href="/console/loads/L1/events.csv?scac=ABCD"');
    expect(html).toContain('href="/console/loads/L1?scac=ABCD&amp;order=event&amp;limit=100&amp;cursor=event%7E1%7E2"');
    expect(loadPage(aLoadView({ order: 'sent' }))).toContain('href="/console/loads/L1?scac=ABCD&amp;order=event"');
  });

  it('shows what a file says as text', () => {
    const evil = '<img src=x onerror=alert(1)>';
    const html = loadPage(
      aLoadView({
        loadNumber: evil,
        events: [aLoadEvent({ what: evil, place: evil, state: 'rejected', answer: evil })],
      }),
    );
    expect(html).not.toContain('<img');
    expect(html).toContain(`/console/loads/${encodeURIComponent(evil)}`);
  });

  it('of a later page has no counts', () => {
    expect(textOf(loadPage(aLoadView({ counts: null })))).not.toContain('Milestones');
  });

  it('that is asked back offers each SCAC', () => {
    const choices = ['ABCD', 'WXYZ'].map((label) => ({
      label,
      href: loadPagePath(OWN, { loadNumber: 'L/1', scac: label }),
    }));
    const html = loadChoicePage({ loadNumber: 'L/1', reader: OWN, choices });
    for (const scac of ['ABCD', 'WXYZ']) expect(html).toContain(`href="/console/loads/L%2F1?scac=${scac}"`);
  });
});
