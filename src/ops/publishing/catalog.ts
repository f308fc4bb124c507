/**
 * The mappings of an environment by name: what is published, otherwise what is bundled with this deploy.
 * Names are read again on every call; only what depends on the deploy alone is cached.
 */
import type { Offer, OfferedMapping } from '../../intake/ports.ts';
import { log } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { checkCodeList } from '../../mapping/check/code-list.ts';
import type { CodeListDocument } from '../../mapping/document/code-list.ts';
import type { Bundle } from './bundle.ts';
import {
  type CurrentCodeList,
  type CurrentMapping,
  codeListNames,
  currentCodeList,
  currentMapping,
  mappingNames,
  readFacts,
  seenBy,
} from './names.ts';
import type { Pointers } from './publication.ts';
import type { PublicationStore, Unavailable } from './publication-store.ts';
import type { AuthorsFacts } from './try-mapping.ts';
import { storedVersion } from './version-content.ts';

type Unreadable = Unavailable | { code: 'storage_unavailable' };

/** Who reads. @property partner null: an operator, who sees every name. */
interface Reader {
  environment: Environment;
  partner: string | null;
}

export type Catalog = ReturnType<typeof mappingCatalog>;

type FoundCodeList = CurrentCodeList & { written: string; document: CodeListDocument | null };

interface CatalogPorts {
  bundle: Bundle;
  store: PublicationStore;
  files: Pick<R2Bucket, 'get'>;
}

export function mappingCatalog({ bundle, store, files }: CatalogPorts) {
  const pointersFor = async (
    { environment, partner }: Reader,
    asked: string | null = null,
  ): Promise<Result<Pointers, Unavailable>> => {
    const pointers = await store.pointers(environment);
    if (!pointers.ok || partner === null) return pointers;
    const seen = seenBy(pointers.value, partner);
    if (asked !== null && pointers.value.mappings.has(asked) && !seen.mappings.has(asked)) {
      log('warn', 'mapping_of_others', { detail: `${partner} asked for "${asked}"` });
    }
    return ok(seen);
  };
  return {
    async offer(reader: Reader, name: string | null): Promise<Result<Offer, Unavailable>> {
      const pointers = await pointersFor(reader, name);
      if (!pointers.ok) return pointers;
      const mapping = name === null ? undefined : await offered(bundle, pointers.value, name);
      return ok({ names: mappingNames(bundle, pointers.value), mapping });
    },
    async mappings(reader: Reader): Promise<Result<CurrentMapping[], Unavailable>> {
      const pointers = await pointersFor(reader);
      if (!pointers.ok) return pointers;
      const names = mappingNames(bundle, pointers.value);
      return ok(await all(names, (name) => currentMapping(bundle, pointers.value, name)));
    },
    /** What a document that is being written may name: of a partner, the shipped code lists and those of its mappings. */
    async authorsFacts({ environment, partner }: Reader): Promise<Result<AuthorsFacts, Unavailable>> {
      const facts = await readFacts(store, bundle, environment);
      if (!facts.ok) return facts;
      const bases = bundle.texts.documents;
      const { lists, pointers } = facts.value;
      if (partner === null) return ok({ lists, bases });
      const own = seenBy(pointers, partner);
      const used = await all(mappingNames(bundle, own), (name) => currentMapping(bundle, own, name));
      const names = new Set([...bundle.texts.codeLists.keys(), ...used.flatMap(({ summary }) => summary.codeLists)]);
      return ok({ lists: new Map([...lists].filter(([name]) => names.has(name))), bases });
    },
    async codeLists(environment: Environment): Promise<Result<CurrentCodeList[], Unavailable>> {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const names = codeListNames(bundle, pointers.value);
      return ok(await all(names, (name) => currentCodeList(bundle, pointers.value, name)));
    },
    /** The YAML of a mapping as written, and its version's text. @returns undefined when there is no such name. */
    async mapping(
      reader: Reader,
      name: string,
    ): Promise<Result<(CurrentMapping & { written: string; text: string }) | undefined, Unreadable>> {
      const { environment } = reader;
      const pointers = await pointersFor(reader);
      if (!pointers.ok) return pointers;
      const standing = await currentMapping(bundle, pointers.value, name);
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
    /** @property document null: stored by a program with other rules, and not a valid code list for this one. */
    async codeList(environment: Environment, name: string): Promise<Result<FoundCodeList | undefined, Unavailable>> {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const standing = await currentCodeList(bundle, pointers.value, name);
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

/** A published version is already in storage: it is stored before its name points at it. */
async function offered(bundle: Bundle, { mappings }: Pointers, name: string): Promise<OfferedMapping | undefined> {
  const published = mappings.get(name);
  const stands = published ?? (await bundle.mapping(name));
  if (stands === undefined) return undefined;
  const { sha256, summary } = stands;
  const text = 'text' in stands ? stands.text : null;
  const { namesScac, format, kinds, claimedAs = [sha256] } = summary;
  return { name, sha256, text, claimedAs, namesScac, format, kinds };
}
