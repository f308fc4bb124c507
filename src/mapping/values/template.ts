/** Templates: `"{Load #}-{Stop}"` as parts. A brace is always a placeholder's; there is no escape, because no file has needed one. */
import { err, ok, type Result } from '../../kernel/result.ts';

export type Part = { column: string } | { const: string };

/** @returns the parts in order, or what is wrong with the braces. */
export function parseTemplate(template: string): Result<Part[], string> {
  const parts: Part[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const text = template.slice(at, open === -1 ? undefined : open);
    if (text.includes('}')) return err('a "}" without its "{"');
    if (text !== '') parts.push({ const: text });
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close === -1) return err('a "{" without its "}"');
    const column = template.slice(open + 1, close).trim();
    if (column === '' || column.includes('{')) return err('a placeholder without a column name');
    parts.push({ column });
    at = close + 1;
  }
  if (!parts.some((part) => 'column' in part)) return err('no placeholder; use const for a fixed text');
  return ok(parts);
}
