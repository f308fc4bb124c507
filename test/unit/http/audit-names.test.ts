/** What the audit calls each request of an operator that changes something. */
import { expect, it } from 'vitest';
import { routes } from '../../../scripts/reference/routes.ts';
import { actionText, auditPages } from '../../../src/console/pages/people/audit.tsx';
import { AUDITED, actionOf } from '../../../src/http/ops/audit.ts';
import { drawn } from '../console/drawn.ts';

const CHANGING = routes()
  .filter(({ method, path }) => method !== 'GET' && path.startsWith('/v1/ops/'))
  .map(({ method, path }) => `${method} ${path}`);

it('has a name for every route that changes something, and for no other', () => {
  expect(Object.keys(AUDITED).sort()).toEqual(CHANGING.sort());
});

it('is about a thing that the address names', () => {
  for (const [route, named] of Object.entries(AUDITED)) {
    const parts = [...(named?.[1] ?? '').matchAll(/:\w+/g)].map(([part]) => part);
    for (const part of parts) expect(route.split('/'), route).toContain(part);
  }
});

it('takes names out of the address, decoded, and keeps the other parts of it', () => {
  expect(actionOf('PUT', '/v1/ops/partners/acme%20two/webhooks/main')).toEqual({
    action: 'webhook.set',
    about: 'partner/acme two',
    rest: { target: 'main' },
  });
  expect(actionOf('POST', '/v1/ops/channels/live/release/')).toMatchObject({ about: 'channel/live' });
  expect(actionOf('PUT', '/v1/ops/mappings/%E0%A4')).toMatchObject({ about: 'mapping/%E0%A4' });
});

it('tells nothing of what only reads, and does not lose a route that nobody named', () => {
  expect(actionOf('GET', '/v1/ops/mappings/x')).toBeNull();
  expect(actionOf('POST', '/v1/ops/new/thing')).toEqual({
    action: 'POST /v1/ops/new/thing',
    about: '/v1/ops/new/thing',
    rest: {},
  });
});

it('has a choice on the page of the audit for every kind of action', async () => {
  const answers = { '/v1/ops/audit': { entries: [], next: null } };
  const html = await drawn(auditPages, { path: '/audit', who: 'viewer', answers });
  const offered = [...html.matchAll(/<option value="([a-z_]+)"/g)].map(([, kind]) => kind);
  const kinds = Object.values(AUDITED).flatMap((named) => (named === null ? [] : [named[0].split('.')[0]]));
  expect([...new Set(kinds)].filter((kind) => !offered.includes(kind))).toEqual([]);
});

it('has words on the page of the audit for every action', () => {
  const actions = Object.values(AUDITED).flatMap((named) => (named === null ? [] : [named[0]]));
  const own = ['person.password', 'person.passkey.add', 'person.passkey.remove'];
  const wordless = [...actions, ...own].filter((action) => /^[A-Z][a-z ]+: /.test(actionText(action)));
  expect(wordless).toEqual([]);
});
