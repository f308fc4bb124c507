/** The partner of the end-to-end tests, and a client with its key. */
import { type PartnerClient, partnerClient } from '../../scripts/demo/partner.ts';
import { channelName } from '../../scripts/local/bridge.ts';
import type { NewPartnerKey } from '../../scripts/local/partner-keys.ts';
import { type Stack, startStack } from '../../scripts/local/stack.ts';

export const TEST_PARTNER: NewPartnerKey = {
  partner: 'acme',
  displayName: 'Acme Freight',
  environment: 'test',
  channel: channelName('test', 'key+bearer'),
  scacs: ['DEMO'],
  mappings: null,
};

/** Waits pass 60 times faster. @param others beside the test partner. @param directorySql what else stands in the directory. */
export const startEnvironment = (others: readonly NewPartnerKey[] = [], directorySql = ''): Promise<Stack> =>
  startStack({ partners: [TEST_PARTNER, ...others], directorySql, timeScale: 60 });

/** Of the bridge that runs now, so ask again after a restart. */
export const clientOf = (stack: Stack): PartnerClient => partnerClient(stack.bridge.baseUrl, stack.keys[0] ?? '');
