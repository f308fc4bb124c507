/** The parts that say what a workbook is made of: its sheets in their order, how it counts days, where its texts and styles are. */
import { SHEETS_MAX, SMALL_PART_BYTES_MAX } from './limits.ts';
import type { WorkbookParts } from './parts.ts';
import { type OtherDocument, WorkbookRefusal } from './problems.ts';
import { type Attributes, readXml } from './xml.ts';

export interface Sheet {
  name: string;
  isHidden: boolean;
  part: string;
}

export interface Workbook {
  /** Sheets with cells, in the order of their tabs. */
  sheets: readonly Sheet[];
  is1904: boolean;
  stylesPart: string | undefined;
  sharedStringsPart: string | undefined;
}

/** Every package of office parts has it (ECMA-376-2 6.2.3). */
const CONTENT_TYPES = '[Content_Types].xml';
const PACKAGE_RELATIONSHIPS = '_rels/.rels';

/** @returns what a ZIP is that holds no such package; `archive`: a ZIP of files, as far as names tell. */
export function packageKind(parts: WorkbookParts): 'package' | 'archive' | OtherDocument {
  if (parts.has(CONTENT_TYPES)) return 'package';
  return parts.has('META-INF/manifest.xml') ? 'open_document' : 'archive';
}

/** Throws a refusal. */
export async function readWorkbook(parts: WorkbookParts): Promise<Workbook> {
  const [main] = [...(await relationships(parts, PACKAGE_RELATIONSHIPS, '')).values()].filter(
    ({ kind }) => kind === 'officeDocument',
  );
  const part = main?.target ?? 'xl/workbook.xml';
  if (part.toLowerCase().endsWith('.bin')) refuse('binary_workbook');
  const declared: { name: string; state: string | undefined; id: string | undefined }[] = [];
  let root = '';
  let is1904 = false;
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (root === '') root = name;
      if (name === 'workbookPr') is1904 = isTrue(attribute('date1904'));
      if (name !== 'sheet') return;
      bounded(part, 'sheets', declared.length, SHEETS_MAX);
      declared.push({ name: attribute('name') ?? '', state: attribute('state'), id: attribute('*:id') });
    },
    text: () => undefined,
    close: () => undefined,
  });
  if (root !== 'workbook') refuse('other_office_document');
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const related = await relationships(parts, `${folder}_rels/${part.slice(slash)}.rels`, folder);
  const targetOf = (kind: string) => [...related.values()].find((relationship) => relationship.kind === kind)?.target;
  const sheets = declared.flatMap(({ name, state, id }): Sheet[] => {
    const relationship = id === undefined ? undefined : related.get(id);
    if (relationship?.kind !== 'worksheet') return []; // a chart or a dialogue has no rows
    return [{ name, isHidden: state === 'hidden' || state === 'veryHidden', part: relationship.target }];
  });
  return { sheets, is1904, stylesPart: targetOf('styles'), sharedStringsPart: targetOf('sharedStrings') };
}

interface Relationship {
  /** Last word of its type, which is the same in the transitional and the strict form. */
  kind: string;
  target: string;
}

async function relationships(
  parts: WorkbookParts,
  part: string,
  folder: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const found = new Map<string, Relationship>();
  if (!parts.has(part)) return found;
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('TargetMode') === 'External') return;
      const kind = attribute('Type') ?? '';
      found.set(attribute('Id') ?? '', {
        kind: kind.slice(kind.lastIndexOf('/') + 1),
        target: resolved(folder, attribute('Target') ?? ''),
      });
    },
    text: () => undefined,
    close: () => undefined,
  });
  return found;
}

/** @param target relative to the folder, or from the root with a slash in front. */
function resolved(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : folder + path).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** @param count of them so far, before another is kept. */
export function bounded(part: string, things: string, count: number, countMax: number): void {
  if (count >= countMax) throw new WorkbookRefusal({ code: 'workbook_too_large', of: 'count', part, things, countMax });
}

export const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true' || text === 'on';

function refuse(looksLike: OtherDocument): never {
  throw new WorkbookRefusal({ code: 'not_a_workbook', looksLike });
}

/** A whole number as an attribute has it; undefined for anything else. */
export function wholeNumber(attribute: Attributes, name: string): number | undefined {
  const text = attribute(name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
