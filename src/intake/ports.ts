/** What intake needs from folders to its right, as interfaces of its own; `index.ts` joins them. */
import type { EnvelopeRules } from '../batch/envelopes/validate.ts';
import type { RecordSource } from '../formats/reader.ts';
import type { Environment, OrderFeedKey } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import type { ClaimNames } from '../mapping/document/versions.ts';
import type { RequestKind } from '../mapping/request.ts';

/** Who is calling, as their key says. Everything a caller may touch follows from this and from nothing in the request. */
export interface Principal {
  keyId: string;
  environment: Environment;
  partner: string;
  channel: string;
  scacs: readonly string[];
  /** Names of mappings this key may use; null: all. */
  mappings: readonly string[] | null;
  /** What is agreed about the envelopes of this partner's interchanges. */
  envelopes: EnvelopeRules;
  /** Whose this partner's orders are, where a feed follows them. */
  orderPair: OrderFeedKey | null;
}

export type SignIn =
  | { outcome: 'known'; principal: Principal }
  /** No such key, a wrong one, or one that was revoked: deliberately one answer for all. */
  | { outcome: 'unknown' }
  /** The directory cannot be read; the key may well be right. */
  | { outcome: 'unavailable' };

export interface PartnerDirectory {
  /** @param presented the whole key text as sent. */
  signIn(presented: string): Promise<SignIn>;
}

/** What a mapping's name stands for at one moment: what admission asks of it, and the version an upload pins. */
export interface OfferedMapping {
  name: string;
  sha256: string;
  /** What is stored under the sha256; null: it is stored already. */
  text: string | null;
  /** What its files are claimed under, first what they are claimed under now. */
  claimedAs: ClaimNames;
  /** Whether it reads the SCAC from each record, so that an upload need not name one. */
  namesScac: boolean;
  /** How its files are written. */
  format: RecordSource['format'];
  /** What its records become. */
  kinds: readonly RequestKind[];
}

export interface Offer {
  /** All names that the partner may know of, in order. */
  names: readonly string[];
  /** What the name asked for stands for; undefined: there is no such name, or it belongs to others. */
  mapping: OfferedMapping | undefined;
}

export interface MappingCatalog {
  /** Asked anew for every upload: what a name stands for may have been changed by anyone. */
  offer(
    asker: Pick<Principal, 'environment' | 'partner'>,
    name: string | null,
  ): Promise<Result<Offer, { code: 'catalog_unavailable' }>>;
}
