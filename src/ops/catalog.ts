/**
 * The mappings of an environment by name: what is published, and beneath it what is bundled with this deploy.
 *
 * Names are read anew at every call; only what depends on the deploy alone is kept.
 */
import type { MappingCatalog, OfferedMapping } from '../intake/ports.ts';
import type { Environment } from '../kernel/names.ts';
import { ok, type Result } from '../kernel/result.ts';
import { checkCodeList } from '../mapping/check-code-list.ts';
import type { CodeListDocument } from '../mapping/code-list.ts';
import type { Bundle } from './bundle.ts';
import type { Pointers } from './publication.ts';
import type { PublicationStore, Unavailable } from './publication-store.ts';
import {
  codeListNames,
  mappingNames,
  type StandingCodeList,
  type StandingMapping,
  standingCodeList,
  standingMapping,
} from './standing.ts';
import { storedVersion } from './version-content.ts';

export type Unreadable = Unavailable | { code: 'storage_unavailable' };

export interface Catalog extends MappingCatalog {
  mappings(environment: Environment): Promise<Result<StandingMapping[], Unavailable>>;
  codeLists(environment: Environment): Promise<Result<StandingCodeList[], Unavailable>>;
  /** The YAML of a mapping as written, and its version's text. @returns undefined when there is no such name. */
  mapping(
    environment: Environment,
    name: string,
  ): Promise<Result<(StandingMapping & { written: string; text: string }) | undefined, Unreadable>>;
  /** @property document null: kept by a program that judged otherwise, and no code list to this one. */
  codeList(
    environment: Environment,
    name: string,
  ): Promise<
    Result<(StandingCodeList & { written: string; document: CodeListDocument | null }) | undefined, Unavailable>
  >;
}

export interface CatalogPorts {
  bundle: Bundle;
  store: PublicationStore;
  files: Pick<R2Bucket, 'get'>;
}

export function mappingCatalog({ bundle, store, files }: CatalogPorts): Catalog {
  return {
    async offer(environment, name) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const mapping = name === null ? undefined : await offered(bundle, pointers.value, name);
      return ok({ names: mappingNames(bundle, pointers.value), mapping });
    },
    async mappings(environment) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const names = mappingNames(bundle, pointers.value);
      return ok(await all(names, (name) => standingMapping(bundle, pointers.value, name)));
    },
    async codeLists(environment) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const names = codeListNames(bundle, pointers.value);
      return ok(await all(names, (name) => standingCodeList(bundle, pointers.value, name)));
    },
    async mapping(environment, name) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const standing = await standingMapping(bundle, pointers.value, name);
      if (!standing) return ok(undefined);
      const { sha256, publication } = standing;
      if (publication === null) {
        const text = (await bundle.mapping(name))?.text ?? '';
        return ok({ ...standing, written: bundle.texts.documents.get(name) ?? '', text });
      }
      const version = { edition: publication.edition };
      const kept = await store.find({ environment, artifact: 'mapping', name, version });
      if (!kept.ok) return kept;
      const text = await storedVersion(files, sha256);
      return text.ok ? ok({ ...standing, written: kept.value?.written ?? '', text: text.value }) : text;
    },
    async codeList(environment, name) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const standing = await standingCodeList(bundle, pointers.value, name);
      if (!standing) return ok(undefined);
      const { publication } = standing;
      if (publication === null) {
        const written = bundle.texts.codeLists.get(name) ?? '';
        return ok({ ...standing, written, document: bundle.lists().get(name)?.document ?? null });
      }
      const version = { edition: publication.edition };
      const kept = await store.find({ environment, artifact: 'code_list', name, version });
      if (!kept.ok) return kept;
      const written = kept.value?.written ?? '';
      const checked = checkCodeList(written, name);
      return ok({ ...standing, written, document: checked.ok ? checked.value.document : null });
    },
  };
}

async function all<T>(names: readonly string[], each: (name: string) => Promise<T | undefined>): Promise<T[]> {
  return (await Promise.all(names.map(each))).filter((found) => found !== undefined);
}

/** A published version is in storage already: it is put there before its name points at it. */
async function offered(bundle: Bundle, { mappings }: Pointers, name: string): Promise<OfferedMapping | undefined> {
  const published = mappings.get(name);
  const stands = published ?? (await bundle.mapping(name));
  if (stands === undefined) return undefined;
  const { sha256, summary } = stands;
  const text = 'text' in stands ? stands.text : null;
  return { name, sha256, text, namesScac: summary.namesScac, format: summary.format, kinds: summary.kinds };
}
