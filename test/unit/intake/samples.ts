/** A caller, a catalog and an upload for the tests of this folder. */
import type { UploadRequest } from '../../../src/intake/admit.ts';
import type { MappingCatalog, Principal } from '../../../src/intake/ports.ts';

export const aPrincipal = (more: Partial<Principal> = {}): Principal => ({
  keyId: '0123456789abcdef',
  environment: 'test',
  partner: 'acme',
  channel: 'main',
  scacs: ['ABCD'],
  mappings: null,
  ...more,
});

/** `by-row` reads the SCAC from each record, the others do not. */
export const CATALOG: Pick<MappingCatalog, 'names' | 'namesScac' | 'format'> = {
  names: ['by-row', 'stops', 'status'],
  namesScac: (name) => name === 'by-row',
  format: (name) => (name === 'status' ? 'json' : 'csv'),
};

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
