/**
 * Which constants of modules are made of which others: when a mutant of one comes or goes, all that are made of it are made
 * anew, or a test that looks at these alone could never notice it. Pure.
 */
import { posix } from 'node:path';
import { childOf, childrenOf, isFunction, moduleValueOf, type Node, treeOf } from './tree.ts';

/** `path\nname` of a module's constant. */
export type ConstantKey = string;
export const constantKey = (path: string, name: string): ConstantKey => `${path}\n${name}`;

interface Module {
  /** What each constant mentions, and what the names of imports stand for. */
  mentions: Map<string, Set<string>>;
  imports: Map<string, ConstantKey>;
}

/** @returns for each constant that others are made of, by any number of steps: these, itself left out. */
export function derivedConstants(texts: ReadonlyMap<string, string>): Map<ConstantKey, ConstantKey[]> {
  const modules = new Map([...texts].map(([path, text]) => [path, moduleOf(path, text)]));
  const direct = new Map<ConstantKey, ConstantKey[]>();
  for (const [path, { mentions, imports }] of modules) {
    for (const [name, mentioned] of mentions) {
      for (const each of mentioned) {
        const of = imports.get(each) ?? (mentions.has(each) ? constantKey(path, each) : undefined);
        if (of !== undefined) direct.set(of, [...(direct.get(of) ?? []), constantKey(path, name)]);
      }
    }
  }
  return new Map(
    [...direct.keys()].map((key) => {
      const found = new Set([key]);
      for (const one of found) for (const next of direct.get(one) ?? []) found.add(next);
      found.delete(key);
      return [key, [...found]];
    }),
  );
}

function moduleOf(path: string, text: string): Module {
  const mentions = new Map<string, Set<string>>();
  const imports = new Map<string, ConstantKey>();
  for (const statement of treeOf(path, text).body as Node[]) {
    if (statement.type === 'ImportDeclaration') noteImports(path, statement, imports);
    const value = moduleValueOf(statement);
    if (value !== null && !isFunction(value.init)) mentions.set(value.name, namesIn(value.init));
  }
  return { mentions, imports };
}

function noteImports(path: string, statement: Node, imports: Map<string, ConstantKey>): void {
  const source = String(childOf(statement, 'source')?.value ?? '');
  if (!source.startsWith('.')) return;
  const from = posix.normalize(posix.join(posix.dirname(path), source));
  for (const specifier of statement.specifiers as Node[]) {
    const [imported, local] = [childOf(specifier, 'imported'), childOf(specifier, 'local')];
    if (imported !== null && local !== null) imports.set(String(local.name), constantKey(from, String(imported.name)));
  }
}

function namesIn(node: Node, found = new Set<string>()): Set<string> {
  if (node.type === 'Identifier') found.add(String(node.name));
  for (const { child } of childrenOf(node)) namesIn(child, found);
  return found;
}
