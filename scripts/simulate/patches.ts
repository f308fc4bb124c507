/** Changes of the bridge's source as it is loaded. Each names the function, method or constant that it changes, not its file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { childOf, type Node, treeOf } from '../mutate/tree.ts';

export interface Patch {
  /** A function, a method as `Class.method`, or a constant of a module. */
  in: string;
  /** Fits there exactly once. */
  find: string | RegExp;
  replace: string;
  /** Below the project's root. Left out: the file that declares it is looked for. */
  file?: string;
}

/** A planted mistake: what of the source is changed as it is loaded. */
export interface PlantedBug {
  /** What the bridge would do wrong. */
  about: string;
  /** A seed that catches it. */
  seed: number;
  patches: readonly Patch[];
}

export interface LocatedPatch extends Patch {
  file: string;
}

/** Another value for a number of a `limits.ts`. */
export const limit = (name: string, value: number, file = 'src/kernel/limits.ts'): LocatedPatch => ({
  in: name,
  file,
  find: new RegExp(`(?<=const ${name} = )[^;]+(?=;)`),
  replace: String(value),
});

interface Declared {
  name: string;
  start: number;
  end: number;
}

const nameOf = (node: Node | null): string => (typeof node?.name === 'string' ? node.name : '');

/** What a module declares at its own level, and the methods of its classes. */
function declaredIn(path: string, text: string): Declared[] {
  return (treeOf(path, text).body as Node[]).flatMap((statement) => {
    const declaration = childOf(statement, 'declaration') ?? statement;
    const { start, end } = statement;
    if (declaration.type === 'VariableDeclaration')
      return (declaration.declarations as Node[]).map((one) => ({ name: nameOf(childOf(one, 'id')), start, end }));
    const name = nameOf(childOf(declaration, 'id'));
    const isClass = declaration.type === 'ClassDeclaration';
    const members = isClass ? ((childOf(declaration, 'body')?.body ?? []) as Node[]) : [];
    return [
      { name, start, end },
      ...members.map((member) => ({
        name: `${name}.${nameOf(childOf(member, 'key'))}`,
        start: member.start,
        end: member.end,
      })),
    ];
  });
}

const found = (text: string, find: string | RegExp): number =>
  typeof find === 'string' ? text.split(find).length - 1 : [...text.matchAll(new RegExp(find, 'g'))].length;

/** Where in the source the patch fits. */
const fitsIn = (source: string, { file, ...patch }: LocatedPatch): Declared[] =>
  declaredIn(file, source).filter(
    ({ name, start, end }) => name === patch.in && found(source.slice(start, end), patch.find) === 1,
  );

let sources: Map<string, string> | undefined;

/** Throws when no file declares what the patch changes, or several do in which it fits. */
export function located(patch: Patch): LocatedPatch {
  if (patch.file !== undefined) return { ...patch, file: patch.file };
  sources ??= new Map(
    readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path): [string, string] => {
        const file = `src/${path.replaceAll('\\', '/')}`;
        return [file, readFileSync(join(PROJECT_ROOT, file), 'utf8')];
      }),
  );
  const name = patch.in.split('.').at(-1) ?? '';
  const files = [...sources]
    .filter(([, text]) => text.includes(name) && found(text, patch.find) > 0)
    .map(([file, text]) => ({ file, count: fitsIn(text, { ...patch, file }).length }))
    .filter(({ count }) => count === 1);
  const [only, ...others] = files;
  if (only === undefined || others.length > 0)
    throw new Error(`${patch.in}: this fits in ${files.length} files, one is wanted: ${String(patch.find)}`);
  return { ...patch, file: only.file };
}

/** Throws when a snippet does not fit, or not once: a patch that changes nothing would prove nothing. */
export function patched(source: string, patches: readonly LocatedPatch[]): string {
  return patches.reduce((text, patch) => {
    const [place, ...others] = fitsIn(text, patch);
    if (place === undefined || others.length > 0)
      throw new Error(
        `${patch.file}: in ${patch.in} this fits ${place === undefined ? 'nowhere' : 'more than once'}: ${String(patch.find)}`,
      );
    const inside = text.slice(place.start, place.end).replace(patch.find, () => patch.replace);
    return text.slice(0, place.start) + inside + text.slice(place.end);
  }, source);
}
