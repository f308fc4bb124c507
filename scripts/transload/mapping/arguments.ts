/** What the mapping commands are asked for. Pure. */
import { NotRun } from '../../frame/command.ts';

export type Artifact = 'mapping' | 'code_list';

export type Command =
  | { does: 'list'; artifact: Artifact }
  | { does: 'show' | 'history'; artifact: Artifact; name: string }
  | { does: 'check' | 'publish'; file: string; owners: Owners | null }
  | { does: 'owners'; name: string; owners: Owners | null }
  | { does: 'diff'; name: string; from: string; to: string }
  | { does: 'rerun'; batchId: string; to: string | null }
  | { does: 'rollback'; artifact: Artifact; name: string; to: string }
  | { does: 'edit'; name: string; set: Record<string, string>; remove: string[] };

/** Whom a mapping is for. */
type Owners = readonly string[] | 'everybody';

export interface MappingQuery {
  command: Command;
  note: string;
  ifMatch: string | null;
  dryRun: boolean;
}

export interface MappingOptions {
  note?: string;
  ifMatch?: string;
  dryRun?: boolean;
  from?: string;
  to?: string;
  partners?: string;
  shared?: boolean;
}

export const queryFor = (command: Command, { note = '', ifMatch, dryRun = false }: MappingOptions): MappingQuery => ({
  command,
  note,
  ifMatch: ifMatch ?? null,
  dryRun,
});

export function ownersIn({ partners, shared = false }: MappingOptions): Owners | null {
  if (shared) return 'everybody';
  return partners?.split(',') ?? null;
}

/** At the last "=": a word may hold one, a code hardly ever does. @throws NotRun */
export function wordsSet(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const at = text.lastIndexOf('=');
    if (at < 1 || at === text.length - 1) throw new NotRun(`"${text}" is not of the form word=code.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}
