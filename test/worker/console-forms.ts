/** The forms of the console, as a browser fills them in and sends them. */
import { expect } from 'vitest';
import type { Operator } from './operators.ts';
import type { Partner } from './partners.ts';

type Who = Pick<Partner | Operator, 'fetch'>;

export async function pageText(who: Who, path: string, status = 200): Promise<string> {
  const answer = await who.fetch(path, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  const text = await answer.text();
  expect(answer.status, `${path}: ${text.slice(0, 400)}`).toBe(status);
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
  expect(answer.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
  return text;
}

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** What the last form of a page holds. */
function filledIn(html: string): Record<string, string> {
  const form = html.slice(html.lastIndexOf('<form method="post" action="/console/do/'));
  const inputs = [...form.matchAll(/<input [^>]*name="([^"]*)"[^>]*>/g)].flatMap(([tag, name = '']) => {
    const isLeftOut = tag.includes('type="checkbox"') && !/ checked(?:=|>| )/.test(tag);
    return isLeftOut ? [] : [[name, decoded(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')]];
  });
  const long = [...form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</g)].map(([, name = '', text = '']) => [
    name,
    decoded(text),
  ]);
  const choices = [...form.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/g)].map(
    ([, name = '', of = '']) => [
      name,
      decoded(/<option value="([^"]*)" selected/.exec(of)?.[1] ?? /<option value="([^"]*)"/.exec(of)?.[1] ?? ''),
    ],
  );
  return Object.fromEntries([...inputs, ...long, ...choices]) as Record<string, string>;
}

export interface Acted {
  status: number;
  location: string | null;
  html: string;
}

/** Opens the form of an action, fills it in and sends it. @param step `plan`, or `do`. unticked: names of boxes. */
export async function act(
  who: Who,
  path: string,
  values: Record<string, string> = {},
  {
    step = 'do',
    headers = { 'Sec-Fetch-Site': 'same-origin' } as Record<string, string>,
    unticked = [] as readonly string[],
  } = {},
): Promise<Acted> {
  const filled = Object.entries(filledIn(await pageText(who, path))).filter(([name]) => !unticked.includes(name));
  return send(who, path, { ...Object.fromEntries(filled), ...values, step }, headers);
}

/** Presses the button of a plan. */
export const confirm = (who: Who, path: string, { html }: Acted, values: Record<string, string> = {}): Promise<Acted> =>
  send(who, path, { ...filledIn(html), ...values, step: 'do' }, { 'Sec-Fetch-Site': 'same-origin' });

export async function send(
  who: Who,
  path: string,
  values: Record<string, string>,
  headers: Record<string, string>,
): Promise<Acted> {
  const answer = await who.fetch(path, {
    method: 'POST',
    headers: { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(values).toString(),
    redirect: 'manual',
  });
  return { status: answer.status, location: answer.headers.get('Location'), html: await answer.text() };
}
