/** A caller, a catalog and an upload for the tests of this folder. */
import { DEFAULT_RULES } from '../../../src/batch/envelopes/validate.ts';
import type { UploadRequest } from '../../../src/intake/admit.ts';
import type { MappingCatalog, Offer, Principal } from '../../../src/intake/ports.ts';
import { ok } from '../../../src/kernel/result.ts';

export const aPrincipal = (more: Partial<Principal> = {}): Principal => ({
  keyId: '0123456789abcdef',
  environment: 'test',
  partner: 'acme',
  channel: 'main',
  scacs: ['ABCD'],
  mappings: null,
  envelopes: DEFAULT_RULES,
  orderPair: null,
  ...more,
});

const NAMES = ['by-row', 'changes', 'stops', 'status'] as const;

/** `by-row` reads the SCAC from each record, the others do not; `status` is JSON, the others are CSV; `changes` makes order updates. */
export const anOffer = (name: string | null): Offer => ({
  names: NAMES,
  mapping: NAMES.some((known) => known === name)
    ? {
        name: name ?? '',
        sha256: 'a'.repeat(64),
        text: null,
        claimedAs: ['b'.repeat(64), 'a'.repeat(64)],
        namesScac: name === 'by-row',
        format: name === 'status' ? 'json' : 'csv',
        kinds: [name === 'changes' ? 'order.update' : 'milestone'],
      }
    : undefined,
});

export const CATALOG: MappingCatalog = { offer: async (_environment, name) => ok(anOffer(name)) };

export const anUpload = (more: Partial<UploadRequest> = {}): UploadRequest => ({
  mapping: 'stops',
  scac: null,
  dryRun: null,
  force: null,
  parameters: ['mapping'],
  contentLength: '1000',
  contentType: null,
  idempotencyKey: null,
  fileName: null,
  ...more,
});
