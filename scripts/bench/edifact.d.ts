/** What is used of the package edifact, which has no types. */
declare module 'edifact/parser.js' {
  export default class Parser {
    onopensegment: (name: string) => void;
    onelement: () => void;
    oncomponent: (value: string) => void;
    onclosesegment: () => void;
    encoding(level: string): void;
    write(chunk: string): void;
    end(): void;
  }
}
