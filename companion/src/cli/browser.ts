/** Opens a link in the person's browser; that it cannot is not an error, the link is printed anyway. */
import { spawn } from 'node:child_process';

/** The program that opens a link, and what stands before the link. No shell is involved: a link is never a command. */
export function openerOf(platform: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

export function openBrowser(link: string): void {
  const [program, ...before] = openerOf(process.platform);
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
