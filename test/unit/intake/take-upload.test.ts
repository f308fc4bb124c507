/** What stops an upload before its body is read. The rest of the road needs the platform's streams and is tested there. */
import { describe, expect, it, vi } from 'vitest';
import type { UploadRequest } from '../../../src/intake/admit.ts';
import type { MappingCatalog, Principal } from '../../../src/intake/ports.ts';
import { forgetBytes } from '../../../src/intake/store-upload.ts';
import { type IntakePorts, takeUpload } from '../../../src/intake/take-upload.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import { readChannels } from '../../../src/upstream/channels.ts';
import { anOffer, anUpload, aPrincipal, CATALOG } from './samples.ts';

const channels = readChannels(
  {
    settings: JSON.stringify([
      { name: 'main', environment: 'test', baseUrl: 'https://upstream.example', scacs: ['ABCD', 'WXYZ'] },
    ]),
    secrets: JSON.stringify({ main: { apiKey: 'k', clientSecret: 's' } }),
  },
  1,
);

/** Ports that must not be reached: whatever is refused here leaves no trace. */
function untouchable(catalog: MappingCatalog = CATALOG) {
  const touched: string[] = [];
  const touch = (what: string) => () => {
    touched.push(what);
    throw new Error(`${what} was reached`);
  };
  const ports: IntakePorts = {
    files: { put: touch('put'), delete: touch('delete'), head: touch('head') } as unknown as IntakePorts['files'],
    register: touch('register'),
    catalog,
    channels: channels.ok ? channels.value : new Map(),
    isTrialFree: touch('trials'),
    nowMs: () => 0,
  };
  return { ports, touched };
}

const body = () => new ReadableStream<Uint8Array>();

async function refusedWith(
  principal: Partial<Principal>,
  stream: ReadableStream<Uint8Array> | null = body(),
  asked: Partial<UploadRequest> = {},
) {
  const { ports, touched } = untouchable();
  const taken = await takeUpload(ports, aPrincipal(principal), anUpload(asked), stream);
  expect(touched).toEqual([]);
  return taken.ok ? undefined : taken.error;
}

describe('takeUpload', () => {
  it('refuses what may not come in before anything is touched', async () => {
    expect(await refusedWith({}, body(), { scac: 'GONE' })).toMatchObject({ code: 'scac_not_allowed' });
  });

  it('refuses a key whose channel is not configured', async () => {
    expect(await refusedWith({ channel: 'gone' })).toEqual({ code: 'channel_missing', channel: 'gone' });
  });

  it('refuses a production key whose channel is one of test, and a test key with one of production', async () => {
    expect(await refusedWith({ environment: 'production' })).toEqual({ code: 'channel_missing', channel: 'main' });
  });

  it('refuses a key whose channel is not configured whatever else is wrong, because nothing could be sent', async () => {
    expect(await refusedWith({ channel: 'gone' }, body(), { mapping: 'nothing' })).toMatchObject({
      code: 'channel_missing',
    });
  });

  it('refuses a request without a body as empty', async () => {
    expect(await refusedWith({}, null)).toEqual({ code: 'empty' });
  });

  it('refuses a mapping that is not there', async () => {
    const refused = { code: 'unknown_mapping', mapping: 'gone', known: anOffer(null).names };
    expect(await refusedWith({}, body(), { mapping: 'gone' })).toEqual(refused);
  });

  it('never calls a mapping unknown when the catalog cannot be read', async () => {
    const { ports, touched } = untouchable({ offer: async () => err({ code: 'catalog_unavailable' }) });
    const taken = await takeUpload(ports, aPrincipal(), anUpload({ mapping: 'gone' }), body());
    expect(taken).toEqual({ ok: false, error: { code: 'catalog_unavailable' } });
    expect(touched).toEqual([]);
  });

  it('asks for the names of the caller’s environment that are the caller’s to know', async () => {
    const asked: unknown[] = [];
    const { ports } = untouchable({
      offer: async (...each) => {
        asked.push(each);
        return ok(anOffer(null));
      },
    });
    await takeUpload(ports, aPrincipal(), anUpload(), body());
    expect(asked).toMatchObject([[{ environment: 'test', partner: aPrincipal().partner }, 'stops']]);
  });
});

describe('the SCACs of a key', () => {
  it('are cut to those of its channel: what the channel cannot send for is refused', async () => {
    const refusal = await refusedWith({ scacs: ['ABCD', 'GONE', 'WXYZ'] }, body(), { scac: 'GONE' });
    expect(refusal).toEqual({ code: 'scac_not_allowed', scac: 'GONE', allowed: ['ABCD', 'WXYZ'] });
  });

  it('are cut before one is asked for: what cannot be sent for is not offered', async () => {
    const refusal = await refusedWith({ scacs: ['WXYZ', 'GONE', 'ABCD'] });
    expect(refusal).toEqual({ code: 'scac_required', allowed: ['WXYZ', 'ABCD'] });
  });

  it('need not be named when the channel leaves one of them', async () => {
    expect(await refusedWith({ scacs: ['GONE', 'ABCD'] }, null)).toEqual({ code: 'empty' });
  });

  it('are not widened by the channel', async () => {
    const refusal = await refusedWith({ scacs: ['ABCD'] }, body(), { scac: 'WXYZ' });
    expect(refusal).toEqual({ code: 'scac_not_allowed', scac: 'WXYZ', allowed: ['ABCD'] });
  });

  it('may all be gone from the channel: then the operator must mend it, whatever the mapping reads', async () => {
    const refused = { code: 'no_scac_usable', channel: 'main' };
    expect(await refusedWith({ scacs: ['GONE'] }, body(), { scac: 'GONE' })).toEqual(refused);
    expect(await refusedWith({ scacs: ['GONE'] }, body(), { mapping: 'by-row' })).toEqual(refused);
    expect(await refusedWith({ scacs: [] })).toEqual(refused);
  });
});

it('bytes that no batch claims and that cannot be deleted are left, which is logged', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const files = { delete: async () => Promise.reject(new Error('planned')) };
  await forgetBytes(files, 'key');
  expect(warned.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
    { event: 'unclaimed_bytes_kept', detail: 'planned' },
  ]);
  warned.mockRestore();
});
