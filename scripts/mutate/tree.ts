/** The syntax tree of a source file, as far as mutants need it: nodes, their children, and what only types see left out. */
import { parseSync } from 'vite';

export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** What types have around a value: only the value is looked at. */
const TYPED_VALUES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const NO_VALUES = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TemplateElement']);

/** @throws where the file is no TypeScript: a bug, as it is our own source. */
export function treeOf(path: string, text: string): Node {
  const { program, errors } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  return program as unknown as Node;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

export const childOf = (node: Node, field: string): Node | null => {
  const value = node[field];
  return isNode(value) ? value : null;
};

/** The node's children that are values or statements, with the field in which each lies. */
export function childrenOf(node: Node): { field: string; child: Node }[] {
  if (NO_VALUES.has(node.type)) return [];
  if (TYPED_VALUES.has(node.type))
    return isNode(node.expression) ? [{ field: 'expression', child: node.expression }] : [];
  const found: { field: string; child: Node }[] = [];
  for (const [field, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child) && (!child.type.startsWith('TS') || TYPED_VALUES.has(child.type))) found.push({ field, child });
    }
  }
  return found;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
export const isFunction = ({ type }: Node): boolean => FUNCTIONS.has(type);

const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);
export const isLoop = ({ type }: Node): boolean => LOOPS.has(type);

/** `const NAME = …` of the module itself: its value can be made once more. */
interface ModuleValue {
  name: string;
  declaration: Node;
  init: Node;
}

export function moduleValueOf(statement: Node): ModuleValue | null {
  const declaration = statement.type === 'ExportNamedDeclaration' ? childOf(statement, 'declaration') : statement;
  if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const' || declaration.declare === true)
    return null;
  const [declarator, ...others] = declaration.declarations as Node[];
  if (declarator === undefined || others.length > 0) return null;
  const id = childOf(declarator, 'id');
  const init = childOf(declarator, 'init');
  return id?.type === 'Identifier' && init !== null ? { name: String(id.name), declaration, init } : null;
}
