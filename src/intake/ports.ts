/** What intake needs from rooms to its right, as interfaces of its own; `index.ts` joins them. */
import type { EnvelopeRules } from '../batch/envelopes/validate.ts';
import type { RecordSource } from '../formats/reader.ts';
import type { Environment, OrderFeedKey } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import type { ClaimNames } from '../mapping/document/versions.ts';
import type { RequestKind } from '../mapping/request.ts';

/** The caller, according to the key. All permissions follow from this and from nothing in the request. */
export interface Principal {
  keyId: string;
  environment: Environment;
  partner: string;
  channel: string;
  scacs: readonly string[];
  /** Mappings this key may use; null: all. */
  mappings: readonly string[] | null;
  /** Agreed rules for the envelopes of this partner's interchanges. */
  envelopes: EnvelopeRules;
  /** Order-feed key of this partner's orders, if a feed follows them. */
  orderPair: OrderFeedKey | null;
  /** It came by an upload link: it sends files, and sees what came of those. */
  isLink?: true;
}

export type SignIn<Who> =
  | { outcome: 'known'; principal: Who }
  /** Key unknown, wrong or revoked, or of another kind: deliberately one answer for all. */
  | { outcome: 'unknown' }
  /** The directory cannot be read; the key may be valid. */
  | { outcome: 'unavailable' };

export interface KeyDirectory<Who> {
  /** @param presented the whole key text as sent. */
  signIn(presented: string): Promise<SignIn<Who>>;
}
export type PartnerDirectory = KeyDirectory<Principal>;

/** A mapping as its name resolves at one moment: what admission needs of it, and the version an upload pins. */
export interface OfferedMapping {
  name: string;
  sha256: string;
  /** Stored under the sha256; null: already stored. */
  text: string | null;
  /** Names its files are claimed under, the current one first. */
  claimedAs: ClaimNames;
  /** Whether it reads the SCAC from each record, so that an upload need not name one. */
  namesScac: boolean;
  /** Format of its files. */
  format: RecordSource['format'];
  /** What its records become. */
  kinds: readonly RequestKind[];
}

export interface Offer {
  /** All names the partner may know of, in order. */
  names: readonly string[];
  /** The mapping requested; undefined: no such name, or it belongs to others. */
  mapping: OfferedMapping | undefined;
}

export interface MappingCatalog {
  /** Called for every upload: a name may resolve differently at any time. */
  offer(
    asker: Pick<Principal, 'environment' | 'partner'>,
    name: string | null,
  ): Promise<Result<Offer, { code: 'catalog_unavailable' }>>;
}
