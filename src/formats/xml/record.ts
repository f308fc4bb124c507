/** Builds the tree of one record tag by tag, within a number of nodes. */
import type { XmlAttribute, XmlElement, XmlName } from './tree.ts';

export class RecordBuilder {
  readonly root: XmlElement;
  /** More nodes than may be: nothing more is kept, only the depth is followed. */
  isOverfull = false;
  private readonly nodesMax: number;
  private nodes = 0;
  private element: XmlElement;
  /** Open elements that are not kept. */
  private unkept = 0;

  constructor(name: XmlName, attributes: readonly XmlAttribute[], nodesMax: number) {
    this.nodesMax = nodesMax;
    this.root = { ...name, attributes, text: '', children: [], parent: null };
    this.element = this.root;
    this.count(attributes);
  }

  open(name: XmlName, attributes: readonly XmlAttribute[]): void {
    this.count(attributes);
    if (this.isOverfull) {
      this.unkept++;
      return;
    }
    const element: XmlElement = { ...name, attributes, text: '', children: [], parent: this.element };
    this.element.children.push(element);
    this.element = element;
  }

  text(text: string): void {
    if (this.unkept === 0) this.element.text += text;
  }

  /** @returns true when it was the record's own element that ended. */
  close(): boolean {
    if (this.unkept > 0) {
      this.unkept--;
      return false;
    }
    const { parent } = this.element;
    if (parent === null) return true;
    this.element = parent;
    return false;
  }

  private count(attributes: readonly XmlAttribute[]): void {
    this.nodes += 1 + attributes.length;
    if (this.nodes > this.nodesMax) this.isOverfull = true;
  }
}
