/** The pages of the navigation. */
import type { OpsRole } from '../../ops/directory/directory.ts';

/** Entries of the navigation, by the group they are in. Paths are below `/console`; a role: only those see it who have it. */
export const OPS_NAV = {
  Work: [
    ['home', '/', 'Home'],
    ['batches', '/batches', 'Batches'],
    ['issues', '/issues', 'Issues'],
    ['holds', '/holds', 'Holds'],
    ['actions', '/actions', 'Actions'],
    ['orders', '/orders', 'Loads and orders'],
  ],
  'How files are read': [
    ['mappings', '/mappings', 'Mappings'],
    ['workbench', '/workbench', 'Workbench'],
    ['proposals', '/proposals', 'Proposals'],
    ['codeLists', '/code-lists', 'Code lists'],
    ['answerMappings', '/answer-mappings', 'Answers'],
  ],
  Connections: [
    ['channels', '/channels', 'Channels'],
    ['feeds', '/feeds', 'Order feeds'],
    ['webhooks', '/webhooks', 'Webhooks'],
  ],
  People: [
    ['partners', '/partners', 'Partners and keys'],
    ['people', '/people', 'People', 'admin'],
    ['audit', '/audit', 'Audit'],
  ],
} as const;

export const PARTNER_NAV = {
  Files: [
    ['upload', '/upload', 'Send a file'],
    ['batches', '/batches', 'Batches'],
    ['orders', '/orders', 'Loads and orders'],
    ['orderEvents', '/order-events', 'Order events'],
    ['interchanges', '/interchanges', 'Acknowledgments'],
  ],
  'How files are read': [
    ['workbench', '/workbench', 'Workbench'],
    ['proposals', '/proposals', 'Proposals'],
  ],
  Connections: [
    ['notifications', '/notifications', 'Webhooks'],
    ['keys', '/keys', 'Keys'],
  ],
} as const;

/** Of whoever came by an upload link. */
export const LINK_NAV = { Files: PARTNER_NAV.Files.slice(0, 2) } as const;

export type Groups = Readonly<Record<string, readonly Entry[]>>;
type Entry = readonly [name: string, path: string, label: string, role?: OpsRole];

/** Whether whoever reads a page sees the entry. */
export const isFor = ([, , , role]: Entry, { mayActAs }: { mayActAs(role: OpsRole): boolean }): boolean =>
  role === undefined || mayActAs(role);

/** The entry that a page is below, by its address; null: none. @param address such as `/console/feeds/acme?environment=test`. */
export const navAt = (isOps: boolean, address: string): NavName | null =>
  (navEntryAt(isOps, address)?.[0] ?? null) as NavName | null;

export function navEntryAt(isOps: boolean, address: string): Entry | null {
  const path = address.replace(/^\/console/, '').replace(/[?#].*$/, '');
  const entries = Object.values<Groups[string]>(isOps ? OPS_NAV : PARTNER_NAV).flat();
  return entries.find(([, at]) => at !== '/' && (path === at || path.startsWith(`${at}/`))) ?? null;
}

export type NavName =
  | (typeof OPS_NAV)[keyof typeof OPS_NAV][number][0]
  | (typeof PARTNER_NAV)[keyof typeof PARTNER_NAV][number][0];
