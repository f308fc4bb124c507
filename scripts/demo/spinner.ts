/** What the demo is at: one line that moves on a terminal; elsewhere a line for each phase. */
type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'>;

export interface Spinner {
  /** A new phase: shown everywhere. */
  phase(text: string): void;
  /** How far it is: shown on a terminal alone. */
  detail(text: string): void;
  /** The line is gone; what follows is written by others. */
  stop(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

export function startSpinner(stream: Stream, nowMs: () => number = () => performance.now()): Spinner {
  const sinceMs = nowMs();
  let [phase, detail, frame] = ['', '', 0];
  const show = (): void => {
    const seconds = Math.floor((nowMs() - sinceMs) / 1000);
    const text = `${FRAMES[frame++ % FRAMES.length]} ${String(seconds).padStart(3)} s  ${phase}${detail === '' ? '' : `: ${detail}`}`;
    stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  const timer = stream.isTTY ? setInterval(show, FRAME_MS) : undefined;
  return {
    phase(text) {
      [phase, detail] = [text, ''];
      if (stream.isTTY) show();
      else stream.write(`${text} …\n`);
    },
    detail(text) {
      detail = text;
    },
    stop() {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}
