/** What a batch is told at its birth and never changes: who sent which bytes, under which mapping version, for which channel. */
import type { RecordSource } from '../../formats/reader.ts';
import type { Environment, OrderFeedKey } from '../../kernel/names.ts';
import type { ClaimNames } from '../../mapping/document/versions.ts';
import type { EnvelopeRules } from '../envelopes/validate.ts';

export interface BatchTicket {
  batchId: string;
  environment: Environment;
  partner: string;
  mapping: string;
  /** The version it is pinned to for life. */
  mappingSha256: string;
  /** What its file is claimed under; absent: the version it is pinned to. */
  claimedAs?: ClaimNames;
  /** The upload's SCAC; records may name another of the key's. */
  scac: string | null;
  /** What the key allows; checked again where a mapping reads the SCAC from a record. */
  allowedScacs: readonly string[];
  channel: string;
  /** How the mapping's files are written; absent: whoever made the ticket did not say. */
  format?: RecordSource['format'];
  fileName: string | null;
  bytes: number;
  sha256: string;
  receivedAtMs: number;
  /** Maps and reports, sends nothing. */
  dryRun: boolean;
  /** New work on request, though the file was claimed before; absent: not so. */
  forced?: boolean;
  /**
   * A document of a system, not a file of a person: the same one may rightly come twice. Its batch is made for messages, of
   * which this is the first. Absent: not so.
   */
  message?: true;
  /** What is agreed about its envelopes; absent: the usual. */
  envelopes?: EnvelopeRules;
  /** Id of the key it was uploaded with; absent: whoever made the ticket did not say. */
  uploadedBy?: string;
  /** Whose its orders are; absent: no feed follows them. */
  orderPair?: OrderFeedKey;
}

/** `reading` and `delivering` are open; `settled` and `unreadable` are final. */
export type BatchState = 'reading' | 'delivering' | 'settled' | 'unreadable';
