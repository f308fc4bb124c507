/**
 * `error-codes.md`: every code an answer, a report or a check can hold, with its message and its fix, read from the places
 * in the source that put facts into words.
 *
 * Words are objects with `fix` (or `wanted`) and `message` (or `detail`). Their code is their own `code`, that of the `case`
 * or `if` around them, or the key under which a table has them. A function called for a code is read with it.
 */
import { AUTHOR_FIXES } from '../../src/mapping/document/author-fixes.ts';
import { isNode, type Node } from '../mutate/tree.ts';
import { code, page, prose, section, table } from './markdown.ts';
import { unusedSentences, withExamples } from './problem-examples.ts';
import { bare, childrenOf, Declarations, nameOf, type SourceFile, sourceFiles } from './source.ts';

interface MessageTable {
  code: string;
  path: string;
  /** The HTTP status of an answer; '' where it is no answer. */
  status: string;
  /** Of an answer; '' where it is none. */
  title: string;
  /** It says what is wanted in a mapping document, not what to send. */
  isAuthors: boolean;
  message: string;
  fix: string;
}

/** What a function is read with: the codes it is called for, and what its parameters hold. */
interface Scope {
  file: SourceFile;
  /** Path of the file whose code it is: words that several rooms share belong to the one that calls for them. */
  path: string;
  codes: readonly string[];
  values: ReadonlyMap<string, { node: Node; scope: Scope }>;
  depth: number;
}

const DEPTH_MAX = 8;
/** What may follow a sentence, such as the nearest name there is. */
const HINT = /(?<=[.?])\{[^}]*\}$/;
/** Arguments that can be the code of a function's words. */
const SAYS_CODE: ReadonlySet<string> = new Set(['Literal', 'Identifier', 'ConditionalExpression']);
/** Words that are known only when they are said. */
const EMPTY = /^(?:\{[^}]*\}|\s|[….])*$/;
const CODE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$|^(?:empty|internal|unauthorized)$/;

export class ErrorWords {
  readonly #declarations: Declarations;
  readonly #files: SourceFile[];
  readonly #found = new Map<string, MessageTable>();

  constructor(files: SourceFile[] = sourceFiles()) {
    this.#files = files;
    this.#declarations = new Declarations(files);
  }

  /** Everything there is, by code, in the order of the files. */
  all(): MessageTable[] {
    for (const file of this.#files) {
      this.#read(file.program, { file, path: file.path, codes: [], values: new Map(), depth: 0 });
    }
    return [...this.#found.values()];
  }

  #read(node: Node, scope: Scope): void {
    if (node.type === 'FunctionDeclaration' && scope.codes.length === 0) {
      const codes = this.#codesOfParameter(node);
      if (codes.length > 0) {
        this.#read(node.body as Node, { ...scope, codes });
        return;
      }
    }
    if (node.type === 'SwitchStatement' && isCodeOf(node.discriminant)) {
      this.#readSwitch(node, scope);
      return;
    }
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      const codes = comparedCodes(node.test);
      if (codes !== undefined) {
        this.#read(node.consequent as Node, { ...scope, codes });
        if (isNode(node.alternate)) this.#read(node.alternate, scope);
        return;
      }
    }
    if (node.type === 'BlockStatement') {
      let inside = withLocals(node, scope);
      for (const child of childrenOf(node)) {
        this.#read(child, inside);
        inside = withoutReturned(child, inside);
      }
      return;
    }
    if (node.type === 'ObjectExpression') this.#readObject(node, scope);
    if (node.type === 'CallExpression') this.#readCall(node, scope);
    if (node.type === 'Property' && isNode(node.value)) {
      const key = nameOf(node.key);
      // A table of words by code.
      if (key !== undefined && CODE.test(key) && holdsWords(node.value)) {
        this.#read(node.value, { ...scope, codes: [key] });
        return;
      }
    }
    for (const child of childrenOf(node)) this.#read(child, scope);
  }

  #readSwitch(node: Node, scope: Scope): void {
    let codes: string[] = [];
    for (const { test, consequent } of node.cases as Node[]) {
      const tested = isNode(test) ? nameOf(test) : undefined;
      if (tested !== undefined) codes.push(tested);
      const body = consequent as Node[];
      if (body.length === 0) continue;
      for (const each of body) this.#read(each, { ...scope, codes: tested === undefined ? scope.codes : codes });
      codes = [];
    }
  }

  #readObject(node: Node, scope: Scope): void {
    const members = membersOf(node);
    const message = members.get('message') ?? members.get('detail');
    const fix = members.get('fix') ?? members.get('wanted');
    const isAnswer = members.has('status') && members.has('title');
    if (message === undefined || (fix === undefined && !isAnswer)) return;
    const own = members.get('code');
    const named = own === undefined ? [] : this.#texts(own, scope).filter((text) => CODE.test(text));
    const codes = named.length > 0 ? named : scope.codes.filter((text) => CODE.test(text));
    for (const [index, each] of codes.entries()) {
      const only = { ...scope, codes: [each] };
      const said = (member: Node | undefined): string => {
        const texts = member === undefined ? [] : this.#texts(member, only);
        // Of one condition that chooses the code and its words, each code has its own branch.
        const branch = named.length > 1 && texts.length === named.length ? texts.slice(index, index + 1) : texts;
        const whole = branch.map((text) => text.replace(HINT, '')).filter((text) => !EMPTY.test(text));
        return [...new Set(whole)].join(' / ');
      };
      const words: MessageTable = {
        code: each,
        path: scope.path,
        status: said(members.get('status')),
        title: said(members.get('title')),
        isAuthors: members.has('wanted'),
        message: said(message),
        fix: said(fix),
      };
      if (words.message !== '') this.#found.set(`${each} ${areaOf(words)} ${words.message} ${words.fix}`, words);
    }
  }

  /** A function that puts a code into words is read with what it is called with. */
  #readCall(node: Node, scope: Scope): void {
    const name = nameOf(node.callee);
    if (name === undefined || scope.depth >= DEPTH_MAX || !isNode(node.callee) || node.callee.type !== 'Identifier')
      return;
    const callee = scope.values.get(name) ?? this.#functionOf(scope, name);
    if (callee === undefined || !/Function/.test(callee.node.type) || !holdsWords(callee.node)) return;
    const called = node.arguments as Node[];
    const holdsCode = called.some(
      (argument) => SAYS_CODE.has(bare(argument).type) && this.#texts(argument, scope).some((text) => CODE.test(text)),
    );
    if (scope.codes.length === 0 && !holdsCode) return;
    const values = new Map(
      (callee.node.params as Node[]).flatMap((parameter, index) => {
        const parameterName = nameOf(parameter) ?? nameOf(parameter.left);
        const argument = called[index];
        return parameterName === undefined || argument === undefined
          ? []
          : [[parameterName, { node: argument, scope }] as const];
      }),
    );
    this.#read(callee.node.body as Node, { ...callee.scope, codes: scope.codes, values, depth: scope.depth + 1 });
  }

  /** The codes of a parameter whose type is a union of two or three facts. */
  #codesOfParameter(node: Node): string[] {
    const types = (node.params as Node[]).flatMap(({ typeAnnotation }) =>
      isNode(typeAnnotation) && isNode(typeAnnotation.typeAnnotation) ? [typeAnnotation.typeAnnotation] : [],
    );
    const codes = types.flatMap((type) => this.#declarations.codesOfType(nameOf(type.typeName) ?? ''));
    return codes.length <= 3 ? codes : [];
  }

  #functionOf(scope: Scope, name: string): { node: Node; scope: Scope } | undefined {
    const declared = this.#declarations.find(scope.file, name);
    return declared && { node: declared.node, scope: { ...scope, file: declared.file, values: new Map() } };
  }

  /** What an expression can say: one text, or one for each branch. What is only known later stands in braces. */
  #texts(expression: Node, scope: Scope): string[] {
    const node = bare(expression);
    switch (node.type) {
      case 'Literal':
        return [String(node.value)];
      case 'ConditionalExpression':
        return [node.consequent, node.alternate].flatMap((each) => this.#texts(each as Node, scope));
      case 'LogicalExpression':
        return this.#texts(node.right as Node, scope);
      case 'CallExpression':
        return this.#returned(node, scope) ?? [this.#placeholder(node, scope)];
      case 'MemberExpression':
        return this.#chosen(node, scope) ?? [this.#placeholder(node, scope)];
      case 'TemplateLiteral':
        return [
          (node.quasis as Node[])
            .map((quasi, index) => {
              const value = (node.expressions as Node[])[index];
              return `${(quasi.value as { cooked: string }).cooked}${value === undefined ? '' : this.#placeholder(value, scope)}`;
            })
            .join(''),
        ];
      case 'Identifier': {
        const bound = scope.values.get(node.name as string);
        if (bound !== undefined) return this.#texts(bound.node, bound.scope);
        const declared = this.#declarations.find(scope.file, node.name as string);
        if (declared === undefined || /Function/.test(declared.node.type)) return [this.#placeholder(node, scope)];
        const value = this.#declarations.valueOf(declared.file, declared.node);
        if (typeof value === 'number') return [String(value)];
        if (typeof value === 'string') return [value];
        return this.#texts(declared.node, { ...scope, file: declared.file, values: new Map() });
      }
      default:
        return [this.#placeholder(node, scope)];
    }
  }

  /** What a function returns that puts a part of a code into words. */
  #returned(call: Node, scope: Scope): string[] | undefined {
    const name = nameOf(call.callee);
    if (name === undefined || scope.depth >= DEPTH_MAX || (call.callee as Node).type !== 'Identifier') return undefined;
    const callee = scope.values.get(name) ?? this.#functionOf(scope, name);
    if (callee === undefined || !/Function/.test(callee.node.type)) return undefined;
    const inside = { ...callee.scope, codes: scope.codes, depth: scope.depth + 1 };
    const body = callee.node.body as Node;
    const results = body.type === 'BlockStatement' ? returnsOf(body) : [body];
    const within = body.type === 'BlockStatement' ? withLocals(body, inside) : inside;
    return results.flatMap((each) => this.#texts(each, within));
  }

  /** `{ a: 'x', b: 'y' }[problem.code]` is that of the code which is read. */
  #chosen(node: Node, scope: Scope): string[] | undefined {
    const table = bare(node.object as Node);
    const from = table.type === 'Identifier' ? this.#declarations.find(scope.file, table.name as string)?.node : table;
    if (node.computed !== true || from?.type !== 'ObjectExpression') return undefined;
    const members = membersOf(from);
    const own = scope.codes.flatMap((each) => members.get(each) ?? []);
    return (own.length > 0 ? own : [...members.values()]).flatMap((each) => this.#texts(each, scope));
  }

  #placeholder(expression: Node, scope: Scope): string {
    const node = bare(expression);
    if (node.type === 'Identifier') {
      const name = node.name as string;
      const bound = scope.values.get(name);
      if (bound !== undefined) return this.#texts(bound.node, bound.scope)[0] ?? '…';
      const declared = this.#declarations.find(scope.file, name);
      const value = declared && this.#declarations.valueOf(declared.file, declared.node);
      if (typeof value === 'number') return String(value);
      if (typeof value === 'string') return value;
      return `{${name}}`;
    }
    if (node.type === 'Literal' || node.type === 'TemplateLiteral') return this.#texts(node, scope)[0] ?? '';
    if (node.type === 'MemberExpression' && nameOf(node) === 'length') return `{${nameOf(node.object) ?? 'count'}}`;
    const name = nameOf(node);
    if (name !== undefined) return `{${name}}`;
    if (node.type === 'CallExpression') {
      const [text = '', ...others] = this.#returned(node, scope) ?? [];
      if (others.length === 0 && !EMPTY.test(text) && !text.includes('…')) return text;
      const [first] = node.arguments as Node[];
      const inner = first !== undefined && isNode(first) ? this.#placeholder(first, scope) : '…';
      if (/^\{.*\}$/.test(inner)) return inner;
      const callee =
        isNode(node.callee) && node.callee.type === 'MemberExpression' ? (node.callee.object as Node) : undefined;
      return callee === undefined ? '…' : this.#placeholder(callee, scope);
    }
    return '…';
  }
}

/** The constants of a block, by their names. */
function withLocals(block: Node, scope: Scope): Scope {
  const locals = (block.body as Node[]).flatMap((statement) =>
    statement.type !== 'VariableDeclaration' || statement.kind !== 'const'
      ? []
      : (statement.declarations as Node[]).flatMap(({ id, init }) => {
          const name = isNode(id) && id.type === 'Identifier' ? nameOf(id) : undefined;
          return name === undefined || !isNode(init) ? [] : [[name, { node: bare(init), scope }] as const];
        }),
  );
  return locals.length === 0 ? scope : { ...scope, values: new Map([...scope.values, ...locals]) };
}

const RETURNS = new WeakMap<Node, Node[]>();

/** What a block returns, but for the functions in it. */
function returnsOf(node: Node): Node[] {
  const known = RETURNS.get(node);
  if (known !== undefined) return known;
  const own = node.type === 'ReturnStatement' && isNode(node.argument) ? [node.argument] : [];
  const inner = childrenOf(node).filter(({ type }) => node.type !== 'ReturnStatement' && !/Function/.test(type));
  const returned = [...own, ...inner.flatMap(returnsOf)];
  RETURNS.set(node, returned);
  return returned;
}

/** Behind `if (x.code === 'a') return …` the code is another one. */
function withoutReturned(statement: Node, scope: Scope): Scope {
  const codes = statement.type === 'IfStatement' ? comparedCodes(statement.test) : undefined;
  if (codes === undefined || returnsOf(statement.consequent as Node).length === 0) return scope;
  return { ...scope, codes: scope.codes.filter((each) => !codes.includes(each)) };
}

/** `x.code`, or `code` itself. */
const isCodeOf = (node: unknown): boolean => nameOf(node) === 'code' || nameOf(node) === 'reason';

/** The codes of `x.code === 'a'`, also several of them joined by `||`. */
function comparedCodes(test: unknown): string[] | undefined {
  if (!isNode(test)) return undefined;
  if (test.type === 'LogicalExpression' && test.operator === '||') {
    const [left, right] = [comparedCodes(test.left), comparedCodes(test.right)];
    return left && right && [...left, ...right];
  }
  if (test.type !== 'BinaryExpression' || test.operator !== '===' || !isCodeOf(test.left)) return undefined;
  const compared = nameOf(test.right);
  return compared === undefined ? undefined : [compared];
}

function membersOf(node: Node): Map<string, Node> {
  return new Map(
    (node.properties as Node[]).flatMap(({ key, value }) => {
      const name = nameOf(key);
      return name === undefined || !isNode(value) ? [] : [[name, value] as const];
    }),
  );
}

const WITH_WORDS = new WeakMap<Node, boolean>();

function holdsWords(node: Node): boolean {
  const known = WITH_WORDS.get(node);
  if (known !== undefined) return known;
  const holds =
    (node.type === 'ObjectExpression' && ['fix', 'wanted'].some((name) => membersOf(node).has(name))) ||
    node.type === 'CallExpression' ||
    childrenOf(node).some(holdsWords);
  WITH_WORDS.set(node, holds);
  return holds;
}

let read: readonly MessageTable[] | undefined;

/** Of the whole source, read once: it takes seconds. */
function allWords(): readonly MessageTable[] {
  read ??= new ErrorWords().all();
  return read;
}

/** Which part of the page a code belongs to, by what its words are and the room that says them. */
function areaOf({ path, status, isAuthors }: MessageTable): string {
  if (status !== '') return /\/ops\//.test(path) ? 'Answers to operators' : 'Answers to everybody';
  if (isAuthors) return 'Mapping documents and code lists';
  const [, format] = /^src\/formats\/(\w+)\//.exec(path) ?? [];
  if (format !== undefined) return FORMATS[format] ?? 'Files of any format';
  if (path.startsWith('src/mapping/')) return 'Rows, values and groups';
  if (path.startsWith('src/delivery/')) return 'Changes of orders';
  return path.startsWith('src/upstream/') ? 'Answer mappings' : 'Files of any format';
}

const FORMATS: Readonly<Record<string, string>> = {
  csv: 'CSV files',
  json: 'JSON and NDJSON files',
  xml: 'XML files',
  fixed: 'Fixed-width files',
  xlsx: 'Workbooks',
  x12: 'X12 files',
  edifact: 'EDIFACT files',
  segments: 'X12 and EDIFACT files',
};

/** @property about what the part holds. */
const AREAS: readonly { title: string; about: string }[] = [
  {
    title: 'Answers to everybody',
    about:
      'An address answers with `application/problem+json`: `code`, `status`, `title`, `detail`, `fix`, `requestId`.',
  },
  { title: 'Answers to operators', about: 'The same, at addresses below `/v1/ops`.' },
  {
    title: 'Rows, values and groups',
    about:
      'One row is `invalid`, its neighbours are not affected. `_code`, `_column`, `_value`, `_problem` and `_fix` of the report say this.',
  },
  { title: 'Files of any format', about: 'Of uploads, archives, messages and corrected rows.' },
  { title: 'CSV files', about: 'A file as a whole, which makes its batch `unreadable`, or one row of it.' },
  { title: 'JSON and NDJSON files', about: 'A file as a whole, or one record of it.' },
  { title: 'XML files', about: 'A document as a whole, or one record of it.' },
  { title: 'Fixed-width files', about: 'A file as a whole, or one line of it.' },
  { title: 'Workbooks', about: 'A workbook as a whole.' },
  {
    title: 'X12 files',
    about:
      'An interchange, a group or a set. The same codes stand in the acknowledgment, translated to those of the standard.',
  },
  { title: 'EDIFACT files', about: 'An interchange, a group or a message.' },
  { title: 'X12 and EDIFACT files', about: 'What both formats share.' },
  {
    title: 'Changes of orders',
    about: 'Why a change was not sent (the reason of a `dead` row), and warnings of events.',
  },
  {
    title: 'Mapping documents and code lists',
    about: 'What is wrong in a document, for its author; the last column is the wanted form.',
  },
  { title: 'Answer mappings', about: "What is wrong in the mapping of the receiving system's answers." },
];

/** Codes of facts that nobody outside reads: they are told by another code, or stand in the log. A new one is added here or gets words. */
export const INSIDE: readonly string[] = [
  ...['batch_gone', 'code', 'custom', 'fleet_down', 'invalid_union', 'upload_refused', 'withdrawn'],
  // of calls and tokens: the reason or the status of a request says what they mean for it
  ...['network', 'no_token', 'not_composed', 'path_value_invalid', 'timeout', 'token_missing'],
  ...['token_refused', 'token_unreachable', 'token_unreadable', 'url_refused'],
  // of numbers and positions: `coordinate_invalid`, `coordinate_out_of_range`, `unit_unknown` tell them
  ...['hemisphere_missing', 'minutes_out_of_range', 'not_a_coordinate'],
  ...['out_of_range', 'sign_contradicts_letter', 'wrong_hemisphere'],
  // of date patterns: `pattern_invalid` tells them
  ...['pattern_ambiguous', 'pattern_field_missing', 'pattern_field_twice', 'pattern_length', 'pattern_letter'],
  ...['pattern_letter_count', 'pattern_quote', 'pattern_section'],
];

/** Without the names of what is only known later: wordings that differ in these alone are one. */
const plain = (text: string): string => text.replace(/\{[^}]*\}/g, '{}');

/** How many wordings of one code are shown; the others differ in what they found. */
const SHOWN_MAX = 3;

function wordings(texts: readonly string[]): string[] {
  const whole = texts.flatMap((text) => text.split(' / ')).filter((text) => !EMPTY.test(text));
  return whole.filter((text, at) => whole.findIndex((each) => plain(each) === plain(text)) === at).slice(0, SHOWN_MAX);
}

const statusesOf = (all: readonly MessageTable[]): string[] =>
  [...new Set(all.flatMap((words) => words.status.split(' / ')).filter((text) => text !== ''))].sort();

/** What the pages of problems are made of: with names in braces where something is only known later. */
function problemTemplates(found: readonly MessageTable[]) {
  const shown = found.filter((words) => !INSIDE.includes(words.code));
  const order = AREAS.map(({ title }) => title);
  const types = [...Map.groupBy(shown, (words) => `${order.indexOf(areaOf(words))} ${words.code}`)].map(
    ([key, all]) => ({
      code: all[0]?.code ?? '',
      area: order[Number(key.split(' ')[0])] ?? '',
      statuses: statusesOf(all).map(Number).filter(Number.isSafeInteger),
      titles: wordings(all.map(({ title }) => title)),
      says: wordings(all.map(({ message }) => message)),
      fixes: wordings(all.map(({ fix }) => fix)),
    }),
  );
  return types.sort((one, other) =>
    one.area === other.area ? (one.code < other.code ? -1 : 1) : order.indexOf(one.area) - order.indexOf(other.area),
  );
}

/** `src/http/contract/problem-types.json`: the same codes for the bridge's own pages, by code and area, with examples. */
export function problemTypesFile(found: readonly MessageTable[] = allWords()): string {
  const types = problemTemplates(found).map((type) => {
    const filled = (texts: readonly string[]) => [...new Set(texts.map((text) => withExamples(type.code, text).text))];
    return JSON.stringify({ ...type, says: filled(type.says), fixes: filled(type.fixes) });
  });
  return `[\n${types.join(',\n')}\n]\n`;
}

/** What the pages of problems would show as a template, and sentences that nothing needs any more. */
export function examplesAmiss(found: readonly MessageTable[] = allWords()): string[] {
  const types = problemTemplates(found);
  const texts = types.flatMap(({ code: of, says, fixes }) => [...says, ...fixes].map((text) => ({ of, text })));
  return [
    ...texts.flatMap(({ of, text }) => withExamples(of, text).missing),
    ...unusedSentences(new Set(texts.map(({ text }) => text))).map((text) => `no code says "${text}"`),
  ];
}

export function errorCodesPage(found: readonly MessageTable[] = allWords()): string {
  const parts = AREAS.map(({ title, about }) => {
    const ofArea = found.filter((words) => areaOf(words) === title && !INSIDE.includes(words.code));
    const codes = [...new Set(ofArea.map((words) => words.code))].sort();
    const rows = codes.map((each) => {
      const all = ofArea.filter((words) => words.code === each);
      const joined = (texts: readonly string[]): string => wordings(texts).map(prose).join('<br>');
      const status = statusesOf(all).join(', ');
      const words = [joined(all.map(({ message }) => message)), joined(all.map(({ fix }) => fix))];
      return title.startsWith('Answers') ? [code(each), status, ...words] : [code(each), ...words];
    });
    const heads = title.startsWith('Answers')
      ? ['Code', 'Status', 'Says', 'What to do']
      : ['Code', 'Says', 'What to do'];
    return rows.length === 0 ? '' : section(title, about, table(heads, rows));
  });
  parts.push(
    section(
      'What to change in a mapping',
      'The same codes for the author of a mapping, whose files are right as they are. The `map` command and previews say this, too.',
      table(
        ['Code', 'In', 'Change'],
        Object.entries(AUTHOR_FIXES).flatMap(([format, fixes]) =>
          Object.entries(fixes as Readonly<Record<string, string>>).map(([each, fix]) => [
            code(each),
            format,
            prose(fix),
          ]),
        ),
      ),
    ),
  );
  return page(
    'Error codes',
    'Codes are stable; the words may change. A name in braces, such as `{column}`, stands for what was found. `…` stands for words that depend on the case.',
    parts.filter((part) => part !== ''),
  );
}
