/** Every small change of a source file that a test should notice, found in its syntax tree. Pure. */
import { createHash } from 'node:crypto';
import { childOf, childrenOf, isFunction, isLoop, moduleValueOf, type Node, treeOf } from './tree.ts';

export type Kind = 'condition' | 'boundary' | 'operator' | 'return' | 'statement' | 'constant';

export interface Mutant {
  /** Of file, function, change and text, not of lines: it stays what it is when lines move. */
  key: string;
  file: string;
  /** Names of the functions around it, outermost first; empty at the module's own level. */
  inside: string;
  kind: Kind;
  /** What stands there, and what instead. */
  before: string;
  after: string;
  start: number;
  end: number;
  isStatement: boolean;
  /** The module's constant in whose value it lies: its value is made when the module is loaded. */
  constant: string | null;
  /** It lies in a function that such a value is made with, which may run only then: `LIST.filter((one) => …)`. No part of the key. */
  madeWith: string | null;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '||=': '=',
  '++': '--',
  '--': '++',
};
/** A code or a name, no sentence: what people read may be put in other words. */
const CODE = /^[\w.:/-]+$/;

interface Place {
  inside: readonly string[];
  /** Null in a function: what lies there is made anew with every call. */
  module: { constant: string } | 'no value' | null;
  madeWith: string | null;
}

export function mutantsOf(file: string, text: string): Mutant[] {
  const found: Mutant[] = [];
  const seen = new Map<string, number>();
  const add = (place: Place, kind: Kind, node: Node, after: string, isStatement = false): void => {
    if (place.module === 'no value') return;
    const before = text.slice(node.start, node.end);
    const inside = place.inside.join('.');
    const name = [file, inside, place.module?.constant ?? '', kind, before, after].join('\n');
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    found.push({
      key: createHash('sha256').update(`${name}\n${count}`).digest('hex').slice(0, 16),
      file,
      inside,
      kind,
      before,
      after,
      start: node.start,
      end: node.end,
      isStatement,
      constant: place.module?.constant ?? null,
      madeWith: place.madeWith,
    });
  };
  const visit = (node: Node, field: string, parent: Node, place: Place): void => {
    mutate({ node, field, parent, place, text, add });
    const here = isFunction(node) ? { ...place, inside: [...place.inside, nameOf(node, parent)], module: null } : place;
    for (const { field: below, child } of childrenOf(node)) visit(child, below, node, inField(node, below, here));
  };
  const tree = treeOf(file, text);
  for (const statement of tree.body as Node[]) {
    const value = moduleValueOf(statement);
    if (value === null) visit(statement, 'body', tree, { inside: [], module: 'no value', madeWith: null });
    else {
      const declarator = (value.declaration.declarations as Node[])[0] as Node;
      const madeWith = isFunction(value.init) ? null : value.name;
      visit(value.init, 'init', declarator, { inside: [], module: { constant: value.name }, madeWith });
    }
  }
  return found;
}

/** A field of a class is made with each of its objects; a static one with the class. */
function inField(node: Node, field: string, place: Place): Place {
  if (node.type !== 'PropertyDefinition' || field !== 'value' || node.static === true) return place;
  return { ...place, inside: [...place.inside, nameOf(node, node)], module: null };
}

function nameOf(node: Node, parent: Node): string {
  for (const named of [node, parent]) {
    const name = childOf(named, 'id') ?? childOf(named, 'key');
    if (name !== null && typeof name.name === 'string') return name.name;
  }
  return '';
}

interface Site {
  node: Node;
  field: string;
  parent: Node;
  place: Place;
  text: string;
  add(place: Place, kind: Kind, node: Node, after: string, isStatement?: boolean): void;
}

function mutate(site: Site): void {
  const { node, field, parent, place, text, add } = site;
  const raw = text.slice(node.start, node.end);
  if (isTest(node, field, parent)) add(place, 'condition', node, `!(${raw})`);
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression' || node.type === 'AssignmentExpression') {
    mutateOperator(site);
  } else if (node.type === 'UpdateExpression') {
    add(
      place,
      'operator',
      node,
      raw.replace(/\+\+|--/, (operator) => OPERATORS[operator] ?? operator),
    );
  } else if (node.type === 'Literal') mutateConstant(site);
  else if (node.type === 'ReturnStatement') {
    const value = childOf(node, 'argument');
    if (value !== null) mutateReturn(site, value);
  } else if (node.type === 'ExpressionStatement') {
    const value = childOf(node, 'expression');
    const isFixed =
      typeof node.directive === 'string' || (value !== null && childOf(value, 'callee')?.type === 'Super');
    if (!isFixed) add(place, 'statement', node, '', true);
  } else if (node.type === 'ThrowStatement' || node.type === 'ContinueStatement' || node.type === 'BreakStatement') {
    if (parent.type !== 'SwitchCase') add(place, 'statement', node, '', true);
  }
  if (node.type === 'ArrowFunctionExpression' && node.expression === true) {
    const body = childOf(node, 'body');
    const inner = { ...place, inside: [...place.inside, nameOf(node, parent)], module: null };
    if (body !== null) mutateReturn({ ...site, place: inner }, body);
  }
}

const isTest = (node: Node, field: string, parent: Node): boolean =>
  field === 'test' &&
  node.type !== 'Literal' &&
  (parent.type === 'IfStatement' || parent.type === 'ConditionalExpression' || isLoop(parent));

function mutateOperator({ node, field, parent, place, text, add }: Site): void {
  const operator = String(node.operator);
  const [left, right] = [childOf(node, 'left'), childOf(node, 'right')];
  if (left === null || right === null) return;
  const between = text.slice(left.end, right.start);
  const swapped = (other: string): string =>
    `${text.slice(node.start, left.end)}${between.replace(operator, other)}${text.slice(right.start, node.end)}`;
  const boundary = BOUNDARIES[operator];
  if (boundary !== undefined) add(place, 'boundary', node, swapped(boundary));
  const other = OPERATORS[operator];
  const isText =
    operator === '+' &&
    [left, right].some(({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string');
  // The same change as the negated test around it.
  const isNegated = /^[!=]==?$/.test(operator) && isTest(node, field, parent);
  if (other === undefined || isText || isNegated) return;
  // Bracketed: `??` may not stand beside the others without.
  if (node.type === 'LogicalExpression')
    add(place, 'operator', node, `(${sideOf(text, left)}) ${other} (${sideOf(text, right)})`);
  else add(place, 'operator', node, swapped(other));
}

const sideOf = (text: string, { start, end }: Node): string => text.slice(start, end);

function mutateConstant({ node, field, parent, place, add }: Site): void {
  const { value } = node;
  const isKey = field === 'key' && parent.computed !== true;
  if (isKey || field === 'source' || parent.type === 'ExpressionStatement') return;
  if (typeof value === 'number') add(place, 'constant', node, String(value + 1));
  else if (typeof value === 'boolean') add(place, 'constant', node, String(!value));
  else if (typeof value === 'string' && CODE.test(value)) add(place, 'constant', node, `'${value}~'`);
}

function mutateReturn({ place, text, add }: Site, value: Node): void {
  const raw = text.slice(value.start, value.end);
  if (value.type === 'Identifier' && value.name === 'undefined') return;
  if (value.type === 'Literal' && value.value !== null) return; // changed as a constant
  if (value.type === 'UnaryExpression' && value.operator === '!') add(place, 'return', value, raw.slice(1));
  else if (value.type === 'UnaryExpression' && value.operator === 'void') add(place, 'statement', value, 'undefined');
  else add(place, 'return', value, 'undefined');
}
