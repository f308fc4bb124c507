/** What intake needs from folders to its right, as interfaces of its own; `index.ts` joins them. */
import type { RecordSource } from '../formats/reader.ts';
import type { Environment } from '../kernel/names.ts';

/** Who is calling, as their key says. Everything a caller may touch follows from this and from nothing in the request. */
export interface Principal {
  keyId: string;
  environment: Environment;
  partner: string;
  channel: string;
  scacs: readonly string[];
  /** Names of mappings this key may use; null: all. */
  mappings: readonly string[] | null;
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

/** A mapping version ready to be pinned: `text` is what is stored under its sha256. */
export interface MappingVersion {
  name: string;
  sha256: string;
  text: string;
}

export interface MappingCatalog {
  names: readonly string[];
  /** Whether the mapping reads the SCAC from each record, so that an upload need not name one. */
  namesScac(name: string): boolean;
  /** How the mapping's files are written. */
  format(name: string): RecordSource['format'];
  version(name: string): Promise<MappingVersion | undefined>;
}
