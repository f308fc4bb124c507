/** Storage that answers and breaks off while the bytes come. */
import { env } from 'cloudflare:workers';

/**
 * @param which of the streams that are opened, counted from 1, breaks off halfway.
 * @param atHalf what happens there; if it does nothing, nothing more comes.
 */
export function breakingOff(which: number, atHalf: AtHalf = breakOff): R2Bucket {
  let opened = 0;
  const get = async (key: string, options?: R2GetOptions): Promise<R2ObjectBody | null> => {
    const stored = await env.FILES.get(key, options);
    if (stored === null) return null;
    return new Proxy(stored, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== 'body') return typeof member === 'function' ? member.bind(target) : member;
        opened += 1;
        return opened === which ? halfOf(target, atHalf) : member;
      },
    });
  };
  return new Proxy(env.FILES, {
    get: (files, name) => {
      if (name === 'get') return get;
      const member: unknown = Reflect.get(files, name);
      return typeof member === 'function' ? member.bind(files) : member;
    },
  });
}

type AtHalf = (controller: ReadableByteStreamController) => void;
const breakOff: AtHalf = (controller) => controller.error(new Error('planned: storage breaks off'));

function halfOf(stored: R2ObjectBody, atHalf: AtHalf): ReadableStream {
  let isHalf = false;
  return new ReadableStream({
    type: 'bytes',
    pull: async (controller) => {
      if (isHalf) return atHalf(controller);
      const bytes = new Uint8Array(await stored.arrayBuffer());
      controller.enqueue(bytes.slice(0, bytes.length / 2));
      isHalf = true;
    },
  });
}
