/** The source of the bridge as syntax trees: what the reference is read from where no value can be imported. */
import { globSync, readFileSync } from 'node:fs';
import { isNode, type Node, treeOf } from '../mutate/tree.ts';

export interface SourceFile {
  path: string;
  text: string;
  program: Node;
}

/** Everything below `src/` but the sandbox, in the order of the paths. */
export function sourceFiles(): SourceFile[] {
  return globSync('src/**/*.ts')
    .filter((path) => !path.startsWith('src/sandbox/') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => parsed(path, readFileSync(path, 'utf8')));
}

export const parsed = (path: string, text: string): SourceFile => ({ path, text, program: treeOf(path, text) });

const CHILDREN = new WeakMap<Node, Node[]>();

/** The nodes directly below one. */
export function childrenOf(node: Node): Node[] {
  const known = CHILDREN.get(node);
  if (known !== undefined) return known;
  const children = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));
  CHILDREN.set(node, children);
  return children;
}

/** Takes `as const`, `satisfies …` and parentheses off. */
export function bare(node: Node): Node {
  const inner = node.expression;
  const isCover = ['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression', 'TSNonNullExpression'];
  return isCover.includes(node.type) && isNode(inner) ? bare(inner) : node;
}

/** The name of an identifier, of a property's key, or of the last member of a path. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return node.name as string;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'MemberExpression' && node.computed !== true) return nameOf(node.property);
  if (node.type === 'ChainExpression') return nameOf(node.expression);
  return undefined;
}

/** Constants and functions at the top of files, by name: `export const LIMIT = …`, `function words(…) { … }`. */
interface Declared {
  file: SourceFile;
  name: string;
  /** The value of a constant; the function itself. */
  node: Node;
  /** Where its statement begins, `export` included. */
  start: number;
  end: number;
  isExported: boolean;
}

export function declarationsOf(file: SourceFile): Declared[] {
  return (file.program.body as Node[]).flatMap((statement) => {
    const isExported = statement.type === 'ExportNamedDeclaration';
    const inner = isExported ? statement.declaration : statement;
    if (!isNode(inner)) return [];
    const { start, end } = statement;
    const common = { file, start, end, isExported };
    if (inner.type === 'FunctionDeclaration') return [{ ...common, name: nameOf(inner.id) ?? '', node: inner }];
    if (inner.type !== 'VariableDeclaration') return [];
    return (inner.declarations as Node[]).flatMap(({ id, init }) =>
      isNode(init) ? [{ ...common, name: nameOf(id) ?? '', node: bare(init) }] : [],
    );
  });
}

/** The documentation comment that ends right before this place, as one line of text. */
export function commentBefore(text: string, start: number): string | undefined {
  const [, comment] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, start)) ?? [];
  return comment
    ?.replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A type at the top of a file, up to the semicolon that ends it. */
const UNION = /^(?:export )?type (\w+) =([\s\S]*?);\n(?=\S|\n|$)/gm;

/** Finds what a name stands for: in its own file first, else the only one of that name anywhere. */
export class Declarations {
  readonly #own = new Map<string, Declared>();
  readonly #all = new Map<string, Declared[]>();

  readonly #types = new Map<string, string[]>();

  constructor(files: readonly SourceFile[]) {
    for (const file of files) {
      for (const [, name = '', union = ''] of file.text.matchAll(UNION)) {
        const codes = [...union.matchAll(/\bcode: ('\w+'(?: \| '\w+')*)/g)].flatMap(([, texts = '']) =>
          [...texts.matchAll(/'(\w+)'/g)].map(([, code = '']) => code),
        );
        this.#types.set(name, codes);
      }
      for (const declared of declarationsOf(file)) {
        this.#own.set(`${file.path}#${declared.name}`, declared);
        this.#all.set(declared.name, [...(this.#all.get(declared.name) ?? []), declared]);
      }
    }
  }

  find(file: SourceFile, name: string): Declared | undefined {
    const own = this.#own.get(`${file.path}#${name}`);
    if (own !== undefined) return own;
    const exported = (this.#all.get(name) ?? []).filter(({ isExported }) => isExported);
    return exported.length === 1 ? exported[0] : undefined;
  }

  /** The codes of a union of facts, `{ code: 'a'; … } | { code: 'b'; … }`, by the name of its type. */
  codesOfType(name: string): readonly string[] {
    return this.#types.get(name) ?? [];
  }

  /** The value of an expression of numbers and texts; undefined for anything else. */
  valueOf(file: SourceFile, expression: Node): unknown {
    const node = bare(expression);
    if (node.type === 'Literal') return node.value;
    if (node.type === 'TemplateLiteral') {
      const values = (node.expressions as Node[]).map((each) => this.valueOf(file, each));
      if (values.includes(undefined)) return undefined;
      return (node.quasis as Node[])
        .map((quasi, index) => `${(quasi.value as { cooked: string }).cooked}${values[index] ?? ''}`)
        .join('');
    }
    if (node.type === 'Identifier') {
      const declared = this.find(file, node.name as string);
      return declared === undefined || declared.node === node ? undefined : this.valueOf(declared.file, declared.node);
    }
    if (node.type === 'UnaryExpression' && node.operator === '-') {
      const value = this.valueOf(file, node.argument as Node);
      return typeof value === 'number' ? -value : undefined;
    }
    if (node.type === 'ArrayExpression') {
      const values = (node.elements as Node[]).map((each) => this.valueOf(file, each));
      return values.includes(undefined) ? undefined : values;
    }
    if (node.type === 'ObjectExpression') {
      const values = (node.properties as Node[]).map(
        (each) => [nameOf(each.key), isNode(each.value) ? this.valueOf(file, each.value) : undefined] as const,
      );
      return values.some(([name, value]) => name === undefined || value === undefined)
        ? undefined
        : Object.fromEntries(values);
    }
    if (node.type !== 'BinaryExpression') return undefined;
    const left = this.valueOf(file, node.left as Node);
    const right = this.valueOf(file, node.right as Node);
    if (typeof left !== 'number' || typeof right !== 'number') return undefined;
    switch (node.operator) {
      case '*':
        return left * right;
      case '+':
        return left + right;
      case '-':
        return left - right;
      case '/':
        return left / right;
      case '**':
        return left ** right;
      default:
        return undefined;
    }
  }
}
