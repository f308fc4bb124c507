/** The sandbox's own book of orders, and its settings, over its control routes. */
import type { StoredOrder } from '../../src/sandbox/decision.ts';

/** An order as the sandbox keeps it. @property version 1 behind the create, one more with every update. */
export interface SandboxOrder extends Omit<StoredOrder, 'stepOffsetsMs'> {
  version: number;
  /** As it was written last, with its id where that stood in the body. */
  document: unknown;
}

const PAGE_ORDERS = 1_000;

/** @returns every order it keeps, oldest first. */
export async function sandboxOrders(sandboxUrl: string): Promise<SandboxOrder[]> {
  const all: SandboxOrder[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${sandboxUrl}/_sandbox/orders?after=${after}&limit=${PAGE_ORDERS}`);
    const { orders, next } = (await answer.json()) as { orders: SandboxOrder[]; next: number };
    if (orders.length === 0) return all;
    all.push(...orders);
    after = next;
  }
}

export async function putSandboxSettings(sandboxUrl: string, settings: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/_sandbox/settings`, { method: 'PUT', body: JSON.stringify(settings) });
  if (!answer.ok) throw new Error(await answer.text());
}
