/** `mapping-functions.md` and `mapping-keys.md`: the language of mapping documents, from its own schema. */
import * as z from 'zod';
import { writtenDocument } from '../../src/mapping/document/document.ts';
import { isOrderKind, TARGETS } from '../../src/mapping/document/targets.ts';
import { REQUEST_KINDS } from '../../src/mapping/request.ts';
import { UNITS } from '../../src/mapping/values/units.ts';
import { CONDITION_EXAMPLES, FUNCTION_EXAMPLES } from './function-examples.ts';
import { code, page, prose, section, table } from './markdown.ts';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: (string | number)[];
  const?: string | number | boolean;
  default?: unknown;
}

const SCHEMA = z.toJSONSchema(writtenDocument, { io: 'input', target: 'draft-7' }) as unknown as Schema & {
  definitions: Record<string, Schema>;
};
/** Their keys are the functions, which have a page of their own. */
const FIELDS = ['TextField', 'IntegerField', 'NumberField', 'CoordinateField', 'TimeField', 'OrderNode'];

const resolved = (schema: Schema): Schema => {
  const [inner] = schema.allOf ?? [];
  if (inner !== undefined) return resolved(inner);
  const name = nameOfRef(schema);
  return name === undefined ? schema : resolved(SCHEMA.definitions[name] ?? {});
};

const nameOfRef = ({ $ref, allOf }: Schema): string | undefined =>
  $ref === undefined ? (allOf?.[0] === undefined ? undefined : nameOfRef(allOf[0])) : $ref.split('/').at(-1);

/** The keys of an object, of whichever of its forms has them. */
function keysOf(schema: Schema): [name: string, key: Schema, isRequired: boolean][] {
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, key]) => [name, key, schema.required?.includes(name) === true] as [string, Schema, boolean],
  );
  return [...own, ...(schema.anyOf ?? []).flatMap((form) => keysOf(nameOfRef(form) === undefined ? form : {}))];
}

/** What a key takes, in a few words. */
function takes(schema: Schema): string {
  const name = nameOfRef(schema);
  if (name !== undefined) {
    const part = PARTS.find(([definition]) => definition === name)?.[1];
    return (
      NAMED[name] ?? (part === undefined ? code(name) : `[${part.toLowerCase()}](mapping-keys.md#${anchor(part)})`)
    );
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => code(quoted(value))).join(', ');
  if (schema.const !== undefined) return code(quoted(schema.const));
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(takes))].join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'list' : `list of ${takes(schema.items)}`;
  if (schema.properties !== undefined) {
    const keys = keysOf(schema).map(([key, , isRequired]) => (isRequired ? key : `${key}?`));
    return code(`{ ${keys.join(', ')} }`);
  }
  if (schema.type === 'object') {
    const inner = schema.additionalProperties;
    return typeof inner === 'object' ? `names, each with ${takes(inner)}` : 'object';
  }
  return (
    { string: 'text', boolean: '`true`, `false`', integer: 'whole number', number: 'number' }[schema.type ?? ''] ?? ''
  );
}

const quoted = (value: string | number | boolean): string =>
  typeof value === 'string' && /^\W*$/.test(value) ? JSON.stringify(value) : String(value);

/** What else a key takes: a word, or the part of the page that says more. */
const NAMED: Readonly<Record<string, string>> = {
  Column: 'column',
  TextField: 'field',
  IntegerField: 'whole number',
  NumberField: 'number',
  CoordinateField: 'field',
  TimeField: 'time',
  OrderNode: '[value of the order](mapping-keys.md#value-under-order)',
  OrderMembers: 'names, each with a [value of the order](mapping-keys.md#value-under-order)',
  LookupLists: '`{ vehicles?, locations? }`',
  ListChange: '`add`, `replace`, or a [list with keys](mapping-keys.md#list-with-keys)',
  AnomalyAnswer: '`warn`, `reject`, `off`',
};

const isShownDefault = (value: unknown): value is string | number | boolean =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';

/** Of keys that the schema says nothing about. */
const WORDS: Readonly<Record<string, string>> = {
  format: 'The format.',
  encoding: 'The encoding of the text.',
  loops: 'Segments that repeat together, by the name of their loop.',
  target: 'What a record becomes.',
  fields: 'Its fields by name.',
  substring: 'Cuts characters out; 1 is the first, -4 the fourth from the end.',
};

const line = ([name, key, isRequired]: [string, Schema, boolean]): string[] => [
  `${code(name)}${isRequired ? ' (required)' : ''}`,
  `${takes(key)}${isShownDefault(key.default) ? `; ${code(quoted(key.default))} if left out` : ''}`,
  prose(key.description ?? resolved(key).description ?? WORDS[name] ?? ''),
];

/** The keys of a field, by what they are for, in the order in which they are applied. */
const FUNCTIONS: readonly { title: string; about: string; keys: readonly string[] }[] = [
  {
    title: 'Where a value comes from',
    about: 'Exactly one of `from`, `firstOf`, `template`, `const`. A plain text is short for `{ from: … }`.',
    keys: ['from', 'join', 'firstOf', 'template', 'const', 'when', 'optional'],
  },
  {
    title: 'Functions of a text',
    about: 'Applied in this order, however the keys are written. An empty text stays empty until `default`.',
    keys: [
      'trim',
      'capture',
      'substring',
      'replace',
      'upper',
      'lower',
      'pad',
      'lookup',
      'reverse',
      'onMiss',
      'enrich',
      'default',
    ],
  },
  {
    title: 'Types and numbers',
    about: `Units: ${UNITS.map(code).join(', ')}, in usual spellings (\`Lbs.\`, \`KGM\`, \`miles\`).`,
    keys: ['as', 'decimal', 'thousands', 'unit', 'round'],
  },
  {
    title: 'Positions',
    about: 'Of `latitude` and `longitude`. They are sent with at most seven decimals.',
    keys: ['form', 'hemisphere'],
  },
  {
    title: 'Times',
    about: 'How patterns are written: [Times](../mappings.md#times).',
    keys: ['parse', 'zone', 'gap', 'overlap'],
  },
];

const examplesOf = (examples: Readonly<Record<string, readonly string[]>>, key: string): string => {
  const lines = examples[key];
  if (lines === undefined) throw new Error(`scripts/reference/function-examples.ts has no example of ${key}`);
  return lines.join('<br>');
};

export function mappingFunctionsPage(): string {
  const keys = new Map(FIELDS.flatMap((name) => keysOf(SCHEMA.definitions[name] ?? {})).map((key) => [key[0], key]));
  // How an order is built of fields is no function of a field.
  for (const key of ['required', 'object', 'list', 'each', 'item', 'flatten']) keys.delete(key);
  // What a value may become is listed where it may be anything.
  const as = keysOf(SCHEMA.definitions.OrderNode ?? {}).find(([name]) => name === 'as');
  if (as !== undefined) keys.set('as', as);
  const shown = FUNCTIONS.flatMap(({ keys: names }) => names);
  const missing = [...keys.keys()].filter((name) => !shown.includes(name));
  if (missing.length > 0) throw new Error(`no part of mapping-functions.md has ${missing.join(', ')}`);
  const heads = ['Key', 'Takes', 'Does', 'Examples'];
  const parts = FUNCTIONS.map(({ title, about, keys: names }) => {
    const rows = names.map((name) => {
      const key = keys.get(name);
      if (key === undefined) throw new Error(`no field has ${name}`);
      return [...line([key[0], key[1], false]), examplesOf(FUNCTION_EXAMPLES, name)];
    });
    return section(title, about, table(heads, rows));
  });
  const asked = keysOf(SCHEMA.definitions.Condition ?? {});
  const conditions = asked.filter(([name]) => name in CONDITION_EXAMPLES);
  return page(
    'Functions of a field',
    'An example is a field and what it makes of cells: `field`: `cell` gives `value`. The cell is in a column `Value` unless the field names others. Vehicles and locations of the examples are those of [Vehicles and locations](../mappings.md#vehicles-and-locations).',
    [
      ...parts,
      section(
        'Conditions',
        'Under `skip`, in a field, and in an entry of `requests`. Cells are compared after trimming; upper and lower case differ.',
        table(
          heads,
          conditions.map((key) => [...line([key[0], key[1], false]), examplesOf(CONDITION_EXAMPLES, key[0])]),
        ),
      ),
    ],
  );
}

/** In the order in which a document holds them; fields are on the page of functions. */
const PARTS: readonly [definition: string, title: string][] = [
  ['Switch', 'Switch'],
  ['Case', 'Case'],
  ['RequestSpec', 'Entry of requests'],
  ['EventFields', 'Fields of an event'],
  ['Coordinate', 'Coordinate'],
  ['Temperature', 'Temperature'],
  ['ReferenceField', 'Reference'],
  ['Condition', 'Condition'],
  ['Enrich', 'Enrich'],
  ['NamedPattern', 'Named pattern'],
  ['Group', 'Group'],
  ['Delivery', 'Delivery'],
  ['Enrichment', 'Enrichment'],
  ['Change', 'Change'],
  ['KeyedList', 'List with keys'],
  ['FixedKind', 'Kind of line'],
  ['FixedField', 'Field of a line'],
  ['Loop', 'Loop'],
  ['Example', 'Example'],
];
const anchor = (title: string): string => title.toLowerCase().replaceAll(' ', '-');
/** What every field of an order can be beside a field. */
const TREE = ['required', 'object', 'list', 'each', 'item', 'flatten'];

export function mappingKeysPage(): string {
  const heads = ['Key', 'Takes', 'Means'];
  const [whole, dialect] = (SCHEMA.anyOf ?? []).map(resolved);
  if (whole === undefined || dialect === undefined) throw new Error('the schema of documents has another form');
  const base = keysOf(dialect)
    .filter(([name]) => name === 'extends')
    .map(([name, key]): [string, Schema, boolean] => [name, key, false]);
  const source = whole.properties?.source;
  const formats = (source?.oneOf ?? source?.anyOf ?? []).map(resolved).map((form) => {
    const [format = ''] = [form.properties?.format?.const ?? form.properties?.format?.enum?.[0] ?? 'csv'];
    return section(`Source: ${format}`, table(heads, keysOf(form).map(line)));
  });
  const targets = REQUEST_KINDS.map((kind) => {
    const fields = TARGETS.get(kind) ?? [];
    const names = (isRequired: boolean): string =>
      fields
        .filter(({ required }) => required === isRequired)
        .map(({ name }) => code(name))
        .join(', ');
    return isOrderKind(kind)
      ? [code(kind), '`orderRef`, under `order`', 'whatever the receiving system wants, under `order`']
      : [code(kind), names(true), names(false)];
  });
  return page(
    'Keys of a mapping document',
    'A key without "(required)" may be left out. What a field can do: [functions](mapping-functions.md).',
    [
      section('The document', table(heads, [...keysOf(whole), ...base].map(line))),
      section('Targets', table(['Target', 'Required fields', 'Further fields'], targets)),
      ...formats,
      ...PARTS.map(([name, title]) => {
        const definition = SCHEMA.definitions[name];
        if (definition === undefined) throw new Error(`the schema of documents has no ${name}`);
        return section(title, prose(definition.description ?? ''), table(heads, keysOf(definition).map(line)));
      }),
      section(
        'Value under order',
        'A column, a field, or one of these:',
        table(
          heads,
          keysOf(SCHEMA.definitions.OrderNode ?? {})
            .filter(([name]) => TREE.includes(name))
            .map(line),
        ),
      ),
    ],
  );
}
