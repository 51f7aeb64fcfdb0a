/** Child processes: run to their end, or kept until we stop. Every one is stopped by its own pid, and only ours. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ROOT } from './paths.mjs';

const running = new Set();
const windows = process.platform === 'win32';

/** Runs a program with our own output, or into the open file `out`; its exit code, or 127 when it cannot be started. */
export function run(command, args, { env = {}, cwd = ROOT, quiet = false, out = 'inherit' } = {}) {
  return new Promise((resolve) => {
    // On Windows npm is a .cmd file, which only a shell can start; the arguments are ours, never a person's.
    const shell = windows && command === 'npm';
    const child = spawn(command, args, {
      cwd,
      shell,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'ignore' : out, out],
    });
    running.add(child);
    child.once('error', () => resolve(127));
    child.once('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/**
 * Starts a program and waits for the first line of its output, of either stream, that matches `ready`.
 * Rejects when it ends before, or is not ready when `patience` (ms) is over: then it is stopped.
 */
export function keep(command, args, ready, { env = {}, patience = null } = {}) {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  const started = new Promise((resolve, reject) => {
    const timer = patience === null ? null : setTimeout(() => stop(child), patience);
    const read = (line) => {
      output = `${output}${line}\n`.slice(-4_000);
      const match = ready.exec(line);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    };
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', read);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      reject(new Error(output.trim() || `${command} ended with ${code}.`));
    });
  });
  return started.then((match) => ({ match, child, ended, stop: () => stop(child) }));
}

/** Ends a child: politely, then firmly after three seconds. */
function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
    child.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** For children spawned elsewhere that must end with us. */
export function adopt(child) {
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

let stopping = false;

/** True from the moment we are ending: what ends after that is no news. */
export const isStopping = () => stopping;

/** Ends everything we started, then us. */
export async function shutDown(code) {
  if (stopping) return;
  stopping = true;
  await Promise.all([...running].map(stop));
  process.exit(code);
}

/** Ctrl-C and kill end everything we started, then us. */
export function stopWithUs() {
  process.on('SIGINT', () => shutDown(130));
  process.on('SIGTERM', () => shutDown(143));
}
