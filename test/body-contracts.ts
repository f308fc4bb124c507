/** The upstream's contract of each kind's body, and what our Order wants of one. */
import type { z } from 'zod';
import type { RequestKind } from '../src/mapping/request.ts';
import { loadMilestoneEventBody, milestoneBody, orderBody, traceBody } from '../src/upstream/contracts/bodies.ts';

const ORDER = orderBody.refine(({ orderRef }) => typeof orderRef === 'string' && orderRef !== '');

export const BODY_CONTRACTS: Record<RequestKind, z.ZodType> = {
  milestone: milestoneBody,
  trace: traceBody,
  loadMilestoneEvent: loadMilestoneEventBody,
  'order.create': ORDER,
  'order.update': ORDER,
  'order.cancel': ORDER,
  'order.upsert': ORDER,
};
