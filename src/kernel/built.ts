import { STORED_DATA_PAUSE_MS } from './limits.ts';
import { log, messageOf } from './log.ts';
import { isStoredNewer, type MigratedStorage, type Migrations, migrate, STORED_DATA_NEWER } from './migrate.ts';

type Storage = MigratedStorage & Pick<DurableObjectStorage, 'setAlarm'>;

/**
 * What an object builds over its storage, once what is stored there was brought to what this release reads. Built when first
 * used, and anew once the storage was emptied, so that an object that has ended leaves nothing behind and works again when it
 * is called again.
 */
export class Built<Parts> {
  readonly #storage: Storage;
  readonly #migrations: Migrations;
  readonly #build: () => Parts;
  #parts: Parts | undefined;

  constructor(storage: Storage, migrations: Migrations, build: () => Parts) {
    this.#storage = storage;
    this.#migrations = migrations;
    this.#build = build;
  }

  /** @throws where what is stored cannot be read by this release. */
  get parts(): Parts {
    if (this.#parts !== undefined) return this.#parts;
    migrate(this.#storage, this.#migrations);
    this.#parts = this.#build();
    return this.#parts;
  }

  /**
   * For alarms. Never throws: after six failed retries the platform would drop the alarm.
   * @returns false where what is stored cannot be read by this release: the alarm comes again later, and may find another one.
   */
  async isReady(): Promise<boolean> {
    try {
      return this.parts !== undefined;
    } catch (thrown) {
      log('error', isStoredNewer(thrown) ? STORED_DATA_NEWER : 'stored_data_not_migrated', {
        detail: messageOf(thrown),
      });
    }
    await this.#storage.setAlarm(Date.now() + STORED_DATA_PAUSE_MS);
    return false;
  }

  /** The storage was emptied. */
  forget(): void {
    this.#parts = undefined;
  }
}
