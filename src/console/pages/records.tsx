/** `…/record.ndjson`: all that is stored of a load, an order or a partner, for operators. */
import type { Page } from '../page.ts';
import { asFile, RECORD_FILE } from '../parts/record-link.tsx';
import type { ConsolePages } from '../routes.ts';
import { ERASE_ACTIONS } from './erase-actions.ts';

const LOAD = 'GET /v1/ops/loads/{loadNumber}/record';
const ORDER = 'GET /v1/ops/orders/{name}/{ref}/record';
const PARTNER = 'GET /v1/ops/partners/{name}/record';

export const recordPages: ConsolePages = {
  get: {
    [`/loads/:loadNumber${RECORD_FILE}`]: loadRecord,
    [`/orders/:partner/:ref${RECORD_FILE}`]: orderRecord,
    [`/partners/:name${RECORD_FILE}`]: partnerRecord,
  },
  reads: [LOAD, ORDER, PARTNER],
  actions: ERASE_ACTIONS,
};

const named = (page: Page, name: string): string => page.context.req.param(name) ?? '';

async function loadRecord(page: Page): Promise<Response> {
  const query = { partner: page.query('partner'), scac: page.query('scac') };
  return asFile(page, await page.api.answer(LOAD, { path: { loadNumber: named(page, 'loadNumber') }, query }));
}

async function orderRecord(page: Page): Promise<Response> {
  const path = { name: named(page, 'partner'), ref: named(page, 'ref') };
  return asFile(page, await page.api.answer(ORDER, { path }));
}

async function partnerRecord(page: Page): Promise<Response> {
  return asFile(page, await page.api.answer(PARTNER, { path: { name: named(page, 'name') } }));
}
