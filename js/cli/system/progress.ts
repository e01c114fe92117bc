// A progress line on the terminal: bytes, rate, time left, files.
import type { Observer } from "../files/read.js";
import { flush, onWrite, writeStderr } from "./output.js";

/** Nothing is shown for work that takes less time. */
const PATIENCE_MS = 1000;
const REFRESH_MS = 200;

/** The total work, if known in advance. */
export interface Total {
  readonly bytes: number;
  readonly files: number;
}

/** Shows a line after a second, if at all. */
export class Progress implements Observer {
  readonly #total: Total | undefined;
  readonly #start = Date.now();
  /** When the line is shown next. */
  #next: number;
  #bytes = 0;
  #files = 0;
  #shown = false;

  constructor(shows: boolean, total?: Total) {
    this.#total = total;
    this.#next = shows ? this.#start + PATIENCE_MS : Number.POSITIVE_INFINITY;
    onWrite(() => this.#erase());
  }

  onLong(): void {
    flush();
  }

  onBytes(count: number): void {
    this.#bytes += count;
    this.#refresh();
  }

  onFile(): void {
    this.#files++;
    this.#refresh();
  }

  /** Erases the progress line. */
  end(): void {
    this.#next = Number.POSITIVE_INFINITY;
    this.#erase();
  }

  #refresh(): void {
    if (this.#next === Number.POSITIVE_INFINITY) return;
    const now = Date.now();
    if (now < this.#next) return;
    this.#next = now + REFRESH_MS;
    flush();
    this.#shown = true;
    const line = progressLine(this.#bytes, this.#files, (now - this.#start) / 1000, this.#total);
    writeStderr(`\r${line}\x1b[K`);
  }

  #erase(): void {
    if (!this.#shown) return;
    this.#shown = false;
    writeStderr("\r\x1b[K");
  }
}

/** @param seconds since the start */
function progressLine(bytes: number, files: number, seconds: number, total: Total | undefined): string {
  const rate = bytes / seconds;
  const of = total ? ` of ${size(total.bytes)}` : "";
  const filesOf = total ? ` of ${total.files}` : "";
  // One file alone is not counted.
  const count = total?.files === 1 ? "" : `, ${files}${filesOf} ${files === 1 && !total ? "file" : "files"}`;
  const left = total && rate > 0 ? `, ${duration(Math.max(0, total.bytes - bytes) / rate)} left` : "";
  return `${size(bytes)}${of}, ${size(rate)}/s${left}${count}`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const pad = (part: number): string => `${part}`.padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
