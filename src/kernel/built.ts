/**
 * What an object builds over its storage: its tables with it. Built when first used, and anew once the storage was emptied, so
 * that an object that has ended leaves nothing behind and works again when it is called again.
 */
export class Built<Parts> {
  readonly #build: () => Parts;
  #parts: Parts | undefined;

  constructor(build: () => Parts) {
    this.#build = build;
  }

  get parts(): Parts {
    this.#parts ??= this.#build();
    return this.#parts;
  }

  /** The storage was emptied. */
  forget(): void {
    this.#parts = undefined;
  }
}
