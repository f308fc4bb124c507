/** Many loads under one gate, in the worker tests. */
import { env } from 'cloudflare:workers';
import { gateName } from '../../src/kernel/names.ts';
import { aLoad, type LoadUnderTest } from './loads.ts';

export const gate = (channel: string) => env.UPSTREAM_GATE.getByName(gateName('test', channel));
export const health = (channel: string) => gate(channel).health(channel);
export const loadsOf = (count: number, more: Parameters<typeof aLoad>[0] = {}): LoadUnderTest[] =>
  Array.from({ length: count }, () => aLoad(more));
export const dispatch = (loads: readonly LoadUnderTest[], records: readonly number[], channel: string) =>
  Promise.all(loads.map((load) => load.dispatch(records, { channel })));
export const allReach = (loads: readonly LoadUnderTest[], ...states: Parameters<LoadUnderTest['reaches']>) =>
  Promise.all(loads.map((load) => load.reaches(...states)));
export const requestsOf = async (loads: readonly LoadUnderTest[]) =>
  (await Promise.all(loads.map((load) => load.timeline()))).flat();
