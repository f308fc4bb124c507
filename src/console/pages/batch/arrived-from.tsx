/** What the page of a batch says to somebody who has just sent it. */
import type { FC } from 'hono/jsx';
import type { Page } from '../../page.ts';
import { Note } from '../../parts/basics.tsx';

/** What led here, where somebody sent a file or corrected rows. */
export const ArrivedFrom: FC<{ page: Page }> = ({ page }) =>
  page.query('corrects') !== '' ? (
    <Note look="good">
      These are your corrected rows. Once one is delivered, the row it replaces shows as corrected in{' '}
      <a href={page.at(`/batches/${encodeURIComponent(page.query('corrects'))}`)}>the batch it came from</a>.
    </Note>
  ) : page.query('again') === '' ? null : (
    <Note look="wait">
      This very file was sent before, and this is what became of it. Nothing was sent a second time. If something in it
      has changed, check that you chose the new file.
    </Note>
  );
