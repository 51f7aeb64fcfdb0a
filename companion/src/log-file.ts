/**
 * The log file: the same lines as on stderr, in the data directory, readable by its owner only. Turned at one megabyte, five old ones
 * kept. A disk that cannot take it costs the log, never the companion.
 */
import { basename } from 'node:path';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';
import type { DataFiles } from './files.ts';

const LOG_SIZE = '1M';
export const LOGS_KEPT = 5;

export interface LogFile {
  write(line: string): void;
  /** Resolves when what was written is on its way to the disk, and no later than a moment. */
  close(): Promise<void>;
}

const PATIENCE_MILLISECONDS = 500;

/** Opens it; `size` is for tests. */
export function openLogFile(files: DataFiles, size: `${number}${'B' | 'K' | 'M'}` = LOG_SIZE): LogFile {
  const name = basename(files.log);
  const stream: RotatingFileStream = createStream((index) => (index === null ? name : `${name}.${String(index)}`), {
    ...{ path: files.directory, size, rotate: LOGS_KEPT, mode: 0o600 },
  });
  let broken = false;
  stream.on('error', () => {
    // Full or gone: the lines still go to stderr, and nothing else depends on them.
    broken = true;
  });
  return {
    write(line) {
      if (!broken) stream.write(line);
    },
    close: () =>
      new Promise((resolve) => {
        if (broken) return resolve();
        setTimeout(resolve, PATIENCE_MILLISECONDS).unref();
        stream.end(() => resolve());
      }),
  };
}
