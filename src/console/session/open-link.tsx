/**
 * `/console/open#…`: an upload link becomes a session that may send files and see what came of them. The token stands behind
 * the `#`, so that no server, log or other site ever gets it with an address; the page sends it in a form. Opening it takes
 * a press of a button: no page of somebody else can put a person into a session of its own.
 */
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { HttpBindings } from '../../http/edge/context.ts';
import { isFromOwnPage } from '../../http/pages/policy.ts';
import { BODY_FORM_BYTES_MAX } from '../../kernel/limits.ts';
import { html } from '../open-page.tsx';
import { Note } from '../parts/basics.tsx';
import { bareDocument, themeOf } from '../parts/frame.tsx';
import { foreignForm, type PageContext, type SignInPorts, siteOf } from './session.ts';
import { addressOf, begin, reached, slowly, tooMany } from './sign-in.tsx';
import { unsafePage } from './sign-in-pages.tsx';
import { isSafeSite } from './site.ts';

export function addOpenLink(routes: Hono<HttpBindings>, ports: SignInPorts): void {
  routes.get('/open', (context) => (isSafeSite(siteOf(context)) ? shown(context, null) : unsafe(context)));
  routes.post('/open', bodyLimit({ maxSize: BODY_FORM_BYTES_MAX }), (context) => open(context, ports));
}

const unsafe = (context: PageContext): Response => html(context, unsafePage(context), 403);

async function open(context: PageContext, ports: SignInPorts): Promise<Response> {
  if (!isSafeSite(siteOf(context))) return unsafe(context);
  if (!isFromOwnPage(context)) return foreignForm(context);
  return reached(context, async () => {
    const link = (await context.req.formData()).get('link');
    const token = typeof link === 'string' ? link.trim().slice(link.trim().lastIndexOf('#') + 1) : '';
    const tried = { takenBack: [addressOf(context)], forgotten: [] };
    const { waitMs, who } = await slowly(context, ports, tried, () => ports.uploadLinks(context.env).opened(token));
    if (who !== null)
      return begin(context, ports, { holder: { kind: 'key', keyId: who.linkId }, by: 'link', to: '/console/upload' });
    if (waitMs > 0) return shown(context, ...tooMany(context, waitMs));
    return shown(context, 'The link is wrong, has ended, or was taken back. Ask whoever gave it to you for a new one.');
  });
}

const shown = (context: PageContext, problem: string | null, status = problem === null ? 200 : 403): Response =>
  html(
    context,
    bareDocument(
      'Open your upload page',
      <>
        <h1>Open your upload page</h1>
        <p>You were given a link to send files with. It needs no key and no password.</p>
        {problem === null ? null : (
          <div role="alert">
            <Note look="bad">{problem}</Note>
          </div>
        )}
        <form method="post" action="/console/open" data-open>
          <div class="field">
            <label for="link">Your link</label>
            <input id="link" name="link" type="password" required autocomplete="off" aria-describedby="link-hint" />
            <span class="hint" id="link-hint">
              Filled in by itself where the link was opened; otherwise paste it here.
            </span>
          </div>
          <p class="actions">
            <button class="primary" type="submit">
              Open the page
            </button>
          </p>
        </form>
      </>,
      { theme: themeOf(context), script: '/console/open.js' },
    ),
    status,
  );
