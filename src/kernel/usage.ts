/**
 * What an object uses of the platform, as the platform's price list counts it: rows written, calls, time awake, files. Each
 * object counts its own; whoever reports to another passes on what it counted since the last time. It is a count and no
 * invoice: what was counted since then is lost with the process.
 */
import { namespacesOf } from './namespaces.ts';

/** Of one object, or of several together. */
export interface Usage {
  /** Rows of SQL, as the platform bills them: an index that is touched is a row more, and an alarm that is set. */
  rowsWritten: number;
  /** Of other objects. */
  objectCalls: number;
  /** Time in which a call or a wake-up was under way, waiting included. */
  awakeMs: number;
  /** Requests that left for the upstream. */
  upstreamCalls: number;
  filesWritten: number;
  filesRead: number;
}

export const NO_USAGE: Usage = {
  rowsWritten: 0,
  objectCalls: 0,
  awakeMs: 0,
  upstreamCalls: 0,
  filesWritten: 0,
  filesRead: 0,
};

export const usageOfBoth = (one: Usage, other: Usage): Usage => ({
  rowsWritten: one.rowsWritten + other.rowsWritten,
  objectCalls: one.objectCalls + other.objectCalls,
  awakeMs: one.awakeMs + other.awakeMs,
  upstreamCalls: one.upstreamCalls + other.upstreamCalls,
  filesWritten: one.filesWritten + other.filesWritten,
  filesRead: one.filesRead + other.filesRead,
});

type Method = (...parameters: unknown[]) => unknown;
/** Tells of each call of a method before it is passed on; null: of this one nobody wants to know. */
type Watch = (method: string) => ((answer: unknown) => void) | null;

/** The same object; its methods run with it as `this`, as those of the platform must. @param members in place of its own. */
function watched<T extends object>(target: T, watch: Watch, members: Partial<T> = {}): T {
  // Not a proxy of the target itself: that could not answer anything else for a member that is fixed there.
  const shell = Object.create(target, Object.getOwnPropertyDescriptors(members)) as T;
  return new Proxy(shell, {
    get(_, name) {
      const member = Reflect.get(Object.hasOwn(shell, name) ? shell : target, name) as unknown;
      if (typeof member !== 'function' || Object.hasOwn(shell, name)) return member;
      const told = watch(String(name));
      return (...parameters: unknown[]) => {
        const answer = (member as Method).apply(target, parameters);
        told?.(answer);
        return answer;
      };
    },
  });
}

/** Operations of R2 that are billed as writing, and as reading; deleting is free. */
const FILE_WRITES = ['put', 'createMultipartUpload', 'list'];
const FILE_READS = ['get', 'head'];

export class UsageMeter {
  #counted: Usage = { ...NO_USAGE };
  #underWay = 0;
  #awakeSinceMs = 0;

  /** The object's storage, whose rows written and alarms are counted. */
  storage(storage: DurableObjectStorage): DurableObjectStorage {
    const rows = (answer: unknown): void => {
      this.#counted.rowsWritten += (answer as SqlStorageCursor<never>).rowsWritten;
    };
    const alarm = (): void => {
      this.#counted.rowsWritten += 1;
    };
    const sql = watched(storage.sql, (method) => (method === 'exec' ? rows : null));
    return watched(storage, (method) => (method === 'setAlarm' ? alarm : null), { sql });
  }

  /** The object's bindings: each look-up of another object counts as a call of it. */
  environment(env: Env): Env {
    const call = (): void => {
      this.#counted.objectCalls += 1;
    };
    const write = (): void => {
      this.#counted.filesWritten += 1;
    };
    const read = (): void => {
      this.#counted.filesRead += 1;
    };
    const counted: Partial<Record<string, object>> = {
      FILES:
        env.FILES &&
        watched(env.FILES, (name) => (FILE_WRITES.includes(name) ? write : FILE_READS.includes(name) ? read : null)),
    };
    for (const [name, namespace] of namespacesOf(env))
      counted[name] = watched(namespace, (method) => (method === 'getByName' ? call : null));
    return { ...env, ...counted };
  }

  /** A request leaves for the upstream. */
  sends(): void {
    this.#counted.upstreamCalls += 1;
  }

  /** While `run` is under way, the object is awake. */
  async awake<T>(run: () => Promise<T>): Promise<T> {
    if (this.#underWay === 0) this.#awakeSinceMs = Date.now();
    this.#underWay += 1;
    try {
      return await run();
    } finally {
      this.#countAwake();
      this.#underWay -= 1;
    }
  }

  /** A call or a wake-up is under way. */
  get isAwake(): boolean {
    return this.#underWay > 0;
  }

  /** What was counted since the last time. */
  take(): Usage {
    this.#countAwake();
    const counted = this.#counted;
    this.#counted = { ...NO_USAGE };
    return counted;
  }

  /** What was taken could not be passed on. */
  putBack(usage: Usage): void {
    this.#counted = usageOfBoth(this.#counted, usage);
  }

  #countAwake(): void {
    if (this.#underWay === 0) return;
    const nowMs = Date.now();
    this.#counted.awakeMs += Math.max(0, nowMs - this.#awakeSinceMs); // the clock may have been set back
    this.#awakeSinceMs = nowMs;
  }
}
