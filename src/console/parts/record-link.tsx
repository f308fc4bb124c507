/** Files that a page passes on from the API as they are, and the link to all that is stored of a thing. */
import type { FC } from 'hono/jsx';
import type { ApiProblem } from '../api.ts';
import { hereOf, type Page } from '../page.ts';

/** After the address of the thing. */
export const RECORD_FILE = '/record.ndjson';

/** Only operators take so much out. */
export const RecordLink: FC<{ page: Page; href: string }> = ({ page, href }) =>
  page.mayActAs('operator') ? (
    <a class="button" href={href} download>
      Download the whole record
    </a>
  ) : null;

/** @param values of the action. */
export const EraseLink: FC<{ page: Page; action: string; values: Readonly<Record<string, string>> }> = (link) =>
  link.page.mayActAs('admin') ? (
    <a class="button" href={link.page.at(`/do/${link.action}`, { ...link.values, from: hereOf(link.page) })}>
      Erase…
    </a>
  ) : null;

/** What the API answered, to be stored by the browser; a refusal as a page. */
export async function asFile(page: Page, answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  return page.refuse({ ...(await answer.json<ApiProblem>()), status: answer.status });
}
