/** Names that are links: a partner and a mapping have a page for operators. */
import type { FC } from 'hono/jsx';
import type { Page } from '../page.ts';

export const PartnerLink: FC<{ page: Page; name: string | null | undefined }> = ({ page, name }) =>
  name == null || name === '' || !page.isOps ? (
    <span>{name}</span>
  ) : (
    <a href={page.at(`/partners/${encodeURIComponent(name)}`)}>{name}</a>
  );

export const MappingLink: FC<{ page: Page; name: string }> = ({ page, name }) =>
  page.isOps ? <a href={page.at(`/mappings/${encodeURIComponent(name)}`)}>{name}</a> : <span>{name}</span>;

/** Several names, separated by commas. @param most shown; the others are counted. */
export const Names: FC<{
  page: Page;
  names: readonly string[];
  of: 'partner' | 'mapping';
  most?: number;
  none?: string;
}> = ({ page, names, of, most = names.length, none = '' }) => {
  const Link = of === 'partner' ? PartnerLink : MappingLink;
  if (names.length === 0) return <>{none}</>;
  return (
    <span title={names.length > most ? names.join(', ') : undefined}>
      {names.slice(0, most).map((name, at) => (
        <>
          {at === 0 ? '' : ', '}
          <Link page={page} name={name} />
        </>
      ))}
      {names.length > most ? ` and ${names.length - most} more` : ''}
    </span>
  );
};
