/** A publisher and a catalog over a store in memory, with small documents and lists to publish. */
import type { Environment } from '../../../src/kernel/names.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { type BundledTexts, bundleOf } from '../../../src/ops/publishing/bundle.ts';
import { mappingCatalog } from '../../../src/ops/publishing/catalog.ts';
import type { Aim } from '../../../src/ops/publishing/plan-change.ts';
import type {
  Artifact,
  Change,
  NewOwners,
  OwnersChange,
  Publication,
} from '../../../src/ops/publishing/publication.ts';
import type { PublicationStore } from '../../../src/ops/publishing/publication-store.ts';
import { publishingOf, type RequestedChange } from '../../../src/ops/publishing/publishing.ts';

export const WORDS = `# Words of the small test.
list: words
description: A small list for tests.
codes:
  Arrived: X3 # at pick-up
  Left: AF
`;

/** A mapping that looks its code up in `words`; its example holds for the code given. */
export const mappingText = (
  name: string,
  { code = 'X3', word = 'Arrived', more = '', lookup = 'words' } = {},
): string => `
mapping: ${name}
description: A small mapping for tests.
source: { format: csv }
target: milestone
zone: { const: UTC }
${more}
fields:
  loadNumber: Load
  eventCode: { from: Code, lookup: ${lookup} }
  time: { from: At, parse: "yyyy-MM-dd HH:mm" }
examples:
  - input: "Load,Code,At\\nL1,${word},2026-03-02 08:00\\n"
    records:
      - requests:
          - kind: milestone
            subject: load:L1
            body:
              loadNumber: L1
              eventCode: ${code}
              time: { dateTime: "2026-03-02T08:00:00.0000000+00:00", timeZoneCode: UTC, timeZoneOffset: UTC+0 }
`;

interface Cached {
  environment: Environment;
  ordinal: number;
  artifact: Artifact;
  written: string;
  publication: Publication;
}

/** As D1 does it: append-only rows, pointers, one change per edition. */
export function memoryStore(): PublicationStore & { rows: Cached[]; isDown: boolean } {
  const rows: Cached[] = [];
  const current = new Map<string, Cached>();
  const editionOf = (environment: Environment): number =>
    Math.max(0, ...rows.filter((row) => row.environment === environment).map((row) => row.publication.edition));
  const pointersTo = <Summary>(environment: Environment, artifact: Artifact) =>
    new Map(
      [...current.values()]
        .filter((row) => row.environment === environment && row.artifact === artifact)
        .map(({ publication }) => [publication.name, publication as Publication<Summary>]),
    );
  const named = (environment: Environment, artifact: Artifact, name: string): Cached[] =>
    rows
      .filter((row) => row.environment === environment && row.artifact === artifact && row.publication.name === name)
      .reverse();
  const owned: { environment: Environment; name: string; change: OwnersChange }[] = [];
  const ownersOf = (environment: Environment, name?: string) =>
    owned.filter((each) => each.environment === environment && (name === undefined || each.name === name));
  const appendOwners = ({
    environment,
    by,
    at,
    note,
    owners: { name, edition, owners },
  }: Parameters<PublicationStore['appendOwners']>[0]) => {
    if (ownersOf(environment, name).length !== edition) return 'overtaken' as const;
    owned.push({ environment, name, change: { edition: edition + 1, owners, by, at, note } });
    return 'appended' as const;
  };
  const append = ({ environment, edition, by, at, note, publications, owners }: Change): 'appended' | 'overtaken' => {
    if (edition !== editionOf(environment)) return 'overtaken';
    if (owners !== null && appendOwners({ environment, by, at, note, owners }) === 'overtaken') return 'overtaken';
    for (const [ordinal, { artifact, written, ...publication }] of publications.entries()) {
      const kept: Cached = {
        environment,
        ordinal,
        artifact,
        written,
        publication: { ...publication, edition: edition + 1, by, at, note } as Publication,
      };
      rows.push(kept);
      const pointer = JSON.stringify([environment, artifact, publication.name]);
      if (publication.isBundled) current.delete(pointer);
      else current.set(pointer, kept);
    }
    return 'appended';
  };
  const unlessDown = async <T>(ask: () => T) =>
    store.isDown ? err({ code: 'catalog_unavailable' as const }) : ok(ask());
  const store = {
    rows,
    isDown: false,
    pointers: (environment: Environment) =>
      unlessDown(() => ({
        edition: editionOf(environment),
        mappings: pointersTo<never>(environment, 'mapping'),
        codeLists: pointersTo<never>(environment, 'code_list'),
        owners: new Map<string, Omit<NewOwners, 'name'>>(
          ownersOf(environment).map(({ name, change }) => [name, change]),
        ),
      })),
    written: (environment: Environment, artifact: Artifact, names: Iterable<string>) =>
      unlessDown(() => {
        const found = [...names].flatMap((name) => {
          const kept = current.get(JSON.stringify([environment, artifact, name]));
          return kept ? [[name, kept.written] as const] : [];
        });
        return new Map(found);
      }),
    history: ({ environment, artifact, name, before, limit }: Parameters<PublicationStore['history']>[0]) =>
      unlessDown(() =>
        named(environment, artifact, name)
          .map(({ publication }) => publication)
          .filter(({ edition }) => before === null || edition < before)
          .slice(0, limit),
      ),
    find: ({ environment, artifact, name, version }: Parameters<PublicationStore['find']>[0]) =>
      unlessDown(() => {
        const found = named(environment, artifact, name).find(({ publication }) =>
          'sha256' in version ? publication.sha256 === version.sha256 : publication.edition === version.edition,
        );
        return found && { ...found.publication, written: found.written };
      }),
    append: (change: Change) => unlessDown(() => append(change)),
    appendOwners: (change: Parameters<PublicationStore['appendOwners']>[0]) => unlessDown(() => appendOwners(change)),
    ownersHistory: (environment: Environment, { name }: { name: string }) =>
      unlessDown(() =>
        ownersOf(environment, name)
          .map(({ change }) => change)
          .reverse(),
      ),
  };
  return store;
}

/** Files by key, as R2 keeps them. */
export function memoryFiles() {
  const kept = new Map<string, string>();
  const files = {
    head: async (key: string) => (kept.has(key) ? {} : null),
    get: async (key: string) => (kept.has(key) ? { text: async () => kept.get(key) ?? '' } : null),
    put: async (key: string, bytes: Uint8Array) => {
      kept.set(key, new TextDecoder().decode(bytes));
    },
  };
  return { kept, files: files as unknown as Pick<R2Bucket, 'get' | 'head' | 'put'> };
}

export const BY = { keyId: '0123456789abcdef', name: 'Analyst' };
export const NOW = '2026-03-02T08:00:00.000Z';

export function aPublisher(texts: { documents?: Record<string, string>; codeLists?: Record<string, string> } = {}) {
  const { documents = { stops: mappingText('stops') }, codeLists = { words: WORDS } } = texts;
  const bundled: BundledTexts = {
    documents: new Map(Object.entries(documents)),
    codeLists: new Map(Object.entries(codeLists)),
  };
  const bundle = bundleOf(bundled);
  const store = memoryStore();
  const { kept, files } = memoryFiles();
  const publisher = publishingOf({ bundle, store, files, nowMs: () => Date.parse(NOW) });
  const catalog = mappingCatalog({ bundle, store, files });
  const change = (name: string, aim: Aim, more: Partial<RequestedChange> = {}) =>
    publisher.change({
      environment: 'test',
      name,
      aim,
      by: BY,
      note: '',
      dryRun: false,
      owners: 'everybody',
      ifMatch: null,
      ...more,
    });
  return {
    bundle,
    store,
    kept,
    files,
    catalog,
    change,
    publish: (name: string, written: string, more: Partial<RequestedChange> = {}) =>
      change(name, { artifact: 'mapping', written }, more),
    publishList: (written: string, more: Partial<RequestedChange> = {}) =>
      change('words', { artifact: 'code_list', written }, more),
    editList: (set: Record<string, string>, remove: string[] = [], more: Partial<RequestedChange> = {}) =>
      change('words', { artifact: 'code_list', edit: { set: new Map(Object.entries(set)), remove } }, more),
    rollBack: (name: string, to: string, more: Partial<RequestedChange> = {}) =>
      change(name, { artifact: 'mapping', to }, more),
    /** The sha256 a name stands for now. */
    current: async (name: string, environment: Environment = 'test') => {
      const offer = await catalog.offer({ environment, partner: 'acme' }, name);
      return offer.ok ? offer.value.mapping?.sha256 : offer.error.code;
    },
  };
}

export const sha256Of = async (text: string): Promise<string> => sha256Hex(text);
