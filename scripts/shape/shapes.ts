/** The types that say what one request is: each of them names at least four of its members. Pure. */

/** What is told of a request somewhere on its way. */
const MEMBERS =
  'record request kind subject scac body state generation attempts status answer key evidence reason outcome'.split(
    ' ',
  );
const MEMBERS_LEAST = 4;

export function shapesOfRequest(texts: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [path, text] of texts) {
    if (/^src\/(?:sandbox|console)\//.test(path)) continue;
    for (const [, name = '', members = ''] of text.matchAll(
      /^(?:export )?(?:interface|type) (\w+)[^{;]*\{\n((?: .*\n|\n)*?)\}/gm,
    )) {
      const named = new Set([...members.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, member]) => member));
      if (MEMBERS.filter((member) => named.has(member)).length >= MEMBERS_LEAST) found.push(name);
    }
  }
  return found.sort();
}
