/** Names as written → local names and namespaces, by the declarations of the elements around (Namespaces in XML 1.0). Pure. */
import type { OpenElement } from './checkpoint.ts';
import type { XmlAttribute, XmlName } from './tree.ts';

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const DECLARES = 'xmlns';

/** @returns the prefixes for which an element declares namespaces, '' for the default one. */
export function prefixesOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const declared = Object.entries(attributes).flatMap(([name, uri]) => {
    if (name === DECLARES) return [['', uri] as const];
    return name.startsWith(`${DECLARES}:`) ? [[name.slice(DECLARES.length + 1), uri] as const] : [];
  });
  return Object.fromEntries(declared);
}

/** @param open the elements around, and the element itself as the last. */
export function nameOf(written: string, open: readonly OpenElement[]): XmlName {
  const { prefix, local } = divided(written);
  return { local, uri: namespaceOf(prefix, open) };
}

/** Without the declarations. An attribute without prefix is in no namespace. */
export function attributesOf(
  attributes: Readonly<Record<string, string>>,
  open: readonly OpenElement[],
): readonly XmlAttribute[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const { prefix, local } = divided(name);
    if (name === DECLARES || prefix === DECLARES) return [];
    const hasPrefix = prefix !== '';
    return [{ local, uri: hasPrefix ? namespaceOf(prefix, open) : '', hasPrefix, value }];
  });
}

function divided(name: string): { prefix: string; local: string } {
  const colon = name.indexOf(':');
  return colon === -1 ? { prefix: '', local: name } : { prefix: name.slice(0, colon), local: name.slice(colon + 1) };
}

function namespaceOf(prefix: string, open: readonly OpenElement[]): string {
  if (prefix === 'xml') return XML_NAMESPACE;
  for (let at = open.length - 1; at >= 0; at--) {
    const prefixes = open[at]?.prefixes ?? {};
    if (Object.hasOwn(prefixes, prefix)) return prefixes[prefix] ?? '';
  }
  return '';
}
