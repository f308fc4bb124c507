/** A load's view for the tests of edge and console; each function takes what differs. */
import { type LoadEventView, type LoadView, rowLocation } from '../../../src/http/views/load.ts';
import { aBody, BATCH_ID } from '../batch/samples.ts';

/** The partner whose load it is. */
export const OWN = { environment: 'test', partner: 'acme', isOps: false } as const;

export const aLoadEvent = (more: Partial<LoadEventView> = {}): LoadEventView => ({
  kind: 'milestone',
  what: 'X3',
  time: '2026-03-02T08:15:00.0000000-06:00',
  stop: 1,
  place: 'Joliet, IL',
  position: null,
  state: 'delivered',
  reason: null,
  outcome: null,
  evidence: 'answer',
  status: 200,
  answer: '{"id":"c-1"}',
  attempts: 1,
  tries: [
    {
      attempt: 1,
      startedAt: '2026-03-02T14:16:00.000Z',
      effect: 'applied',
      status: 200,
      answer: '{"id":"c-1"}',
      latencyMs: 1_234,
    },
  ],
  late: false,
  possibleDuplicate: false,
  warnings: [],
  from: { ...rowLocation(OWN, BATCH_ID, 7, 1), generation: 1 },
  into: null,
  receivedAt: '2026-03-02T14:15:30.000Z',
  sentAt: '2026-03-02T14:16:00.000Z',
  nextAt: null,
  waitsForLoadUntil: null,
  decidedAt: '2026-03-02T14:16:01.000Z',
  deadline: '2026-03-05T14:15:30.000Z',
  body: aBody(),
  ...more,
});

export const aLoadView = (more: Partial<LoadView> = {}): LoadView => ({
  loadNumber: 'L1',
  scac: 'ABCD',
  environment: 'test',
  order: 'event',
  counts: {
    events: 1,
    milestones: 1,
    positions: 0,
    states: { delivered: 1 },
    late: 0,
    possibleDuplicates: 0,
    warned: 0,
    waitingForLoad: 0,
    firstEventAt: '2026-03-02T14:15:00.000Z',
    lastEventAt: '2026-03-02T14:15:00.000Z',
  },
  notes: [],
  events: [aLoadEvent()],
  next: null,
  links: { self: '/v1/loads/L1?scac=ABCD', csv: '/v1/loads/L1.csv', console: '/console/loads/L1', otherOrder: '' },
  ...more,
});
