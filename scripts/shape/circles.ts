/** Which files import which, types included, and the circles among them. Pure. */
import { importsOf as importsIn } from '../mutate/imports.ts';

/** Files each of which leads to every other one. */
export interface Circle {
  files: string[];
}

export function importsOf(texts: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const known = (target: string): boolean => texts.has(target);
  return new Map([...texts].map(([path, text]) => [path, new Set(importsIn(path, text).filter(known))]));
}

/** Strongly connected parts of more than one file (Tarjan), largest first. */
export function circlesOf(imports: ReadonlyMap<string, ReadonlySet<string>>): Circle[] {
  const found: Circle[] = [];
  const seen = new Map<string, { at: number; lowest: number }>();
  const open: string[] = [];
  const visit = (path: string): { at: number; lowest: number } => {
    const own = { at: seen.size, lowest: seen.size };
    seen.set(path, own);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      const known = seen.get(target);
      if (known === undefined) own.lowest = Math.min(own.lowest, visit(target).lowest);
      else if (open.includes(target)) own.lowest = Math.min(own.lowest, known.at);
    }
    if (own.lowest === own.at) {
      const files = open.splice(open.indexOf(path));
      if (files.length > 1) found.push({ files: files.sort() });
    }
    return own;
  };
  for (const path of imports.keys()) if (!seen.has(path)) visit(path);
  return found.sort((one, other) => other.files.length - one.files.length);
}
