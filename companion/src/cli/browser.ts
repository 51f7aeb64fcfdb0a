/** Opens a link in the person's browser; that it cannot is not an error, the link is printed anyway. */
import { spawn } from 'node:child_process';

export function openBrowser(link: string): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  if (program === undefined) return;
  const child = spawn(program, [...before, link], { detached: true, stdio: 'ignore' });
  child.on('error', () => {
    // No such program here: the person opens the printed link.
  });
  child.unref();
}

/** True when somebody sits in front of this terminal. */
export function isAttended(): boolean {
  return process.stdout.isTTY === true && process.env.CI === undefined;
}
