/** What a name stood for before, and what differs between two of its versions. Reads; changes nothing. */

import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Bundle } from './bundle.ts';
import { type Difference, versionDifferences } from './diff.ts';
import { PUBLICATIONS_PAGE_MAX } from './limits.ts';
import { TO_BUNDLED } from './plan-change.ts';
import type { Artifact, Owners, OwnersChange, Pointers, Publication } from './publication.ts';
import type { PublicationStore } from './publication-store.ts';
import type { Refusal } from './refusal.ts';
import { codeListNames, mappingNames, type StandingMapping, standingMapping } from './standing.ts';
import { contentOf, versionText } from './version-content.ts';

export interface HistoryPorts {
  bundle: Bundle;
  store: PublicationStore;
  files: Pick<R2Bucket, 'get'>;
}

export interface ComparedVersions {
  from: string;
  to: string;
  differences: Difference[];
}

export interface History {
  /** Newest first, a page at a time. @param before the edition of the last one seen. */
  publications(
    environment: Environment,
    artifact: Artifact,
    name: string,
    before: number | null,
  ): Promise<Result<{ publications: Publication[]; next: number | null }, Refusal>>;
  /** Whom a mapping is for, and who said so when, newest first. */
  owners(
    environment: Environment,
    name: string,
  ): Promise<Result<{ owners: Owners | null; changes: OwnersChange[] }, Refusal>>;
  /** One version of a name, as `versions` of compare. */
  version(
    environment: Environment,
    name: string,
    version: string,
  ): Promise<Result<{ sha256: string; text: string }, Refusal>>;
  /** @param versions each a sha256 the name stands or stood for, `bundled`, `current`, or `previous` (what the present one replaced). */
  compare(
    environment: Environment,
    name: string,
    versions: { from: string; to: string },
  ): Promise<Result<ComparedVersions, Refusal>>;
}

export function historyOf(ports: HistoryPorts): History {
  const { bundle, store } = ports;
  return {
    async publications(environment, artifact, name, before) {
      const page = { environment, artifact, name, before, limit: PUBLICATIONS_PAGE_MAX };
      const publications = await store.history(page);
      if (!publications.ok) return publications;
      const last = publications.value.at(-1);
      if (last) {
        const isFull = publications.value.length === PUBLICATIONS_PAGE_MAX;
        return ok({ publications: publications.value, next: isFull ? last.edition : null });
      }
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const refusal = before === null ? unknownName(bundle, pointers.value, artifact, name) : undefined;
      return refusal ? err(refusal) : ok({ publications: [], next: null });
    },
    async owners(environment, name) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const standing = await standingMapping(bundle, pointers.value, name);
      if (!standing) return err({ code: 'unknown_mapping', name, known: mappingNames(bundle, pointers.value) });
      const changes = await store.ownersHistory(environment, { name, limit: PUBLICATIONS_PAGE_MAX });
      return changes.ok ? ok({ owners: standing.owners, changes: changes.value }) : changes;
    },
    async version(environment, name, version) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const standing = await standingMapping(bundle, pointers.value, name);
      if (!standing) return err({ code: 'unknown_mapping', name, known: mappingNames(bundle, pointers.value) });
      return versionNamed(ports, environment, standing, version);
    },
    async compare(environment, name, versions) {
      const pointers = await store.pointers(environment);
      if (!pointers.ok) return pointers;
      const standing = await standingMapping(bundle, pointers.value, name);
      if (!standing) return err({ code: 'unknown_mapping', name, known: mappingNames(bundle, pointers.value) });
      const from = await versionNamed(ports, environment, standing, versions.from);
      if (!from.ok) return from;
      const to = await versionNamed(ports, environment, standing, versions.to);
      if (!to.ok) return to;
      const differences = versionDifferences(contentOf(from.value.text), contentOf(to.value.text));
      return ok({ from: from.value.sha256, to: to.value.sha256, differences });
    },
  };
}

/** A name that is bundled and was never published has an empty history; one that is neither has none. */
function unknownName(bundle: Bundle, pointers: Pointers, artifact: Artifact, name: string): Refusal | undefined {
  const known = artifact === 'mapping' ? mappingNames(bundle, pointers) : codeListNames(bundle, pointers);
  if (known.includes(name)) return undefined;
  return artifact === 'mapping' ? { code: 'unknown_mapping', name, known } : { code: 'unknown_code_list', name, known };
}

async function versionNamed(
  { bundle, store, files }: HistoryPorts,
  environment: Environment,
  standing: StandingMapping,
  version: string,
): Promise<Result<{ sha256: string; text: string }, Refusal>> {
  const { name } = standing;
  const sha256 = sha256Of(standing, version);
  if (sha256 === null) return err({ code: 'unknown_version', name, version: version.slice(0, 80) });
  const isKnown = [standing.sha256, standing.bundledSha256, standing.publication?.beforeSha256].includes(sha256);
  if (!isKnown) {
    // Versions are named by their content: without this look, one of another name or environment could be read by guessing.
    const kept = await store.find({ environment, artifact: 'mapping', name, version: { sha256 } });
    if (!kept.ok) return kept;
    if (!kept.value) return err({ code: 'unknown_version', name, version: version.slice(0, 80) });
  }
  const text = await versionText({ bundle, files }, name, sha256);
  return text.ok ? ok({ sha256, text: text.value }) : text;
}

function sha256Of({ sha256, bundledSha256, publication }: StandingMapping, version: string): string | null {
  switch (version) {
    case 'current':
      return sha256;
    case 'previous':
      return publication?.beforeSha256 ?? null;
    case TO_BUNDLED:
      return bundledSha256;
    default:
      return version;
  }
}
