/** The register of a new partner, and what uploads ask of it. */
import { env } from 'cloudflare:workers';
import type { BatchTicket } from '../../src/batch/core/ticket.ts';
import type { ClaimRequest } from '../../src/intake/take-upload.ts';
import { newBatchId } from '../../src/kernel/ids.ts';
import { type PartnerScope, registerName } from '../../src/kernel/names.ts';

let partners = 0;

/** Of a CSV file, as an upload asks for it. */
export const aTicket = (scope: PartnerScope): BatchTicket => ({
  ...scope,
  batchId: newBatchId(Date.now()),
  mapping: 'carrier-status-csv',
  mappingSha256: 'version-1',
  scac: 'DEMO',
  allowedScacs: ['DEMO'],
  channel: 'plain',
  fileName: null,
  bytes: 10,
  sha256: 'file-1',
  receivedAtMs: Date.now(),
  dryRun: false,
});

/** @param usual what the tickets of this test have beyond, or instead of, those of a CSV file. */
export function aRegister(usual: () => Partial<BatchTicket> = () => ({})) {
  partners += 1;
  const scope = { environment: 'test', partner: `register-${partners}` } as const;
  const stub = () => env.INTAKE_REGISTER.getByName(registerName(scope));
  const ask = (ticket: Partial<BatchTicket> = {}, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
    ticket: { ...aTicket(scope), ...usual(), ...ticket },
    idempotencyKey: null,
    fingerprint: 'fingerprint-1',
    who: 'key-of-acme',
    ...more,
  });
  return { scope, stub, request: ask };
}
