/** The upstream's contract of each kind's body, and what our Order wants of one. */
import * as z from 'zod';
import type { RequestKind } from '../src/mapping/request.ts';
import { loadMilestoneEventBody, milestoneBody, orderBody, traceBody } from '../src/upstream/contracts/bodies.ts';

const ORDER = orderBody.refine(({ orderRef }) => typeof orderRef === 'string' && orderRef !== '');

/** A change is ours: the receiving system sees the order that comes of it. */
const CHANGE = z.strictObject({
  orderRef: z.string().min(1),
  complete: z.boolean(),
  changeRef: z.string().min(1).optional(),
  order: z.record(z.string(), z.unknown()),
  lists: z.record(
    z.string(),
    z.union([
      z.enum(['add', 'replace']),
      z.strictObject({
        key: z.string(),
        quantity: z.string().optional(),
        unit: z.string().optional(),
        by: z.string().optional(),
        action: z.string().optional(),
      }),
    ]),
  ),
});

export const BODY_CONTRACTS: Record<RequestKind, z.ZodType> = {
  milestone: milestoneBody,
  trace: traceBody,
  loadMilestoneEvent: loadMilestoneEventBody,
  'order.create': ORDER,
  'order.update': CHANGE,
  'order.cancel': ORDER,
  'order.upsert': CHANGE,
};
