/** `licences.md`: every package of the lockfile with its licence; what is shipped stands first. */
import { lockedPackages, nameOf, shippedNames } from '../supply/packages.ts';
import { page, section, table } from './markdown.ts';

export function licencesPage(): string {
  const shipped = new Set(shippedNames());
  const all = [...lockedPackages()].map(([path, { version = '', license = '' }]) => ({
    ...{ name: nameOf(path), version, license },
    isShipped: shipped.has(nameOf(path)),
  }));
  const rows = (isShipped: boolean): string[][] => {
    const lines = all.filter((each) => each.isShipped === isShipped);
    const texts = new Map(lines.map(({ name, version, license }) => [`${name} ${version}`, [name, version, license]]));
    return [...texts.values()].sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  };
  const head = ['Package', 'Version', 'Licence'];
  return page(
    'Licences',
    'From the lockfile. `npm run advisories` asks the registry for known weaknesses of all of them.',
    [
      section('In what is deployed or given away', table(head, rows(true))),
      section('To build and test alone', table(head, rows(false))),
    ],
  );
}
