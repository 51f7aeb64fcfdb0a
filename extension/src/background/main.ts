/**
 * Listeners, registered at the top level and synchronously, so that a sleeping background is woken by every one of them. Nothing else.
 */
import { api, portsCarryBytes } from '../platform.ts';
import { createBackground } from './background.ts';
import { pauseAt, resume, writePause } from './settings.ts';
import { onPermissionsRemoved, syncSites } from './sites.ts';
import { createUpdate } from './update.ts';

const AWAKE_MS = 20_000;
const origin = api.runtime.getURL('').replace(/\/$/, '');
let awake: ReturnType<typeof setInterval> | null = null;

const background = createBackground({
  extensionId: api.runtime.id,
  origin,
  version: api.runtime.getManifest().version,
  portsCarryBytes,
  local: api.storage.local,
  session: api.storage.session,
  fetch: (url, init) => fetch(url, init),
  socket: (url) => new WebSocket(url),
  loopbackAllowed: () => api.permissions.contains({ origins: ['http://127.0.0.1/*'] }),
  keepAwake(busy) {
    if (awake !== null) clearInterval(awake);
    // Any extension call counts as activity; the content script's own messages are the other half.
    awake = busy ? setInterval(() => void api.runtime.getPlatformInfo(), AWAKE_MS) : null;
  },
  now: Date.now,
});

/** Open pages and the badge follow what settings and permissions say now. */
function settle(): void {
  void syncSites()
    .catch(() => [])
    .then(background.refresh);
  void background.tidy().catch(() => {
    // Tried again tomorrow.
  });
}

api.runtime.onConnect.addListener((port) => background.onPort(port));
api.runtime.onMessage.addListener((message, sender, answer) => {
  const reply = background.router.handle(message, sender);
  if (reply === null) return false;
  void reply.then(answer);
  return true;
});
api.runtime.onInstalled.addListener(({ reason }) => {
  settle();
  if (reason === 'install') void api.tabs.create({ url: api.runtime.getURL('src/onboarding/index.html') });
});
api.runtime.onStartup.addListener(settle);
api.permissions.onAdded.addListener(() => void background.granted().then(settle, settle));
api.runtime.onUpdateAvailable.addListener(
  createUpdate({ quiet: background.quiet, reload: () => api.runtime.reload(), now: Date.now }),
);
api.permissions.onRemoved.addListener(() => void onPermissionsRemoved().then(background.refresh));
api.commands.onCommand.addListener((command) => {
  if (command === 'dashboard') void api.runtime.openOptionsPage();
  if (command === 'pause') void togglePause().then(background.refresh);
});

async function togglePause(): Promise<void> {
  if (await pauseAt(Date.now(), null)) await resume();
  else await writePause({ until: null }, null);
}
