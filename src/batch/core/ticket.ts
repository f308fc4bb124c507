/**
 * What a batch gets at its creation and never changes: who sent which bytes, under which mapping version, for which
 * channel.
 */
import type { RecordSource } from '../../formats/reader.ts';
import type { Environment, OrderFeedKey } from '../../kernel/names.ts';
import type { ClaimNames } from '../../mapping/document/versions.ts';
import type { EnvelopeRules } from '../envelopes/validate.ts';

export interface BatchTicket {
  batchId: string;
  environment: Environment;
  partner: string;
  mapping: string;
  /** The version it is pinned to. */
  mappingSha256: string;
  /** Names its file is claimed under; absent: the version it is pinned to. */
  claimedAs?: ClaimNames;
  /** The upload's SCAC; records may name another one of the key. */
  scac: string | null;
  /** The key's SCACs; checked again when a mapping reads the SCAC from a record. */
  allowedScacs: readonly string[];
  channel: string;
  /** Format of the mapping's files; absent: unknown. */
  format?: RecordSource['format'];
  fileName: string | null;
  bytes: number;
  sha256: string;
  receivedAtMs: number;
  /** Maps and reports, sends nothing. */
  dryRun: boolean;
  /** New work on request, though the file was already claimed; absent: false. */
  forced?: boolean;
  /**
   * A system's document, not a person's file: the same one may rightly come twice. Its batch is a rolling batch, of
   * which this is the first message. Absent: false.
   */
  message?: true;
  /** Agreed rules for its envelopes; absent: the defaults. */
  envelopes?: EnvelopeRules;
  /** Id of the key it was uploaded with; absent: unknown. */
  uploadedBy?: string;
  /** Order-feed key of its orders; absent: no feed follows them. */
  orderPair?: OrderFeedKey;
  /** The rows that its own replace, where a file has no room to say so. Absent: its rows say it, or replace none. */
  again?: RowsReplaced;
}

/** Rows of an earlier batch, which come once more. */
export interface RowsReplaced {
  batchId: string;
  /** For each record of the file: its number in that batch; null: it only comes along, and is passed over. */
  records: readonly (number | null)[];
  /** Their sender has corrected them. Absent: they are as they were sent. */
  corrected?: true;
}

/** `reading` and `delivering` are open; `settled` and `unreadable` are final. */
export type BatchState = 'reading' | 'delivering' | 'settled' | 'unreadable';
