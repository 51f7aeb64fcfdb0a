/** `throughline serve`: the companion in the foreground, until a signal. */
import { type Companion, startCompanion } from '../companion.ts';
import { type Config, printConfig } from '../config.ts';
import { Fault } from '../fault.ts';
import { type DataFiles, dataFiles, makePrivateDirectory, removePrivateFile, writePrivateFile } from '../files.ts';
import { createLog, errorCode, type Log, toStderr } from '../log.ts';
import { openLogFile } from '../log-file.ts';
import { lockDirectory } from '../store/lock.ts';
import { VERSION } from '../version.ts';
import { type Command, textFlag } from './arguments.ts';
import { isAttended, openBrowser } from './browser.ts';
import { readAbout } from './running.ts';
import { settingsOf } from './settings.ts';

const NEXT_PORTS = 5;

/** What asks the companion to stop: Ctrl+C, the service, the closed terminal; on Windows also Ctrl+Break. */
export function stopSignals(platform: string): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
}

/** The port asked for; the default one may give way to the next four. */
function portsOf(command: Command, config: Config): readonly number[] {
  const asked = textFlag(command, 'port') !== undefined || process.env.THROUGHLINE_PORT !== undefined || config.port !== 4747;
  return asked ? [config.port] : Array.from({ length: NEXT_PORTS }, (_, i) => config.port + i);
}

async function start(command: Command, config: Config, files: DataFiles, log: Log): Promise<Companion> {
  try {
    return await startCompanion({
      config,
      files,
      ephemeral: command.values.ephemeral === true,
      ports: portsOf(command, config),
      log,
      now: Date.now,
      environment: process.env,
    });
  } catch (error) {
    if (error instanceof Fault) throw error;
    const code = errorCode(error);
    if (code === 'EADDRINUSE')
      throw new Fault(
        'port-taken',
        `Port ${config.port} is taken by another program.`,
        'Stop it, or choose another with --port.',
      );
    throw new Fault('cannot-start', `The companion could not start (${code}).`, 'Check the data directory and the port.');
  }
}

export async function serveVerb(command: Command): Promise<void> {
  const config = settingsOf(command);
  if (command.values['print-config'] === true) return void process.stdout.write(`${printConfig(config)}\n`);
  // Whatever a library creates in the data directory is private too.
  process.umask(0o077);
  const files = dataFiles(config.data);
  const lock = prepareDirectory(files);
  if (lock === null) {
    const other = readAbout(files);
    const where = other === null ? '' : ` on http://127.0.0.1:${other.port} (pid ${other.pid})`;
    return void process.stdout.write(`throughline: already running${where}\n`);
  }
  const logFile = config.logLevel === 'silent' ? null : openLogFile(files);
  const stderr = toStderr();
  const log = createLog(config.logLevel, (line) => {
    stderr(line);
    logFile?.write(line);
  });
  let companion: Companion;
  try {
    companion = await start(command, config, files, log);
  } catch (error) {
    await logFile?.close();
    lock.release();
    throw error;
  }
  const { port, companionId } = companion;
  writePrivateFile(files.companion, `${JSON.stringify({ pid: process.pid, port, companionId, startedAt: Date.now() })}\n`);
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      // Asked a second time at the keyboard: at once. Any other repetition changes nothing.
      if (signal === 'SIGINT') process.exit(1);
      return;
    }
    stopping = true;
    log.info('stopping', { signal });
    removePrivateFile(files.companion);
    companion
      .close()
      .then(() => logFile?.close())
      .finally(() => {
        lock.release();
        process.exit(0);
      });
  };
  for (const signal of stopSignals(process.platform)) process.on(signal, stop);
  log.info('listening', { version: `v${VERSION}`, port });
  process.stdout.write(`throughline: listening on http://127.0.0.1:${port}\n`);
  if (companion.pairings.list().length > 0) return;
  const link = `http://127.0.0.1:${port}/pair#k=${companion.secrets.issue()}`;
  process.stdout.write(`throughline: pair a browser: ${link}\n`);
  if (command.values['no-open'] !== true && isAttended()) openBrowser(link);
}

function prepareDirectory(files: DataFiles): ReturnType<typeof lockDirectory> {
  try {
    makePrivateDirectory(files.directory);
    return lockDirectory(files.lock);
  } catch (error) {
    throw new Fault(
      'bad-data-directory',
      `The data directory cannot be used (${errorCode(error)}).`,
      'Name another one with --data.',
    );
  }
}
