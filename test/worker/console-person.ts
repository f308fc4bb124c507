/** Somebody who uses the console by its forms alone, in the worker tests: what a browser without script would do. */
import { expect } from 'vitest';
import type { Operator } from './operators.ts';

const AS_BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** The last form of a page that is sent by POST to an action. */
export interface ShownForm {
  html: string;
  action: string;
  values: Record<string, string>;
}

export interface Submitted {
  html: string;
  location: string | null;
  /** The form that the answer shows. */
  next(): Promise<ShownForm>;
}

export interface Person {
  page(path: string, status?: number): Promise<string>;
  form(path: string): Promise<ShownForm>;
  submit(form: ShownForm, values: Record<string, string>, status?: number): Promise<Submitted>;
}

export function asPerson(operator: Operator): Person {
  const page: Person['page'] = async (path, status = 200) => {
    const answer = await operator.fetch(path, { headers: AS_BROWSER, redirect: 'manual' });
    const html = await answer.text();
    expect(answer.status, `${path}: ${html.slice(-2_000)}`).toBe(status);
    return html;
  };
  return {
    page,
    form: async (path) => formIn(await page(path)),
    submit: async (form, values, status) => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...form.values, ...values })) body.set(name, value);
      const answer = await operator.fetch(form.action, {
        method: 'POST',
        body,
        headers: { ...AS_BROWSER, 'Sec-Fetch-Site': 'same-origin' },
        redirect: 'manual',
      });
      const html = await answer.text();
      if (status === undefined) expect([200, 303], html.slice(-2_500)).toContain(answer.status);
      else expect(answer.status, html.slice(-2_500)).toBe(status);
      return { html, location: answer.headers.get('Location'), next: async () => formIn(html) };
    },
  };
}

const TEXTS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const plain = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => TEXTS[name] ?? '');

function formIn(html: string): ShownForm {
  const form = [...html.matchAll(/<form method="post" action="(\/console\/do\/[^"]*)">([\s\S]*?)<\/form>/g)].at(-1);
  if (form === undefined) throw new Error(`the page has no form of an action: ${html.slice(-2_000)}`);
  const [, action = '', inner = ''] = form;
  const values: Record<string, string> = {};
  for (const [input] of inner.matchAll(/<input [^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(input)?.[1];
    if (name === undefined || (/type="checkbox"/.test(input) && !/\bchecked/.test(input))) continue;
    values[name] = plain(/\bvalue="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  for (const [, name = '', text = ''] of inner.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/textarea>/g))
    values[name] = plain(text);
  return { html, action: plain(action), values };
}
