/** Erasing what is stored of a load, of an order or of a partner: what would go, what stays and why, then the number in the button. */
import type { Planned } from '../../http/contract/contract.ts';
import { type Action, action, type Field, type NamedList, type PlanMessages, type Values, WHY } from '../actions.ts';
import type { Page } from '../page.ts';
import { countOf, inText } from '../parts/basics.tsx';

type Erasure = Planned<'POST /v1/ops/orders/{name}/{ref}/erase'>;
type PartnerErasure = Planned<'POST /v1/ops/partners/{name}/erase'>;

const subject = (name: string, label: string): Field => ({
  name,
  label,
  kind: 'text',
  isRequired: true,
  isSubject: true,
});
const PARTNER = subject('partner', 'Partner');

const planMessages = (plan: Erasure): PlanMessages => {
  const files = plan.batches.filter(({ hasFile }) => hasFile);
  const waits = waitingFor(plan);
  if (waits.length > 0) return blocked(waits);
  return {
    lines: [
      `What ${countOf(plan.requests, 'request')} in ${countOf(plan.batches.length, 'batch', 'batches')} said would go, with every answer, version and position. It cannot be brought back, and is never sent again.`,
      ...(files.length === 0
        ? []
        : [
            `${files.length === 1 ? 'The file of that batch goes' : `The files of ${inText(files.length)} batches go`} as a whole. Other rows in it stay, and can be sent again; reports and corrections cannot be made any more.`,
          ]),
    ],
    list: staying(plan),
    button: `Erase ${countOf(plan.requests, 'request')}`,
    confirm: { confirm: plan.confirm },
    look: 'bad',
  };
};

/** What would go is said when it can: here, what stands in the way, and nothing beside it. */
const blocked = (lines: string[]): PlanMessages => ({ lines, button: '', isEmpty: true, look: 'bad' });

const staying = ({ stays }: Pick<Erasure, 'stays'>): NamedList => ({
  heading: 'What is not erased, and why',
  entries: stays,
});

const waitingFor = ({ underWay }: Erasure): string[] => {
  const { requests, reports, batches } = underWay;
  if (requests === 0 && reports === 0 && batches.length === 0) return [];
  const what = [
    ...(requests === 0 ? [] : [`${countOf(requests, 'request')} not decided`]),
    ...(batches.length === 0 ? [] : [`${countOf(batches.length, 'batch', 'batches')} not ended`]),
    ...(reports === 0 ? [] : [`${countOf(reports, 'report')} on the way`]),
  ];
  return [`Something is under way: ${what.join(', ')}. Wait, decide, or cancel the batch first; then come back.`];
};

const done = (plan: Erasure, page: Page) => ({
  title: 'Erased',
  lines: [
    `What ${countOf(plan.requests, 'request')} in ${countOf(plan.batches.length, 'batch', 'batches')} said is gone. The audit says when, by whom and why.`,
  ],
  list: staying(plan),
  back: page.at('/orders'),
});

const SHARED = {
  role: 'admin',
  button: 'Show what would be erased',
  isDangerous: true,
  plansAtOnce: true,
} as const;

const eraseLoad = action({
  ...SHARED,
  name: 'erase-load',
  route: 'POST /v1/ops/loads/{loadNumber}/erase',
  title: ({ loadNumber = '' }: Values) => `Erase load ${loadNumber}`,
  explain: 'Takes out what is stored here about the load. The receiving system is not told.',
  fields: [subject('loadNumber', 'Load'), PARTNER, subject('scac', 'SCAC'), WHY],
  call: ({ loadNumber = '', partner, scac, why, confirm }) => ({
    path: { loadNumber },
    query: { partner, scac },
    body: { why, ...(confirm === undefined ? {} : { confirm }) },
  }),
  plan: planMessages,
  done: (plan, _, page) => done(plan, page),
});

const eraseOrder = action({
  ...SHARED,
  name: 'erase-order',
  route: 'POST /v1/ops/orders/{name}/{ref}/erase',
  title: ({ ref = '' }: Values) => `Erase order ${ref}`,
  explain: 'Takes out what is stored here about the order and whom it goes to. The receiving system is not told.',
  fields: [subject('ref', 'Order'), PARTNER, WHY],
  call: ({ ref = '', partner = '', why, confirm }) => ({
    path: { name: partner, ref },
    body: { why, ...(confirm === undefined ? {} : { confirm }) },
  }),
  plan: planMessages,
  done: (plan, _, page) => done(plan, page),
});

const partnerMessages = (plan: PartnerErasure): PlanMessages => {
  const { batches, openBatches, notCreated, keys, uploadLinks, webhooks, hasFeed, begunAt } = plan;
  const batchesText = countOf(batches, 'batch', 'batches');
  const access = [
    ...(keys === 0 ? [] : [countOf(keys, 'key')]),
    ...(uploadLinks === 0 ? [] : [countOf(uploadLinks, 'upload link')]),
    ...(webhooks === 0 ? [] : [countOf(webhooks, 'webhook')]),
    ...(hasFeed ? ['the order feed'] : []),
  ];
  if (openBatches > 0)
    return blocked([
      `${countOf(openBatches, 'batch has', 'batches have')} not ended. Wait, decide, or cancel first; then come back.`,
    ]);
  return {
    lines: [
      ...(begunAt === null ? [] : [`It has begun at ${begunAt}, and goes on by itself: ${batchesText} left.`]),
      `${batchesText} would go, with every file, row, load and order of this environment. It cannot be brought back.`,
      ...(notCreated === 0 ? [] : [`Nothing was sent of ${countOf(notCreated, 'file')} that could not be taken up.`]),
      ...(access.length === 0
        ? []
        : [`Nobody would be let in any more. What would end at once: ${access.join(', ')}.`]),
    ],
    list: staying(plan),
    button: `Erase the partner and ${batchesText}`,
    confirm: { confirm: plan.confirm },
    look: 'bad',
  };
};

const erasePartner = action({
  ...SHARED,
  name: 'erase-partner',
  route: 'POST /v1/ops/partners/{name}/erase',
  title: ({ partner = '' }: Values) => `Erase partner ${partner}`,
  explain: 'Takes out all that is stored here of the partner in this environment. The receiving system is not told.',
  fields: [PARTNER, WHY],
  call: ({ partner = '', why, confirm }) => ({
    path: { name: partner },
    body: { why, ...(confirm === undefined ? {} : { confirm }) },
  }),
  plan: partnerMessages,
  done: (plan, { partner = '' }, page) => ({
    title: 'Erasing has begun',
    lines: [
      'Keys, links and webhooks have ended.',
      'Its batches go one after the other, with their loads, orders and files: "Erase…" on the page of the partner says how many are left.',
    ],
    list: staying(plan),
    back: page.at(`/partners/${encodeURIComponent(partner)}`),
  }),
});

export const ERASE_ACTIONS: readonly Action[] = [eraseLoad, eraseOrder, erasePartner];
